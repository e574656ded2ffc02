"""The source check adapts to ports that change while it changes: over a switch in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from controller_app.monitoring.alarms import Alarms
from controller_app.monitoring.event_ring import EventRing
from controller_app.openflow.messages import OpenFlowMessage
from controller_app.ryu_api import sleep
from controller_app.source_check import rules as sources_module
from controller_app.source_check.request import SwitchCheck
from controller_app.source_check.rules import SourceCheck
from controller_app.switch.connection import Connection
from controller_app.switch.registry import SwitchRegistry

DPID = 0xA1
CHECK = SwitchCheck(DPID, "v1", on=True)


class Switch:
    """Confirms everything; `during` runs during each confirmation."""

    def __init__(self) -> None:
        registry, events = SwitchRegistry(), EventRing()
        datapath: Any = SimpleNamespace(address=("192.0.2.1", 1), xid=0, send_q=None)
        self.connection = Connection(datapath, DPID, 1, 1.0)
        self.confirmed = 0
        self.during: Callable[[], None] = lambda: None
        self.connection.confirm = self.confirm  # type: ignore[method-assign]
        self.port(1)
        registry.claim(self.connection)
        self.connection.ready = True
        self.check = SourceCheck(registry, Alarms(events), ("ipv6",))
        self.check.prepare(self.connection)

    def port(self, number: int) -> None:
        self.connection.on_port(number, b"p", f"02:00:00:00:00:{number:02x}", 0, 0)

    def confirm(self, messages: Sequence[OpenFlowMessage]) -> dict[int, Any]:
        self.confirmed += 1
        during, self.during = self.during, lambda: None
        during()
        sleep(0.01)
        return {}

    def dropping(self) -> int:
        """Count the ports that have a drop entry."""
        return len(self.connection.extras.entries())


@pytest.fixture
def switch(monkeypatch: pytest.MonkeyPatch) -> Switch:
    monkeypatch.setattr(sources_module, "read_count", lambda *_: 0)
    monkeypatch.setattr(sources_module, "read_source_flows", lambda _: [])
    return Switch()


def settle() -> None:
    for _ in range(20):
        sleep(0.01)


def test_a_port_that_comes_during_a_change_of_the_check_is_checked_too(switch: Switch) -> None:
    def add() -> None:
        switch.port(2)
        switch.check.port_changed((DPID, 2))

    switch.during = add
    assert switch.check.apply(CHECK, widen=False).state == "confirmed"
    settle()
    assert switch.dropping() == 2
    assert switch.check.version(switch.connection) == "v1"


def test_port_changes_share_one_waiting_update(switch: Switch) -> None:
    switch.check.apply(CHECK, widen=False)
    switch.confirmed = 0
    switch.port(2)
    for _ in range(1000):
        switch.check.port_changed((DPID, 2))
    settle()
    assert switch.dropping() == 2
    assert switch.confirmed == 1

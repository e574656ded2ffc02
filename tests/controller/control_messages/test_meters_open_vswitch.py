"""Meters of control messages on real Open vSwitch, after other programs removed or changed them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mininet_labs.fabric import Fabric, FrameSocket
from tests.support.controller.controller_harness import Controller, dpid, eventually, running

pytestmark = pytest.mark.fabric

OWN = 0x7EC0A57E
TOPOLOGY: dict[str, Any] = {
    "switches": [{"id": "s1", "dpid": dpid(1)}],
    "links": [],
    "hosts": [{"id": "h1", "switch": "s1", "port": 3, "ip": "fd00::1", "mac": "02:00:00:00:00:01"}],
}
METER = 262144 - 3
"""Number of the meter of port 3."""
REPAIR = ("POST", f"/v1/switches/{dpid(1)}/repair")


@pytest.fixture(scope="module")
def controller(run_dir: Path) -> Iterator[Controller]:
    with running(run_dir) as started:
        yield started


@pytest.fixture(scope="module")
def fabric(run_dir: Path, controller: Controller) -> Iterator[Fabric]:
    with Fabric(run_dir / "f", TOPOLOGY, [controller.target], links="joined") as started:
        controller.await_switches(dpid(1))
        yield started


def signal_punts(fabric: Fabric, switch: str) -> set[str]:
    return {flow.actions for flow in fabric.dump_flows(switch) if flow.priority == 64000}


def probe_punts(fabric: Fabric, switch: str) -> set[tuple[int, str]]:
    flows = fabric.dump_flows(switch)
    return {(flow.priority, flow.actions) for flow in flows if flow.priority in (65000, 65001)}


@pytest.fixture
def metered(fabric: Fabric) -> str:
    """Return the actions of the punts at port 3 of `s1`, which exist."""
    actions = f"meter:{METER},CONTROLLER:65535"
    assert eventually(lambda: signal_punts(fabric, "s1") == {actions})
    return actions


def test_missing_meters_are_added_again_with_their_punts(
    fabric: Fabric, controller: Controller, metered: str
) -> None:
    """Open vSwitch removes the entries of a meter together with it."""
    fabric.ofctl("s1", "del-meters")
    assert signal_punts(fabric, "s1") == set()
    assert len(controller.get(f"/v1/switches/{dpid(1)}/entries")["missing"]) == 3
    done = controller.call(*REPAIR)[1]
    assert (len(done["restored"]), done["refused"]) == (3, [])
    assert signal_punts(fabric, "s1") == {metered}
    assert probe_punts(fabric, "s1") == {(65000, "CONTROLLER:65535"), (65001, metered)}
    assert "rate=200" in fabric.ofctl("s1", "dump-meters")
    assert controller.get(f"/v1/switches/{dpid(1)}/entries")["missing"] == []
    assert controller.call(*REPAIR)[1]["restored"] == []


def test_an_own_meter_with_another_rate_is_put_right(
    fabric: Fabric, controller: Controller, metered: str
) -> None:
    """An own entry still uses it, so it never belonged to another owner."""
    fabric.ofctl("s1", "mod-meter", f"meter={METER},pktps,burst,band=type=drop,rate=7,burst_size=7")
    fabric.ofctl("s1", "del-flows", f"cookie=0x{OWN:x}00000003/-1,ipv6")
    assert "rate=7 " in fabric.ofctl("s1", "dump-meters")
    done = controller.call(*REPAIR)[1]
    assert (len(done["restored"]), done["refused"]) == (1, [])
    assert "rate=200" in fabric.ofctl("s1", "dump-meters")
    assert signal_punts(fabric, "s1") == {metered}


def test_a_meter_that_somebody_put_in_the_place_of_one_that_is_gone_stays(
    fabric: Fabric, controller: Controller, metered: str
) -> None:
    fabric.ofctl("s1", "del-meters")
    fabric.ofctl("s1", "add-meter", f"meter={METER},kbps,band=type=drop,rate=7")
    done = controller.call(*REPAIR)[1]
    assert (len(done["restored"]), done["refused"]) == (2, [])
    assert signal_punts(fabric, "s1") == {"CONTROLLER:65535"}
    assert probe_punts(fabric, "s1") == {(65000, "CONTROLLER:65535")}
    assert "rate=7" in fabric.ofctl("s1", "dump-meters")
    fabric.ofctl("s1", "del-meters")
    fabric.ofctl("s1", "del-flows", f"cookie=0x{OWN:x}00000003/-1")
    assert controller.call(*REPAIR)[1]["refused"] == []
    assert signal_punts(fabric, "s1") == {metered}


def test_a_port_that_comes_up_after_its_meter_vanished_gets_both_again(
    fabric: Fabric, controller: Controller, metered: str
) -> None:
    fabric.ofctl("s1", "del-meters")
    fabric.ofctl("s1", "mod-port", "3", "down")
    fabric.ofctl("s1", "mod-port", "3", "up")
    assert eventually(lambda: signal_punts(fabric, "s1") == {metered})


def test_a_flood_of_lldp_goes_through_the_meter_of_its_port_and_is_an_alarm(
    fabric: Fabric, controller: Controller, metered: str
) -> None:
    assert eventually(lambda: (65001, metered) in probe_punts(fabric, "s1"))
    frame = bytes.fromhex("0180c200000e 020000000001 88cc") + b"\2\7\4" + bytes(60)
    with FrameSocket(fabric.host_socket("h1")) as host:

        def flood() -> bool:
            for _ in range(1000):
                host.send(frame)
            stats = fabric.ofctl("s1", "meter-stats").partition(f"meter:{METER} ")[2]
            return int(stats.partition("0: packet_count:")[2].split()[0]) > 0

        assert eventually(flood)
        assert eventually(lambda: flood() and "probe_flood" in controller.alarm_names())
    (alarm,) = [row for row in controller.get("/v1/alarms") if row["alarm"] == "probe_flood"]
    assert (alarm["dpid"], alarm["port"]) == (dpid(1), 3)

"""What a switch is to check of the sources of events, as the northbound takes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from controller_app.openflow.dpid import parse_dpid
from controller_app.openflow.flow_entry import FAMILIES, MAX_PORT, address_text, parse_address, parse_mac
from controller_app.programming.change_request import MAX_ID, MAX_SWITCHES
from tercast.errors import Path, Refused
from tercast.runtime.strict_json import expect_boolean, expect_integer, expect_keys, expect_list, expect_text

MAX_SOURCES = 100_000
"""Sources of a switch: more would not fit into a request body."""


class SourceAddress(NamedTuple):
    """A host at a port: events with its addresses may enter there."""

    port: int
    ip: bytes
    mac: bytes

    def __str__(self) -> str:
        return f"{address_text(self.ip)} ({self.mac.hex(':')}) at port {self.port}"


@dataclass(frozen=True, slots=True)
class SwitchCheck:
    """What one switch is to check.

    Attributes:
        version: the control plane's name of this state, reported back once it is in force.
        on: whether anything is checked at all.
        links: ports that lead to other switches, where events of any source enter.
        sources: the hosts at all other ports.
    """

    dpid: int
    version: str
    on: bool
    links: frozenset[int] = frozenset()
    sources: tuple[SourceAddress, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The checks of several switches.

    `widen`: only what allows more takes effect, for the time in which hosts and links change.
    """

    checks: tuple[SwitchCheck, ...]
    widen: bool


def parse_checks(body: object, families: Sequence[str] = FAMILIES) -> CheckRequest:
    """Return the request of a northbound body. Raises Refused with the place of the first mistake."""
    fields = expect_keys(body, (), ("switches",), ("widen",))
    items = expect_list(fields["switches"], ("switches",))
    if len(items) > MAX_SWITCHES:
        raise Refused(("switches",), "too_many", f"{len(items)} switches; at most {MAX_SWITCHES}", len(items))
    checks = tuple(_parse_check(item, ("switches", n), families) for n, item in enumerate(items))
    seen: set[int] = set()
    for n, check in enumerate(checks):
        if check.dpid in seen:
            detail = f"switch {check.dpid:016x} is named twice; name it once"
            raise Refused(("switches", n, "dpid"), "repeated", detail, f"{check.dpid:016x}")
        seen.add(check.dpid)
    return CheckRequest(checks, expect_boolean(fields.get("widen", False), ("widen",)))


def _parse_check(item: object, path: Path, families: Sequence[str]) -> SwitchCheck:
    fields = expect_keys(item, path, ("dpid", "version", "check"), ("links", "sources"))
    version = expect_text(fields["version"], (*path, "version"))
    if not 0 < len(version) <= MAX_ID:
        detail = f"a version has 1 to {MAX_ID} characters, not {len(version)}"
        raise Refused((*path, "version"), "bad_length", detail, version)
    listed = expect_list(fields.get("sources", ()), (*path, "sources"))
    if len(listed) > MAX_SOURCES:
        detail = f"{len(listed)} sources; at most {MAX_SOURCES} of one switch"
        raise Refused((*path, "sources"), "too_many", detail, len(listed))
    links = expect_list(fields.get("links", ()), (*path, "links"))
    return SwitchCheck(
        parse_dpid(fields["dpid"], (*path, "dpid")),
        version,
        expect_boolean(fields["check"], (*path, "check")),
        frozenset(expect_integer(port, (*path, "links", n), 1, MAX_PORT) for n, port in enumerate(links)),
        tuple(_parse_source(one, (*path, "sources", n), families) for n, one in enumerate(listed)),
    )


def _parse_source(item: object, path: Path, families: Sequence[str]) -> SourceAddress:
    fields = expect_keys(item, path, ("port", "ip", "mac"))
    return SourceAddress(
        expect_integer(fields["port"], (*path, "port"), 1, MAX_PORT),
        parse_address(fields["ip"], (*path, "ip"), families),
        parse_mac(fields["mac"], (*path, "mac")),
    )

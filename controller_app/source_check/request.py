"""Source checks for switches, as the northbound accepts them."""

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
"""Highest number of sources of a switch; more do not fit into a request body."""


class SourceAddress(NamedTuple):
    """A host at a port; events with the addresses of the host may enter there."""

    port: int
    ip: bytes
    mac: bytes

    def __str__(self) -> str:
        return f"{address_text(self.ip)} ({self.mac.hex(':')}) at port {self.port}"


@dataclass(frozen=True, slots=True)
class SwitchCheck:
    """The source check of a switch.

    Attributes:
        version: The control plane's name of this state, reported back when it is in force.
        on: Whether anything is checked.
        links: Ports that lead to other switches; events of any source may enter there.
        sources: The hosts at all other ports.
    """

    dpid: int
    version: str
    on: bool
    links: frozenset[int] = frozenset()
    sources: tuple[SourceAddress, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The source checks of several switches.

    Attributes:
        widen: Apply only what permits more events than before. This is for the time in which hosts and links
            change.
    """

    checks: tuple[SwitchCheck, ...]
    widen: bool


def parse_checks(body: object, families: Sequence[str] = FAMILIES) -> CheckRequest:
    """Return the request of a northbound body.

    Raises:
        Refused: The first value that breaks a rule; the error contains its path.
    """
    fields = expect_keys(body, (), ("switches",), ("widen",))
    items = expect_list(fields["switches"], ("switches",))
    if len(items) > MAX_SWITCHES:
        rule = f"received {len(items)} switches; send at most {MAX_SWITCHES}"
        raise Refused(("switches",), "too_many", rule, len(items))
    checks = tuple(_parse_check(item, ("switches", n), families) for n, item in enumerate(items))
    seen: set[int] = set()
    for n, check in enumerate(checks):
        if check.dpid in seen:
            detail = f"switch {check.dpid:016x} occurs twice; send it once"
            raise Refused(("switches", n, "dpid"), "repeated", detail, f"{check.dpid:016x}")
        seen.add(check.dpid)
    return CheckRequest(checks, expect_boolean(fields.get("widen", False), ("widen",)))


def _parse_check(item: object, path: Path, families: Sequence[str]) -> SwitchCheck:
    fields = expect_keys(item, path, ("dpid", "version", "check"), ("links", "sources"))
    version = expect_text(fields["version"], (*path, "version"))
    if not 0 < len(version) <= MAX_ID:
        detail = f"received {len(version)} characters; a version has 1 to {MAX_ID} characters"
        raise Refused((*path, "version"), "bad_length", detail, version)
    listed = expect_list(fields.get("sources", ()), (*path, "sources"))
    if len(listed) > MAX_SOURCES:
        detail = f"received {len(listed)} sources; a switch has at most {MAX_SOURCES}"
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

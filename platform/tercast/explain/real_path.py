"""The event on the real switches: its path, and differences from the expected path."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tercast.explain.explanation import Explanation, entry_json
from tercast.explain.observation import Eyes, NotSeen, Seen
from tercast.explain.path import EventPath, PathHop, follow
from tercast.tables.entries import IN_PORT, Entry, Output
from tercast.topology.topology import Port


class DifferenceKind(enum.StrEnum):
    """Kind of a difference at one switch."""

    ENTRY_MISSING = "entry_missing"
    OTHER_ENTRY = "other_entry"
    FOREIGN_ENTRY = "foreign_entry"
    OTHER_PORTS = "other_ports"
    OTHER_ACTION = "other_action"
    OTHER_WIRING = "other_wiring"


@dataclass(frozen=True, slots=True)
class PathDifference:
    """One difference, at the switch that causes it; its effects downstream are not listed."""

    kind: DifferenceKind
    switch: str
    in_port: int
    expected: Entry | None
    found: Entry | None
    detail: str

    def to_json(self) -> dict[str, Any]:
        """Write the difference in the form of the answer."""
        return {
            "kind": self.kind,
            "switch": self.switch,
            "in_port": self.in_port,
            "expected": None if self.expected is None else entry_json(self.expected),
            "found": None if self.found is None else entry_json(self.found),
            "detail": self.detail,
        }


@dataclass(frozen=True, slots=True)
class RealPath:
    """Path on the real switches; `seen` is parallel to the hops, None without an observation.

    `not_seen` has the reasons for missing observations by switch. `lost` has, for each host, the switch at
    which the event ends (None: after a switch that was not observed). `surplus` are the unexpected receivers.
    """

    way: EventPath
    seen: tuple[Seen | None, ...]
    differences: tuple[PathDifference, ...]
    not_seen: dict[str, str] = field(default_factory=dict)
    lost: dict[str, str | None] = field(default_factory=dict)
    surplus: tuple[str, ...] = ()

    @property
    def same(self) -> bool | None:
        """Whether everything is as expected; None if nothing differs, but observations are missing."""
        if self.differences or self.lost or self.surplus:
            return False
        return None if self.not_seen else True

    def to_json(self) -> dict[str, Any]:
        """Write the path in the form of the answer; a lost host has the switch that causes the loss."""
        return {
            "same": self.same,
            "differences": [difference.to_json() for difference in self.differences],
            "not_seen": [{"switch": name, "detail": why} for name, why in sorted(self.not_seen.items())],
            "path": [self._hop(hop) for hop in self.way.hops],
            "loops": self.way.loops,
            "received": sorted({host for host, _ in self.way.deliveries}),
            "lost": [{"host": host, "at_switch": at} for host, at in sorted(self.lost.items())],
            "surplus": list(self.surplus),
        }

    def _hop(self, hop: PathHop) -> dict[str, Any]:
        seen = self.seen[hop.number]
        return {
            "hop": hop.number,
            "from_hop": hop.parent,
            "switch": hop.switch,
            "in_port": hop.in_port,
            "means": None if seen is None else seen.means,
            "entry": None if hop.entry is None else entry_json(hop.entry),
        }


def trace(explanation: Explanation, eyes: Eyes) -> RealPath:
    """Follow the event over the real switches, and compare with the expected path.

    The path continues along the real outputs. At switches without observation, the expected entry is used.
    """
    world, expected = explanation.situation.world, explanation.way
    places = {(hop.switch, hop.in_port): hop for hop in expected.hops}
    looked: dict[Port, Seen | NotSeen] = {}

    def hit(switch: str, in_port: int) -> Entry | None:
        try:
            seen = eyes.look(switch, in_port)
        except NotSeen as reason:
            looked[switch, in_port] = reason
            hop = places.get((switch, in_port))
            return None if hop is None else hop.entry
        looked[switch, in_port] = seen
        return seen.entry

    start = None if not expected.hops else (expected.hops[0].switch, expected.hops[0].in_port)
    way = follow(world, start, hit)
    differences = [
        found
        for place, seen in looked.items()
        if isinstance(seen, Seen)
        for found in _differences(explanation, eyes, places.get(place), place, seen)
    ]
    not_seen = {place[0]: str(reason) for place, reason in looked.items() if isinstance(reason, NotSeen)}
    got = {host for host, _ in way.deliveries}
    wanted = dict(expected.deliveries)
    lost = {host: _where(expected, number, differences) for host, number in wanted.items() if host not in got}
    at = [looked[hop.switch, hop.in_port] for hop in way.hops]
    seen_at = tuple(None if isinstance(one, NotSeen) else one for one in at)
    return RealPath(way, seen_at, tuple(differences), not_seen, lost, tuple(sorted(got - wanted.keys())))


def _differences(
    explanation: Explanation, eyes: Eyes, hop: PathHop | None, place: Port, seen: Seen
) -> Iterator[PathDifference]:
    """Yield the differences at one port of a switch."""
    switch, in_port = place
    expected = None if hop is None else hop.entry
    if hop is not None:
        difference = _difference(explanation, switch, expected, seen)
        if difference is not None:
            yield PathDifference(difference[0], switch, in_port, expected, seen.entry, difference[1])
    for port, bridge in seen.into.items():
        far = explanation.situation.world.far.get((switch, port))
        name = None if far is None else eyes.bridge(far[0])
        if name != bridge:
            where = "nowhere" if far is None else f"to {far[0]}"
            detail = f"port {port} leads to bridge {bridge}, but {where} in the topology"
            yield PathDifference(DifferenceKind.OTHER_WIRING, switch, in_port, expected, seen.entry, detail)


def _difference(
    explanation: Explanation, switch: str, expected: Entry | None, seen: Seen
) -> tuple[DifferenceKind, str] | None:
    found, address = seen.entry, explanation.event.address
    if seen.foreign:
        who = _entry_text(found) if found is not None else seen.strange
        return DifferenceKind.FOREIGN_ENTRY, f"{address} matches {who}, an entry of another program"
    if found is not None and expected is not None and _same_key(found, expected):
        return _deeds(expected, found, seen.strange)
    if seen.strange:
        return DifferenceKind.OTHER_ENTRY, f"{address} matches {seen.strange}, which is not a content entry"
    if expected is None:
        return (
            None
            if found is None
            else (DifferenceKind.OTHER_ENTRY, f"{address} unexpectedly matches {_entry_text(found)}")
        )
    if found is None or found.priority < expected.priority:
        instead = "no entry, and is dropped" if found is None else _entry_text(found)
        return (
            DifferenceKind.ENTRY_MISSING,
            f"switch {switch} has no entry {_entry_text(expected)}; {address} matches {instead}",
        )
    return (
        DifferenceKind.OTHER_ENTRY,
        f"{address} matches {_entry_text(found)} instead of {_entry_text(expected)}",
    )


def _deeds(expected: Entry, found: Entry, strange: str) -> tuple[DifferenceKind, str] | None:
    """Compare the actions of an entry that exists on the switch."""
    ours, theirs = _ports(expected), _ports(found)
    if ours != theirs:
        detail = f"{_entry_text(expected)} sends to {_listed(theirs)} instead of {_listed(ours)}"
        return DifferenceKind.OTHER_PORTS, detail
    if strange:
        return DifferenceKind.OTHER_ACTION, f"{_entry_text(expected)} has the additional action {strange}"
    if found.actions != expected.actions:
        detail = "sends to the correct ports, but with other addresses or in another order"
        return DifferenceKind.OTHER_ACTION, f"{_entry_text(expected)} {detail}"
    return None


def _ports(entry: Entry) -> list[str]:
    return sorted(
        "in_port" if action.port == IN_PORT else str(action.port)
        for action in entry.actions
        if isinstance(action, Output)
    )


def _listed(ports: list[str]) -> str:
    return f"port {', '.join(ports)}" if ports else "no port"


def _same_key(one: Entry, other: Entry) -> bool:
    return (one.key, one.priority) == (other.key, other.priority)


def _entry_text(entry: Entry) -> str:
    where = "" if entry.in_port is None else f" from port {entry.in_port}"
    return f"{entry.dst}{where}, priority {entry.priority}"


def _where(expected: EventPath, number: int, differences: list[PathDifference]) -> str | None:
    """The switch that causes the loss for a host: the last differing one on the expected path."""
    places = {(found.switch, found.in_port) for found in differences}
    for hop in expected.ancestry(number):
        if (hop.switch, hop.in_port) in places:
            return hop.switch
    return None

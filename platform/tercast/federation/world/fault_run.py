"""A run of a federation with faults: probe events, and a report of losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tercast.federation.world.faults import ActiveFaults, Fault
from tercast.federation.world.federated_plan import settle
from tercast.federation.world.federated_world import TREE_MESSAGES, FederatedWorld
from tercast.federation.world.federation_checks import (
    NO_PROBES,
    ProbeResult,
    has_cycle,
    is_settled,
    open_edges,
    probe,
)

PROBE_PERIOD = 0.25
LONGEST_RECOVERY = 120.0

FORMAT = "federation-report/1"


@dataclass(slots=True)
class FaultGap:
    """The time from the beginning of faults until the federation is at rest again.

    `recovery` is the number of seconds after the last of these faults began or ended.
    """

    faults: list[Fault]
    begin: float
    recovery: float | None = None
    lost: int = 0

    def to_json(self, start: float) -> dict[str, object]:
        """Write the gap of a report; times are relative to `start`."""
        return {
            "faults": [str(fault) for fault in self.faults],
            "begin": round(self.begin - start, 3),
            "recovery_seconds": None if self.recovery is None else round(self.recovery, 3),
            "lost": self.lost,
        }


@dataclass(slots=True)
class FaultRun:
    """Runs faults in a federation at rest, and counts the copies of probe events."""

    world: FederatedWorld
    faults: Sequence[Fault]
    random: Random
    total: ProbeResult = NO_PROBES
    lost_at_rest: int = 0
    cycles: int = 0
    gaps: list[FaultGap] = field(default_factory=list)
    start: float = 0.0
    _last_change: float = 0.0
    _active: ActiveFaults = field(init=False)

    def __post_init__(self) -> None:
        self._active = ActiveFaults(self.world)

    def run(self) -> FaultRun:
        """Run all faults, and wait until the federation is at rest."""
        world = self.world
        self.start = world.time.now
        world.time.after_step.append(self._count_cycles)
        for fault in self.faults:
            world.time.at(self.start + fault.begin, lambda fault=fault: self._begin(fault))  # type: ignore[misc]
            world.time.at(self.start + fault.end, lambda fault=fault: self._end(fault))  # type: ignore[misc]
        last = self.start + max((fault.end for fault in self.faults), default=0.0)
        while world.time.now < last or (self._open_gap() and world.time.now < last + LONGEST_RECOVERY):
            world.run_until(world.time.now + PROBE_PERIOD)
            self._probe()
        world.time.after_step.remove(self._count_cycles)
        self._probe()
        return self

    @property
    def holds(self) -> bool:
        """Whether nothing was duplicated or looped, and no event was lost inside or at rest."""
        total = self.total
        wrong = total.duplicated + total.loops + total.lost_inside + self.lost_at_rest + self.cycles
        return not wrong and not self._open_gap()

    def report(self) -> dict[str, Any]:
        """Return the result as JSON."""
        world, total = self.world, self.total
        tree = sum(n for kind, n in world.sent.items() if kind in TREE_MESSAGES)
        return {
            "format": FORMAT,
            "partitions": list(world.partitions),
            "seconds": round(world.time.now - self.start, 3),
            "events": {
                "expected": total.expected,
                "delivered": total.delivered,
                "lost": total.lost_between + total.lost_inside,
                "lost_inside_partitions": total.lost_inside,
                "lost_at_rest": self.lost_at_rest,
                "duplicated": total.duplicated,
                "loops": total.loops,
            },
            "cycles": self.cycles,
            "gaps": [gap.to_json(self.start) for gap in self.gaps],
            "messages": {
                "tree": tree,
                "sets": sum(world.sent.values()) - tree,
                "retransmitted": sum(
                    peer.window.retransmitted
                    for partition in world.partitions.values()
                    for peer in partition.peers.values()
                ),
                "bytes": world.sent_bytes,
            },
            "at_rest": is_settled(world),
        }

    def _begin(self, fault: Fault) -> None:
        gap = self._open_gap()
        if gap is None:
            gap = FaultGap([], self.world.time.now)
            self.gaps.append(gap)
        gap.faults.append(fault)
        self._last_change = self.world.time.now
        self._active.start(fault)

    def _end(self, fault: Fault) -> None:
        if self._open_gap() is None:
            self.gaps.append(FaultGap([fault], self.world.time.now))
        self._last_change = self.world.time.now
        self._active.stop(fault)

    def _open_gap(self) -> FaultGap | None:
        return self.gaps[-1] if self.gaps and self.gaps[-1].recovery is None else None

    def _probe(self) -> None:
        found = probe(self.world, self.random)
        self.total += found
        gap = self._open_gap()
        if gap is not None:
            gap.lost += found.lost_between
            if is_settled(self.world):
                gap.recovery = self.world.time.now - self._last_change
        else:
            self.lost_at_rest += found.lost_between

    def _count_cycles(self) -> None:
        self.cycles += has_cycle(open_edges(self.world, conservative=True))


def start_at_rest(world: FederatedWorld) -> float | None:
    """Carry out the scenario's requests; return the seconds until rest, or None."""
    for request in world.scenario.requests:
        world.request(request)
    return settle(world)

"""Faults of a simulated federation: cuts of borders and crashes of controllers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from tercast.errors import Refused, shown
from tercast.federation.world.division import BorderLink
from tercast.federation.world.federated_world import FederatedWorld
from tercast.runtime.wording import unknown_name

CUT, CRASH = "cut", "crash"

_FAULT = re.compile(r"(cut|crash):(.+)@(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)")
_DRAWN = re.compile(r"random:(\d{1,3})")

_LONGEST_DRAWN = 12.0
_PAUSE_DRAWN = 20.0


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault from one time to another, in seconds after the federation was first at rest.

    `subject` is one partition (crash) or two (cut: all borders between them).
    """

    kind: str
    subject: tuple[str, ...]
    begin: float
    end: float

    def __str__(self) -> str:
        return f"{self.kind}:{','.join(self.subject)}@{self.begin:g}-{self.end:g}"

    @property
    def place(self) -> tuple[str, frozenset[str]]:
        """The kind and the partitions of the fault; faults with the same place can overlap."""
        return self.kind, frozenset(self.subject)


@dataclass(slots=True)
class ActiveFaults:
    """Starts and ends faults; where faults overlap, the first one starts and the last one ends."""

    world: FederatedWorld
    _active: Counter[tuple[str, frozenset[str]]] = field(default_factory=Counter)
    _cut: dict[frozenset[str], list[BorderLink]] = field(default_factory=dict)

    def start(self, fault: Fault) -> None:
        """Let a fault begin."""
        kind, names = fault.place
        self._active[fault.place] += 1
        if self._active[fault.place] > 1:
            return
        if kind == CRASH:
            self.world.crash(fault.subject[0])
            return
        links = [one for one in self.world.divided.border_links if set(one.partitions) == names]
        self._cut[names] = [one for one in links if one.borders not in self.world.cut]
        for one in self._cut[names]:
            self.world.set_cut(one, True)

    def stop(self, fault: Fault) -> None:
        """Let a fault end; a link that was down before stays down."""
        kind, names = fault.place
        self._active[fault.place] -= 1
        if self._active[fault.place]:
            return
        if kind == CRASH:
            self.world.start(fault.subject[0])
            return
        for one in self._cut.pop(names):
            self.world.set_cut(one, False)


def read_faults(texts: Sequence[str], world: FederatedWorld, random: Random) -> list[Fault]:
    """Read `cut:A,B@10-20`, `crash:A@10-20` and `random:N`; return the faults by their begin."""
    faults: list[Fault] = []
    for item in texts:
        drawn = _DRAWN.fullmatch(item)
        if drawn:
            faults += _draw(int(drawn.group(1)), world, random)
            continue
        found = _FAULT.fullmatch(item)
        if found is None:
            detail = f"{shown(item)} is not a fault; write cut:A,B@10-20, crash:A@10-20 or random:N"
            raise Refused(("faults",), "bad_fault", detail, item)
        kind, names, begin, end = found.groups()
        fault = Fault(kind, _subject(kind, names, world), float(begin), float(end))
        _check(fault, item, world)
        faults.append(fault)
    return sorted(faults, key=lambda fault: (fault.begin, str(fault)))


def _subject(kind: str, names: str, world: FederatedWorld) -> tuple[str, ...]:
    """Divide names of partitions, which may contain commas."""
    if kind == CRASH and names in world.partitions:
        return (names,)
    parts = names.split(",")
    for i in range(1, len(parts)):
        pair = ",".join(parts[:i]), ",".join(parts[i:])
        if set(pair) <= world.partitions.keys():
            return pair
    return tuple(parts)


def _check(fault: Fault, item: str, world: FederatedWorld) -> None:
    for name in fault.subject:
        if name not in world.partitions:
            detail = unknown_name("partition", name, world.partitions)
            raise Refused(("faults",), "unknown_partition", detail, name)
    if fault.begin >= fault.end:
        detail = f"{shown(item)} ends before it begins; write the earlier time first"
        raise Refused(("faults",), "bad_fault", detail, item)
    pairs = [set(one.partitions) for one in world.divided.border_links]
    if fault.kind == CUT and (len(fault.subject) != 2 or set(fault.subject) not in pairs):
        detail = f"{shown(item)} names no border; name two partitions that have a link, as cut:A,B@10-20"
        raise Refused(("faults",), "bad_fault", detail, item)
    if fault.kind == CRASH and len(fault.subject) != 1:
        detail = f"{shown(item)} names several partitions; write one crash for each"
        raise Refused(("faults",), "bad_fault", detail, item)


def _draw(count: int, world: FederatedWorld, random: Random) -> list[Fault]:
    pairs = sorted({tuple(sorted(one.partitions)) for one in world.divided.border_links})
    faults: list[Fault] = []
    for i in range(count):
        begin = i * _PAUSE_DRAWN + random.uniform(1, 5)
        end = begin + random.uniform(1, _LONGEST_DRAWN)
        if pairs and random.random() < 0.6:
            faults.append(Fault(CUT, random.choice(pairs), round(begin, 1), round(end, 1)))
        else:
            name = random.choice(sorted(world.partitions))
            faults.append(Fault(CRASH, (name,), round(begin, 1), round(end, 1)))
    return faults

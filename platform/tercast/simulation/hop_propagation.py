"""Simultaneous paths of many events through a network, hop by hop."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tercast.simulation.lookup_tables import Lookup
from tercast.simulation.port_index import BACK, NOWHERE, PortIndex, ShortInts

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class HopArrays:
    """Copies that enter switches at the same distance from their publishers.

    Each copy has its event, the gate that it enters, and its parent among the copies of the previous hop.
    Each delivery from here has its event, its host, and its copy.
    """

    event: ShortInts
    gate: ShortInts
    parent: ShortInts
    to_event: ShortInts
    to_host: ShortInts
    to_copy: ShortInts


@dataclass(slots=True)
class HopTraces:
    """The hops of a batch; `odd` events entered a gate twice, so their hops are incomplete."""

    hops: list[HopArrays] = field(default_factory=list)
    odd: Flags = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))

    def useful(self, wanted: Flags) -> list[Flags]:
        """Return, for each copy of each hop, whether it leads to a wanted delivery.

        The shape of `wanted` is (events, hosts).
        """
        found: list[Flags] = []
        behind: ShortInts = np.zeros(0, dtype=np.int32)
        for hop in reversed(self.hops):
            useful = np.zeros(len(hop.event), dtype=np.bool_)
            useful[hop.to_copy[wanted[hop.to_event, hop.to_host]]] = True
            useful[behind] = True
            behind = hop.parent[useful]
            found.append(useful)
        return found[::-1]


def follow(
    lookup: Lookup, wiring: PortIndex, winners: ShortInts, columns: ShortInts, starts: ShortInts
) -> HopTraces:
    """Follow events from their gates; `winners` and `columns` are those of `Lookup.winners`."""
    count = len(starts)
    ways = HopTraces(odd=np.zeros(count, dtype=np.bool_))
    been = np.full((count, len(wiring.ports)), NOWHERE, dtype=np.int32)
    event, gate = np.arange(count, dtype=np.int32), starts
    parent = np.full(count, NOWHERE, dtype=np.int32)
    while len(event):
        _mark_odd(been, event, gate, ways.odd)
        fine = ~ways.odd[event]
        if not fine.all():
            event, gate, parent = event[fine], gate[fine], parent[fine]
        column = columns[event]
        rule = np.maximum(winners[wiring.switch[gate], column], winners[lookup.own[gate], column])
        copy, output = _expand(lookup, lookup.effect[rule])
        onward, host = _targets(lookup, wiring, gate[copy], output)
        there = host != NOWHERE
        to_copy = copy[there]
        ways.hops.append(HopArrays(event, gate, parent, event[to_copy], host[there], to_copy))
        sent = onward != NOWHERE
        parent = copy[sent]
        event, gate = event[parent], onward[sent]
    return ways


def _mark_odd(been: ShortInts, event: ShortInts, gate: ShortInts, odd: Flags) -> None:
    """Mark events as odd that visit a gate again, or visit one gate twice in one hop."""
    order = np.arange(len(event), dtype=np.int32)
    again = been[event, gate] != NOWHERE
    been[event, gate] = order
    again |= been[event, gate] != order
    odd[event[again]] = True


def _expand(lookup: Lookup, effect: ShortInts) -> tuple[ShortInts, npt.NDArray[np.int64]]:
    """Return all outputs of effects: the index of the effect, and the number of the output."""
    first = lookup.first[effect]
    counts = lookup.first[effect + 1] - first
    which = np.repeat(np.arange(len(effect), dtype=np.int32), counts)
    ends = np.cumsum(counts)
    offset = np.repeat(first - (ends - counts), counts)
    return which, np.arange(len(which)) + offset


def _targets(
    lookup: Lookup, wiring: PortIndex, gate: ShortInts, output: npt.NDArray[np.int64]
) -> tuple[ShortInts, ShortInts]:
    """Return the targets of outputs for packets from gates: a far gate and a host, or NOWHERE."""
    port, onward, host = lookup.port[output], lookup.onward[output], lookup.host[output]
    same = port == wiring.number[gate]
    onward[same] = NOWHERE
    host[same] = NOWHERE
    back = np.flatnonzero(port == BACK)
    if back.size:
        whom, where = host[back], gate[back]
        onward[back] = np.where(whom == NOWHERE, wiring.far[where], NOWHERE)
        host[back] = np.where((whom != NOWHERE) & (wiring.home[whom] == where), whom, NOWHERE)
    return onward, host

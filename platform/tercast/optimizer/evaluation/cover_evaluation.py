"""Given covers, such as installed ones, as tables in arrays, and their cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tercast.aggregation.definition import apply_covers, exact_table_of
from tercast.optimizer.arrays.network_arrays import NetworkArrays, TableSet, TopicArrays
from tercast.optimizer.arrays.table_arrays import CellArrays
from tercast.optimizer.evaluation.cost_model import HOST_WEIGHT, Expected, expected_of
from tercast.optimizer.kernels.tries import Array
from tercast.optimizer.traffic.event_flows import EventFlows
from tercast.optimizer.traffic.past_traffic import Traffic
from tercast.routing.cell_keys import Key
from tercast.routing.switch_ports import PortMask
from tercast.tables.covers import NetworkCovers, TableCovers

if TYPE_CHECKING:
    from tercast.planner.planner import Planner

CandidateTables = dict[int, dict[str, TableSet]]
"""Tables by switch and topic."""


def arrays_under(planner: Planner, covers: NetworkCovers) -> tuple[NetworkArrays, CandidateTables]:
    """Return a planner's arrays, with codes long enough for covers, and the tables under these."""
    arrays = _deep_arrays(planner, covers)
    return arrays, _all_tables(arrays, covers)


def _deep_arrays(planner: Planner, *several: NetworkCovers) -> NetworkArrays:
    tables = (table for covers in several for topics in covers.values() for table in topics.values())
    return NetworkArrays(planner, deepest=max(map(deepest_cover, tables), default=0))


def _all_tables(arrays: NetworkArrays, covers: NetworkCovers) -> CandidateTables:
    found: CandidateTables = {}
    for switch, topics in covers.items():
        if switch in arrays.index:
            number = arrays.index[switch]
            found[number] = {
                topic.name: tables_under(arrays, topic, number, topics[topic.name])
                for topic in arrays.topics
                if topic.name in topics and number in topic.tables
            }
    return found


def tables_under(arrays: NetworkArrays, topic: TopicArrays, switch: int, covers: TableCovers) -> TableSet:
    """Return the tables of a topic at a switch under covers."""
    exact = exact_table_of(topic.plan, arrays.names[switch], topic.forest(switch))
    installed = apply_covers(exact, covers)
    by_port: dict[int, dict[Key, PortMask]] = {}
    for (port, key), (outputs, back) in installed.in_port.items():
        by_port.setdefault(port, {})[key] = outputs | back
    codes, bits = topic.codes, arrays.bits[switch]
    inner = {port: CellArrays.of(codes, bits, found) for port, found in sorted(by_port.items())}
    return TableSet(CellArrays.of(codes, bits, installed.plain), inner)


def flows_under(arrays: NetworkArrays, tables: CandidateTables, traffic: Traffic) -> list[EventFlows]:
    """Send traffic through these tables, and through the exact ones elsewhere."""
    samples = []
    for topic in arrays.topics:
        sample = EventFlows(arrays, topic, traffic.topics.get(topic.name))
        for switch, topics in tables.items():
            if topic.name in topics:
                sample.set_tables(switch, topics[topic.name])
        samples.append(sample)
    return samples


def judge_covers(planner: Planner, covers: NetworkCovers, traffic: Traffic) -> Expected:
    """Compute the cost of covers on given traffic, beyond that of the exact tables."""
    arrays, tables = arrays_under(planner, covers)
    exact = flows_under(arrays, {}, traffic)
    return expected_of(arrays, exact, flows_under(arrays, tables, traffic), max(traffic.weight, 1.0))


def added_cost(planner: Planner, old: NetworkCovers, new: NetworkCovers, traffic: Traffic) -> Expected:
    """Return the cost of new covers beyond that of old ones on given traffic.

    It counts the excess of every switch, including switches with the same covers in both.
    """
    arrays = _deep_arrays(planner, old, new)
    before, after = (flows_under(arrays, _all_tables(arrays, covers), traffic) for covers in (old, new))
    return expected_of(arrays, before, after, max(len(traffic), 1))


def savings(planner: Planner, old: NetworkCovers, new: NetworkCovers, traffic: Traffic) -> Array:
    """Compute, for each event of given traffic, the saving of new covers over old ones.

    The cost is copies, plus deliveries times their weight. Events whose publishers are out of reach cost
    nothing.
    """
    arrays = _deep_arrays(planner, old, new)
    then, now = (flows_under(arrays, _all_tables(arrays, covers), traffic) for covers in (old, new))
    saved = [_of_each(a) - _of_each(b) for a, b in zip(then, now, strict=True)]
    known = np.concatenate((np.zeros(0), *saved))
    return np.concatenate((known, np.zeros(len(traffic) - len(known))))


def _of_each(sample: EventFlows) -> Array:
    copies, delivered = sample.of_each()
    return copies + HOST_WEIGHT * delivered


def deepest_cover(table: TableCovers) -> int:
    """Return the length in bits of the longest dz in covers."""
    cells = [cover for found in (table.plain, *table.in_port.values()) for cover in found]
    lengths = [dz.bit_length() - 1 for cover in cells for dz in (cover.dz, *cover.kept)]
    return int(np.max(lengths)) if lengths else 0

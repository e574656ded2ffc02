"""All tables of a switch as one forest of prefix tries, with its events at their nodes.

Nodes are the cells of entries, their branching points, and the gaps between entries that contain events. So
within a node's own space (the node without its children) all exact outputs are the same. The best place for
an entry that selects some events is a node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tercast.eventspace.dz import Dz
from tercast.optimizer.arrays.network_arrays import NetworkArrays, TopicArrays
from tercast.optimizer.arrays.table_arrays import CellArrays, SwitchBits, hosts_in
from tercast.optimizer.arrays.trie_arrays import Nodes, inner_cells, lay_out
from tercast.optimizer.kernels.tries import ALL_BITS, Array, gather_edges, gather_masks, inherit, tally
from tercast.optimizer.traffic.event_flows import EventFlows
from tercast.optimizer.traffic.publisher_loads import PublisherLoads
from tercast.routing.switch_ports import PortMask

MOST_GAPS = 4
"""Number of gaps that become nodes, as a multiple of the entries; the busiest gaps are used."""


@dataclass(frozen=True, slots=True)
class TablePart:
    """One table of a forest: a topic's plain entries (`port` None) or those of an ingress port."""

    topic: TopicArrays
    port: int | None
    nodes: slice


@dataclass(frozen=True, slots=True)
class SwitchForest:
    """The nodes of all tables of a switch, in depth-first order table by table.

    Attributes:
        here: whether an exact entry is at a node.
        has: whether the node has own space, with outputs `out` and allowed links `edges`.
        passes: whether that space may have no entry.
        everything: the outputs of all space at and below a node.
        everywhere: the links allowed in all of that space.
        charge: the events in the own space: for each link the cost of a copy of all of them, and last their
            weight.
    """

    switch: int
    tables: tuple[TablePart, ...]
    parent: Array
    depth: Array
    length: Array
    code: Array
    here: Array
    has: Array
    passes: Array
    out: Array
    out_hosts: Array
    edges: Array
    everything: Array
    everywhere: Array
    charge: Array
    link_words: int
    bits: SwitchBits

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def entries(self) -> int:
        """The number of exact entries of the switch."""
        return int(self.here.sum())

    def mask_of(self, row: Array) -> PortMask:
        """Convert a row of words to a mask of the switch."""
        return self.bits.mask(row)

    def dz(self, node: int) -> Dz:
        """Return the cell of a node."""
        codes = next(
            table.topic.codes for table in self.tables if table.nodes.start <= node < table.nodes.stop
        )
        return codes.dz(self.code[node], int(self.length[node]))


def make_forest(
    arrays: NetworkArrays,
    switch: int,
    flows: Sequence[EventFlows | PublisherLoads],
    *,
    follow: bool = False,
    trace: float = 0.0,
) -> SwitchForest:
    """Build the forest of a switch, with the events that arrive there now.

    With `follow`, the cost of a copy over a link includes that of later copies, and gaps become nodes.
    Otherwise it is the number of links behind the port (Bhowmik et al., section 5.2). `trace` is the weight
    of events that are spread over all reachable space, in addition to the sample.
    """
    maker = _Maker(arrays, switch, follow, trace)
    for topic, flow in zip(arrays.topics, flows, strict=True):
        if switch in topic.tables:
            maker.add_topic(topic, flow)
    return maker.forest()


class _Maker:
    """Builder of the forest of a switch, table by table."""

    def __init__(self, arrays: NetworkArrays, switch: int, follow: bool, trace: float) -> None:
        self.arrays = arrays
        self.switch = switch
        self.bits = arrays.bits[switch]
        self.follow, self.trace = follow, trace
        self.tables: list[TablePart] = []
        self.columns: list[dict[str, Array]] = []
        self.first = 0

    def add_topic(self, topic: TopicArrays, flow: EventFlows | PublisherLoads) -> None:
        """Add the tables of a topic."""
        tables = topic.tables[self.switch]
        tops = topic.tops(self.switch)
        for port, inner in tables.inner.items():
            self._add(topic, port, (inner, tops, tables.plain), flow)
        if len(tables.plain):
            self._add(topic, None, (tables.plain, tops), flow)

    def _add(
        self,
        topic: TopicArrays,
        port: int | None,
        layers: tuple[CellArrays, ...],
        flow: EventFlows | PublisherLoads,
    ) -> None:
        """Add a table: its entries, then trees, then (for an ingress port) the plain entries."""
        layers = (layers[0], *(inner_cells(topic.codes, layers[0], layer) for layer in layers[1:]))
        if isinstance(flow, EventFlows):
            nodes, space, charge = self._of_events(topic, port, layers, flow)
        else:
            nodes = lay_out(topic.codes, layers, topic.codes.array([]), np.zeros(0), 0)
            space = self._space(nodes, layers, port)
            charge = flow.charge(self.switch, port, nodes)
        if not self.follow:
            charge[:, :-1] *= topic.links_behind(self.switch)
        count = len(nodes.parent)
        here = np.zeros(count, dtype=np.bool_)
        here[nodes.of_layer[0]] = True
        self.columns.append(
            {
                "parent": np.where(nodes.parent >= 0, nodes.parent + self.first, -1),
                "depth": nodes.depth,
                "length": nodes.length,
                "code": nodes.code,
                "here": here,
                "has": nodes.has,
                "charge": charge,
                **space,
            }
        )
        self.tables.append(TablePart(topic, port, slice(self.first, self.first + count)))
        self.first += count

    def _of_events(
        self, topic: TopicArrays, port: int | None, layers: tuple[CellArrays, ...], sample: EventFlows
    ) -> tuple[Nodes, dict[str, Array], Array]:
        """Return the nodes of a table, its space, and the charges of the events that arrive there."""
        arrivals = sample.arrivals(self.switch, port)
        most = MOST_GAPS * len(layers[0]) + 64 if self.follow else 0
        event = arrivals.event
        nodes = lay_out(topic.codes, layers, sample.code[event], sample.weight[event], most)
        space = self._space(nodes, layers, port)
        charge = np.zeros((len(nodes.parent), len(self.bits.links) + 1))
        event, ingress = event[nodes.inside], arrivals.ingress[nodes.inside]
        extra = self._extra(sample, event, ingress, nodes, space["out"]) if self.follow else charge[:0, :-1]
        tally(nodes.at, sample.weight[event], ingress, extra, charge)
        if self.trace:
            local = any(source.switch == self.switch for source in sample.sources)
            _add_trace(nodes, space, charge, self.trace, local)
        return nodes, space, charge

    def _space(self, nodes: Nodes, layers: Sequence[CellArrays], port: int | None) -> dict[str, Array]:
        """Return the exact outputs in each node's own space, and the links that are allowed there."""
        bits = self.bits
        values = [
            inherit(nodes.parent, nodes.values(number), nodes.above[number]) for number in range(len(layers))
        ]
        out = _masks(layers[0], values[0], bits.words)
        passes = ~out.any(axis=1) if port is None else values[0] < 0
        if port is not None:
            apart = ~bits.rows([self.arrays.sites[self.switch].hosts_on(port)])[0]
            out = np.where(passes[:, None], _masks(layers[2], values[2], bits.words) & apart, out)
        edges = np.full((len(nodes.parent), bits.link_words), ALL_BITS, dtype=np.int64)
        owned = values[1] >= 0
        if owned.any():
            edges[owned] = layers[1].mask[values[1][owned], : bits.link_words]
        return {"out": out, "passes": passes, "edges": edges}

    def _extra(self, sample: EventFlows, event: Array, ingress: Array, nodes: Nodes, out: Array) -> Array:
        """Return, for each event and link, the additional cost of a redundant copy."""
        extra = np.zeros((len(event), len(self.bits.links)))
        wires = self.arrays.wires
        for link in wires.of(self.switch).tolist():
            column = int(wires.column[link])
            wanted = (out[:, column // 62] >> column % 62 & 1)[nodes.at]
            redundant = np.flatnonzero((wanted == 0) & (ingress != column))
            extra[redundant, column] = sample.behind(link, event[redundant])
        return extra

    def forest(self) -> SwitchForest:
        """Return all tables as one forest."""
        names = ("parent", "depth", "length", "code", "here", "has", "passes", "out", "edges", "charge")
        if self.columns:
            whole = {name: np.concatenate([part[name] for part in self.columns]) for name in names}
        else:
            whole = _nothing(self.bits.words, self.bits.link_words, len(self.bits.links) + 1)
        return SwitchForest(
            switch=self.switch,
            tables=tuple(self.tables),
            link_words=self.bits.link_words,
            bits=self.bits,
            out_hosts=hosts_in(whole["out"], self.bits.link_words),
            everything=gather_masks(whole["parent"], whole["has"], whole["out"]),
            everywhere=gather_edges(whole["parent"], whole["has"], whole["edges"]),
            **whole,
        )


def _masks(cells: CellArrays, value: Array, words: int) -> Array:
    """Return the masks of inherited cells; 0 if there is no cell."""
    if not len(cells):
        return np.zeros((len(value), words), dtype=np.int64)
    return np.where((value >= 0)[:, None], cells.mask[value], 0)


def _add_trace(nodes: Nodes, space: dict[str, Array], charge: Array, trace: float, local: bool) -> None:
    """Spread a small weight over all space with outputs, by its volume."""
    volume = np.where(nodes.has, nodes.volume, 0.0)
    if not local:
        volume = np.where(space["passes"], 0.0, volume)
    total = volume.sum()
    if total > 0:
        charge += (volume * (trace / total))[:, None]


def _nothing(words: int, link_words: int, columns: int) -> dict[str, Array]:
    """Return the arrays of a forest without tables."""
    numbers = dict.fromkeys(("parent", "depth", "length", "code"), np.zeros(0, dtype=np.int64))
    flags = dict.fromkeys(("here", "has", "passes"), np.zeros(0, dtype=np.bool_))
    return {
        **numbers,
        **flags,
        "out": np.zeros((0, words), dtype=np.int64),
        "edges": np.zeros((0, link_words), dtype=np.int64),
        "charge": np.zeros((0, columns)),
    }

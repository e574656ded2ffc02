"""Links and host ports as the control plane confirms them; only these links are used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controller_app.discovery.adjacency import PortId, PortPair, pair_of
from controller_app.openflow.dpid import parse_dpid
from controller_app.openflow.flow_entry import MAX_PORT
from tercast.errors import Path, Refused, shown
from tercast.runtime.strict_json import expect_integer, expect_keys, expect_list, expect_text

MOST_ROWS = 400_000
"""Highest number of links, and of ports with hosts, in a topology."""

MOST_ID = 100


@dataclass(frozen=True, slots=True)
class ConfirmedTopology:
    """Links and host ports that the control plane has confirmed.

    Attributes:
        id: The control plane's name for this state; None before the first confirmation in this run.
        links: Links that are declared or approved.
        edges: Ports with hosts; they are not ends of links.
    """

    id: str | None = None
    links: frozenset[PortPair] = frozenset()
    edges: frozenset[PortId] = frozenset()

    def to_json(self) -> dict[str, object]:
        """Return the northbound's form: the id, and the numbers of links and ports."""
        return {"id": self.id, "links": len(self.links), "edges": len(self.edges)}


def parse_topology(body: object) -> ConfirmedTopology:
    """Return the topology of a northbound body.

    Raises:
        Refused: A value breaks a rule; the error contains its path.
    """
    fields = expect_keys(body, (), ("id", "links", "edges"))
    name = expect_text(fields["id"], ("id",))
    if not 1 <= len(name) <= MOST_ID:
        rule = f"received {len(name)} characters; an id has 1 to {MOST_ID} characters"
        raise Refused(("id",), "bad_length", rule, name[:MOST_ID])
    links = [_parse_link(row, ("links", n)) for n, row in enumerate(_rows(fields["links"], ("links",)))]
    edges = [_parse_ends(row, ("edges", n), 1)[0] for n, row in enumerate(_rows(fields["edges"], ("edges",)))]
    return ConfirmedTopology(name, frozenset(links), frozenset(edges))


def _rows(value: object, path: Path) -> Sequence[object]:
    rows = expect_list(value, path)
    if len(rows) > MOST_ROWS:
        raise Refused(path, "too_many", f"received {len(rows)} rows; send at most {MOST_ROWS}", len(rows))
    return rows


def _parse_link(row: object, path: Path) -> PortPair:
    a, b = _parse_ends(row, path, 2)
    if a == b:
        rule = f"{shown(row)} connects a port with itself; a link has two different ports"
        raise Refused(path, "self_link", rule, row)
    return pair_of(a, b)


def _parse_ends(row: object, path: Path, count: int) -> list[PortId]:
    """Return the ends in a row; the row has a dpid and a port for each of `count` ends."""
    values = expect_list(row, path)
    if len(values) != 2 * count:
        form = ", ".join(["dpid, port"] * count)
        raise Refused(path, "bad_length", f"received {len(values)} values; a row is [{form}]", len(values))
    return [
        (
            parse_dpid(values[n], (*path, n)),
            expect_integer(values[n + 1], (*path, n + 1), 1, MAX_PORT),
        )
        for n in range(0, 2 * count, 2)
    ]

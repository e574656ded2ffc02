"""What a table says at each of its regions and ingress ports, and what it may say while it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tercast.tables.entries import Action, Output, SetDst
from tercast.updates.prefix_tree import ROOTLESS, Prefixes

Links = Callable[[int], frozenset[int] | None]
"""The link ports that an answer may send to in a prefix (by its number); None: no coarser entry there."""

Outputs = frozenset[tuple[str | None, int | str]]
"""Where copies go: to a port as they came (None), or to a host through a port."""

NOTHING: Outputs = frozenset()


class RegionRow(NamedTuple):
    """An entry that stands in a table; one that is `coarse` is there only on the way."""

    actions: tuple[Action, ...]
    outputs: Outputs
    coarse: bool = False


Rows = dict[int | None, dict[int, RegionRow]]
"""By ingress port (None: the plain entries), then by the number of the prefix."""


def outputs_of(actions: tuple[Action, ...]) -> Outputs:
    """What actions come to."""
    found: set[tuple[str | None, int | str]] = set()
    host: str | None = None
    for action in actions:
        if isinstance(action, SetDst):
            host = action.host
        else:
            found.add((host, action.port))
    return frozenset(found)


def actions_for(outputs: Outputs) -> tuple[Action, ...]:
    """Actions that come to `outputs`: copies as they came first."""
    actions: list[Action] = []
    for host, port in sorted(outputs, key=lambda one: (one[0] or "", str(one[1]).zfill(12))):
        if host is not None:
            actions.append(SetDst(host))
        actions.append(Output(port))  # type: ignore[arg-type]
    return tuple(actions)


def links_in(outputs: Outputs) -> Outputs:
    """The copies that go on as they came."""
    return frozenset(one for one in outputs if one[0] is None)


class RegionOutputs:
    """Judges a table that changes from `old` to `new`: at every point what it says must do for both.

    `trees`: by the number of a prefix the links that the tree has which owns it; None: `links` tells what all
    trees of a prefix have. Where it is `lenient` every entry may serve hosts that want nothing, as coarse
    ones may.
    """

    __slots__ = ("_bounds", "_links", "_may", "_new", "_old", "_owners", "lenient", "ports", "prefixes")

    def __init__(
        self,
        prefixes: Prefixes,
        old: Rows,
        new: Rows,
        links: Links,
        trees: Mapping[int, frozenset[int]] | None = None,
    ) -> None:
        self.prefixes = prefixes
        self.lenient = False
        self._owners = None if trees is None else _owners(prefixes, trees)
        self.ports = [*sorted({*old, *new} - {None}, key=str), None]
        self._old = old
        self._new = new
        self._links = links
        self._may: dict[int, Outputs | None] = {}
        self._bounds: dict[tuple[int, int | None], tuple[Outputs, Outputs]] = {}

    def bounds(self, n: int, port: int | None) -> tuple[Outputs, Outputs]:
        """The old and the new answer in region `n` for what enters at `port`."""
        found = self._bounds.get((n, port))
        if found is None:
            old, new = (self.at(rows, n, port) for rows in (self._old, self._new))
            found = (old.outputs if old else NOTHING, new.outputs if new else NOTHING)
            self._bounds[n, port] = found
        return found

    def at(
        self, rows: Mapping[int | None, Mapping[int, RegionRow]], n: int, port: int | None
    ) -> RegionRow | None:
        """The entry that region `n` meets."""
        for table in (port, None) if port is not None else (None,):
            found, up = rows.get(table), n
            while found and up != ROOTLESS:
                if up in found:
                    return found[up]
                up = self.prefixes.parents[up]
        return None

    @property
    def knows_trees(self) -> bool:
        """Whether it is known of every region which tree owns it."""
        return self._owners is not None

    def may_stand(self, n: int) -> bool:
        """Whether an entry that is there only on the way may stand at prefix `n`."""
        return self._permitted(n) is not None

    def allow(self, outputs: Outputs, n: int, port: int | None, *, coarse: bool = False) -> bool:
        """Whether region `n` may meet an entry with these outputs; a coarse one may serve more hosts."""
        old, new = self.bounds(n, port)
        if outputs in (old, new):
            return True
        more = coarse or self.lenient
        if not (old & new <= outputs and (more or outputs <= old | new)):
            return False
        links = links_in(outputs)
        return links <= old or links <= new or self._is_on_trees(links, n)

    def _is_on_trees(self, links: Outputs, n: int) -> bool:
        if self._owners is None:
            return links <= (self._permitted(n) or NOTHING)
        owner = self._owners[n]
        return owner is None or links <= owner

    def _permitted(self, n: int) -> Outputs | None:
        if n not in self._may:
            ports = self._links(n)
            self._may[n] = None if ports is None else _over(ports)
        return self._may[n]


def _owners(prefixes: Prefixes, trees: Mapping[int, frozenset[int]]) -> list[Outputs | None]:
    """The links of the tree that owns each region; None: no tree does, so no event comes there."""
    found: list[Outputs | None] = []
    for n, up in enumerate(prefixes.parents):
        found.append(_over(trees[n]) if n in trees else None if up == ROOTLESS else found[up])
    return found


def _over(ports: frozenset[int]) -> Outputs:
    return frozenset((None, port) for port in ports)

"""Outputs of a table for each region and ingress port, and permitted outputs in an update."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tercast.tables.entries import Action, Output, SetDst
from tercast.updates.prefix_tree import ROOTLESS, Prefixes

PermittedLinks = Callable[[int], frozenset[int] | None]
"""Permitted link ports within a prefix (by its number); None: no coarse entry is allowed there."""

Outputs = frozenset[tuple[str | None, int | str]]
"""Targets of copies: an unchanged copy to a port (None), or a copy to a host through a port."""

NOTHING: Outputs = frozenset()


class RegionRow(NamedTuple):
    """An entry in a table; a `coarse` one exists only during the update."""

    actions: tuple[Action, ...]
    outputs: Outputs
    coarse: bool = False


RegionRows = dict[int | None, dict[int, RegionRow]]
"""Entries by ingress port (None: the plain entries), then by the number of the prefix."""


def outputs_of(actions: tuple[Action, ...]) -> Outputs:
    """Return the outputs of actions."""
    found: set[tuple[str | None, int | str]] = set()
    host: str | None = None
    for action in actions:
        if isinstance(action, SetDst):
            host = action.host
        else:
            found.add((host, action.port))
    return frozenset(found)


def actions_for(outputs: Outputs) -> tuple[Action, ...]:
    """Return actions with these outputs; unchanged copies come first."""
    actions: list[Action] = []
    for host, port in sorted(outputs, key=lambda one: (one[0] or "", str(one[1]).zfill(12))):
        if host is not None:
            actions.append(SetDst(host))
        actions.append(Output(port))  # type: ignore[arg-type]
    return tuple(actions)


def links_in(outputs: Outputs) -> Outputs:
    """Return the outputs of unchanged copies, which go over links."""
    return frozenset(one for one in outputs if one[0] is None)


class RegionOutputs:
    """Checks a table that changes from `old` to `new`: each region must always serve both.

    `trees` has, by the number of a prefix, the links of the tree that owns it. If it is None, `links` returns
    the links that all trees of a prefix have. If `lenient` is set, every entry may serve hosts that match
    nothing, as coarse entries may.
    """

    __slots__ = ("_bounds", "_links", "_may", "_new", "_old", "_owners", "lenient", "ports", "prefixes")

    def __init__(
        self,
        prefixes: Prefixes,
        old: RegionRows,
        new: RegionRows,
        links: PermittedLinks,
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
        """Return the old and the new outputs in region `n` for events that enter at `port`."""
        found = self._bounds.get((n, port))
        if found is None:
            old, new = (self.at(rows, n, port) for rows in (self._old, self._new))
            found = (old.outputs if old else NOTHING, new.outputs if new else NOTHING)
            self._bounds[n, port] = found
        return found

    def at(
        self, rows: Mapping[int | None, Mapping[int, RegionRow]], n: int, port: int | None
    ) -> RegionRow | None:
        """Return the entry that region `n` matches."""
        for table in (port, None) if port is not None else (None,):
            found, up = rows.get(table), n
            while found and up != ROOTLESS:
                if up in found:
                    return found[up]
                up = self.prefixes.parents[up]
        return None

    @property
    def knows_trees(self) -> bool:
        """Whether the owning tree of every region is known."""
        return self._owners is not None

    def may_stand(self, n: int) -> bool:
        """Whether a temporary entry is allowed at prefix `n`."""
        return self._permitted(n) is not None

    def allow(self, outputs: Outputs, n: int, port: int | None, *, coarse: bool = False) -> bool:
        """Whether region `n` may match an entry with these outputs; a coarse one may add hosts."""
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
    """Return the links of the tree that owns each region; None: no tree, so no events."""
    found: list[Outputs | None] = []
    for n, up in enumerate(prefixes.parents):
        found.append(_over(trees[n]) if n in trees else None if up == ROOTLESS else found[up])
    return found


def _over(ports: frozenset[int]) -> Outputs:
    return frozenset((None, port) for port in ports)

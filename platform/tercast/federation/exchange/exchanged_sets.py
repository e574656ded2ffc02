"""Sets of dz that neighbours exchange: versions, digests, and differences."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from tercast.eventspace.dz import Dz, DzSet, canonical, length, prefix

DIGEST_BYTES = 8


@dataclass(frozen=True, slots=True)
class SetChange:
    """The cells that lead from one version of a set to the next; `digest` is that of the result."""

    from_version: int
    to_version: int
    added: DzSet
    removed: DzSet
    digest: int


def cell_digest(dz: Dz) -> int:
    """Return the digest of one cell; that of a set is the exclusive or of all of them."""
    data = dz.to_bytes(17, "big")
    return int.from_bytes(hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest(), "big")


def digest_of(cells: Iterable[Dz]) -> int:
    """Return the digest of a set, which does not depend on the order of its cells."""
    digest = 0
    for dz in cells:
        digest ^= cell_digest(dz)
    return digest


def coarsened(cells: DzSet, limit: int) -> DzSet:
    """Return a canonical superset with 1 to `limit` cells; the longest dz are cut first."""
    longest = max(map(length, cells), default=0)
    while len(cells) > limit:
        longest -= 1
        cells = canonical(prefix(dz, longest) for dz in cells)
    return cells


@dataclass(slots=True)
class OutgoingSet:
    """A set that this side exports; during an exchange, only the newest state waits.

    Attributes:
        version: Version of the last state that was given to the neighbour.
        acknowledged: Last version that the neighbour has.
        cells: The cells of `version`.
        digest: The digest of `cells`.
        wanted: The newest state.
    """

    version: int = 0
    acknowledged: int = 0
    cells: frozenset[Dz] = frozenset()
    digest: int = 0
    wanted: frozenset[Dz] = frozenset()

    @property
    def is_busy(self) -> bool:
        """Whether an exchange is in transit."""
        return self.acknowledged != self.version

    def next_change(self) -> SetChange | None:
        """Begin the exchange of the newest state; None while one is in transit, or without a change."""
        if self.is_busy or self.wanted == self.cells:
            return None
        added, removed = self.wanted - self.cells, self.cells - self.wanted
        for dz in (*added, *removed):
            self.digest ^= cell_digest(dz)
        self.version += 1
        self.cells = self.wanted
        return SetChange(self.version - 1, self.version, ordered(added), ordered(removed), self.digest)

    def acknowledge(self, version: int) -> None:
        """Record that the neighbour has a version."""
        self.acknowledged = max(self.acknowledged, version)


@dataclass(slots=True)
class IncomingSet:
    """A set that the neighbour exports, as far as it was received."""

    version: int = 0
    cells: frozenset[Dz] = frozenset()
    digest: int = 0
    parts: list[tuple[DzSet, DzSet]] = field(default_factory=list)

    def apply(self, added: DzSet, removed: DzSet, version: int) -> int:
        """Change the set; return the digest of the result."""
        self.cells = self.cells.difference(removed).union(added)
        for dz in (*added, *removed):
            self.digest ^= cell_digest(dz)
        self.version = version
        return self.digest


def ordered(cells: Iterable[Dz]) -> DzSet:
    """Return cells in text order."""
    return tuple(sorted(cells, key=bin))

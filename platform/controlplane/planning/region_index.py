"""Index of requests by their events, a prefix index."""

from collections.abc import Iterable

from controlplane.planning.unconfirmed import EventRegion, TopicCell, order
from tercast.routing.cell_keys import Key, SortedKeys


class RegionIndex:
    """Numbers of requests, found by cells that overlap their regions."""

    __slots__ = ("_at", "_keys")

    def __init__(self) -> None:
        self._at: dict[TopicCell, set[int]] = {}
        self._keys: dict[int, SortedKeys] = {}

    def add(self, number: int, region: EventRegion) -> None:
        """Add request `number`."""
        for place in region.places():
            found = self._at.get(place)
            if found is None:
                found = self._at[place] = set()
                self._keys.setdefault(place[0], SortedKeys()).add(place[1])
            found.add(number)

    def remove(self, number: int, region: EventRegion) -> None:
        """Remove request `number`, which was added with this region."""
        for place in region.places():
            found = self._at[place]
            found.discard(number)
            if not found:
                del self._at[place]
                self._keys[place[0]].remove(place[1])

    def overlapping(self, places: Iterable[TopicCell]) -> set[int]:
        """Return the requests whose regions have events in common with any of `places`."""
        found: set[int] = set()
        for code, key in places:
            for above in _prefixes(key):
                found |= self._at.get((code, above), frozenset())
            if code in self._keys:
                for below in self._keys[code].range(key + 1, order().end(key)):
                    found |= self._at[code, below]
        return found


def _prefixes(key: Key) -> Iterable[Key]:
    """Return the cell and all cells that contain it."""
    make, dz = order().key, order().dz(key)
    return (make(dz >> shift) for shift in range(dz.bit_length()))

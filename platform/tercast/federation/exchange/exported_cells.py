"""The sets that a partition exports over a border: advertised and subscribed cells."""

from __future__ import annotations

from tercast.eventspace.dz import Dz, DzSet, canonical
from tercast.planner.planner import Planner
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION
from tercast.tables.entries import Diff, Entry, Output, SwitchDiff, difference
from tercast.topology.borders import STUB_LINK


class ExportedCells:
    """Reads the exported sets of all borders from a planner.

    The advertisement set of a border is the union of the live advertisements on this side: those in the
    component of its stub, except the stub's own. The subscription set can be read off the stub's table: the
    cells with an output to its link.
    """

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._crossing: dict[tuple[str, str], dict[tuple[str, int | None], Dz]] = {}
        self._advertised: dict[tuple[str, str], DzSet] | None = None
        self.follow(Diff(crossings=_whole(planner)))

    def follow(self, diff: Diff) -> set[tuple[str, str]]:
        """Follow the changes of stubs; return the borders and topics that changed."""
        changed: set[tuple[str, str]] = set()
        codes = {topic.code: topic.name for topic in self._planner.topics.values()}
        for change in diff.crossings:
            for entry in change.removed:
                place, _ = self._place(change.switch, entry, codes)
                self._crossing.get(place, {}).pop(entry.key, None)
                changed.add(place)
            for entry in (*change.modified, *change.added):
                place, dz = self._place(change.switch, entry, codes)
                cells = self._crossing.setdefault(place, {})
                cells.pop(entry.key, None)
                if Output(STUB_LINK) in entry.actions:
                    cells[entry.key] = dz
                changed.add(place)
        return changed

    def forget_advertised(self) -> None:
        """Read the advertisements again at the next call, because something has changed."""
        self._advertised = None

    def cells(self, border: str, topic: str, kind: str) -> DzSet:
        """Return the set of a border."""
        if kind == SUBSCRIPTION:
            return canonical(self._crossing.get((border, topic), {}).values())
        if self._advertised is None:
            self._advertised = self._read_advertised()
        return self._advertised.get((border, topic), ())

    def _place(self, border: str, entry: Entry, codes: dict[int, str]) -> tuple[tuple[str, str], Dz]:
        code, dz = self._planner.address.parse_match(entry.dst)
        return (border, codes[code]), dz

    def _read_advertised(self) -> dict[tuple[str, str], DzSet]:
        planner = self._planner
        component, borders = planner.network.component, planner.topology.borders
        found: dict[tuple[str, str], list[Dz]] = {}
        for registration in planner.registry.live.values():
            if registration.kind != ADVERTISEMENT:
                continue
            own = component(registration.host)
            for border in borders:
                if border != registration.host and own is not None and component(border) == own:
                    found.setdefault((border, registration.topic), []).extend(registration.dz)
        return {place: canonical(cells) for place, cells in found.items()}


def _whole(planner: Planner) -> tuple[SwitchDiff, ...]:
    """Return the tables of all stubs as changes of empty tables."""
    tables = planner.verified_tables()
    return tuple(difference(name, (), tables.get(name, ())) for name in planner.topology.borders)

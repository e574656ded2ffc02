"""Cells of other partitions: each is a registration of a border's host."""

from __future__ import annotations

from collections.abc import Iterator

from tercast.encoding.request_encoding import check_length
from tercast.errors import Refused, shown
from tercast.eventspace.dz import Dz, text
from tercast.planner.registrations import Registrations
from tercast.planner.state import PlannerState
from tercast.requests.model import Advertise, External, Subscribe, Unadvertise, Unsubscribe
from tercast.requests.outcome import Outcome
from tercast.requests.registry import ADVERTISEMENT
from tercast.topology.borders import known_border

_Step = Advertise | Subscribe | Unadvertise | Unsubscribe


def external_id(border: str, topic: str, kind: str, dz: Dz) -> str:
    """Return the id of the registration of a cell."""
    return f"x:{border}:{kind}:{topic}:{text(dz)}"


class ExternalCells:
    """Carries out `external` requests: all cells of a request, or none."""

    def __init__(self, planner: PlannerState, registrations: Registrations) -> None:
        self._planner = planner
        self._registrations = registrations

    def apply(self, request: External) -> Outcome:
        """Add cells, then remove others; undo all of it if one step is refused."""
        self._check(request)
        with self._registrations.together() as defers:
            if not defers:
                return self._with_undo(request)
            for step in _steps(request):
                self._apply_step(step)
        return Outcome(ok=True)

    def _with_undo(self, request: External) -> Outcome:
        planner = self._planner
        outer, planner.journal = planner.journal, []
        outcome = Outcome(ok=True)
        try:
            for step in _steps(request):
                outcome = self._apply_step(step)
                if not outcome.ok:
                    for undo in reversed(planner.journal):
                        undo()
                    return outcome
            if outer is not None:
                outer += planner.journal
        finally:
            planner.journal = outer
        return Outcome(ok=True)

    def _apply_step(self, step: _Step) -> Outcome:
        if isinstance(step, Advertise | Subscribe):
            return self._registrations.register(step)
        return self._registrations.withdraw(step)

    def _check(self, request: External) -> None:
        registry = self._planner.registry
        known_border(registry.topology, request.border, ("border",))
        registry.known_topic(request.topic, ("topic",))
        for key, cells, known in (("add", request.add, False), ("remove", request.remove, True)):
            for i, dz in enumerate(cells):
                name = external_id(request.border, request.topic, request.kind, dz)
                check_length(dz, self._planner.depth, (key, i))
                if (name in registry.live) is not known:
                    state = "is not registered" if known else "is registered already"
                    detail = f"the cell {shown(text(dz))} {state} at this border; send the difference only"
                    raise Refused((key, i), "unknown_id" if known else "duplicate", detail, text(dz))


def _steps(request: External) -> Iterator[_Step]:
    """Yield one step for each cell; additions first, so that nothing is lost."""
    ads = request.kind == ADVERTISEMENT
    register, withdraw = (Advertise, Unadvertise) if ads else (Subscribe, Unsubscribe)
    for dz in request.add:
        name = external_id(request.border, request.topic, request.kind, dz)
        yield register(name, request.border, request.topic, None, (dz,))
    for dz in request.remove:
        yield withdraw(external_id(request.border, request.topic, request.kind, dz))

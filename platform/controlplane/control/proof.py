"""Proving tables before they are deployed, as far as a change touches them."""

from collections.abc import Iterable, Sequence

from controlplane.control.models import Request
from controlplane.control.stakes import ANNOUNCING, WITHDRAWING
from tercast.dz import Dz, canonical
from tercast.planner import Planner
from tercast.tables import Diff, SwitchDiff
from tercast.verify import Verifier
from tercast.violations import Violation

ANNOUNCEMENTS = ANNOUNCING | WITHDRAWING
_SHOWN = 3


class Unproved(Exception):  # noqa: N818 - named by meaning
    """The verifier found what the tables do wrong."""


class Prover:
    """Follows one planner, change by change; after an `Unproved` it is worth nothing any more."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._verifier = Verifier.of(planner.registry, planner.tables(), covers=planner.keeper.covers)
        self._known = dict(planner.registry.live)

    def prove(self, rows: Sequence[Request], diffs: Sequence[SwitchDiff]) -> None:
        """Raise `Unproved` unless the tables, changed by `diffs`, do what the requests say after `rows`.

        Entries under covers may bring more than is wanted, all others bring exactly that, and none lose,
        double or loop. Budgets that an operator or a change of the network left exceeded are not their fault.
        """
        diff = Diff(tuple(diffs))
        if all(row.kind in ANNOUNCEMENTS for row in rows):
            found = self._step({str(row.payload.get("id")) for row in rows}, diff)
        else:
            found = self._verifier.step(self._planner.registry, diff)
            self._known = dict(self._planner.registry.live)
        over = self._planner.over_budget()
        wrong = [one for one in found if not (one.kind == "budget" and one.switch in over)]
        if wrong:
            raise Unproved(_text(wrong))

    def _step(self, names: Iterable[str], diff: Diff) -> list[Violation]:
        """The verifier's own step, but it looks at the announcements `names` instead of at all that live."""
        touched: dict[str, set[Dz]] = {}
        for name in names:
            old, new = self._known.get(name), self._planner.registry.live.get(name)
            if old is new:
                continue
            if old is not None:
                self._verifier.withdraw(name)
                del self._known[name]
            if new is not None:
                self._verifier.register(new)
                self._known[name] = new
            for registration in filter(None, (old, new)):
                touched.setdefault(registration.topic, set()).update(registration.dz)
        for topic, cells in self._verifier.apply(diff).items():
            touched.setdefault(topic, set()).update(cells)
        return self._verifier.check({topic: canonical(cells) for topic, cells in touched.items()})


def _text(found: Sequence[Violation]) -> str:
    more = f" (and {len(found) - _SHOWN} more)" if len(found) > _SHOWN else ""
    return "; ".join(str(violation) for violation in found[:_SHOWN]) + more

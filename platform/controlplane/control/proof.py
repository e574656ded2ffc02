"""Proving tables before they are deployed, as far as a change touches them."""

from collections.abc import Sequence

from tercast.planner import Planner
from tercast.tables import Diff, SwitchDiff
from tercast.verify import Verifier
from tercast.violations import Violation

_SHOWN = 3


class Unproved(Exception):  # noqa: N818 - named by meaning
    """The verifier found what the tables do wrong."""


class Prover:
    """Follows one planner, change by change; after an `Unproved` it is worth nothing any more."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._verifier = Verifier.of(planner.registry, planner.tables())

    def prove(self, diffs: Sequence[SwitchDiff]) -> None:
        """Raise `Unproved` unless tables changed by `diffs` do what the requests say by now.

        Budgets that an operator or a change of the network left exceeded are no fault of the tables.
        """
        over = self._planner.over_budget()
        found = [
            violation
            for violation in self._verifier.step(self._planner.registry, Diff(tuple(diffs)))
            if not (violation.kind == "budget" and violation.switch in over)
        ]
        if found:
            raise Unproved(_text(found))


def _text(found: Sequence[Violation]) -> str:
    more = f" (and {len(found) - _SHOWN} more)" if len(found) > _SHOWN else ""
    return "; ".join(str(violation) for violation in found[:_SHOWN]) + more

"""Proof of tables before their deployment, in the part that a change affects."""

from collections.abc import Iterable, Sequence

from controlplane.planning.former_encoding_prover import FormerEncodingProver, part
from controlplane.requestlog.kinds import ANNOUNCING, WITHDRAWING
from controlplane.requestlog.models import Request
from tercast.eventspace.dz import Dz, canonical
from tercast.planner.planner import Planner
from tercast.tables.entries import Diff, SwitchDiff
from tercast.verification.verifier import Verifier
from tercast.verification.violations import Violation

ANNOUNCEMENTS = ANNOUNCING | WITHDRAWING
_SHOWN = 3


class UnprovedTables(Exception):  # noqa: N818 - named by meaning
    """The verifier found violations in the tables."""


class Prover:
    """Follows one planner, change by change; it is invalid after an `UnprovedTables`."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._begin()

    def _begin(self) -> None:
        """Read everything again: the tables in use, and those left under former codes."""
        planner = self._planner
        tables = planner.tables_of(planner.plans)
        self._verifier = Verifier.of(planner.registry, tables, covers=planner.budget_enforcer.covers)
        self._known = dict(planner.registry.live)
        self._formers = {one.code: FormerEncodingProver(planner, one) for one in planner.leaving.values()}
        self._encodings = self._current()

    def _current(self) -> dict[str, tuple[int, bool]]:
        """Return the code of each topic, and whether the topic is leaving its other code."""
        planner = self._planner
        return {name: (topic.code, name in planner.leaving) for name, topic in planner.topics.items()}

    def prove(self, rows: Sequence[Request], diffs: Sequence[SwitchDiff]) -> None:
        """Raise `UnprovedTables` unless the tables, changed by `diffs`, serve all requests.

        Entries under covers may deliver more than expected. All others deliver exactly the expected events.
        None loses or duplicates events, or forms a loop. Budgets that an operator or a change of the network
        left exceeded are not violations.
        """
        if self._has_moved():
            self._begin()
            found = self._verifier.check()
            found += [one for former in self._formers.values() for one in former.check()]
            self._judge(found)
            return
        mine = part(diffs, lambda code: code not in self._formers) if self._formers else diffs
        diff = Diff(tuple(mine))
        former = [one for each in self._formers.values() for one in each.step(diffs)]
        if all(row.kind in ANNOUNCEMENTS for row in rows):
            found = self._step({str(row.payload.get("id")) for row in rows}, diff)
        else:
            found = self._verifier.step(self._planner.registry, diff)
            self._known = dict(self._planner.registry.live)
        self._judge(found + former)

    def _has_moved(self) -> bool:
        """Whether an existing topic has changed its code, or has released the former one."""
        before, now = self._encodings, self._current()
        self._encodings = now
        return any(now.get(name, (code, left)) != (code, left) for name, (code, left) in before.items()) or (
            len(self._formers) != len(self._planner.leaving)
        )

    def _judge(self, found: Sequence[Violation]) -> None:
        over = self._planner.over_budget()
        wrong = [one for one in found if not (one.kind == "budget" and one.switch in over)]
        if wrong:
            raise UnprovedTables(_text(wrong))

    def _step(self, names: Iterable[str], diff: Diff) -> list[Violation]:
        """Run the verifier's step, but only for the announcements `names`, not for all live ones."""
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

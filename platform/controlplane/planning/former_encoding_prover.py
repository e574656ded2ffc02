"""Proof of the remaining tables of a topic under its former code, in their network."""

from collections.abc import Callable, Iterator, Sequence

from controlplane.common.address_plan import address_plan
from tercast.planner.planner import Planner
from tercast.planner.topic_migration import TopicMigration
from tercast.requests.registry import Registry
from tercast.tables.entries import Diff, Entry, SwitchDiff
from tercast.verification.verifier import Verifier
from tercast.verification.violations import Violation


class FormerEncodingProver:
    """Follows one topic that leaves a code: remaining announcements are served as before."""

    def __init__(self, planner: Planner, leaving: TopicMigration) -> None:
        self._leaving = leaving
        tables = planner.tables_of([leaving.plan])
        self._verifier = Verifier.of(self._registry(), tables, covers=planner.budget_enforcer.covers)

    def check(self) -> list[Violation]:
        """Return all violations."""
        return _without_budgets(self._verifier.check())

    def step(self, diffs: Sequence[SwitchDiff]) -> list[Violation]:
        """Return the violations after a change, in the part that it affects."""
        mine = Diff(tuple(part(diffs, lambda code: code == self._leaving.code)))
        return _without_budgets(self._verifier.step(self._registry(), mine))

    def _registry(self) -> Registry:
        leaving = self._leaving
        registry = Registry(address_plan(), leaving.topology, [leaving.plan.topic])
        registry.live = leaving.live
        return registry


def part(diffs: Sequence[SwitchDiff], chosen: Callable[[int], bool]) -> Iterator[SwitchDiff]:
    """Yield the entries of a change whose codes are chosen."""

    def mine(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        parse = address_plan().parse_match
        return tuple(entry for entry in entries if chosen(parse(entry.dst)[0]))

    for diff in diffs:
        yield SwitchDiff(diff.switch, mine(diff.added), mine(diff.modified), mine(diff.removed))


def _without_budgets(found: list[Violation]) -> list[Violation]:
    """Omit violations of budgets: they concern whole tables, and this is a part of one."""
    return [one for one in found if one.kind != "budget"]

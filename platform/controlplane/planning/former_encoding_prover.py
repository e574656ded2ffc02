"""The proof of what is left of a topic under its former code, in the network that it was made for."""

from collections.abc import Callable, Iterator, Sequence

from controlplane.common.address_plan import address_plan
from tercast.planner.planner import Planner
from tercast.planner.topic_migration import TopicMigration
from tercast.requests.registry import Registry
from tercast.tables.entries import Diff, Entry, SwitchDiff
from tercast.verification.verifier import Verifier
from tercast.verification.violations import Violation


class FormerEncodingProver:
    """Follows one topic that is leaving a code: who stayed is served as before."""

    def __init__(self, planner: Planner, leaving: TopicMigration) -> None:
        self._leaving = leaving
        tables = planner.tables_of([leaving.plan])
        self._verifier = Verifier.of(self._registry(), tables, covers=planner.keeper.covers)

    def check(self) -> list[Violation]:
        """All that is wrong."""
        return _without_budgets(self._verifier.check())

    def step(self, diffs: Sequence[SwitchDiff]) -> list[Violation]:
        """What is wrong after a change, where that touches it."""
        mine = Diff(tuple(part(diffs, lambda code: code == self._leaving.code)))
        return _without_budgets(self._verifier.step(self._registry(), mine))

    def _registry(self) -> Registry:
        leaving = self._leaving
        registry = Registry(address_plan(), leaving.topology, [leaving.plan.topic])
        registry.live = leaving.live
        return registry


def part(diffs: Sequence[SwitchDiff], chosen: Callable[[int], bool]) -> Iterator[SwitchDiff]:
    """The entries of a change whose codes are chosen."""

    def mine(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        parse = address_plan().parse_match
        return tuple(entry for entry in entries if chosen(parse(entry.dst)[0]))

    for diff in diffs:
        yield SwitchDiff(diff.switch, mine(diff.added), mine(diff.modified), mine(diff.removed))


def _without_budgets(found: list[Violation]) -> list[Violation]:
    """Budgets are about whole tables, of which this is a part."""
    return [one for one in found if one.kind != "budget"]

"""Rows that show the planner's state: trees, exact entries, matches, and reachability."""

from collections.abc import Collection, Set
from dataclasses import dataclass
from typing import Any

from django.db import connection

from controlplane.common.chunks import chunks
from controlplane.network.models import Switch, Tree
from controlplane.planning.reachability_rows import ReachRows, ReachSnapshot
from controlplane.registry.models import Subscription, Topic
from controlplane.requestlog import outbox
from controlplane.requestlog.kinds import CHANGES_MATCHES
from controlplane.requestlog.logged_rows import Payload
from controlplane.requestlog.models import State
from tercast.planner.planner import Planner, TreeView

_SET_EXACT = f"UPDATE {Switch._meta.db_table} SET exact_entries = %s WHERE name = %s"  # noqa: S608 - own names


@dataclass(frozen=True, slots=True)
class ProjectionRows:
    """Values for rows: exact entries by switch, trees, matches, announcements out of reach.

    `unmatched` and `missed` are None if the rows contain them already.
    """

    exact: dict[str, int]
    trees: list[TreeView]
    unmatched: frozenset[int] | None
    missed: ReachSnapshot | None


class PlanProjections:
    """The last written state, so that only differences are written; at first, all is compared."""

    def __init__(self) -> None:
        self._trees: list[TreeView] | None = None
        self._matched = False
        self._exact: dict[str, int] | None = None
        self._reach = ReachRows()
        self.is_new = True
        """Whether nothing has been compared with the database yet."""

    def compute(self, planner: Planner, payloads: Collection[Payload]) -> ProjectionRows:
        """Return the values after these requests; slow, so call it outside of a transaction."""
        known = self._matched and not any(each["op"] in CHANGES_MATCHES for each in payloads)
        unmatched = None if known else frozenset(int(name[1:]) for name in planner.pending())
        return ProjectionRows(
            _exact(planner), planner.trees(), unmatched, self._reach.compute(planner, payloads)
        )

    def show(self, shown: ProjectionRows) -> None:
        """Write the differences in the caller's transaction."""
        self._show_exact(shown.exact)
        if shown.trees != self._trees:
            _show_trees({tree.id: tree.to_json() for tree in shown.trees})
            self._trees = shown.trees
        if shown.unmatched is not None:
            _show_matched(shown.unmatched)
            self._matched = True
        if shown.missed is not None:
            self._reach.show(shown.missed)
        self.is_new = False

    def switches(self, shown: ProjectionRows) -> list[str]:
        """Return the switches whose rows `show` may write: the caller must lock them first."""
        before = self._exact
        return [name for name, n in shown.exact.items() if before is None or before.get(name) != n]

    def _show_exact(self, counts: dict[str, int]) -> None:
        """Write the numbers of entries of switches without aggregation."""
        if counts == self._exact:
            return
        known = self._exact
        if known is None or known.keys() != counts.keys():
            known = dict(Switch.objects.values_list("name", "exact_entries"))
        changed = {name: n for name, n in counts.items() if known.get(name, n) != n}
        if changed:
            with connection.cursor() as cursor:
                cursor.executemany(_SET_EXACT, [(n, name) for name, n in changed.items()])
            outbox.emit("exact", changed)
        self._exact = counts


def _exact(planner: Planner) -> dict[str, int]:
    """Return the number of entries of each switch without aggregation."""
    stale = planner.is_stale  # nothing is registered, and updating the network takes long
    return dict.fromkeys(planner.topology.switches, 0) if stale else planner.exact_counts()


def _show_trees(trees: dict[str, Any]) -> None:
    Tree.objects.exclude(name__in=trees).delete()
    known = {row.name: row for row in Tree.objects.select_related("topic", "root")}
    topics = dict(Topic.objects.values_list("name", "pk"))
    roots = dict(Switch.objects.values_list("name", "pk"))
    for name, tree in trees.items():
        if name not in known or _shown(known[name]) != tree:
            _write(tree, topics[tree["topic"]], roots[tree["root"]])


def _show_matched(unmatched: Set[int]) -> None:
    """Update earlier subscriptions; each request has updated its own subscription itself."""
    live = Subscription.objects.exclude(state__in=(State.WITHDRAWN, State.FAILED))
    before = set(live.filter(matched=False).values_list("pk", flat=True))
    for part in chunks(sorted(unmatched - before)):
        live.filter(pk__in=part).update(matched=False)
    for part in chunks(sorted(before - unmatched)):
        live.filter(pk__in=part).update(matched=True)


def _shown(row: Tree) -> dict[str, Any]:
    return {
        "id": row.name,
        "topic": row.topic.name,
        "dz": row.dz,
        "root": row.root.name,
        "edges": row.edges,
    }


def _write(tree: dict[str, Any], topic: int, root: int) -> None:
    Tree.objects.update_or_create(
        name=tree["id"],
        defaults={"topic_id": topic, "root_id": root, "dz": tree["dz"], "edges": tree["edges"]},
    )

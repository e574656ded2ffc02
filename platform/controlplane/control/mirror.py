"""Rows that show the planner's state beside tables: trees, and which subscriptions nothing overlaps."""

from typing import Any

from controlplane.control.batches import chunks
from controlplane.control.models import State
from controlplane.network.models import Switch, Tree
from controlplane.registry.models import Subscription, Topic
from tercast.planner import Planner


class Mirror:
    """What was written last, so that only differences are written; a new one compares with the database."""

    def __init__(self) -> None:
        self._trees: dict[str, Any] | None = None
        self._unmatched: set[int] | None = None

    def show(self, planner: Planner) -> None:
        """Bring the rows to the planner's trees and pending subscriptions, in the caller's transaction."""
        self._show_trees({tree.id: tree.to_json() for tree in planner.trees()})
        self._show_matched({int(name[1:]) for name in planner.pending()})

    def _show_trees(self, trees: dict[str, Any]) -> None:
        if trees == self._trees:
            return
        Tree.objects.exclude(name__in=trees).delete()
        known = {row.name: row for row in Tree.objects.select_related("topic", "root")}
        topics = dict(Topic.objects.values_list("name", "pk"))
        roots = dict(Switch.objects.values_list("name", "pk"))
        for name, tree in trees.items():
            if name not in known or _shown(known[name]) != tree:
                _write(tree, topics[tree["topic"]], roots[tree["root"]])
        self._trees = trees

    def _show_matched(self, unmatched: set[int]) -> None:
        if unmatched == self._unmatched:
            return
        before = self._unmatched
        if before is None:
            before = set(Subscription.objects.filter(matched=False).values_list("pk", flat=True))
        for part in chunks(sorted(unmatched - before)):
            Subscription.objects.filter(pk__in=part).update(matched=False)
        for part in chunks(sorted(before - unmatched)):
            live = Subscription.objects.exclude(state=State.WITHDRAWN)
            live.filter(pk__in=part, matched=False).update(matched=True)
        self._unmatched = unmatched


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

"""Check that a replay of the complete log results in the stored tables."""

from collections.abc import Iterator

from controlplane.deployment import switch_sync
from controlplane.planning import confirmed_entries, planner_state
from controlplane.requestlog.models import SwitchSync
from tercast.tables.entries import Table, difference


def differences() -> Iterator[str]:
    """Yield a line for each difference of the replayed log from snapshot or confirmed tables.

    Switches with unconfirmed changes are omitted, because their tables are behind.
    """
    replayed = planner_state.load(snapshots=False)
    restored = planner_state.load()
    if replayed.position != restored.position:
        yield (
            f"the complete log ends at request {replayed.position}, but the snapshot and the requests after "
            f"it end at request {restored.position}"
        )
    names = sorted(replayed.planner.topology.switches)
    for name in names:
        yield from _lines(name, "snapshot", restored.planner.table(name), replayed.planner.table(name))
    lagging = set(SwitchSync.objects.filter(dirty=True).values_list("switch", flat=True))
    for name, switch in sorted(switch_sync.switches().items()):
        if name in names and name not in lagging:
            yield from _lines(name, "table", confirmed_entries.table(switch), replayed.planner.table(name))


def _lines(switch: str, what: str, kept: Table, replayed: Table) -> Iterator[str]:
    diff = difference(switch, kept, replayed)
    for word, entries in (
        ("does not have the entry", diff.added),
        ("differs in the entry", diff.modified),
        ("has the extra entry", diff.removed),
    ):
        for entry in entries:
            port = "" if entry.in_port is None else f" from port {entry.in_port}"
            yield f"{switch}: the {what} {word} {entry.dst}{port}"

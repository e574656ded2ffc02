"""Does the log lead to what is there? A planner that starts from nothing must come to the kept tables."""

from collections.abc import Iterator

from controlplane.deployment import switch_sync
from controlplane.planning import confirmed_entries, planner_state
from controlplane.requestlog.models import SwitchSync
from tercast.tables.entries import Table, difference


def differences() -> Iterator[str]:
    """A line for each difference between the replayed log and the newest snapshot, or the confirmed tables.

    Switches that have yet to confirm something are left out: their tables are behind, and known to be.
    """
    replayed = planner_state.load(snapshots=False)
    restored = planner_state.load()
    if replayed.position != restored.position:
        yield f"the log ends at position {replayed.position}, snapshot and tail at {restored.position}"
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
        ("misses", diff.added),
        ("differs in", diff.modified),
        ("has too many:", diff.removed),
    ):
        for entry in entries:
            port = "" if entry.in_port is None else f" from port {entry.in_port}"
            yield f"{switch}: the {what} {word} {entry.dst}{port}"

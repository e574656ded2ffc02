"""What the match of an installed entry says: which topic, and which dz of it."""

from collections.abc import Sequence

from controlplane.config.planning import address_plan
from controlplane.network.models import InstalledEntry
from controlplane.registry.models import Topic
from tercast import dz
from tercast.errors import Refused


def with_topics(rows: Sequence[InstalledEntry]) -> list[InstalledEntry]:
    """The rows, each with `topic` (a name) and `dz` (text), null where the match is none of the plan's.

    One query, however many rows; a topic's odd code counts as its even one.
    """
    read = [_read(row.dst) for row in rows]
    even = {code & ~1 for code, _ in filter(None, read)} | {code for code, _ in filter(None, read)}
    names = dict(Topic.objects.filter(code__in=even).values_list("code", "name"))
    for row, found in zip(rows, read, strict=True):
        code, text = found or (-1, None)
        row.topic = names.get(code, names.get(code & ~1))  # type: ignore[attr-defined]
        row.dz = text  # type: ignore[attr-defined]
    return list(rows)


def _read(dst: str) -> tuple[int, str] | None:
    try:
        code, cell = address_plan().parse_match(dst)
    except Refused:
        return None
    return code, dz.text(cell)

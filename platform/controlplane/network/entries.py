"""What the match of an installed entry says: which topic, and which dz of it."""

from collections.abc import Sequence

from controlplane.config.planning import address_plan
from controlplane.network.models import InstalledEntry
from controlplane.network.regions import Regions
from controlplane.registry.models import Topic
from tercast import dz
from tercast.errors import Refused


def with_topics(rows: Sequence[InstalledEntry]) -> list[InstalledEntry]:
    """The rows, each with `topic`, `dz` and `region` (texts), null where the match is none of the plan's.

    Four queries, however many rows; a topic's odd code counts as its even one.
    """
    read = [_read(row.dst) for row in rows]
    codes = {found[0] for found in read if found is not None}
    even = {code & ~1 for code in codes} | codes
    names = dict(Topic.objects.filter(code__in=even).values_list("code", "name"))
    regions = Regions.of_codes(codes)
    for row, found in zip(rows, read, strict=True):
        code, cell = found or (-1, None)
        row.topic = names.get(code, names.get(code & ~1))  # type: ignore[attr-defined]
        row.dz = None if cell is None else dz.text(cell)  # type: ignore[attr-defined]
        row.region = None if cell is None else regions.text(code, cell)  # type: ignore[attr-defined]
    return list(rows)


def _read(dst: str) -> tuple[int, dz.Dz] | None:
    try:
        return address_plan().parse_match(dst)
    except Refused:
        return None

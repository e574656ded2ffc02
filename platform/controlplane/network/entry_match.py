"""Meaning of an entry's match."""

from controlplane.common.address_plan import address_plan
from tercast.errors import Refused
from tercast.eventspace import dz


def meaning(dst: str) -> tuple[int | None, str | None]:
    """Return topic code and dz text of a match; None for both if it is not one of the plan."""
    try:
        code, cell = address_plan().parse_match(dst)
    except Refused:
        return None, None
    return code, dz.text(cell)

"""What the match of an entry says."""

from controlplane.common.address_plan import address_plan
from tercast.errors import Refused
from tercast.eventspace import dz


def meaning(dst: str) -> tuple[int | None, str | None]:
    """The code of the topic and the dz, as text, of a match; None for both where it is none of the plan's."""
    try:
        code, cell = address_plan().parse_match(dst)
    except Refused:
        return None, None
    return code, dz.text(cell)

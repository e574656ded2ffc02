"""Whether paths exist between an announcement and those that it matches."""

import enum


class Reach(enum.StrEnum):
    """Whether paths lead to the announcements that one matches: to all, to some, or to none of them."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"

"""Reach: whether paths exist between an announcement and those that it matches."""

import enum


class Reach(enum.StrEnum):
    """Whether paths lead to all, some or none of the announcements that one matches."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"

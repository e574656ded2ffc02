"""Digests that find equivalent announcements."""

import hashlib
from collections.abc import Iterable

from tercast.filters.filter import Filter
from tercast.filters.identity import identity


def digest_of_filter(filter_: Filter) -> str:
    """Return the digest of a filter. It is equal for filters that are known to be equivalent."""
    return _digest(identity(filter_))


def digest_of_dz(cells: Iterable[str]) -> str:
    """Return the digest of an announcement with a canonical dz set and without a filter."""
    return _digest(f"dz {' '.join(cells)}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

"""What keeps a backup, a restore or a compaction from being carried out."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import Error as DatabaseError

from controlplane.rest.outages import outage_of


class UpkeepError(Exception):
    """Something cannot be done now; the text says what, why, and the remedy."""


@contextmanager
def outages_in_words() -> Iterator[None]:
    """Raise UpkeepError for a database or system that lacks something now, such as disk space."""
    try:
        yield
    except (DatabaseError, OSError, MemoryError) as error:
        found = outage_of(error)
        if found is None:
            raise
        why = str(error) or "no memory"
        raise UpkeepError(f"{found.code}: {why}; remove the cause, then run the command again") from error

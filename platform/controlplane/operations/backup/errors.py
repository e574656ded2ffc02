"""Errors of backup, restore and compaction."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import Error as DatabaseError

from controlplane.rest.outages import outage_of


class BackupError(Exception):
    """An operation is not possible now; the text has the object, the reason and the remedy."""


@contextmanager
def outages_in_words() -> Iterator[None]:
    """Raise UpkeepError if the database or the system is out of a resource, such as disk space."""
    try:
        yield
    except (DatabaseError, OSError, MemoryError) as error:
        found = outage_of(error)
        if found is None:
            raise
        why = str(error) or "no memory"
        raise BackupError(f"{found.code}: {why}; remove the cause, then run the command again") from error

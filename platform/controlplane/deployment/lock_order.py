"""The order of locks on rows of the network, so that no transactions block each other.

Topics come first, then hosts, links and switches, in each table by id, then the sync rows of switches, by
name. Events for live pages (`outbox.emit`, which takes a lock of its own) come after all of them. Calls of
the API use the same order. A transaction that changes several rows locks them here, before the first change.
"""

import logging
import random
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import Any

from django.db import OperationalError, connection
from django.db.models import Model, Q, QuerySet

from controlplane.common.chunks import chunks
from controlplane.network.models import Host, Link, Switch
from controlplane.registry.models import Topic
from controlplane.requestlog.kinds import CHANGES_ROW, HOST, KINDS, LINK, SWITCH, TOPIC
from controlplane.requestlog.models import Request, SwitchSync

TRIES = 4
"""Maximum attempts for a transaction that the database aborts (deadlock, serialization failure)."""

_BROKEN_OFF = frozenset({"40P01", "40001"})  # deadlock_detected, serialization_failure

logger = logging.getLogger(__name__)


def lock_rows(requests: Iterable[Request], switches: Iterable[str] = ()) -> None:
    """Lock the rows that the end of these requests changes, and these switches, until commit."""
    if not connection.features.has_select_for_update:
        return
    changed: dict[str | None, list[dict[str, Any]]] = defaultdict(list)
    for row in requests:
        if row.kind in CHANGES_ROW:
            changed[KINDS[row.kind].subject].append(row.payload)
    _lock(Topic, _named(changed[TOPIC], "topic"))
    _lock(Host, _named(changed[HOST], "host"))
    _lock_links(changed[LINK])
    names = {*switches, *_named(changed[SWITCH], "switch")}
    _lock(Switch, names)
    for part in chunks(sorted(names)):
        syncs = SwitchSync.objects.filter(switch__in=part).order_by("switch")
        list(syncs.select_for_update(no_key=True).values_list("pk", flat=True))


def retry_aborted(act: Callable[[], Any]) -> Any:
    """Return the result of `act`, which is repeated if the database aborts its transaction.

    There are at most `TRIES` attempts. `act` must continue from the state of the database, whatever part of
    it is already done.
    """
    for _ in range(TRIES - 1):
        try:
            return act()
        except OperationalError as error:
            if not was_broken_off(error):
                raise
            logger.warning(
                "the database aborted a transaction; it is repeated: %s", str(error).partition("\n")[0]
            )
            time.sleep(random.uniform(0.0, 0.2))  # so that two transactions do not collide again
    return act()


def was_broken_off(error: OperationalError) -> bool:
    """Whether the database aborted a transaction in favour of another one."""
    return getattr(error.__cause__, "sqlstate", None) in _BROKEN_OFF


def _named(payloads: Iterable[dict[str, Any]], field: str) -> set[str]:
    """Return the names in a field of requests; a payload without a valid name affects nothing."""
    names = (payload.get(field) for payload in payloads)
    return {name for name in names if isinstance(name, str)}


def _lock(model: type[Model], names: Collection[str]) -> None:
    rows, ids = model._default_manager.all(), set[int]()
    for part in chunks(sorted(names)):
        ids.update(rows.filter(name__in=part).values_list("pk", flat=True))
    _lock_ids(rows, ids)


def _lock_links(payloads: Iterable[dict[str, Any]]) -> None:
    ends = {(str(each.get("switch")), each.get("port")) for each in payloads}
    names = {name for name, _ in ends}
    ids: set[int] = set()
    for part in chunks(sorted(names)):
        rows = Link.objects.filter(Q(a__name__in=part) | Q(b__name__in=part))
        found = rows.values_list("pk", "a__name", "a_port", "b__name", "b_port")
        ids |= {pk for pk, a, a_port, b, b_port in found if (a, a_port) in ends or (b, b_port) in ends}
    _lock_ids(Link.objects.all(), ids)


def _lock_ids(rows: QuerySet[Any], ids: Collection[int]) -> None:
    for part in chunks(sorted(ids)):
        locked = rows.filter(pk__in=part).order_by("pk").select_for_update(of=("self",), no_key=True)
        list(locked.values_list("pk", flat=True))

"""Counters of switches' entries, read through the controller and cached for some seconds."""

import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any

from django.utils import timezone

from controlplane.common.problems import Problem
from controlplane.network.controller_client import ControllerClient, NorthboundError
from controlplane.network.models import InstalledEntry, Switch
from tercast.errors import shown

FRESH_SECONDS = 5.0
KEPT = 4
"""Largest number of switches whose counters a process caches."""


@dataclass(frozen=True, slots=True)
class _Read:
    at: datetime
    clock: float
    counts: Mapping[tuple[str, int | None], tuple[int, int]]


_kept: OrderedDict[str, _Read] = OrderedDict()
_lock = Lock()


def counters(switch: Switch, rows: Iterable[InstalledEntry]) -> dict[str, Any]:
    """Return packets and bytes of entries, and the time of counting.

    Raises:
        Problem: The switch does not answer (503).
    """
    with _lock:  # concurrent callers wait for the same answer
        read = _kept.get(switch.dpid)
        if read is None or time.monotonic() - read.clock > FRESH_SECONDS:
            read = _kept[switch.dpid] = _read_counters(switch)
            _kept.move_to_end(switch.dpid)
            while len(_kept) > KEPT:
                _kept.popitem(last=False)
    found = ((row.pk, read.counts.get((row.dst, row.in_port), (None, None))) for row in rows)
    return {
        "counted_at": read.at,
        "counters": [{"id": pk, "packets": packets, "bytes": octets} for pk, (packets, octets) in found],
    }


def forget() -> None:
    """Clear the cache, so that the next call reads again."""
    with _lock:
        _kept.clear()


def _read_counters(switch: Switch) -> _Read:
    try:
        with ControllerClient() as northbound:
            entries = northbound.entries(switch.dpid)
    except NorthboundError as error:
        raise _unknown(f"The counters of {shown(switch.name)} are unknown: {error}") from None
    if entries is None:
        raise _unknown(f"The counters of {shown(switch.name)} are unknown: the switch is not connected.")
    counts = {(row["dst"], row["in_port"]): (int(row["packets"]), int(row["bytes"])) for row in entries}
    return _Read(timezone.now(), time.monotonic(), counts)


def _unknown(detail: str) -> Problem:
    return Problem(503, "not_counted", detail, headers={"Retry-After": "10"})

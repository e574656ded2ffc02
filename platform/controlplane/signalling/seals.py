"""Checks of seals: a seal must be valid and its counter unused, also after a restore."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from controlplane.signalling import keys
from controlplane.signalling.errors import Refusing
from controlplane.signalling.models import HostSignals, Policy
from tercast.signalling.codec import Received
from tercast.signalling.seal import MAX_COUNTER, REPLAYED, replayed_detail

SUSPICIOUS = ("forged", REPLAYED, "seal_needed")
"""Reasons that raise an alarm."""

RESTORE_MARGIN = timedelta(hours=1)
"""Largest lead of a host's clock for which its old messages stay invalid after a restore."""

Used = Mapping[int, int]
"""Last counter by id of the host; it continues when the host gets another key."""


def check_stranger(received: Received) -> None:
    """Raise Refusing for a sealed message of an unknown host, which has no key."""
    if received.sealed is not None:
        raise Refusing(
            "no_key",
            "the message has a seal, but this host is not registered, so the platform has no key for it; "
            "register it first",
        )


def check_tag(signals: HostSignals, received: Received) -> None:
    """Raise Refusing unless there is a valid seal if the host has a key, and none otherwise."""
    sealed = received.sealed
    if not signals.has_key:
        if sealed is not None:
            raise Refusing(
                "no_key",
                "the message has a seal, but the platform has no key for this host; create a key for it",
            )
        if Policy.current().sealed_only:
            raise Refusing(
                "key_needed",
                "the platform accepts only sealed messages, and this host has no key; create a key for it",
            )
    elif sealed is None:
        raise Refusing("seal_needed", "the message has no seal, but this host has a key; send with its key")
    elif not sealed.fits(keys.key_of(signals)):
        raise Refusing(
            "forged", "the seal does not match the key of this host; check the key file of the host"
        )


def is_old(signals: HostSignals, received: Received) -> bool:
    """Whether the message's counter was used before; false without a seal."""
    return received.sealed is not None and received.sealed.counter <= signals.counter


def check_counter(signals: HostSignals, received: Received) -> int | None:
    """Return the message's counter; None without a seal.

    Raises:
        Refusing: The counter was used before.
    """
    if received.sealed is None:
        return None
    if is_old(signals, received):
        raise Refusing(REPLAYED, replayed_detail(received.sealed.counter, signals.counter))
    return received.sealed.counter


def used_counters() -> Used:
    """Return the last counters of all hosts."""
    return dict(HostSignals.objects.values_list("host_id", "counter"))


def skip_counters(used: Used, now: datetime) -> None:
    """Move restored counters above every counter that may have been used since the backup.

    Hosts draw counters from their clocks in microseconds, so the present time and a margin is above them. A
    host whose clock is behind learns the last counter from the sealed refusal, and continues above it.

    Args:
        used: Counters of the database that the restore replaces: exact, whatever the hosts' clocks say.
        now: The time of the restore, or of the backup if that is later.
    """
    floor = min(int((now + RESTORE_MARGIN).timestamp() * 1_000_000), MAX_COUNTER - 1)
    rows = list(HostSignals.objects.exclude(salt=""))
    for row in rows:
        row.counter = max(row.counter, floor, used.get(row.host_id, -1))
    HostSignals.objects.bulk_update(rows, ("counter",), batch_size=1000)

"""Whether a message's seal is good, and was not used before."""

from controlplane.signalling import keys
from controlplane.signalling.errors import Refusing
from controlplane.signalling.models import HostSignals, Policy
from tercast.signalling.codec import Received

SUSPICIOUS = ("forged", "replayed", "seal_needed")
"""Reasons that operators are told of by an alarm."""


def check_stranger(received: Received) -> None:
    """A host that is not known has no key. Raises Refusing for a message that bears a seal."""
    if received.sealed is not None:
        raise Refusing("no_key", "the message is sealed, and this host is not known here, let alone its key")


def check_tag(signals: HostSignals, received: Received) -> None:
    """Raises Refusing unless the seal is there exactly where there is a key, and was made with it."""
    sealed = received.sealed
    if not signals.has_key:
        if sealed is not None:
            raise Refusing("no_key", "the message is sealed, and this host has no key here; give it one")
        if Policy.current().sealed_only:
            raise Refusing("key_needed", "hosts need a key here, and this one has none; give it one")
    elif sealed is None:
        raise Refusing("seal_needed", "this host has a key; its messages need a counter and a keyed hash")
    elif not sealed.fits(keys.key_of(signals)):
        raise Refusing("forged", "the keyed hash was not made with this host's key")


def is_old(signals: HostSignals, received: Received) -> bool:
    """Whether the message's counter was used before; never without a seal."""
    return received.sealed is not None and received.sealed.counter <= signals.counter


def check_counter(signals: HostSignals, received: Received) -> int | None:
    """The message's counter; None without a seal. Raises Refusing for one that was used before."""
    if received.sealed is None:
        return None
    if is_old(signals, received):
        detail = f"counter {received.sealed.counter} is not above {signals.counter}, the last one used"
        raise Refusing("replayed", detail)
    return received.sealed.counter

"""Keys of hosts, derived from a secret and a salt, so that the database has no keys."""

import hmac
import secrets

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from controlplane.network.models import Host
from controlplane.signalling.models import HostSignals
from tercast.runtime.secret_files import secret

MASTER = "host-keys"
"""File of the installation's secret."""


def key_of(signals: HostSignals) -> bytes:
    """Return the key of a host that has one: 32 bytes."""
    master = secret(settings.ENV.secrets_dir, MASTER).encode()
    return hmac.digest(master, f"{signals.host_id}:{signals.salt}".encode(), "sha256")


@transaction.atomic
def give(host: Host) -> tuple[HostSignals, bytes]:
    """Create a new key and invalidate the old one; counters continue, so old seals stay invalid."""
    signals, _ = HostSignals.objects.select_for_update().get_or_create(host=host)
    signals.salt, signals.key_made_at = secrets.token_hex(32), timezone.now()
    signals.save(update_fields=("salt", "key_made_at"))
    return signals, key_of(signals)


def take_away(host: Host) -> bool:
    """Remove the host's key, so that its messages need no seal; return whether it had one."""
    rows = HostSignals.objects.filter(host=host).exclude(salt="")
    return bool(rows.update(salt="", key_made_at=None))

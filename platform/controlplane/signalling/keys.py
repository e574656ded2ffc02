"""Keys of hosts: made from the installation's secret and a host's salt, so that the database holds none."""

import hmac
import secrets

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from controlplane.network.models import Host
from controlplane.signalling.models import HostSignals
from tercast.runtime.secret_files import secret

MASTER = "host-keys"
"""The file of the installation's secret."""


def key_of(signals: HostSignals) -> bytes:
    """The key of a host that has one: 32 bytes."""
    master = secret(settings.ENV.secrets_dir, MASTER).encode()
    return hmac.digest(master, f"{signals.host_id}:{signals.salt}".encode(), "sha256")


@transaction.atomic
def give(host: Host) -> tuple[HostSignals, bytes]:
    """A new key; an older one is good no more. Counters go on, so what was sealed before is never taken."""
    signals, _ = HostSignals.objects.select_for_update().get_or_create(host=host)
    signals.salt, signals.key_made_at = secrets.token_hex(32), timezone.now()
    signals.save(update_fields=("salt", "key_made_at"))
    return signals, key_of(signals)


def take_away(host: Host) -> bool:
    """The host's messages need no seal any more; whether they did."""
    rows = HostSignals.objects.filter(host=host).exclude(salt="")
    return bool(rows.update(salt="", key_made_at=None))

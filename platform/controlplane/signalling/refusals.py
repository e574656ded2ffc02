"""Refusals: counts by reason, the newest refusals, and alarms about suspected attacks."""

from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from controlplane.common import clock
from controlplane.requestlog import outbox
from controlplane.signalling.host_datagram import HostDatagram
from controlplane.signalling.models import HostSignals, Refusal, RefusedCount
from controlplane.signalling.seals import SUSPICIOUS

KEPT = 1000
"""Number of stored refusals."""

PRUNED_EVERY = 64
ALARM_EVERY = timedelta(minutes=1)


@transaction.atomic
def record_refusal(datagram: HostDatagram, reason: str, detail: str, host: str = "") -> None:
    """Count a refusal, and store it."""
    RefusedCount.objects.get_or_create(reason=reason)
    RefusedCount.objects.filter(reason=reason).update(count=F("count") + 1, last_at=timezone.now())
    row = Refusal.objects.create(
        reason=reason,
        detail=detail,
        dpid=datagram.dpid,
        port=datagram.port,
        mac=datagram.mac,
        ip=datagram.ip,
        host=host,
    )
    if row.pk % PRUNED_EVERY == 0:
        Refusal.objects.filter(id__lte=row.pk - KEPT).delete()
    if reason in SUSPICIOUS and host:
        _report(
            host, f"control message of host {host} refused at {datagram.dpid}, port {datagram.port}: {detail}"
        )


def _report(host: str, text: str) -> None:
    """Raise an alarm, at most once a minute for each host."""
    now = timezone.now()
    due = Q(alarmed_at=None) | clock.over("alarmed_at", ALARM_EVERY, now)
    if HostSignals.objects.filter(due, host__name=host).update(alarmed_at=now):
        outbox.alarm(text)

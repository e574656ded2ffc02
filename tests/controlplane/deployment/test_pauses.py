"""Pauses between attempts to repair a switch, also when the clock jumps."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from controlplane.deployment import switch_sync
from controlplane.network.models import Switch
from controlplane.requestlog.models import SwitchSync

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("jump", "is_due"),
    [
        (timedelta(), False),
        (timedelta(hours=1), True),
        (timedelta(hours=-1), True),
        (timedelta(days=-20_000), True),
    ],
)
def test_a_pause_ends_in_its_time_however_the_clock_jumps(jump, is_due):
    switch = Switch(name="s1", dpid="1".zfill(16), epoch=3, reconciled_epoch=3)
    for _ in range(12):
        switch_sync.failed("s1", {"detail": "refused"})
    assert switch_sync.due({"s1": switch}, timezone.now() + jump) == ({"s1"} if is_due else set())
    held = SwitchSync.objects.get(switch="s1")
    assert switch_sync.due({"s1": switch}, held.retry_at) == {"s1"}


@pytest.mark.django_db
def test_a_change_of_summer_time_is_no_jump(monkeypatch):
    before = datetime(2026, 10, 25, 2, 59, 50, tzinfo=BERLIN)
    monkeypatch.setattr(timezone, "now", lambda: before)
    switch_sync.failed("s1", {"detail": "refused"})
    switch = Switch(name="s1", dpid="1".zfill(16), epoch=3, reconciled_epoch=3)
    assert switch_sync.due({"s1": switch}, datetime(2026, 10, 25, 2, 0, 10, tzinfo=BERLIN, fold=1)) == {"s1"}

"""A backup with a periodic task that cannot run: all of it is restored, and that task is disabled."""

import dataclasses

import pytest
from django.core.management import call_command
from django.db import connection
from django_celery_beat.models import CrontabSchedule, PeriodicTask

from controlplane.operations import bootstrap
from controlplane.periodic import row_faults
from controlplane.requestlog.models import OutboxEvent

UNKNOWN_ZONE = "UPDATE django_celery_beat_crontabschedule SET timezone = 'Mars/Olympus' WHERE id = %s"
NAMES = ("analytics: request-latency", "analytics: delay")


@pytest.fixture
def own_folder(settings, tmp_path):
    settings.ENV = dataclasses.replace(settings.ENV, state_dir=tmp_path)


def test_it_is_restored_as_disabled(transactional_db, own_folder, tmp_path, capsys):
    bootstrap.make_schedules()
    never = CrontabSchedule.objects.create(day_of_month="31", month_of_year="2")
    strange = CrontabSchedule.objects.create()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE django_celery_beat_crontabschedule SET timezone = 'Mars/Olympus' WHERE id = %s",
            [strange.pk],
        )
    for name, crontab in zip(NAMES, (never, strange), strict=True):
        PeriodicTask.objects.filter(name=name).update(interval=None, crontab=crontab)
    number = PeriodicTask.objects.count()
    call_command("backup", str(tmp_path / "b.zip"))
    call_command("restore", str(tmp_path / "b.zip"), "--replace")
    said = capsys.readouterr().out
    assert PeriodicTask.objects.count() == number
    assert set(PeriodicTask.objects.filter(enabled=False).values_list("name", flat=True)) == set(NAMES)
    texts = [event.payload["text"] for event in OutboxEvent.objects.filter(kind="alarm")]
    for name in NAMES:
        assert f"periodic task {name} is disabled" in said
        assert any(f"periodic task {name} is restored as disabled" in text for text in texts)
    assert str(CrontabSchedule.objects.get(pk=strange.pk).timezone) == "Mars/Olympus"
    assert row_faults.bad_rows() == {}

"""The whole way: log, worker, controller, Open vSwitch, an event; and back after what goes wrong."""

import signal

import pytest
from django.conf import settings

from controlplane.deployment import replay_check
from controlplane.network.models import InstalledEntry, Link, Port, Switch
from controlplane.requestlog.models import OutboxEvent, Request, SwitchSync, Watermark
from tests.support.controlplane import network_world as world
from tests.support.controlplane.platform_on_switches import active, running

pytestmark = pytest.mark.fabric


@pytest.fixture
def platform(transactional_db):
    with running() as platform:
        yield platform


def test_from_the_log_to_an_event_through_everything_that_goes_wrong(platform):
    assert len(settings.NORTHBOUND_TOKEN) > 16
    world.line(3)
    advertisement, subscription = world.advertise("h1", ["0"]), world.subscribe("h3", ["01"])
    platform.until(lambda: active(advertisement, subscription), "the subscription")
    assert platform.own_entries() == {"s1": 1, "s2": 1, "s3": 1}
    assert platform.event("01", b"first") == b"first"

    # the watcher records ports and links, and sends the load to live pages
    platform.until(lambda: Port.objects.filter(switch__name="s2", up=True).count() == 3, "the ports")
    platform.until(lambda: not Link.objects.filter(discovered_at=None).exists(), "discovery")
    platform.until(lambda: OutboxEvent.objects.filter(kind="load").exists(), "the load")

    # port status is the truth about links
    platform.fabric.set_link("s2", 1, False)
    platform.until(lambda: Link.objects.filter(up=False).count() == 1, "the link to go down")
    assert platform.event("01", b"nobody") is None
    platform.fabric.set_link("s2", 1, True)
    platform.until(lambda: Link.objects.filter(up=True).count() == 2, "the link to come up")
    assert platform.event("01", b"again") == b"again"

    # a power cut: all tables are empty
    platform.fabric.restart_switches()
    platform.until(lambda: platform.own_entries() == {"s1": 1, "s2": 1, "s3": 1}, "the repair")
    assert platform.event("01", b"after the cut") == b"after the cut"

    # the controller is killed: traffic flows, requests wait, and are deployed when it is back
    platform.controller.popen.kill()
    assert platform.controller.died() == -signal.SIGKILL
    late = world.subscribe("h2", ["00"])
    platform.until(lambda: Request.objects.get(pk=late.request_id).state == "deploying", "the waiting")
    assert platform.event("01", b"without a controller") == b"without a controller"
    platform.start_controller()
    platform.until(lambda: active(late), "the late subscription")
    platform.until(lambda: Switch.objects.filter(connected=True).count() == 3, "the connections")
    assert platform.own_entries() == {"s1": 2, "s2": 2, "s3": 1}

    # the stored tables, those that result from the log, and those of the switches are equal
    assert list(replay_check.differences()) == []
    assert InstalledEntry.objects.count() == 5

    # a backup is written while everything runs; its restore removes later changes, on the switches too
    held, backup = platform.flows(), platform.folder / "backup.zip"
    platform.manage("backup", str(backup))
    later = world.subscribe("h3", ["000"])
    platform.until(lambda: active(later), "the subscription after the backup")
    assert platform.flows() != held
    assert platform.worker.stop() == 0
    assert platform.beat.stop() == 0
    Watermark.objects.filter(name__startswith="life of").delete()  # or the restore waits for another one
    platform.manage("restore", str(backup), "--replace", "--keep-secrets")
    platform.start_worker()
    platform.until(lambda: platform.flows() == held, "the tables of the backup")
    assert platform.event("01", b"after the restore") == b"after the restore"
    platform.until(lambda: not SwitchSync.objects.filter(dirty=True).exists(), "the confirmation")
    assert list(replay_check.differences()) == []

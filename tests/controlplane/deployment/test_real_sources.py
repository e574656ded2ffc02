"""The source check of a whole platform: forged events are dropped and reported, no others are lost."""

import signal
import threading

import pytest

from controlplane.requestlog.models import OutboxEvent
from mininet_labs.fabric import FrameSocket
from mininet_labs.fabric.probe import event_frame
from tests.support.controlplane import network_world as world
from tests.support.controlplane.platform_on_switches import HOSTS, next_event, running
from tests.support.controlplane.switch_faults import done
from tests.support.controlplane.worker_processes import wait_until

pytestmark = [pytest.mark.fabric, pytest.mark.full]

CHECKS = "cookie=0x7ec0a57e00000005/-1"
ADDRESS = "ff0e:4::"


@pytest.fixture
def platform(transactional_db):
    with running(env={"TERCAST_SOURCE_CHECK": "1"}) as platform:
        world.line(3)
        world.advertise("h1", [""])
        world.subscribe("h3", [""])
        done(platform, "the subscription")
        yield platform


def entries(platform, switch: str = "s2") -> int:
    """How many entries of the check a switch has."""
    return platform.fabric.ofctl(switch, "dump-flows", CHECKS).count("cookie=")


def restart_worker(platform, check: str) -> None:
    platform.worker.popen.kill()
    assert platform.worker.died() == -signal.SIGKILL
    platform.env["TERCAST_SOURCE_CHECK"] = check
    platform.start_worker()


def spoofing_alarms() -> list[str]:
    texts = OutboxEvent.objects.filter(kind="alarm").values_list("payload__text", flat=True)
    return [text for text in texts if text.startswith("source check")]


class Traffic:
    """h1 publishes all the time, and h3 reads."""

    def __init__(self, platform) -> None:
        self.sender = FrameSocket(platform.fabric.host_socket("h1"))
        self.receiver = FrameSocket(platform.fabric.host_socket("h3"))
        self.sent: list[bytes] = []
        self.received: list[bytes] = []
        self._over = threading.Event()
        self._threads = [threading.Thread(target=work) for work in (self._publish, self._read)]

    def __enter__(self) -> "Traffic":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
        self.sender.close()
        self.receiver.close()

    def _publish(self) -> None:
        while not self._over.wait(0.01):
            self.sent.append(f"event {len(self.sent)}".encode())
            self.sender.send(event_frame(HOSTS["h1"], ADDRESS, self.sent[-1]))

    def _read(self) -> None:
        while not self._over.is_set() or len(self.received) < len(self.sent):
            found = next_event(self.receiver, 2.0)
            if found is None and self._over.is_set():
                return
            if found is not None:
                self.received.append(found)


def forge(platform, count: int) -> None:
    """Events in h1's name enter at h2's port."""
    with FrameSocket(platform.fabric.host_socket("h2")) as forger:
        for _ in range(count):
            forger.send(event_frame(HOSTS["h1"], ADDRESS, b"forged"))


def test_forged_events_are_dropped_and_none_is_lost_through_kills_and_changes(platform):
    platform.until(lambda: entries(platform) == 3, "the check")
    with Traffic(platform) as traffic:
        forge(platform, 9)
        platform.until(spoofing_alarms, "the alarm")
        (alarm,) = spoofing_alarms()
        assert "event packet" in alarm and "switch s2, port 3 (host h2)" in alarm

        restart_worker(platform, "0")
        platform.until(lambda: entries(platform) == 0, "the end of the check")
        restart_worker(platform, "1")
        platform.until(lambda: entries(platform) == 3, "the check again")

        platform.controller.popen.kill()
        platform.controller.died()
        assert entries(platform) == 3
        restart_worker(platform, "0")
        platform.start_controller()
        platform.until(lambda: entries(platform) == 0, "the end of the check after both were killed")
        restart_worker(platform, "1")
        platform.until(lambda: entries(platform) == 3, "the check once more")

        platform.fabric.ofctl("s2", "del-flows", CHECKS)
        platform.until(lambda: entries(platform) == 3, "the repair")
        before = len(traffic.sent)
        wait_until(lambda: len(traffic.sent) > before + 20, "some more traffic", platform.worker)
    assert traffic.received == traffic.sent
    assert b"forged" not in traffic.received


@pytest.mark.parametrize("step", ["sources", "decide", "push", "settling"])
def test_a_worker_killed_on_the_way_leaves_a_check_that_the_next_one_completes(platform, step):
    platform.until(lambda: entries(platform) == 3, "the check")
    platform.worker.stop()
    with Traffic(platform) as traffic:
        platform.env["TERCAST_FAULT"] = step
        platform.start_worker()
        world.add_host(5, "s2", 5)
        world.advertise("h5", [""])
        world.subscribe("h2", [""])
        platform.worker.died()
        del platform.env["TERCAST_FAULT"]
        platform.start_worker()
        done(platform, "the new host")
        platform.until(lambda: entries(platform) == 4, "the check of the new host")
    assert traffic.received == traffic.sent

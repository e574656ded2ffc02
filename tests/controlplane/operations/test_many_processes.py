"""Several web servers and workers on one database, over real switches, with processes killed under them."""

import asyncio
import shutil
import tempfile
from pathlib import Path

import pytest
from load_platform import Many, Streams, clients, settled

from mininet_labs.demo.services import wait_until

pytestmark = [pytest.mark.fabric, pytest.mark.full, pytest.mark.servers]


@pytest.fixture
def platform():
    """On PostgreSQL and Redis where the environment names them: in databases of their own, not the tests'."""
    folder = Path(tempfile.mkdtemp(prefix="tcm-", dir="/tmp"))
    running = Many(folder / "r", webs=2, workers=2, switches=3)
    try:
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)


def test_what_is_killed_under_load_loses_nothing(platform):
    rest = platform.start()
    times, streams = asyncio.run(under_load(platform))
    assert times.failed == []
    assert len(times.register) == len(times.withdraw) == 12 * 4
    wait_until("the last request", lambda: settled(rest), platform.services, timeout=300.0)
    # what is left is the advertisement: no switch has an entry, and every stream saw all there was to see
    states = {row["state"] for row in rest.all("/api/v1/subscriptions/")}
    assert states == {"withdrawn"}
    for stream in streams.readers:
        assert stream.end is None
        assert stream.ids == list(range(stream.started + 1, stream.started + 1 + len(stream.ids)))
    wait_until("the switches", lambda: len(platform.epochs()) == 3, platform.services, timeout=300.0)
    done = platform.manage("reconcile")
    assert done.returncode == 0, done.stdout + done.stderr
    done = platform.manage("replay", "--check")
    assert done.returncode == 0, done.stdout + done.stderr
    for switch in ("s1", "s2", "s3"):
        assert "cookie=" not in platform.network.ofctl(switch, "dump-flows", "cookie=0x7ec0a57e00000001/-1")


async def under_load(platform: Many):
    """Twelve clients and four streams; meanwhile the controller and a worker are killed, twice each."""
    streams = Streams(platform, 4, slow=False)
    await streams.open()
    load, killed = asyncio.create_task(clients(platform, 12, 4)), 0
    for name in ("controller", "worker-1", "controller", "worker-2"):
        before = sum(len(stream.ids) for stream in streams.readers)
        while not load.done() and sum(len(stream.ids) for stream in streams.readers) < before + 40:
            await asyncio.sleep(0.1)
        killed += not load.done()
        platform.restart(name)  # in this thread: what a thread starts dies with it
    assert killed >= 2, "the load was over before anything was killed"
    times = await load
    newest = await streams.newest()
    while not await streams.caught_up(newest):
        await asyncio.sleep(0.1)
    await streams.close()
    return times, streams

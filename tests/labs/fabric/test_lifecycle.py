"""Start, stop and crash: no process, socket or file remains, and the next start works."""

import os
import select
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
from pathlib import Path

import pytest

from mininet_labs.fabric import Fabric, FabricError, FrameSocket, PortClosedError
from mininet_labs.fabric.binaries import Binaries
from mininet_labs.fabric.cleanup import ProcessRecord, command_line, start_time
from mininet_labs.topologies.generate import ring
from tests.waiting import LIMIT_SECONDS

pytestmark = pytest.mark.fabric

ROOT = Path(__file__).resolve().parents[3]
TOPOLOGY = ring(3)
OWNER = """
    import sys, time
    from mininet_labs.fabric import Fabric
    from mininet_labs.topologies.generate import ring
    {before}
    fabric = Fabric(sys.argv[1], ring(3))
    fabric.start()
    print(*fabric.pids(), flush=True)
    time.sleep(600)
"""


@pytest.fixture
def folder():
    """A short private folder."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="tf-") as path:
        yield Path(path)


def ended(pid: int, timeout: float = 10) -> bool:
    """Whether a process ends within a time."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        poller = select.poll()
        poller.register(handle, select.POLLIN)
        return bool(poller.poll(timeout * 1000))
    finally:
        os.close(handle)


def spawn(run_dir: Path, before: str = "") -> tuple[subprocess.Popen, list[int]]:
    """Start a process that owns a fabric in `run_dir`; return it and the ids of the daemons."""
    program = textwrap.dedent(OWNER).format(before=before)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}"}
    command = [sys.executable, "-c", program, str(run_dir)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    child = subprocess.Popen(command, text=True, env=environment, **pipes)
    pids = [int(pid) for pid in child.stdout.readline().split()]
    if len(pids) != 2:
        child.kill()
        pytest.fail(child.communicate()[1])
    return child, pids


def kill_9(child: subprocess.Popen) -> None:
    child.kill()
    child.communicate()


def test_stop_leaves_no_process_socket_or_file(folder):
    fabric = Fabric(folder / "run", TOPOLOGY)
    fabric.start()
    pids = fabric.pids()
    assert fabric.alive()
    assert len(pids) == 2
    assert fabric.host_socket("h1").is_socket()
    fabric.stop()
    assert not fabric.alive()
    assert all(ended(pid, 0) for pid in pids)
    assert not any(folder.iterdir())
    fabric.stop()


def test_a_run_directory_that_was_there_stays_and_so_does_what_others_put_there(folder):
    (folder / "notes.txt").write_text("mine", "utf-8")
    with Fabric(folder, TOPOLOGY):
        assert (folder / "conf.db").is_file()
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


def test_the_same_object_starts_again(folder):
    fabric = Fabric(folder, TOPOLOGY)
    for _ in range(2):
        with fabric:
            assert "s1" in fabric.vsctl("list-br")


def test_hosts_notice_the_end(folder):
    fabric = Fabric(folder, TOPOLOGY)
    with fabric:
        host = FrameSocket(fabric.host_socket("h1"))
    with host, pytest.raises(PortClosedError):
        host.recv(10)


def test_the_daemons_end_with_a_killed_owner_and_the_next_start_works(folder):
    owner, pids = spawn(folder)
    kill_9(owner)
    assert all(ended(pid) for pid in pids)
    assert (folder / "fabric.lock").exists()
    with Fabric(folder, TOPOLOGY) as fabric:
        assert fabric.alive()
    assert not any(folder.iterdir())


def test_daemons_that_outlived_their_owner_are_ended_by_the_next_start(folder):
    without_death_signal = "from mininet_labs.fabric import daemons; daemons._prctl = lambda: lambda *_: 0"
    owner, pids = spawn(folder, without_death_signal)
    kill_9(owner)
    assert not any(ended(pid, 0) for pid in pids)
    with Fabric(folder, TOPOLOGY) as fabric:
        assert all(ended(pid, 0) for pid in pids)
        assert fabric.alive()
    assert not any(folder.iterdir())


def test_a_process_that_only_looks_like_ours_is_left_alone(folder):
    owner, pids = spawn(folder)
    kill_9(owner)
    assert all(ended(pid) for pid in pids)
    with subprocess.Popen(["sleep", "600"]) as stranger:
        try:
            argv = command_line(stranger.pid)
            records = [
                ProcessRecord(stranger.pid, start_time(stranger.pid), argv),
                ProcessRecord(stranger.pid, 1, ("ovs-vswitchd", f"--unixctl={folder}/s/ovs-vswitchd.ctl")),
            ]
            for record, name in zip(records, ("ovsdb-server", "ovs-vswitchd"), strict=True):
                record.write(folder / f"{name}.process")
            with Fabric(folder, TOPOLOGY):
                assert stranger.poll() is None
        finally:
            stranger.kill()


def test_a_cut_off_record_does_not_stop_a_start(folder):
    owner, _ = spawn(folder)
    kill_9(owner)
    (folder / "ovs-vswitchd.process").write_text('{"pid": 1', "utf-8")
    with Fabric(folder, TOPOLOGY) as fabric:
        assert fabric.alive()


def test_a_directory_in_use_is_refused_and_the_other_fabric_lives_on(folder):
    owner, pids = spawn(folder)
    try:
        with pytest.raises(
            FabricError, match=f"the running fabric of process {owner.pid} uses this run directory"
        ):
            Fabric(folder, TOPOLOGY).start()
        assert not any(ended(pid, 0) for pid in pids)
    finally:
        kill_9(owner)
    with Fabric(folder, TOPOLOGY) as fabric:
        with pytest.raises(FabricError, match=f"process {os.getpid()} uses this run directory"):
            Fabric(folder, TOPOLOGY).start()
        assert fabric.alive()


def test_two_fabrics_side_by_side_do_not_disturb_one_another(folder):
    first, second = (Fabric(folder / name, TOPOLOGY) for name in ("one", "two"))
    with first:
        with second:
            first.ofctl("s1", "add-flow", "priority=7,actions=drop")
            assert [flow.priority for flow in first.dump_flows("s1")] == [7]
            assert second.dump_flows("s1") == []
            assert len({*first.pids(), *second.pids()}) == 4
        assert first.alive()
        assert [flow.priority for flow in first.dump_flows("s1")] == [7]


def test_a_run_directory_too_long_for_sockets_gets_a_short_folder_for_them(folder, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    run_dir = folder / ("deep" * 25) / "run"
    with Fabric(run_dir, TOPOLOGY, links="joined") as fabric:
        socket = fabric.host_socket("h1")
        assert len(str(socket)) <= 107
        assert socket.parent.parent == folder
        assert (run_dir / "s").readlink() == socket.parent
        with FrameSocket(socket):
            assert fabric.dump_flows("s1") == []
    assert not socket.parent.exists()
    assert not run_dir.exists()


def test_the_short_folder_of_a_killed_fabric_goes_with_the_next_start(folder, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    run_dir = folder / ("deep" * 25)
    owner, pids = spawn(run_dir, f"import os; os.environ['XDG_RUNTIME_DIR'] = {str(folder)!r}")
    kill_9(owner)
    assert all(ended(pid) for pid in pids)
    left = (run_dir / "s").readlink()
    assert left.is_dir()
    with Fabric(run_dir, TOPOLOGY):
        assert not left.exists()
    assert [path.name for path in folder.iterdir()] == [run_dir.name]


def test_a_link_to_somebody_elses_folder_is_not_followed(folder):
    precious = folder / "tercast-fabric-precious"
    precious.mkdir()
    (precious / "data").write_text("x", "utf-8")
    owner, pids = spawn(folder / "run")
    kill_9(owner)
    assert all(ended(pid) for pid in pids)
    sockets = folder / "run" / "s"
    for path in sockets.iterdir():
        path.unlink()
    sockets.rmdir()
    sockets.symlink_to(precious)
    with Fabric(folder / "run", TOPOLOGY) as fabric:
        assert fabric.alive()
    assert (precious / "data").read_text("utf-8") == "x"


@pytest.mark.parametrize("name", ["s", "conf.db", "ovs-vswitchd.log"])
def test_files_that_no_fabric_made_are_refused_and_kept(folder, name):
    (folder / name).write_text("mine", "utf-8")
    with pytest.raises(
        FabricError, match=f"{name}: already exists, and no fabric created it; name an empty folder"
    ):
        Fabric(folder, TOPOLOGY).start()
    assert [path.name for path in folder.iterdir()] == [name]
    assert (folder / name).read_text("utf-8") == "mine"


def test_a_run_directory_that_cannot_be_one_is_refused(folder):
    (folder / "file").write_text("", "utf-8")
    with pytest.raises(FabricError, match="cannot be the run directory"):
        Fabric(folder / "file", TOPOLOGY).start()


def test_a_missing_program_is_one_sentence_with_the_command(folder, monkeypatch):
    monkeypatch.setattr("mininet_labs.fabric.binaries.FOLDERS", ())
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(FabricError) as caught:
        Fabric(folder / "run", TOPOLOGY).start()
    assert str(caught.value) == (
        "ovsdb-tool: not found on this machine; "
        "install Open vSwitch with `sudo apt-get install -y openvswitch-switch`"
    )
    assert not any(folder.iterdir())


def test_a_missing_schema_is_reported_the_same_way():
    with pytest.raises(
        FabricError, match=r"vswitch.ovsschema: not found on this machine; install Open vSwitch"
    ):
        Binaries.find(schemas=["/nowhere"])


def test_a_daemon_that_does_not_come_up_is_reported_with_its_last_words(folder, monkeypatch):
    broken = folder / "ovs-vswitchd"
    broken.write_text("#!/bin/sh\necho 'out of luck' >&2\nexit 3\n", "utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    with pytest.raises(FabricError, match=r"ovs-vswitchd: ended with status 3 \(out of luck\)"):
        Fabric(folder / "run", TOPOLOGY).start()
    assert [path.name for path in folder.iterdir()] == ["ovs-vswitchd"]


def test_a_daemon_that_ends_by_itself_is_noticed(folder):
    with Fabric(folder, TOPOLOGY) as fabric:
        assert not fabric.wait(0)
        os.kill(fabric.pids()[1], signal.SIGKILL)
        assert fabric.wait(LIMIT_SECONDS)
        assert not fabric.alive()
        with pytest.raises(FabricError, match="ovs-vswitchd: ended with status -9"):
            fabric.check()
    assert not any(folder.iterdir())


def test_a_fabric_outlives_the_thread_that_started_it(folder):
    fabric = Fabric(folder, TOPOLOGY)
    starter = threading.Thread(target=fabric.start)
    starter.start()
    starter.join()
    try:
        assert not fabric.wait(0.3)
        assert fabric.dump_flows("s1") == []
    finally:
        fabric.stop()


@pytest.mark.parametrize("use", [Fabric.pids, lambda f: f.host_socket("h1"), lambda f: f.ofctl("s1", "show")])
def test_a_fabric_that_does_not_run_says_so(folder, use):
    with pytest.raises(FabricError, match=r"the fabric is not running; call start\(\) first"):
        use(Fabric(folder, TOPOLOGY))


def test_an_unknown_kind_of_link_is_refused(folder):
    with pytest.raises(FabricError, match="links 'veth': unknown kind of link; use patch or joined"):
        Fabric(folder, TOPOLOGY, links="veth")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_an_ordinary_user_needs_nothing_more(folder):
    nobody = 65534
    os.chown(folder, nobody, nobody)
    # The interpreter may be in root's home, so the user changes only after the imports.
    become = f"import os; os.setgroups([]); os.setgid({nobody}); os.setuid({nobody})"
    owner, pids = spawn(folder / "run", become)
    try:
        assert all(Path(f"/proc/{pid}").stat().st_uid == nobody for pid in pids)
    finally:
        kill_9(owner)
    assert all(ended(pid) for pid in pids)


def test_the_command_runs_until_it_is_interrupted(folder):
    run_dir = folder / "run"
    command = [sys.executable, "-m", "mininet_labs", "fabric", "abilene", "--run-dir", str(run_dir)]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT) as child:
        lines = []
        while not lines or lines[-1] != "ready\n":
            lines.append(child.stdout.readline())
            assert lines[-1], "the command ended"
        child.send_signal(signal.SIGINT)
        assert child.wait(LIMIT_SECONDS) == 0
    assert lines[0].split() == ["h-sea-1", f"{run_dir}/s/sea-11"]
    assert lines[-2].startswith("11 switches, 14 links, 22 hosts; controller tcp:127.0.0.1:6653")
    assert not run_dir.exists()

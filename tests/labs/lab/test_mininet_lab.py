"""The Mininet lab: its network, failures and recoveries of links, and a clean end."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mininet_labs.errors import LabError
from mininet_labs.lab import needs
from mininet_labs.lab.enter import host_pid
from mininet_labs.lab.network import MininetNetwork
from mininet_labs.topologies.generate import ring
from tests.waiting import wait_until

UNREACHED = 1  # a port of loopback without controller


def lacking() -> str | None:
    try:
        needs.check()
    except LabError as error:
        return str(error)
    return None


pytestmark = [pytest.mark.fabric, pytest.mark.skipif(lacking() is not None, reason=f"missing: {lacking()}")]


@pytest.fixture
def run_dir() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="tercast-mn-", dir="/tmp"))
    yield folder / "fabric"
    shutil.rmtree(folder)


@pytest.fixture
def lab(run_dir: Path) -> Iterator[MininetNetwork]:
    with MininetNetwork(run_dir, ring(3), UNREACHED) as network:
        yield network


def output(lab: MininetNetwork, host: str, *argv: str) -> str:
    process = lab.run(host, argv, Path(tempfile.mkstemp(dir="/tmp", prefix="tercast-mn-")[1]))
    wait_until(f"{argv} does not end", lambda: process.poll() is not None)
    text = process.log.read_text()
    process.log.unlink()
    assert process.poll() == 0, text
    return text


def own_interfaces() -> set[str]:
    return {path.name for path in Path("/sys/class/net").iterdir()}


def short_folder(run_dir: Path) -> Path:
    """Return the folder of the sockets of the lab of this run directory; other labs may run meanwhile."""
    return (run_dir / "sockets").resolve()


def test_each_host_has_an_interface_with_its_addresses_and_no_checksum_offload(lab: MininetNetwork) -> None:
    for host in ring(3)["hosts"]:
        (row,) = [r for r in json.loads(output(lab, host["id"], "ip", "-j", "addr")) if r["ifname"] != "lo"]
        assert row["address"] == host["mac"]
        assert host["ip"] in {address["local"] for address in row["addr_info"]}
        offload = output(lab, host["id"], "/usr/sbin/ethtool", "-k", row["ifname"])
        assert "tx-checksumming: off" in offload


def test_nothing_of_it_shows_on_the_machine(run_dir: Path) -> None:
    before = own_interfaces()
    with MininetNetwork(run_dir, ring(3), UNREACHED) as lab:
        assert lab.alive()
        assert own_interfaces() == before
        sockets = short_folder(run_dir)
        assert sockets.is_dir()
    assert own_interfaces() == before
    assert not lab.alive()
    assert not sockets.exists()


def test_a_link_goes_down_at_both_ends_and_comes_back(lab: MininetNetwork) -> None:
    link = ring(3)["links"][0]
    for up in (False, True):
        lab.set_link(link["a"], link["a_port"], up)
        assert lab.link_ups(link["a"], link["a_port"]) == (up, up)


def test_a_host_that_is_not_there_is_refused_by_name(lab: MininetNetwork) -> None:
    with pytest.raises(LabError, match=r"h99: no such host in the lab"):
        lab.run("h99", ["true"], Path("/tmp/never"))


def test_two_hosts_on_one_port_are_refused(run_dir: Path) -> None:
    topology = ring(3)
    topology["hosts"][1] |= {"switch": topology["hosts"][0]["switch"], "port": topology["hosts"][0]["port"]}
    with pytest.raises(LabError, match="is the port of both h1 and h2"):
        MininetNetwork(run_dir, topology, UNREACHED)


def test_a_killed_lab_leaves_no_process_and_no_interface_and_the_next_one_removes_its_files(
    run_dir: Path,
) -> None:
    before = own_interfaces()
    script = (
        "import sys, time; from pathlib import Path\n"
        "from mininet_labs.lab.network import MininetNetwork\n"
        "from mininet_labs.topologies.generate import ring\n"
        f"MininetNetwork(Path({str(run_dir)!r}), ring(3), {UNREACHED}).start()\n"
        "print('ready', flush=True); time.sleep(600)\n"
    )
    owner = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    assert owner.stdout.readline() == "ready\n"
    hosts = {host: row["pid"] for host, row in json.loads((run_dir / "hosts.json").read_text()).items()}
    assert len(hosts) == 3
    assert all(Path(f"/proc/{pid}").exists() for pid in hosts.values())
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait()
    wait_until(
        "hosts outlive the lab", lambda: not any(Path(f"/proc/{pid}").exists() for pid in hosts.values())
    )
    wait_until("interfaces outlive the lab", lambda: own_interfaces() == before)
    sockets = short_folder(run_dir)
    assert sockets.is_dir()
    with pytest.raises(LabError, match="belongs to a lab that has ended"):
        host_pid(run_dir / "hosts.json", "h1")
    stale = {"h1": {"pid": os.getpid(), "started": 1}}  # another process has the id now
    (run_dir / "hosts.json").write_text(json.dumps(stale))
    with pytest.raises(LabError, match="belongs to a lab that has ended"):
        host_pid(run_dir / "hosts.json", "h1")
    with MininetNetwork(run_dir, ring(3), UNREACHED):
        assert not sockets.exists()
        sockets = short_folder(run_dir)
    assert not sockets.exists()


def test_a_command_runs_in_a_host_where_it_was_called(lab: MininetNetwork, run_dir: Path) -> None:
    def entered(*argv: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mininet_labs", "enter", "--run-dir", str(run_dir.parent), *argv]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    shown = entered("h2", "--", "sh", "-c", "pwd; ip -json addr")
    assert shown.returncode == 0, shown.stderr
    where, addresses = shown.stdout.split("\n", 1)
    assert where == str(Path.cwd())
    assert ring(3)["hosts"][1]["ip"] in {
        address["local"] for row in json.loads(addresses) for address in row["addr_info"]
    }
    assert entered("h2", "--", "sh", "-c", "exit 7").returncode == 7
    refused = entered("h9", "--", "true")
    assert refused.returncode == 2
    assert "h9: no such host in the lab; use one of h1, h2, h3" in refused.stderr

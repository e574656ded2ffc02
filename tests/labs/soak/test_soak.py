"""The soak test: its counts are correct, and a run over real switches loses and leaves nothing."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mininet_labs.commands import main
from mininet_labs.demo.demo import DEFAULT_TOPOLOGY, Demo
from mininet_labs.demo.options import DemoOptions
from mininet_labs.demo.platform_up import Platform
from mininet_labs.fabric import Fabric
from mininet_labs.soak.descriptors import leaked, open_descriptors
from mininet_labs.soak.drift import CONTENT_COOKIE, differences, ordered
from mininet_labs.soak.run import joined_fabric
from mininet_labs.topologies import core_topology, load
from tercast.topology.reader import read_topology
from tests.waiting import LIMIT_SECONDS

pytestmark = pytest.mark.fabric


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    topology = load(DEFAULT_TOPOLOGY)
    platform = Platform(tmp_path_factory.mktemp("s"), topology, 8360, joined_fabric)
    with Demo(DemoOptions(None, None, 20.0, 8360, DEFAULT_TOPOLOGY, True), topology, platform) as demo:
        demo.start()
        yield demo


@pytest.mark.full
def test_drift_is_each_entry_that_only_the_switch_or_only_the_plan_has(demo: Demo) -> None:
    fabric = demo.platform.network
    assert isinstance(fabric, Fabric)
    hosts = read_topology(core_topology(demo.topology), "ipv6").hosts

    def drift() -> list[str]:
        return differences(fabric, demo.rest, hosts)

    assert drift() == []
    gone = next(flow for flow in fabric.dump_flows("chi") if flow.cookie == CONTENT_COOKIE)
    match = ",".join(f"{field}={value}" if value else field for field, value in gone.match.items())
    # The controller does not notice this, and audits are rare: nothing restores the entry before the check.
    fabric.ofctl("chi", "del-flows", "--strict", f"priority={gone.priority},{match}")
    strange = "priority=1020,ipv6,ipv6_dst=ff0e:77::/32"
    fabric.ofctl("den", "add-flow", f"cookie={CONTENT_COOKIE},{strange},actions=1")
    fabric.ofctl("den", "add-flow", "cookie=0x99,priority=1020,ipv6,ipv6_dst=ff0e:78::/32,actions=1")
    first, second = sorted(drift())
    assert first.startswith(f"chi: missing ({gone.priority}, ")
    assert second.startswith("den: not planned (1020, None, 'ff0e:77::/32'")


def test_actions_compare_whatever_the_order_of_rewrites_and_by_the_order_of_outputs() -> None:
    assert ordered("output:1,set_field:b->x,set_field:a->y,IN_PORT") == ordered(
        "output:1,set_field:a->y,set_field:b->x,IN_PORT"
    )
    assert ordered("set_field:a->y,output:1") != ordered("output:1,set_field:a->y")


@pytest.mark.full
def test_descriptors_of_every_service_are_counted(demo: Demo) -> None:
    before = open_descriptors(demo.platform.services)
    assert set(before) >= {"controller", "web", "worker", "beat"}
    assert min(before.values()) > 0


def test_only_what_grew_leaks_and_only_by_how_much() -> None:
    before = {"web": 20, "beat": 9}
    assert leaked(before, {"web": 23, "beat": 7}) == 3
    assert leaked({"idle": 3, "busy": 9}, {"idle": 20, "busy": 10}) == 1


@pytest.mark.full
def test_a_soak_ends_with_nothing_lost_doubled_drifted_or_leaked(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    arguments = ["soak", "--for", "60", "--fault-every", "5", "--report", str(report)]
    done = subprocess.run(
        [sys.executable, "-m", "mininet_labs", *arguments],
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(report.read_text())
    assert set(found["faults"]) == {"switch_disconnect", "controller_kill", "worker_kill"}
    assert found["changes"] > 20
    assert found["stable_wanted"] > 1000
    for name in ("stable_lost", "stable_doubled", "drift", "leaked_descriptors"):
        assert found[name] == 0


@pytest.mark.full
def test_events_that_are_lost_make_a_soak_fail(tmp_path: Path) -> None:
    """A switch whose content entries are deleted without the platform loses events."""
    report = tmp_path / "report.json"
    arguments = ["soak", "--for", "30", "--fault-every", "100", "--report", str(report)]
    run = subprocess.Popen(
        [sys.executable, "-m", "mininet_labs", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert run.stdout is not None
    for line in run.stdout:
        if line.startswith("tercast: traffic"):
            break
    socket = _management_socket("atl")
    cookie = f"cookie={CONTENT_COOKIE:#x}/-1"
    subprocess.run(["ovs-ofctl", "-O", "OpenFlow13", "del-flows", f"unix:{socket}", cookie], check=True)
    run.stdout.read()
    assert run.wait(300) == 1
    assert json.loads(report.read_text())["stable_lost"] > 0


def _management_socket(bridge: str) -> Path:
    """Return the management socket of the newest soak test; no other one runs during tests."""
    sockets = Path("/tmp").glob(f"tercast-soak-*/fabric/s/{bridge}.mgmt")
    return max(sockets, key=lambda path: path.stat().st_mtime)


@pytest.mark.parametrize("rate", ["0", "-5", "nan", "x"])
def test_a_rate_that_is_none_is_refused(rate: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["soak", "--rate", rate])
    assert ended.value.code == 2
    assert "argument --rate" in capsys.readouterr().err

"""`install`: an offline plan on a fabric, from files to an event that a host gets."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mininet_labs import commands
from mininet_labs.errors import LabError
from mininet_labs.install import flow
from tercast.cli import main
from tercast.client.publisher import Publisher
from tercast.client.subscriber import Subscriber
from tercast.client.transports import FabricPort
from tercast.offline.scenario import Scenario, read_scenario
from tercast.tables.entries import Entry, Output, SetDst
from tests.support.labs.plan_on_fabric_scenes import LINE, adv, network, scenario, sub
from tests.waiting import LIMIT_SECONDS

pytestmark = pytest.mark.fabric

ROOT = Path(__file__).parents[2]
DOCUMENT = {
    **scenario(network("s1-s2", {"h1": "s1", "h2": "s2"}), LINE, max_dz_length=10),
    "requests": [adv("a1", "h1", "low < 512", "line"), sub("q1", "h2", "low in [80, 100]", "line")],
}


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with the scenario and its plan."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="tp-") as name:
        path = Path(name)
        (path / "net.json").write_text(json.dumps(DOCUMENT))
        assert main.main(["plan", str(path / "net.json"), "-o", str(path / "plan.json")]) == 0
        yield path


def arguments(folder: Path) -> list[str]:
    return ["install", str(folder / "net.json"), str(folder / "plan.json"), "--run-dir", str(folder / "f")]


def port(fabric: str, scenario: Scenario, host: str) -> FabricPort:
    """Return a connection to the socket that the command has printed for a host."""
    sockets = dict(line.split()[:2] for line in fabric.splitlines()[:2])
    own = scenario.final.topology.hosts[host]
    return FabricPort(sockets[host], own.ip, own.mac)


def test_a_plan_from_files_carries_events_until_the_command_is_interrupted(folder: Path) -> None:
    command = [sys.executable, "-m", "mininet_labs", *arguments(folder)]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}"}
    known = read_scenario(DOCUMENT)
    topic = known.final.topics["line"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT) as child:
        output = ""
        while not output.endswith("ready\n"):
            line = child.stdout.readline()
            assert line, "the command ended"
            output += line
        assert "2 switches, 1 link, 2 hosts; 6 entries of " in output
        with port(output, known, "h1") as near, port(output, known, "h2") as far:
            publisher = Publisher(topic, "low < 512", near, known.address, "a1", known.depth)
            subscriber = Subscriber({"q1": "low in [80, 100]"}, topic, far)
            publisher.publish({"low": 80})
            while (first := subscriber.receive(0.1)) is None:  # until the switch has accepted the connection
                publisher.publish({"low": 80})
            for low in (79, 101, 100):
                publisher.publish({"low": low})
            while (last := subscriber.receive_any(10)).event.values == {"low": 80}:
                pass
            assert (first.event.values, last.event.values) == ({"low": 80}, {"low": 100})
        child.send_signal(signal.SIGINT)
        assert child.wait(LIMIT_SECONDS) == 0
    assert not (folder / "f").exists()


def spoilt(old: str, new: str) -> Any:
    return lambda folder: (folder / "plan.json").write_text(
        (folder / "plan.json").read_text().replace(old, new)
    )


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "plan.json").unlink(), "plan.json: cannot be read: No such file"),
        (spoilt('"priority"', '"prio"'), "plan.json: flows.s1[0]."),
        (spoilt('"set_dst": "h2"', '"set_dst": "h9"'), "set_dst 'h9': no such host; name the scenario"),
        (spoilt('"s2": [', '"s7": ['), "s7: no such switch in the fabric; use one of s1, s2"),
        (spoilt("ff0e:a:", "ff0e:a::z"), "is not a prefix"),
    ],
)
def test_files_that_do_not_fit_are_refused_in_one_line_and_nothing_runs_on(
    folder: Path, capsys: pytest.CaptureFixture[str], spoil: Any, message: str
) -> None:
    spoil(folder)
    assert commands.main(arguments(folder)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not (folder / "f").exists()


HOSTS = read_scenario({**DOCUMENT, "requests": []}).final.topology.hosts


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (
            Entry("ff0e:4::/32", None, 18, (Output(1),)),
            "priority=18,ipv6,ipv6_dst=ff0e:4::/32,actions=output:1",
        ),
        (
            Entry("225.128.0.0/9", 7, 1002, (SetDst("h2"), Output("in_port"))),
            "priority=1002,in_port=7,ip,nw_dst=225.128.0.0/9,"
            "actions=set_field:fd00::2->ip_dst,set_field:02:00:00:00:00:02->eth_dst,IN_PORT",
        ),
        (Entry("ff0e:4::/32", None, 2, ()), "priority=2,ipv6,ipv6_dst=ff0e:4::/32,actions=drop"),
    ],
)
def test_an_entry_in_the_words_of_ovs_ofctl(entry: Entry, text: str) -> None:
    assert flow(entry, HOSTS) == text


def test_an_entry_for_a_host_that_is_not_there_is_refused() -> None:
    with pytest.raises(LabError, match="set_dst 'h9': no such host"):
        flow(Entry("ff0e:4::/32", None, 2, (SetDst("h9"), Output(1))), HOSTS)

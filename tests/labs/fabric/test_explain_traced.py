"""Explanations compared with real Open vSwitch: equal paths, and every change is named."""

import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mininet_labs.fabric import Fabric
from mininet_labs.install import install
from tercast.cli.main import main
from tercast.explain.event_values import Given
from tercast.explain.explanation import Explanation, explain
from tercast.explain.observation import Means, NotSeen
from tercast.explain.observers import FirstThatSees, ReadBack, Traced
from tercast.explain.offline import event_of, situation_of
from tercast.explain.ovs_socket import OpenVSwitch
from tercast.explain.real_path import DifferenceKind, RealPath, trace
from tercast.offline.plan_file import plan_json, read_plan
from tercast.offline.scenario import Scenario, read_scenario
from tercast.tables.entries import difference
from tests.support.labs import plan_on_fabric_scenes as scenes
from tests.support.labs.plan_on_fabric import Lab
from tests.support.labs.plan_on_fabric_bounded import bounded
from tests.support.labs.plan_on_fabric_drawn import drawn
from tests.support.labs.plan_on_fabric_scenes import Scene
from tests.support.networks import example, planner_of

pytestmark = pytest.mark.fabric

SCENES = [scenes.SEVERAL_TOPICS, scenes.ONE_PORT, scenes.WHOLE_SPACE, bounded(drawn(3), 3), drawn(5)]


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="tx-") as path:
        yield Path(path) / "f"


def eyes_of(fabric: Fabric, scenario: Scenario, found: Explanation) -> Traced:
    sockets = fabric.host_socket(next(iter(scenario.final.topology.hosts))).parent
    return Traced(found, scenario.final.topology, OpenVSwitch(sockets))


@pytest.mark.parametrize("scene", SCENES, ids=str)
def test_real_switches_do_what_is_explained(scene: Scene, folder: Path) -> None:
    origins: list[str] = []
    with Lab(scene, folder) as lab:
        for number, requests in enumerate(scene.stages):
            lab.apply(requests)
            scenario = lab.scenario()
            situation = situation_of(scenario, lab.plan())
            for event in lab.events(random.Random(number))[:12]:
                found = explain(situation, event_of(situation, event.publisher, Given(event.values)))
                real = trace(found, eyes_of(lab.fabric, scenario, found))
                assert real.same is True, real.to_json()
                assert len(real.way.hops) == len(found.way.hops)
                assert sorted(real.way.deliveries) == sorted(found.way.deliveries)
                assert all(one is not None and one.means is Means.TRACE for one in real.seen)
                origins += [origin.kind for origin in found.origins if origin is not None]
    assert set(origins) == ({"exact"} if lab.is_exact else {"exact", "aggregated"})


class Pair:
    """The example's two switches, with a second subscription at the publisher's port."""

    def __init__(self, folder: Path, links: str) -> None:
        document = example()
        own = {"op": "subscribe", "id": "q2", "host": "h1", "topic": "quotes", "filter": "low < 100"}
        document["requests"].append(own)
        planner = planner_of(document)
        planner.apply_all(document["requests"])
        self.scenario = read_scenario(document)
        self.plan = read_plan(plan_json(planner))
        self.fabric = Fabric(folder, self.scenario.final.topology.to_json(), links=links)

    def __enter__(self) -> "Pair":
        self.fabric.start()
        diffs = [difference(switch, (), table) for switch, table in self.plan.flows.items()]
        install(self.fabric, diffs, self.scenario.final.topology.hosts)
        return self

    def __exit__(self, *_: object) -> None:
        self.fabric.stop()

    def explained(self, low: int = 92) -> Explanation:
        situation = situation_of(self.scenario, self.plan)
        return explain(situation, event_of(situation, "a1", Given({"low": low})))

    def traced(self, low: int = 92) -> RealPath:
        found = self.explained(low)
        return trace(found, eyes_of(self.fabric, self.scenario, found))


@pytest.fixture(params=["patch", "joined"])
def pair(request: pytest.FixtureRequest, folder: Path) -> Iterator[Pair]:
    with Pair(folder, request.param) as made:
        yield made


S1 = "priority=1024,in_port=3,ipv6,ipv6_dst=ff0e:4:1400::/38"
S2 = "priority=24,ipv6,ipv6_dst=ff0e:4:1400::/38"
H2 = "set_field:fd00::2->ipv6_dst,set_field:02:00:00:00:00:02->eth_dst"


def only(real: RealPath) -> tuple[DifferenceKind, str]:
    (found,) = real.differences
    assert real.same is False
    return found.kind, found.switch


def test_the_source_check_changes_nothing_of_what_is_explained(pair: Pair) -> None:
    """Its entry, as the controller writes it, is skipped: the trace continues with the content entry."""
    before = pair.traced()
    check = "cookie=0x7ec0a57e00000005,priority=62000,in_port=3,dl_src=02:00:00:00:00:01,ipv6,reg0=0"
    source = f"{check},ipv6_src=fd00::1,ipv6_dst=ff0e::/16,actions=set_field:1->reg0,resubmit(,0)"
    pair.fabric.ofctl("s1", "add-flow", source)
    real = pair.traced()
    assert real.same is True and real.to_json() == before.to_json()
    (checked,) = [one for one in pair.fabric.dump_flows("s1") if one.cookie & 0xFF == 5]
    assert checked.actions == "set_field:0x1->reg0,resubmit(,0)"
    pair.fabric.ofctl("s1", "del-flows", "--strict", S1)
    assert only(pair.traced()) == (DifferenceKind.ENTRY_MISSING, "s1")


def test_an_entry_that_somebody_deleted_is_named(pair: Pair) -> None:
    assert pair.traced().same is True
    pair.fabric.ofctl("s2", "del-flows", "--strict", S2)
    real = pair.traced()
    assert only(real) == (DifferenceKind.ENTRY_MISSING, "s2")
    found = real.differences[0]
    assert (found.expected and found.expected.dst, found.found) == ("ff0e:4:1400::/38", None)
    assert real.lost == {"h2": "s2"}
    assert {host for host, _ in real.way.deliveries} == {"h1"}


def test_an_entry_of_a_port_that_is_gone_lets_a_shorter_one_win(pair: Pair) -> None:
    pair.fabric.ofctl("s1", "del-flows", "--strict", S1)
    real = pair.traced()
    assert only(real) == (DifferenceKind.ENTRY_MISSING, "s1")
    assert real.differences[0].found is not None
    assert real.lost == {"h2": "s1"}


def test_other_ports_and_other_actions_are_named(pair: Pair) -> None:
    pair.fabric.ofctl("s2", "mod-flows", "--strict", f"{S2},actions=drop")
    assert only(pair.traced()) == (DifferenceKind.OTHER_PORTS, "s2")
    pair.fabric.ofctl("s2", "mod-flows", "--strict", f"{S2},actions=output:3")
    assert only(pair.traced()) == (DifferenceKind.OTHER_ACTION, "s2")
    pair.fabric.ofctl("s2", "mod-flows", "--strict", f"{S2},actions={H2},dec_ttl,output:3")
    assert only(pair.traced()) == (DifferenceKind.OTHER_ACTION, "s2")
    pair.fabric.ofctl("s2", "mod-flows", "--strict", f"{S2},actions={H2},output:3")
    assert pair.traced().same is True


def test_entries_that_stand_above_are_named(pair: Pair) -> None:
    higher = "priority=2000,ipv6,ipv6_dst=ff0e:4:1400::/38"
    pair.fabric.ofctl("s2", "add-flow", f"{higher},actions=drop")
    assert only(pair.traced()) == (DifferenceKind.OTHER_ENTRY, "s2")
    pair.fabric.ofctl("s2", "add-flow", f"{higher},cookie=0x99999999aaaaaaaa,actions=drop")
    assert only(pair.traced()) == (DifferenceKind.FOREIGN_ENTRY, "s2")
    pair.fabric.ofctl("s2", "del-flows", "--strict", higher)
    pair.fabric.ofctl("s2", "add-flow", "priority=2000,udp6,tp_dst=7373,actions=drop")
    assert only(pair.traced()) == (DifferenceKind.OTHER_ENTRY, "s2")


def test_an_event_that_is_let_through_is_followed(pair: Pair) -> None:
    wide = "priority=18,ipv6,ipv6_dst=ff0e:4::/32"
    pair.fabric.ofctl("s1", "add-flow", f"{wide},actions=output:1")
    pair.fabric.ofctl("s2", "add-flow", f"{wide},actions={H2},output:3")
    real = pair.traced(low=300)
    assert only(real) == (DifferenceKind.OTHER_ENTRY, "s1")
    assert [hop.switch for hop in real.way.hops] == ["s1", "s2"]
    assert real.surplus == ("h2",)


def test_wires_that_lead_elsewhere_are_named(folder: Path) -> None:
    with Pair(folder, "patch") as pair:
        pair.fabric.add_switch({"id": "s3", "dpid": "0000000000000003"})
        pair.fabric.remove_link("s1", 1)
        pair.fabric.add_link({"a": "s1", "a_port": 1, "b": "s3", "b_port": 1})
        assert (DifferenceKind.OTHER_WIRING, "s1") in {
            (one.kind, one.switch) for one in pair.traced().differences
        }


def test_switches_that_are_not_here_are_read_back_or_said(pair: Pair) -> None:
    found, nowhere = pair.explained(), OpenVSwitch("/tmp/tx-there-is-nothing")
    blind = Traced(found, pair.scenario.final.topology, nowhere)
    real = trace(found, blind)
    assert real.same is None
    assert real.not_seen.keys() == {"s1", "s2"}
    assert "there is no control socket" in real.not_seen["s1"] or "does not answer" in real.not_seen["s1"]

    def read(switch: str) -> Any:
        if switch == "s1":
            raise NotSeen("the controller has lost s1")
        return ()

    real = trace(found, FirstThatSees(blind, ReadBack(found, read)))
    assert real.not_seen.keys() == {"s1"}
    assert "the controller has lost s1" in real.not_seen["s1"]
    assert only(real) == (DifferenceKind.ENTRY_MISSING, "s2")
    assert [one and one.means for one in real.seen] == [None, Means.READ_BACK]


def test_the_command_prints_it(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario, plan = tmp_path / "s.json", tmp_path / "p.json"
    scenario.write_text(json.dumps(example()))
    assert main(["plan", str(scenario), "-o", str(plan)]) == 0
    read = read_scenario(example())
    with Fabric(folder, read.final.topology.to_json()) as fabric:
        diffs = [
            difference(switch, (), table)
            for switch, table in read_plan(json.loads(plan.read_text())).flows.items()
        ]
        install(fabric, diffs, read.final.topology.hosts)
        sockets = str(fabric.host_socket("h1").parent)
        command = ["explain", str(scenario), str(plan), "--publisher", "a1", "--value", "low=92"]
        assert main([*command, "--ovs-run-dir", sockets]) == 0
        assert "on the switches: as expected (traced)" in capsys.readouterr().out
        fabric.ofctl("s2", "del-flows", "--strict", S2)
        assert main([*command, "--ovs-run-dir", sockets]) == 1
        out = capsys.readouterr().out
        assert "entry_missing at s2, from port 1: switch s2 has no entry ff0e:4:1400::/38" in out
        assert "h2 does not receive it, because of switch s2" in out

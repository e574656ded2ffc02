"""The controller on real Open vSwitch: bridges of the embedded fabric, each with its own channel."""

from __future__ import annotations

import signal
import threading
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mininet_labs.fabric import Fabric, FrameSocket
from tercast.client.transports import FabricPort
from tercast.signalling.messages import PORT as SIGNALLING_PORT
from tests.support.controller.controller_harness import (
    Controller,
    dpid,
    entry,
    eventually,
    free_port,
    key,
    many_entries,
    ordered,
    output,
    running,
    set_dst,
)

pytestmark = pytest.mark.fabric

OWN = 0x7EC0A57E
NOBODY = "tcp:127.0.0.1:1"
"""A port without controller: without any controller, Open vSwitch would empty its tables."""
TOPOLOGY: dict[str, Any] = {
    "switches": [{"id": f"s{n}", "dpid": dpid(n)} for n in (1, 2, 3, 4)],
    "links": [
        {"a": "s1", "a_port": 1, "b": "s2", "b_port": 1},
        {"a": "s2", "a_port": 2, "b": "s3", "b_port": 1},
    ],
    "hosts": [
        {"id": "h1", "switch": "s1", "port": 3, "ip": "fd00::1", "mac": "02:00:00:00:00:01"},
        {"id": "h2", "switch": "s2", "port": 3, "ip": "fd00::2", "mac": "02:00:00:00:00:02"},
    ],
}
FOREIGN = "cookie=0x99,priority=77,ipv6,ipv6_dst=ff0e:4::/32,actions=output:3"
WIDE = entry("ff0e:4::/32", 18, output(1))


@pytest.fixture(scope="module")
def controller(run_dir: Path) -> Iterator[Controller]:
    with running(run_dir) as started:
        yield started


@pytest.fixture(scope="module")
def fabric(run_dir: Path, controller: Controller) -> Iterator[Fabric]:
    with Fabric(run_dir / "f", TOPOLOGY, [controller.target], links="joined") as started:
        yield started


@pytest.fixture(autouse=True)
def clean(fabric: Fabric, controller: Controller) -> Iterator[None]:
    """Every test starts with connected switches, and leaves no content entry."""
    controller.await_switches(*(dpid(n) for n in (1, 2, 3, 4)))
    yield
    for n in (1, 2, 3, 4):
        fabric.ofctl(f"s{n}", "del-flows", f"cookie=0x{OWN:x}00000001/-1")


def links(controller: Controller) -> set[tuple[int, int, int, int]]:
    return {
        (int(link["a"], 16), link["a_port"], int(link["b"], 16), link["b_port"])
        for link in controller.get("/v1/links")
    }


def reserved(fabric: Fabric, switch: str) -> set[tuple[int, int, str]]:
    return {
        (flow.priority, flow.cookie & 0xFF, flow.actions)
        for flow in fabric.dump_flows(switch)
        if flow.cookie >> 32 == OWN and flow.cookie & 0xFF != 1
    }


def test_the_reserved_entries_are_there(fabric: Fabric, controller: Controller) -> None:
    """They include the punts of control messages, at host ports and not at ends of confirmed links."""
    assert eventually(lambda: len(links(controller)) == 2)
    declared = [[dpid(1), 1, dpid(2), 1], [dpid(2), 2, dpid(3), 1]]
    controller.call("PUT", "/v1/topology", {"id": "declared", "links": declared, "edges": []})
    for n in (1, 2, 3, 4):
        through = f"meter:{262144 - 3},CONTROLLER:65535"
        metered = {(64000, 3, through), (65001, 6, through)} if n < 3 else set()
        wanted = {(1, 2, "drop"), (65000, 4, "CONTROLLER:65535"), *metered}
        assert eventually(lambda n=n, wanted=wanted: reserved(fabric, f"s{n}") == wanted)
        ranges = {value for flow in fabric.dump_flows(f"s{n}") for value in flow.match.values()}
        assert {"ff0e::/16", "225.128.0.0/9"} <= ranges
        count = controller.get(f"/v1/switches/{dpid(n)}/entries")["reserved"]
        assert count == 3 + (3 if metered else 0)


def test_what_the_switches_are_is_reported(controller: Controller) -> None:
    for switch in controller.get("/v1/switches"):
        assert switch["description"]["hardware"] == "Open vSwitch"
        assert switch["tables"] > 1
        assert switch["problems"] == []
        assert "flow_stats" in switch["capabilities"]
        assert switch["features"]["capacity"] > 10_000
        assert switch["features"]["groups"] > 0 and switch["features"]["meters"] > 0
        assert switch["lacks"] == []


def test_the_capacity_of_a_table_is_reported_at_connect(fabric: Fabric, controller: Controller) -> None:
    fabric.set_capacity("s4", 20)
    fabric.set_controller(NOBODY, switch="s4")
    assert eventually(lambda: dpid(4) not in controller.dpids())
    fabric.set_controller(controller.target, switch="s4")
    controller.await_switches(dpid(4))
    fabric.set_capacity("s4", None)
    (switch,) = [one for one in controller.get("/v1/switches") if one["dpid"] == dpid(4)]
    assert switch["features"]["capacity"] == 20
    fabric.set_controller(NOBODY, switch="s4")
    assert eventually(lambda: dpid(4) not in controller.dpids())
    fabric.set_controller(controller.target, switch="s4")
    controller.await_switches(dpid(4))


def test_what_somebody_did_to_own_entries_is_named_and_repaired(
    fabric: Fabric, controller: Controller
) -> None:
    fabric.ofctl("s3", "add-flow", FOREIGN)
    controller.change({"dpid": dpid(3), "add": [WIDE]})
    repair = ("POST", f"/v1/switches/{dpid(3)}/repair")
    assert controller.call(*repair)[1]["restored"] == controller.call(*repair)[1]["removed"] == []
    before = reserved(fabric, "s3")
    fabric.ofctl("s3", "del-flows", f"cookie=0x{OWN:x}00000004/-1")
    own = f"cookie=0x{OWN:x}00000001"
    fabric.ofctl("s3", "add-flow", f"{own},priority=30,ipv6,ipv6_dst=ff0e:4::/32,nw_tos=32,actions=output:2")
    fabric.ofctl("s3", "add-flow", f"{own},table=7,priority=18,ipv6,ipv6_dst=ff0e:4::/32,actions=output:2")
    found = controller.get(f"/v1/switches/{dpid(3)}/entries")
    assert found["missing"] == ["the entry that sends discovery probes to the controller"]
    assert [(one["table"], one["priority"]) for one in found["unreadable"]] == [(0, 30), (7, 18)]
    assert controller.entries(dpid(3)) == [WIDE]
    done = controller.call(*repair)[1]
    assert (len(done["restored"]), len(done["removed"]), done["refused"]) == (1, 2, [])
    assert reserved(fabric, "s3") == before
    found = controller.get(f"/v1/switches/{dpid(3)}/entries")
    assert (found["missing"], found["unreadable"], found["foreign"]) == ([], [], 1)
    assert controller.entries(dpid(3)) == [WIDE]
    fabric.ofctl("s3", "del-flows", "cookie=0x99/-1")


def test_a_change_over_several_switches_reads_back_equal(fabric: Fabric, controller: Controller) -> None:
    wanted = {
        dpid(2): [
            entry("ff0e:4::/32", 18, set_dst("fd00::2", "02:00:00:00:00:02"), output(3)),
            entry("ff0e:4:8000::/33", 20, output("in_port"), output(2), in_port=1),
            entry("ff0e:4::7/128", 114, output(2)),
        ],
        dpid(1): [
            entry("ff0e:4::/32", 18, output(1)),
            entry("225.144.0.0/12", 6, output(1), set_dst("10.0.0.9", "02:00:00:00:00:09"), output(3)),
            entry("225.128.0.1/32", 40),
        ],
    }
    results = controller.change(*({"dpid": name, "add": listed} for name, listed in wanted.items()))
    assert [result["state"] for result in results.values()] == ["confirmed", "confirmed"]
    for name, listed in wanted.items():
        assert controller.entries(name) == ordered(listed)
    changed = entry("ff0e:4::/32", 18, output(1), output(3))
    results = controller.change(
        {"dpid": dpid(1), "modify": [changed], "remove": [key(item) for item in wanted[dpid(1)][1:]]}
    )
    assert results[dpid(1)]["removed"]
    assert controller.entries(dpid(1)) == [changed]


def test_foreign_entries_stay_untouched(fabric: Fabric, controller: Controller) -> None:
    fabric.ofctl("s3", "add-flow", FOREIGN)
    fabric.ofctl("s3", "add-flow", "cookie=0x99,priority=0,actions=NORMAL")
    before = [flow for flow in fabric.dump_flows("s3") if flow.cookie >> 32 != OWN]
    entries = controller.get(f"/v1/switches/{dpid(3)}/entries")
    assert (entries["entries"], entries["foreign"]) == ([], 2)

    def noticed() -> bool:
        tables = {row["dpid"]: row["foreign"] for row in controller.get("/v1/counters")["tables"]}
        return tables.get(dpid(3)) == 2

    assert eventually(noticed)
    same_place = entry("ff0e:4::/32", 77, output(1))
    other = entry("ff0e:4::/32", 76, output(1))
    result = controller.change({"dpid": dpid(3), "add": [same_place, other]})[dpid(3)]
    assert [(error["priority"], error["code"]) for error in result["errors"]] == [(77, "foreign_entry")]
    controller.change({"dpid": dpid(3), "remove": [key(same_place), key(other)]})
    fabric.set_controller(NOBODY, switch="s3")
    assert eventually(lambda: dpid(3) not in controller.dpids())
    fabric.set_controller(controller.target, switch="s3")
    controller.await_switches(dpid(3))
    after = [flow for flow in fabric.dump_flows("s3") if flow.cookie >> 32 != OWN]
    assert [(f.cookie, f.priority, f.match, f.actions) for f in after] == [
        (f.cookie, f.priority, f.match, f.actions) for f in before
    ]
    fabric.ofctl("s3", "del-flows", "cookie=0x99/-1")


def test_two_thousand_entries_are_read_back(fabric: Fabric, controller: Controller) -> None:
    entries = many_entries(2000)
    assert controller.change({"dpid": dpid(1), "add": entries})[dpid(1)]["state"] == "confirmed"
    assert controller.entries(dpid(1)) == ordered(entries)
    again = controller.change({"dpid": dpid(1), "add": entries, "remove": []})[dpid(1)]
    assert (again["state"], again["errors"]) == ("confirmed", [])
    assert controller.entries(dpid(1)) == ordered(entries)
    assert controller.change({"dpid": dpid(1), "remove": [key(item) for item in entries]})[dpid(1)]["removed"]
    assert controller.entries(dpid(1)) == []


def test_a_full_table_refuses_the_rest_by_name(fabric: Fabric, controller: Controller) -> None:
    others = controller.get(f"/v1/switches/{dpid(4)}/entries")["reserved"]
    fabric.set_capacity("s4", others + 10)
    result = controller.change({"dpid": dpid(4), "add": many_entries(15)})[dpid(4)]
    fabric.set_capacity("s4", None)
    assert result["state"] == "failed"
    assert [error["code"] for error in result["errors"]] == ["table_full"] * 5
    assert len(controller.entries(dpid(4))) == 10


def test_links_are_found_also_one_added_live_and_lost_with_their_ports(
    fabric: Fabric, controller: Controller
) -> None:
    first = {(1, 1, 2, 1), (2, 2, 3, 1)}
    assert eventually(lambda: links(controller) == first)
    fabric.add_link({"a": "s3", "a_port": 5, "b": "s4", "b_port": 5})
    assert eventually(lambda: links(controller) == first | {(3, 5, 4, 5)})
    newest = controller.get("/v1/events")["newest"]
    fabric.set_link("s3", 5, up=False)
    assert eventually(lambda: links(controller) == first)
    kinds = [event["kind"] for event in controller.get(f"/v1/events?after={newest}")["events"]]
    assert kinds.count("link_lost") == 1 and "port_down" in kinds
    fabric.set_link("s3", 5, up=True)
    assert eventually(lambda: links(controller) == first | {(3, 5, 4, 5)})
    fabric.remove_link("s3", 5)
    assert eventually(lambda: links(controller) == first)


def test_events_go_where_entries_say_and_the_whole_space_beats_the_drop_entry(
    fabric: Fabric, controller: Controller
) -> None:
    rewritten = set_dst("fd00::2", "02:00:00:00:00:02")
    whole = [
        {"dpid": dpid(2), "add": [entry("ff0e::/16", 2, rewritten, output(3))]},
        {"dpid": dpid(1), "add": [entry("ff0e::/16", 2, output(1))]},
    ]
    with FrameSocket(fabric.host_socket("h1")) as sender, FrameSocket(fabric.host_socket("h2")) as receiver:
        sender.send(event_frame(1))
        assert eventually(lambda: dropped(fabric, "s1") == [1])
        controller.change(*whole)
        sender.send(event_frame(2))
        frame = first_event(receiver)
        assert frame[-1] == 2
        assert frame[:6] == bytes.fromhex("020000000002")
        assert frame[38:54] == bytes.fromhex("fd000000000000000000000000000002")
    counted = controller.get(f"/v1/switches/{dpid(1)}/entries")["entries"]
    assert [(item["dst"], item["packets"]) for item in counted] == [("ff0e::/16", 1)]
    assert dropped(fabric, "s1") == [1]


def dropped(fabric: Fabric, switch: str) -> list[int]:
    """Return the numbers of packets that matched the drop entry of the IPv6 range."""
    flows = fabric.dump_flows(switch)
    return [flow.packets for flow in flows if flow.priority == 1 and "ff0e::/16" in flow.match.values()]


def event_frame(number: int) -> bytes:
    """Return an Ethernet frame with an IPv6 packet to a pub/sub address; its last byte is `number`."""
    ethernet = bytes.fromhex("33330000000702000000000186dd")
    ip = bytes.fromhex("6000000000091140fd000000000000000000000000000001")
    return (
        ethernet + ip + bytes.fromhex("ff0e00040000000000000000000000071ccd1ccd00090000") + bytes((number,))
    )


def first_event(receiver: FrameSocket) -> bytes:
    """Return the first IPv6 frame; discovery frames arrive too."""

    def look() -> bytes | None:
        frame = receiver.recv(1.0)
        return frame if frame is not None and frame[12:14] == b"\x86\xdd" else None

    frame = eventually(look)
    assert frame is not None
    return frame


def test_a_restarted_switch_gets_its_reserved_entries_again(run_dir: Path) -> None:
    topology = {"switches": TOPOLOGY["switches"][:1], "links": [], "hosts": []}
    with running(run_dir) as own, Fabric(run_dir / "r", topology, [own.target]) as fabric:
        own.await_switches(dpid(1))
        epoch = own.get("/v1/switches")[0]["epoch"]
        fabric.restart_switches()
        assert eventually(lambda: any(s["epoch"] > epoch for s in own.get("/v1/switches")))
        assert len(reserved(fabric, "s1")) == 2
        assert own.get(f"/v1/switches/{dpid(1)}/entries")["entries"] == []


@pytest.mark.parametrize("number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.full)])
def test_a_controller_that_ends_and_comes_again_keeps_the_entries(run_dir: Path, number: int) -> None:
    topology = {"switches": TOPOLOGY["switches"][:2], "links": TOPOLOGY["links"][:1], "hosts": []}
    port = free_port()
    entries = many_entries(50)
    with Fabric(run_dir / "k", topology, [f"tcp:127.0.0.1:{port}"]) as fabric:
        with running(run_dir, openflow=port) as first:
            first.await_switches(dpid(1))
            first.change({"dpid": dpid(1), "add": entries})
            epoch = first.get("/v1/switches")[0]["epoch"]
            last = first.get("/v1/events")["newest"]
            first.stop(number)
        held = [flow for flow in fabric.dump_flows("s1") if flow.cookie & 0xFF == 1]
        assert len(held) == 50
        with running(run_dir, openflow=port) as second:
            second.await_switches(dpid(1), dpid(2))
            assert second.entries(dpid(1)) == ordered(entries)
            assert second.get("/v1/switches")[0]["epoch"] > epoch
            assert second.get(f"/v1/events?after={last}")["gap"]
            assert eventually(lambda: links(second) == {(1, 1, 2, 1)})


def test_a_bridge_with_a_duplicate_id_and_one_that_speaks_1_0_are_refused_and_reported(run_dir: Path) -> None:
    topology = {"switches": TOPOLOGY["switches"][:2], "links": [], "hosts": []}
    with running(run_dir) as own, Fabric(run_dir / "d", topology, [own.target]) as fabric:
        own.await_switches(dpid(1), dpid(2))
        seen = own.get("/v1/switches")
        newest = own.get("/v1/events")["newest"]
        fabric.vsctl(
            *("add-br", "twin", "--", "set", "Bridge", "twin", "datapath_type=dummy", "fail_mode=secure"),
            *(f"other_config:datapath-id={dpid(1)}", "protocols=OpenFlow13"),
        )
        fabric.vsctl("set-controller", "twin", own.target)
        fabric.vsctl(
            *("add-br", "old", "--", "set", "Bridge", "old", "datapath_type=dummy", "fail_mode=secure"),
            *(f"other_config:datapath-id={dpid(0x10)}", "protocols=OpenFlow10"),
        )
        fabric.vsctl("set-controller", "old", own.target)
        assert eventually(lambda: {"duplicate_dpid", "openflow_version"} <= own.alarm_names())
        alarms = {alarm["alarm"]: alarm["dpid"] for alarm in own.get("/v1/alarms")}
        assert alarms == {"duplicate_dpid": dpid(1), "openflow_version": dpid(0x10)}
        again = eventually(lambda: all(alarm["count"] > 1 for alarm in own.get("/v1/alarms")))
        assert again
        assert own.get("/v1/switches") == seen
        events = own.get(f"/v1/events?after={newest}")["events"]
        assert [event["kind"] for event in events] == ["alarm", "alarm"]
        assert own.change({"dpid": dpid(1), "add": [WIDE]})[dpid(1)]["state"] == "confirmed"
        assert [flow for flow in fabric.dump_flows("s1") if flow.cookie & 0xFF == 1]


@pytest.mark.parametrize(("ip", "to"), [("fd00::1", "ff1e::25"), ("10.0.0.1", "225.0.0.37")])
def test_a_host_s_message_comes_in_through_its_meter_and_is_answered(
    fabric: Fabric, controller: Controller, ip: str, to: str
) -> None:
    mac, number = "02:00:00:00:00:01", 262144 - 3
    after = controller.get("/v1/signals")["newest"]
    with FabricPort(fabric.host_socket("h1"), ip, mac, SIGNALLING_PORT) as port:
        page = {"signals": []}

        def heard() -> bool:
            port.send(to, b"hello")
            page.update(controller.get(f"/v1/signals?after={after}&wait=1"))
            return bool(page["signals"])

        assert eventually(heard)
        row = page["signals"][0]
        assert (row["dpid"], row["port"], row["mac"], row["ip"]) == (dpid(1), 3, mac, ip)
        sender = {name: row[name] for name in ("dpid", "port", "mac", "ip", "udp_port")}
        body = {"answers": [{**sender, "payload": b64encode(b"good day").decode()}]}
        assert controller.call("POST", "/v1/signals/answers", body)[1]["answers"][0]["sent"]
        assert port.receive(20) == b"good day"
    stats = fabric.ofctl("s1", "meter-stats").partition(f"meter:{number} ")[2]
    assert "packet_in_count:0" not in stats.partition("\n")[0] and "packet_in_count" in stats


def test_somebody_else_s_meter_stays_and_is_not_used(run_dir: Path) -> None:
    topology = {"switches": TOPOLOGY["switches"][:1], "links": [], "hosts": TOPOLOGY["hosts"][:1]}
    port = free_port()
    with Fabric(run_dir / "m", topology, [f"tcp:127.0.0.1:{port}"]) as fabric:
        fabric.ofctl("s1", "add-meter", f"meter={262144 - 3},kbps,band=type=drop,rate=7")
        with running(run_dir, openflow=port) as own:
            own.await_switches(dpid(1))
            actions = {flow.actions for flow in fabric.dump_flows("s1") if flow.priority == 64000}
            assert actions == {"CONTROLLER:65535"}
            assert own.get("/v1/switches")[0]["problems"] == []
            assert "rate=7" in fabric.ofctl("s1", "dump-meters")


class Relay(threading.Thread):
    """Two hosts that forward each other's LLDP frames until `stop`; `seen` has the received frames."""

    def __init__(self, fabric: Fabric, *hosts: str) -> None:
        super().__init__(daemon=True)
        self.sockets = [FrameSocket(fabric.host_socket(host)) for host in hosts]
        self.seen: list[list[bytes]] = [[], []]
        self.forwards = True
        self.ends = threading.Event()

    def run(self) -> None:
        while not self.ends.is_set():
            for number, socket in enumerate(self.sockets):
                frame = socket.recv(0.02)
                if frame is None or frame[12:14] != b"\x88\xcc":
                    continue
                self.seen[number].append(frame)
                if self.forwards:
                    self.sockets[1 - number].send(frame)

    def stop(self) -> None:
        self.ends.set()
        self.join()
        for socket in self.sockets:
            socket.close()


@pytest.mark.full
def test_hosts_that_relay_forge_or_record_probes_join_no_switches(run_dir: Path) -> None:
    """Two host ports of two switches: the effects of a relay in real time, a forgery and a recording."""
    topology = {
        "switches": TOPOLOGY["switches"][:2],
        "links": TOPOLOGY["links"][:1],
        "hosts": TOPOLOGY["hosts"],
    }
    edges = [[dpid(1), 3], [dpid(2), 3]]
    confirmed = {"id": "one", "links": [[dpid(1), 1, dpid(2), 1]], "edges": edges}
    with (
        running(run_dir) as controller,
        Fabric(run_dir / "relay", topology, [controller.target], links="joined") as fabric,
    ):
        controller.await_switches(dpid(1), dpid(2))
        assert controller.call("PUT", "/v1/topology", confirmed)[0] == 200
        assert eventually(lambda: links(controller) == {(1, 1, 2, 1)})
        relay = Relay(fabric, "h1", "h2")
        relay.start()
        assert eventually(lambda: (1, 3, 2, 3) in links(controller))
        rows = {row["a_port"]: (row["confirmed"], row["edge"]) for row in controller.get("/v1/links")}
        assert rows == {1: (True, False), 3: (False, True)}
        assert {"probe_at_edge"} <= controller.alarm_names()
        punts = {(64000, 3, f"meter:{262144 - 3},CONTROLLER:65535")}
        assert all(punts <= reserved(fabric, switch) for switch in ("s1", "s2"))

        relay.forwards = False
        assert eventually(lambda: "link_silent" in controller.alarm_names())
        recorded = [frames[-1] for frames in relay.seen]
        forged = recorded[0][:-20] + bytes(16) + recorded[0][-4:]
        assert eventually(lambda: len(relay.seen[0]) > 30)  # after so many periods the recording is too old
        old = relay.seen[0][0]
        relay.sockets[1].send(forged)
        relay.sockets[1].send(old)
        wanted = {(dpid(2), 3, "forged"), (dpid(2), 3, "stale")}
        assert eventually(lambda: wanted <= bad_probes(controller)), bad_probes(controller)
        assert [row["silent"] for row in controller.get("/v1/links")] == [False, True]
        relay.stop()


def bad_probes(controller: Controller) -> set[tuple[str, int, str]]:
    """Return switch, port and reason of the alarms about faulty probes."""
    rows = [alarm for alarm in controller.get("/v1/alarms") if alarm["alarm"] == "bad_probe"]
    return {(row["dpid"], row["port"], row["reason"]) for row in rows}

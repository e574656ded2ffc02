"""The longest path of a topology, and the warning if a patch fabric does not carry it."""

import random
import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace

import networkx as nx
import pytest

from mininet_labs.demo.demo import Demo
from mininet_labs.demo.standby import Standby
from mininet_labs.fabric import Fabric, FrameSocket, command, probe
from mininet_labs.fabric.depth import MOST_LINKS, depth_warning, longest_path
from mininet_labs.topologies.generate import fat_tree, ring


def chain(size: int, hosts: tuple[int, ...]) -> dict:
    switches = [{"id": f"s{number}", "dpid": f"{number + 1:016x}"} for number in range(size)]
    links = [
        {"a": f"s{number}", "a_port": 1, "b": f"s{number + 1}", "b_port": 2} for number in range(size - 1)
    ]
    attached = [{"id": f"h{number}", "switch": f"s{number}", "port": 9} for number in hosts]
    return {"switches": switches, "links": links, "hosts": attached}


def test_the_limit_is_a_number_of_links():
    assert depth_warning(chain(MOST_LINKS + 1, (0, MOST_LINKS))) is None
    warning = depth_warning(chain(MOST_LINKS + 2, (0, MOST_LINKS + 1)))
    assert warning is not None
    assert f"the longest path has {MOST_LINKS + 1} links, from switch s" in warning
    assert "s0" in warning
    assert f"s{MOST_LINKS + 1}" in warning
    assert f"more than {MOST_LINKS} links (64 if the source check is off)" in warning


def test_only_paths_between_hosts_count():
    assert depth_warning(chain(200, (0, MOST_LINKS))) is None
    assert depth_warning(chain(200, ())) is None
    assert depth_warning({}) is None


def test_a_standby_attachment_counts():
    topology = chain(100, (0,))
    topology["hosts"][0]["standby"] = [{"switch": "s99", "port": 9}]
    assert depth_warning(topology) is not None


def test_a_tree_of_a_ring_is_longer_than_its_shortest_paths():
    path = longest_path(ring(100))
    assert path is not None
    assert path.links == 99
    assert depth_warning(fat_tree(6)) is None


def test_costs_decide_which_links_a_tree_has():
    topology = ring(4)
    topology["links"][0]["cost"] = 10
    path = longest_path(topology)
    assert path is not None
    assert (path.links, {path.a, path.b}) == (3, {"s1", "s2"})


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_longest_one_in_a_network_that_is_a_tree(seed):
    chance = random.Random(seed)
    size = chance.randrange(1, 30)
    topology = chain(size, tuple(sorted(chance.sample(range(size), chance.randrange(1, size + 1)))))
    for number, link in enumerate(topology["links"], 1):
        link["a"], link["b"] = f"s{chance.randrange(number)}", f"s{number}"
    network = nx.Graph([(link["a"], link["b"]) for link in topology["links"]])
    network.add_nodes_from(switch["id"] for switch in topology["switches"])
    ends = [host["switch"] for host in topology["hosts"]]
    lengths = dict(nx.all_pairs_shortest_path_length(network))
    path = longest_path(topology)
    assert path is not None
    assert path.links == max(lengths[a][b] for a in ends for b in ends) == lengths[path.a][path.b]


@pytest.mark.parametrize(("links", "warned"), [("patch", True), ("joined", False)])
def test_the_fabric_command_warns_of_patch_links_alone(links, warned, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "load", lambda _: ring(100))
    monkeypatch.setattr(command, "serve", lambda *_: 0)
    options = {"topology": "ring", "run_dir": tmp_path, "controller": None, "flow_cache": False}
    assert command.run(SimpleNamespace(links=links, **options)) == 0
    assert ("warning: the longest path has 99 links" in capsys.readouterr().err) == warned


class Reached(Exception):
    """The fabric would start now."""


def stop_here(*_: object) -> None:
    raise Reached


@pytest.mark.parametrize(("kind", "begin"), [(Demo, "start"), (Standby, "bring_up")])
def test_make_run_warns_before_the_fabric_starts(kind, begin, capsys):
    platform = SimpleNamespace(prepare=lambda: None, start_fabric=stop_here, await_switches=stop_here)
    demo = kind(SimpleNamespace(fresh=False), ring(100), platform)
    demo.rest = SimpleNamespace(be_patient=lambda _: None)
    demo.launcher = SimpleNamespace(set_state=lambda *_, **__: None)
    with pytest.raises(Reached):
        getattr(demo, begin)()
    assert "tercast: warning: the longest path has 99 links" in capsys.readouterr().out


CHECK = "priority=62000,in_port=9,ipv6,ipv6_src=fd00::1,reg0=0,actions=set_field:1->reg0,resubmit(,0)"
"""The form of a host's entry in the source check."""


@pytest.mark.full
@pytest.mark.fabric
@pytest.mark.parametrize(("more", "checks", "arrives"), [(0, True, True), (1, True, False), (1, False, True)])
def test_a_patch_fabric_carries_so_many_links_under_the_source_check(tmp_path, more, checks, arrives):
    links = MOST_LINKS + more
    topology = chain(links + 1, (0, links))
    for number, host in enumerate(topology["hosts"], 1):
        host |= {"ip": f"fd00::{number}", "mac": f"02:00:00:00:00:0{number}"}
    near, far = topology["hosts"]
    folder = Path(tempfile.mkdtemp(prefix="td-", dir="/tmp"))  # paths of sockets must be short
    try:
        with Fabric(folder, topology, []) as fabric:
            for switch in topology["switches"][:-1]:
                fabric.ofctl(switch["id"], "add-flow", f"{EVENTS},actions=output:1")
            rewrite = f"set_field:{far['ip']}->ipv6_dst,set_field:{far['mac']}->eth_dst"
            fabric.ofctl(far["switch"], "add-flow", f"{EVENTS},actions={rewrite},output:9")
            if checks:
                fabric.ofctl(near["switch"], "add-flow", CHECK)
            sender, receiver = (FrameSocket(fabric.host_socket(host["id"])) for host in (near, far))
            sender.send(probe.event_frame(near, "ff0e:4::1", b"event"))
            assert (receiver.recv(20 if arrives else 1) is not None) == arrives
            sender.close()
            receiver.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


EVENTS = "priority=5,ipv6,ipv6_dst=ff0e:4::/32"

"""Generated rings and fat trees with hosts, for a fabric or a scenario."""

from __future__ import annotations

from collections import Counter
from typing import Any

from mininet_labs.errors import LabError

TopologyJson = dict[str, Any]


class _Draft:
    """A topology that assigns ports, datapath ids and addresses in order."""

    def __init__(self, tcam_budget: int | None) -> None:
        self._tcam_budget = tcam_budget
        self._ports: Counter[str] = Counter()
        self.topology: TopologyJson = {"switches": [], "links": [], "hosts": []}

    def switch(self, name: str) -> str:
        switches = self.topology["switches"]
        dpid = f"{len(switches) + 1:016x}"
        switches.append({"id": name, "dpid": dpid, "tcam_budget": self._tcam_budget})
        return name

    def link(self, a: str, b: str) -> None:
        ends = {"a": a, "a_port": self._port(a), "b": b, "b_port": self._port(b)}
        self.topology["links"].append({**ends, "cost": 1})

    def host(self, switch: str) -> None:
        hosts = self.topology["hosts"]
        number = len(hosts) + 1
        mac = f"{0x02 << 40 | number:012x}"
        hosts.append(
            {
                "id": f"h{number}",
                "switch": switch,
                "port": self._port(switch),
                "ip": f"fd00::{number:x}",
                "mac": ":".join(mac[at : at + 2] for at in range(0, 12, 2)),
            }
        )

    def _port(self, switch: str) -> int:
        self._ports[switch] += 1
        return self._ports[switch]


def ring(size: int, hosts_per_switch: int = 1, tcam_budget: int | None = None) -> TopologyJson:
    """Return a ring of `size` switches `s1`, `s2`, ...; at least 3."""
    _check("size", size, 3, 4096)
    _check("hosts per switch", hosts_per_switch, 0, 256)
    draft = _Draft(tcam_budget)
    switches = [draft.switch(f"s{n}") for n in range(1, size + 1)]
    for n, switch in enumerate(switches):
        draft.link(switch, switches[(n + 1) % size])
    for switch in switches:
        for _ in range(hosts_per_switch):
            draft.host(switch)
    return draft.topology


def fat_tree(arity: int, hosts_per_edge: int | None = None, tcam_budget: int | None = None) -> TopologyJson:
    """Return the k-ary fat tree of Al-Fares et al. (SIGCOMM 2008).

    It has `arity` pods below (arity/2)² cores. Switches are `c1`... (core), `p1a1`... (aggregation) and
    `p1e1`... (edge). The default of `hosts_per_edge` is arity/2.
    """
    _check("arity", arity, 2, 32)
    if arity % 2:
        raise LabError(f"arity {arity}", "the arity of a fat tree must be even", f"use {arity + 1}")
    half = arity // 2
    hosts = half if hosts_per_edge is None else hosts_per_edge
    _check("hosts per edge switch", hosts, 0, 256)
    draft = _Draft(tcam_budget)
    cores = [draft.switch(f"c{n}") for n in range(1, half * half + 1)]
    for pod in range(1, arity + 1):
        _add_pod(draft, pod, half, hosts, cores)
    return draft.topology


def _add_pod(draft: _Draft, pod: int, half: int, hosts: int, cores: list[str]) -> None:
    upper = [draft.switch(f"p{pod}a{n}") for n in range(1, half + 1)]
    lower = [draft.switch(f"p{pod}e{n}") for n in range(1, half + 1)]
    for n, aggregation in enumerate(upper):
        for core in cores[n * half : (n + 1) * half]:
            draft.link(aggregation, core)
        for edge in lower:
            draft.link(edge, aggregation)
    for edge in lower:
        for _ in range(hosts):
            draft.host(edge)


def _check(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise LabError(f"{name} {value}", f"must be from {least} to {most}", "use a number in this range")

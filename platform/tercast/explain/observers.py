"""Observers of real switches: traces of a local Open vSwitch, or tables that were read back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tercast.eventspace.address_plan import multicast_mac
from tercast.explain.explanation import Explanation
from tercast.explain.lookup import TopicTable
from tercast.explain.observation import NotSeen, ObservationMeans, SwitchObservation, SwitchObserver
from tercast.explain.ovs_socket import OpenVSwitch
from tercast.explain.ovs_trace import PortNames, read_trace
from tercast.tables.entries import Entry
from tercast.topology.topology import Topology
from tercast.wire.packets import EVENT_PORT


class Traced:
    """Observer that traces the event in the bridges of an Open vSwitch, over its sockets."""

    def __init__(self, explanation: Explanation, topology: Topology, switch: OpenVSwitch) -> None:
        self._vswitchd = switch
        self._flow = flow_of(explanation, topology)
        self._names: PortNames = {(host.ip, host.mac): name for name, host in topology.hosts.items()}
        self._dpids = {name: one.dpid for name, one in topology.switches.items()}
        self._bridges: Mapping[str, str] | None = None

    def bridge(self, switch: str) -> str | None:
        """The bridge with the datapath id of a switch. Raises `NotSeen` if there is no answer."""
        if self._bridges is None:
            self._bridges = self._vswitchd.bridges()
        return self._bridges.get(self._dpids.get(switch, ""))

    def observe(self, switch: str, in_port: int) -> SwitchObservation:
        """Observe the event with `ofproto/trace`."""
        bridge = self.bridge(switch)
        if bridge is None:
            raise NotSeen(f"cannot trace at switch {switch}: the local Open vSwitch has no such bridge")
        output = self._vswitchd.command("ofproto/trace", [bridge, f"in_port={in_port},{self._flow}"])
        return read_trace(output, self._names)


class ReadBack:
    """Observer that looks the event up in entries that were read from the switches."""

    def __init__(self, explanation: Explanation, read: Callable[[str], Iterable[Entry]]) -> None:
        situation = explanation.situation
        self._read = read
        self._address = situation.address
        self._code = situation.topics[explanation.event.topic].code
        self._full = explanation.event.full
        self._tables: dict[str, TopicTable] = {}

    def bridge(self, switch: str) -> str | None:
        """None: entries do not show the wiring."""
        return None

    def observe(self, switch: str, in_port: int) -> SwitchObservation:
        """Observe the event in the entries of the switch."""
        table = self._tables.get(switch)
        if table is None:
            table = self._tables[switch] = TopicTable(self._read(switch), self._address, self._code)
        return SwitchObservation(ObservationMeans.READ_BACK, table.hit(self._full, in_port))


class FirstThatSees:
    """Observer that tries several observers in order."""

    def __init__(self, *eyes: SwitchObserver) -> None:
        self._eyes = eyes

    def bridge(self, switch: str) -> str | None:
        """The first name that an observer knows; None if none does."""
        names = (self._ask_bridge(one, switch) for one in self._eyes)
        return next((name for name in names if name is not None), None)

    def observe(self, switch: str, in_port: int) -> SwitchObservation:
        """Return the first successful observation. Raises `NotSeen` with all reasons."""
        reasons: list[str] = []
        for one in self._eyes:
            try:
                return one.observe(switch, in_port)
            except NotSeen as reason:
                reasons.append(str(reason))
        raise NotSeen("; ".join(reasons) or "no way to read this switch is configured; see docs/explain.md")

    @staticmethod
    def _ask_bridge(eyes: SwitchObserver, switch: str) -> str | None:
        try:
            return eyes.bridge(switch)
        except NotSeen:
            return None


def flow_of(explanation: Explanation, topology: Topology) -> str:
    """The event's packet in the syntax of `ofproto/trace`, without the port."""
    address, host = explanation.event.address, topology.hosts[explanation.event.host]
    words = ("udp6", "ipv6_src", "ipv6_dst") if ":" in address else ("udp", "nw_src", "nw_dst")
    protocol, source, target = words
    return (
        f"dl_src={host.mac},dl_dst={multicast_mac(address)},{protocol},{source}={host.ip},{target}={address},"
        f"nw_ttl=64,udp_src={EVENT_PORT},udp_dst={EVENT_PORT}"
    )

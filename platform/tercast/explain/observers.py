"""Eyes for real switches: Open vSwitch's traces where it is local, else tables that somebody read back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tercast.eventspace.address_plan import multicast_mac
from tercast.explain.explanation import Explanation
from tercast.explain.lookup import TopicTable
from tercast.explain.observation import Eyes, Means, NotSeen, Seen
from tercast.explain.ovs_socket import OpenVSwitch
from tercast.explain.ovs_trace import Names, read_trace
from tercast.tables.entries import Entry
from tercast.topology.topology import Topology
from tercast.wire.packets import EVENT_PORT


class Traced:
    """Follows the event through the bridges of an Open vSwitch that is reached over its sockets."""

    def __init__(self, explanation: Explanation, topology: Topology, switch: OpenVSwitch) -> None:
        self._vswitchd = switch
        self._flow = flow_of(explanation, topology)
        self._names: Names = {(host.ip, host.mac): name for name, host in topology.hosts.items()}
        self._dpids = {name: one.dpid for name, one in topology.switches.items()}
        self._bridges: Mapping[str, str] | None = None

    def bridge(self, switch: str) -> str | None:
        """The bridge with the datapath id of a switch; raises `NotSeen` where it does not answer."""
        if self._bridges is None:
            self._bridges = self._vswitchd.bridges()
        return self._bridges.get(self._dpids.get(switch, ""))

    def look(self, switch: str, in_port: int) -> Seen:
        """By `ofproto/trace`."""
        bridge = self.bridge(switch)
        if bridge is None:
            raise NotSeen(f"switch {switch} cannot be traced: the local Open vSwitch has no such bridge")
        output = self._vswitchd.command("ofproto/trace", [bridge, f"in_port={in_port},{self._flow}"])
        return read_trace(output, self._names)


class ReadBack:
    """Looks the event up in entries that were read from the switches."""

    def __init__(self, explanation: Explanation, read: Callable[[str], Iterable[Entry]]) -> None:
        situation = explanation.situation
        self._read = read
        self._address = situation.address
        self._code = situation.topics[explanation.event.topic].code
        self._full = explanation.event.full
        self._tables: dict[str, TopicTable] = {}

    def bridge(self, switch: str) -> str | None:
        """None: entries say nothing of wiring."""
        return None

    def look(self, switch: str, in_port: int) -> Seen:
        """By the entries of the switch."""
        table = self._tables.get(switch)
        if table is None:
            table = self._tables[switch] = TopicTable(self._read(switch), self._address, self._code)
        return Seen(Means.READ_BACK, table.hit(self._full, in_port))


class FirstThatSees:
    """Asks several eyes in turn."""

    def __init__(self, *eyes: Eyes) -> None:
        self._eyes = eyes

    def bridge(self, switch: str) -> str | None:
        """By the first that knows one."""
        names = (self._ask_bridge(one, switch) for one in self._eyes)
        return next((name for name in names if name is not None), None)

    def look(self, switch: str, in_port: int) -> Seen:
        """By the first that sees it; raises `NotSeen` with what each of them says."""
        reasons: list[str] = []
        for one in self._eyes:
            try:
                return one.look(switch, in_port)
            except NotSeen as reason:
                reasons.append(str(reason))
        raise NotSeen("; ".join(reasons) or "there is no way to look at switches")

    @staticmethod
    def _ask_bridge(eyes: Eyes, switch: str) -> str | None:
        try:
            return eyes.bridge(switch)
        except NotSeen:
            return None


def flow_of(explanation: Explanation, topology: Topology) -> str:
    """The event's packet as `ofproto/trace` takes it, but for the port."""
    address, host = explanation.event.address, topology.hosts[explanation.event.host]
    words = ("udp6", "ipv6_src", "ipv6_dst") if ":" in address else ("udp", "nw_src", "nw_dst")
    protocol, source, target = words
    return (
        f"dl_src={host.mac},dl_dst={multicast_mac(address)},{protocol},{source}={host.ip},{target}={address},"
        f"nw_ttl=64,udp_src={EVENT_PORT},udp_dst={EVENT_PORT}"
    )

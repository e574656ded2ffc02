"""Control messages of hosts: the entries that punt them, their queue and the replies.

For each address family, each port has one entry that punts packets to the signalling address. So only the
first switch punts a message, and the punted message names its ingress port. The ends of links that the
control plane has confirmed have no such entry. On a switch with meters, each of these ports also has an entry
that punts discovery frames. It has a higher priority than the entry for all ports, so the port's meter limits
both kinds of frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from controller_app.control_messages.meters import METERS, Meters, read_meters
from controller_app.control_messages.queue import ControlMessageQueue, PortId
from controller_app.errors import RequestRejected, Unreachable
from controller_app.monitoring.alarms import LASTING, Alarms
from controller_app.openflow import flow_mods, instructions, messages, oxm
from controller_app.openflow.control_packets import Datagram, Dropped, answer_frame, parse
from controller_app.openflow.flow_entry import SIGNALS, FlowKey
from controller_app.openflow.flow_mods import PUNT_PRIORITY
from controller_app.openflow.messages import OpenFlowMessage
from controller_app.ryu_api import spawn
from controller_app.switch.connection import Connection
from controller_app.switch.extra_entries import EntrySource
from controller_app.switch.flow_stats import EntryId, SwitchTable, identity, oxm_fields, read_table
from controller_app.switch.registry import SwitchRegistry

Punt = tuple[str, OpenFlowMessage, EntryId]
"""An entry that punts: its name, the message that adds it, and its match and priority."""


def lldp_port_place(port: int) -> EntryId:
    """Return the priority and match of a port's own punt of discovery frames."""
    return flow_mods.LLDP_PORT_PRIORITY, frozenset(oxm_fields(oxm.lldp_port_match(port)))


def punt_key(family: str, port: int) -> FlowKey:
    """Return the key of the entry that punts a port's control messages of a family."""
    return FlowKey(SIGNALS[family], port, PUNT_PRIORITY)


class Signalling:
    """Accepts control messages from ports that lead to no switch, and sends replies to hosts."""

    def __init__(self, registry: SwitchRegistry, alarms: Alarms, families: Sequence[str]) -> None:
        self._registry = registry
        self._alarms = alarms
        self._families = families
        self._links: set[PortId] = set()
        self._updating: set[tuple[int, PortId]] = set()
        self._meters: WeakKeyDictionary[Connection, Meters] = WeakKeyDictionary()
        self.signals = ControlMessageQueue()

    def prepare(self, connection: Connection) -> None:
        """Install the punts of a switch that connects, and add problems to `connection.problems`.

        Raises:
            Unreachable: The connection ended, or the switch does not answer.
            RequestRejected: The switch refused a question.
        """
        self._meters[connection] = meters = read_meters(connection)
        if meters.highest:
            connection.capabilities += (METERS,)
        connection.confirm(flow_mods.remove_punts())
        ports = [number for number in connection.ports if (connection.dpid, number) not in self._links]
        connection.problems += self._install(connection, sorted(ports))
        connection.extras.add(
            EntrySource(
                lambda: self._expected_punts(connection),
                lambda: self._count(connection),
                lambda table: self._restore_meters(connection, table),
            )
        )

    def link_use_changed(self, pair: tuple[PortId, PortId], there: bool) -> None:
        """Update both ends of a link that is now used (`there`), or is no longer used.

        The ends of a used link accept no control messages. A link that discovery found and that the control
        plane has not confirmed is not used.
        """
        for end in pair:
            (self._links.add if there else self._links.discard)(end)
            self.port_changed(end)

    def port_changed(self, end: PortId) -> None:
        """Update the entries of a port for its current state.

        Each port has at most one greenlet for this. It checks the state again before it ends.
        """
        connection = self._registry.find(end[0])
        if connection is not None and (connection.epoch, end) not in self._updating:
            self._updating.add((connection.epoch, end))
            spawn(self._update_port, connection, end)

    def port_gone(self, end: PortId) -> None:
        """Forget a port that was removed from its switch."""
        self.signals.forget(end)
        self.port_changed(end)

    def switch_gone(self, connection: Connection) -> None:
        """Forget the rate limits of the ports of a switch that disconnected."""
        for number in connection.ports:
            self.signals.forget((connection.dpid, number))

    def packet_in(self, connection: Connection, port: int, frame: bytes) -> None:
        """Handle a punted frame. The rate limit is checked first, because a flood must cost little."""
        end = (connection.dpid, port)
        if end in self._links:
            self.signals.dropped[Dropped.LINK_PORT] += 1
            return
        if port not in connection.ports:
            self.signals.dropped[Dropped.UNKNOWN_PORT] += 1
            return
        if not self.signals.allows(end):
            self._report_flood(connection, port)
            return
        found = parse(frame)
        if isinstance(found, Dropped):
            self.signals.dropped[found] += 1
        else:
            self.signals.put(end, found)

    def answer(self, end: PortId, to: Datagram) -> str | None:
        """Send a reply out of a port; it may be lost on the path.

        Returns:
            Why it was not sent, or None.
        """
        connection = self._registry.find(end[0])
        if connection is None:
            return "the switch is not connected"
        port = connection.ports.get(end[1])
        if port is None or not port.up:
            return "the port is down or gone"
        frame = answer_frame(bytes.fromhex(port.mac.replace(":", "")), to)
        return (
            None
            if connection.send_if_idle(messages.packet_out((port.number,), frame))
            else "the channel is congested"
        )

    def _update_port(self, connection: Connection, end: PortId) -> None:
        """Update a port's entries until they match its state, which may change meanwhile."""
        wanted = None
        try:
            while wanted is not (now := self._accepts(connection, end)):
                wanted = now
                if wanted:
                    for problem in self._reinstall(connection, end[1]):
                        self._alarms.sound("late_error", problem, LASTING, dpid=connection.name)
                else:
                    keys = [punt_key(family, end[1]) for family in self._families]
                    removals = [flow_mods.remove_punt(key) for key in keys]
                    connection.confirm([flow_mods.remove_lldp_port_punt(end[1]), *removals])
        except (Unreachable, RequestRejected):
            return  # all entries are installed when the switch connects again
        finally:
            self._updating.discard((connection.epoch, end))

    def _accepts(self, connection: Connection, end: PortId) -> bool:
        return end[1] in connection.ports and end not in self._links

    def _restore_meters(self, connection: Connection, table: SwitchTable) -> None:
        """Read the meters, correct own meters that were changed, and add those that are missing.

        Raises:
            Unreachable: The connection ended, or the switch does not answer.
            RequestRejected: The switch refused a question.
        """
        meters = read_meters(connection)
        used = {number for flow in table.reserved if (number := instructions.metered_by(flow.instructions))}
        changed = meters.changed(self._meters[connection], used)
        failures = connection.confirm([meters.correction(number) for number in changed]) if changed else {}
        for n, number in enumerate(changed):
            if n not in failures:
                meters.correct(number)
        self._make_meters(connection, meters, self._ports(connection))
        self._meters[connection] = meters

    def _install(self, connection: Connection, ports: Sequence[int]) -> list[str]:
        """Install the meters and punts of ports, and return a line for each that failed."""
        meters = self._meters[connection]
        self._make_meters(connection, meters, ports)
        wanted = self._punts(meters, ports)
        free = [(name, message) for name, message, place in wanted if place not in connection.foreign]
        failures = connection.confirm([message for _, message in free])
        refused = [f"{free[n][0]} was refused: {e.type}/{e.code}" for n, e in sorted(failures.items())]
        why = "cannot be installed: an entry of another program has the same match and priority"
        return [f"{name} {why}" for name, _, place in wanted if place in connection.foreign] + refused

    def _reinstall(self, connection: Connection, port: int) -> list[str]:
        """Install a port's entries; if this fails, restore the meters and try again."""
        if not self._install(connection, [port]):
            return []
        self._restore_meters(connection, read_table(connection))
        return self._install(connection, [port])

    def _expected_punts(self, connection: Connection) -> list[Punt]:
        """Return the punts that a switch should have now."""
        return self._punts(self._meters[connection], self._ports(connection))

    def _count(self, connection: Connection) -> int:
        """Count the punts that a switch should have now.

        This is called often, so it builds the punts only if the switch has entries of other owners.
        """
        if not connection.foreign:
            ports, meters = self._ports(connection), self._meters[connection]
            metered = sum(meters.number(port) is not None for port in ports)
            return len(ports) * len(self._families) + metered
        return sum(place not in connection.foreign for _, _, place in self._expected_punts(connection))

    def _ports(self, connection: Connection) -> list[int]:
        """Return the ports that accept control messages now."""
        return sorted(p for p in connection.ports if self._accepts(connection, (connection.dpid, p)))

    def _punts(self, meters: Meters, ports: Sequence[int]) -> list[Punt]:
        """Return the punts of control messages and, for ports with a meter, of discovery frames.

        Both go through the port's meter.
        """
        keys = [(family, port, punt_key(family, port)) for port in ports for family in self._families]
        signals = [
            (
                f"the entry that sends {family} control messages of port {port} to the controller",
                flow_mods.add_punt(key, meters.number(port)),
                identity(key),
            )
            for family, port, key in keys
        ]
        metered = [(port, meter) for port in ports if (meter := meters.number(port)) is not None]
        probes = [
            (
                f"the entry that sends discovery probes of port {port} to the controller",
                flow_mods.add_lldp_port_punt(port, meter),
                lldp_port_place(port),
            )
            for port, meter in metered
        ]
        return signals + probes

    @staticmethod
    def _make_meters(connection: Connection, meters: Meters, ports: Sequence[int]) -> None:
        """Add missing meters. A refused meter is not used: the controller's own limit still applies."""
        lacking = [port for port in ports if meters.lacks(port)]
        failures = connection.confirm([meters.addition(port) for port in lacking]) if lacking else {}
        for n, port in enumerate(lacking):
            meters.record_result(port, n not in failures)

    def report_flood(self, connection: Connection, port: int, packets: int) -> None:
        """Count control messages of a port that were dropped by their header, and raise the alarm."""
        self.signals.dropped[Dropped.RATE] += packets
        self._report_flood(connection, port)

    def _report_flood(self, connection: Connection, port: int) -> None:
        detail = "the host sends more control messages than its rate limit; the controller drops the excess"
        self._alarms.sound("signalling_flood", detail, LASTING, dpid=connection.name, port=port)

"""The probes of this run of the controller: issued for ports, and checked on arrival."""

from __future__ import annotations

from itertools import count
from secrets import randbits
from typing import NamedTuple

from controller_app.discovery.adjacency import PortId as End
from controller_app.openflow import lldp
from controller_app.switch.connection import Connection
from controller_app.switch.registry import SwitchRegistry

LIFE_MASK = 0xFFFFFFFF
"""Mask of the bits that a probe has for the life number of its port."""


class RefusedProbe(NamedTuple):
    """Reason why a frame does not count, and the port that it names if it is a sealed probe."""

    fault: lldp.ProbeFault
    sender: End | None


class ProbeIssuer:
    """Issues sealed probes and separates fresh probes of this run from all other frames.

    The life of a port is the time from its first probe until the port goes down. A probe of an earlier life
    does not count.

    Args:
        key: Secret of the installation that seals probes.
        span: Seconds for which a probe counts after it was sent.
    """

    def __init__(self, registry: SwitchRegistry, key: bytes, span: float) -> None:
        self._registry = registry
        self._key = key
        self._run = randbits(64)
        self._numbers = count(1)
        self._births = count(1)
        self._window = lldp.SealWindow(self._run, span)
        self.lives: dict[End, int] = {}

    def issue(self, end: End, mac: str, now: float) -> bytes:
        """Return a frame with the next probe of a port.

        Args:
            mac: MAC address of the port.
        """
        if end not in self.lives:
            self.lives[end] = next(self._births) & LIFE_MASK
        probe = lldp.Probe(*end, self.lives[end], self._run, next(self._numbers), round(now * 1000))
        return lldp.build(self._key, probe, bytes.fromhex(mac.replace(":", "")))

    def forget(self, end: End) -> None:
        """End the life of a port that is down or gone."""
        self.lives.pop(end, None)

    def read(
        self, frame: bytes, connection: Connection, number: int, now: float
    ) -> lldp.Probe | RefusedProbe:
        """Return the probe in a frame that arrived at a port, or why it does not count."""
        found = lldp.parse(self._key, frame)
        if isinstance(found, lldp.ProbeFault):
            return RefusedProbe(found, None)
        fault = self._fault(found, connection, number, now)
        return found if fault is None else RefusedProbe(fault, (found.dpid, found.port))

    def _fault(
        self, probe: lldp.Probe, connection: Connection, number: int, now: float
    ) -> lldp.ProbeFault | None:
        """Return why a sealed probe does not count: its age, or a changed port; None if it counts."""
        receiver = (connection.dpid, number)
        fault = self._window.fault(probe, receiver, round(now * 1000))
        if fault is not None:
            return fault
        if (probe.dpid, probe.port) == receiver:
            return lldp.ProbeFault.REFLECTED
        sender = self._registry.find(probe.dpid)
        there = sender.ports.get(probe.port) if sender else None
        here = connection.ports.get(number)
        if there is None or here is None or not there.up or not here.up:
            return lldp.ProbeFault.OUTDATED
        return None if self.lives.get((probe.dpid, probe.port)) == probe.life else lldp.ProbeFault.OUTDATED

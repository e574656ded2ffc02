"""A network as numbers: the ports where packets enter switches, and the targets of outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from tercast.tables.entries import IN_PORT, Action, SetDst
from tercast.topology.topology import Port, Topology
from tercast.verification.forwarding import ForwardingModel

ShortInts = npt.NDArray[np.int32]

BACK = -1
"""The port of an output that sends a packet back to where it came from."""

NOWHERE = -1


class PortIndex:
    """The numbered *gates* of a network: ports where packets from a link or from hosts enter.

    `ports[g]` is the port, `number[g]` its number, and `switch[g]` the number of its switch. The first
    `links` gates are those of links. `far[g]` is the gate at the other end, or NOWHERE for hosts. `home[h]`
    is the gate of host h. `component[g]` and `host_component[h]` are components of the network (NOWHERE: not
    attached).
    """

    def __init__(self, topology: Topology) -> None:
        self.world = world = ForwardingModel(topology)
        self.switches = {name: number for number, name in enumerate(topology.switches)}
        links = sorted(world.far)
        self.ports: list[Port] = [*links, *sorted(set(world.place.values()))]
        self.links = len(links)
        self.gates = {port: gate for gate, port in enumerate(self.ports)}
        self.number = np.array([port for _, port in self.ports], dtype=np.int64)
        self.switch = _numbers(self.switches[switch] for switch, _ in self.ports)
        self.far = np.full(len(self.ports), NOWHERE, dtype=np.int32)
        self.far[: self.links] = [self.gates[world.far[port]] for port in links]
        self.home = _numbers(
            self.gates[world.place[host]] if host in world.place else NOWHERE for host in world.names
        )
        self.component = _numbers(world.components[switch] for switch, _ in self.ports)
        self.host_component = np.append(self.component, NOWHERE).astype(np.int32)[self.home]

    def outputs(self, switch: str, actions: Sequence[Action]) -> list[tuple[int, int, int]]:
        """Return the outputs of actions at a switch: (port or BACK, far gate, host) for each.

        The far gate or the host is NOWHERE if there is none. Outputs to neither a host nor a switch are left
        out. Outputs that go BACK are last, and their target depends on the gate.
        """
        found: list[tuple[int, int, int]] = []
        back: list[tuple[int, int, int]] = []
        rewritten: str | None = None
        for action in actions:
            if isinstance(action, SetDst):
                rewritten = action.host
            elif action.port == IN_PORT:
                host = NOWHERE if rewritten is None else self.world.index.get(rewritten)
                if host is not None:
                    back.append((BACK, NOWHERE, host))
            else:
                output = self._output((switch, int(action.port)), rewritten)
                if output is not None:
                    found.append(output)
        return found + back

    def _output(self, port: Port, rewritten: str | None) -> tuple[int, int, int] | None:
        far = self.world.far.get(port)
        if rewritten is None:
            return None if far is None else (port[1], self.gates[far], NOWHERE)
        if far is None and self.world.place.get(rewritten) == port:
            return port[1], NOWHERE, self.world.index[rewritten]
        return None


def _numbers(values: Iterable[int]) -> ShortInts:
    return np.array(list(values), dtype=np.int32)

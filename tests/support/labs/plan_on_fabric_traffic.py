"""Events that the host library sends over ports of a fabric, and what hosts get and ports count.

Nothing here waits for a time. All packets have arrived when these conditions hold: two consecutive readings
of all counters are equal, every link has delivered what it received, and every port of hosts has received
what was sent. Counters never decrease, so all of this was true at one moment. Hosts have read everything when
they have as many frames as left by their ports.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tercast.client.publisher import Publisher
from tercast.client.subscriber import Subscriber
from tercast.client.transports import FabricPort
from tercast.eventspace.address_plan import SIGNALLING
from tercast.offline.scenario import Scenario
from tercast.requests.registry import ADVERTISEMENT
from tercast.wire.packets import Ignored
from tests.support.labs.plan_on_fabric_counters import Counters
from tests.support.labs.plan_on_fabric_events import Event
from tests.waiting import LIMIT_SECONDS

ON_THEIR_WAY = 90
"""Highest number of frames to one port at a time: a switch stores a hundred for a reader."""

Port = tuple[str, int]


@dataclass
class Traffic:
    """The result of events."""

    deliveries: Counter[tuple[int, str]] = field(default_factory=Counter)
    """By number of the event and host."""
    wanted: Counter[str] = field(default_factory=Counter)
    unwanted: Counter[str] = field(default_factory=Counter)
    out: Counter[Port] = field(default_factory=Counter)
    """Packets that left by a port, to a link or to hosts."""
    into: Counter[Port] = field(default_factory=Counter)


class Station:
    """A host at its port: a connection, a subscriber, and a publisher per advertisement."""

    def __init__(self, host: str, place: Port, port: FabricPort, scenario: Scenario) -> None:
        self.host, self.place, self.port = host, place, port
        topics, depth = scenario.final.topics, scenario.depth
        live = [(name, reg) for name, reg in scenario.final.live.items() if reg.host == host]
        wanted = {name: scenario.filters[name] for name, reg in live if reg.kind != ADVERTISEMENT}
        self.subscriber = Subscriber(wanted, topics.values(), port)
        self.publishers = {
            name: Publisher(topics[reg.topic], scenario.filters[name], port, scenario.address, name, depth)
            for name, reg in live
            if reg.kind == ADVERTISEMENT
        }
        self.got: Counter[tuple[str, int]] = Counter()

    def read(self) -> int:
        """Read what has arrived; return the number of frames on this connection in total."""
        while (delivery := self.subscriber.receive_any(0)) is not None:
            self.got[delivery.event.publisher, delivery.event.seq] += 1
        return self.subscriber.counters.received + self.port.ignored.total()

    def check(self) -> None:
        """Check that every frame was a readable event, or one for another host at this port."""
        counters = self.subscriber.counters
        assert counters.malformed == counters.unknown == 0, (self.host, counters)
        assert not self.port.ignored.keys() - {Ignored.OTHER_ADDRESS}, (self.host, self.port.ignored)


class Carrier:
    """Stations at the ports of a fabric, which carries events between them.

    `wires` are the links that are up, from each port to the other end.
    """

    def __init__(
        self, counters: Counters, stations: Mapping[str, Station], wires: Mapping[Port, Port]
    ) -> None:
        self._counters, self._stations, self._wires = counters, stations, wires
        self._begin = Traffic()

    @classmethod
    @contextmanager
    def over(
        cls,
        counters: Counters,
        scenario: Scenario,
        sockets: Mapping[str, tuple[Port, Path]],
        wires: Mapping[Port, Port],
    ) -> Iterator[Carrier]:
        """Yield a carrier for hosts that are connected to the `sockets` of their ports."""
        with ExitStack() as stack:
            stations = {}
            for host, (place, path) in sockets.items():
                own = scenario.final.topology.hosts[host]
                port = stack.enter_context(FabricPort(path, own.ip, own.mac))
                stations[host] = Station(host, place, port, scenario)
            carrier = cls(counters, stations, wires)
            carrier._greet(SIGNALLING[scenario.address.family])
            yield carrier

    def carry(self, hosts: Mapping[str, str], events: Sequence[Event]) -> Traffic:
        """Publish the events, each by the host of its advertisement, and return the result."""
        numbers: dict[tuple[str, int], int] = {}
        entered: Counter[Port] = Counter()
        for publisher, burst in self._bursts(events):
            station = self._stations[hosts[publisher]]
            for number in burst:
                numbers[publisher, station.publishers[publisher].publish(events[number].values)] = number
                self._read()
            entered[station.place] += len(burst)
            self._until(lambda: self._quiet(self._since(), entered))
        traffic = self._settle(entered)
        for host, station in self._stations.items():
            station.check()
            traffic.deliveries.update({(numbers[event], host): n for event, n in station.got.items()})
            traffic.wanted[host] = station.subscriber.counters.wanted
            traffic.unwanted[host] = station.subscriber.counters.unwanted
        return traffic

    def _bursts(self, events: Sequence[Event]) -> Iterator[tuple[str, list[int]]]:
        """Yield the numbers of events that a publisher sends in one burst; all may go to one port."""
        sharing = Counter(station.place for station in self._stations.values())
        most = ON_THEIR_WAY // max(sharing.values())
        for publisher in dict.fromkeys(event.publisher for event in events):
            own = [number for number, event in enumerate(events) if event.publisher == publisher]
            for start in range(0, len(own), most):
                yield publisher, own[start : start + most]

    def _greet(self, address: str) -> None:
        """Send a frame without matching entry from every host; when it enters, the host is connected."""
        self._begin = self._counted()
        for station in self._stations.values():
            station.port.send(address, b"hello")
        self._begin = self._sum(self._settle(Counter(station.place for station in self._stations.values())))

    def _sum(self, since: Traffic) -> Traffic:
        return Traffic(out=self._begin.out + since.out, into=self._begin.into + since.into)

    def _settle(self, entered: Counter[Port]) -> Traffic:
        """Return the counts of ports since the start, when they do not change any more."""
        seen: list[Traffic] = [Traffic()]

        def settled() -> bool:
            seen.append(self._since())
            return self._quiet(seen[-1], entered) and seen[-1] == seen[-2]

        self._until(settled)
        return seen[-1]

    def _quiet(self, now: Traffic, entered: Counter[Port]) -> bool:
        """Whether all sent packets have entered, links have delivered all, and hosts have read all."""
        return (
            all(now.into[port] == count for port, count in entered.items())
            and all(now.out[port] == now.into[far] for port, far in self._wires.items())
            and all(station.read() == now.out[station.place] for station in self._stations.values())
        )

    def _since(self) -> Traffic:
        now = self._counted()
        return Traffic(out=now.out - self._begin.out, into=now.into - self._begin.into)

    def _counted(self) -> Traffic:
        read = self._counters.read().items()
        return Traffic(
            out=Counter({port: sent for port, (sent, _) in read}),
            into=Counter({port: received for port, (_, received) in read}),
        )

    def _read(self) -> None:
        for station in self._stations.values():
            station.read()

    def _until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + LIMIT_SECONDS
        while not condition():
            self._read()
            assert time.monotonic() < deadline, f"packets are not at their ends: {self._since()}"

"""A simulated federation in virtual time: lossy borders, crashes, cuts, restarts.

Equal seeds result in identical runs. A border carries sealed bytes. The switches of a partition close
borders, then change all their tables in one step, and then confirm.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from tercast.federation.messages.peer_messages import Envelope
from tercast.federation.messages.sealed_channel import SealedChannel
from tercast.federation.neighbour_liveness import GRACE
from tercast.federation.partition import Partition
from tercast.federation.table_push import TablePush
from tercast.federation.world.division import BorderLink, divide
from tercast.federation.world.packet_walk import InstalledTables
from tercast.federation.world.switch_updates import SwitchUpdates
from tercast.federation.world.virtual_time import VirtualTime
from tercast.offline.scenario import Scenario
from tercast.planner.planner import Outcome
from tercast.requests.model import (
    Add,
    Advertise,
    HostMove,
    Remove,
    Request,
    SetBudget,
    SetPort,
    SetSwitch,
    Subscribe,
    Unadvertise,
    Unsubscribe,
)
from tercast.requests.registry import ADVERTISEMENT, Registration
from tercast.topology.borders import border_name
from tercast.verification.forwarding import ForwardingModel

TICK = 1.0

TREE_MESSAGES = frozenset({"Hello", "Propose", "Agree"})
"""Messages that keep the tree of partitions, whatever is advertised and subscribed."""


@dataclass(frozen=True, slots=True)
class WorldOptions:
    """Behaviour of the simulated channels and switches; delays are ranges in seconds."""

    seed: int = 0
    delay: tuple[float, float] = (0.005, 0.05)
    confirm: tuple[float, float] = (0.005, 0.05)
    loss: float = 0.0
    duplication: float = 0.0
    grace: float = GRACE
    export_limit: int | None = None


class FederatedWorld:
    """All partitions of a scenario, the tables that their switches have, and the virtual time.

    `truth` is the whole network and all registrations, as no partition knows them.
    """

    def __init__(self, scenario: Scenario, options: WorldOptions | None = None, method: str = "none") -> None:
        self.scenario = scenario
        self.options = options or WorldOptions()
        self.time = VirtualTime()
        self.divided = divide(scenario, method)
        self.truth = scenario.beginning()
        self.model = ForwardingModel(self.truth.topology)
        self.tables = InstalledTables(scenario.address)
        self.updates = SwitchUpdates(self.tables, self.time)
        self.sent: Counter[str] = Counter()
        self.sent_bytes = 0
        self.cut: set[tuple[str, str]] = set()
        self.alive: set[str] = set()
        self._random = Random(self.options.seed)
        self._channels: dict[str, SealedChannel] = {}
        self._polls: dict[str, float] = {}
        self.partitions = {
            name: Partition(name, planner, grace=self.options.grace, export_limit=self.options.export_limit)
            for name, planner in self.divided.planners.items()
        }
        for partition in self.partitions.values():  # switches drop what comes from a neighbour unasked
            self.tables.closed.update(partition.planner.topology.borders.values())
        for name in self.partitions:
            self.start(name)

    def start(self, name: str) -> None:
        """Start the controller of a partition, or start it again after a crash."""
        if name not in self.alive:
            self.alive.add(name)
            partition = self.partitions[name]
            up = filter(self._is_up, partition.planner.topology.borders)
            instance = self._random.getrandbits(40) + 1
            partition.start(instance, self.time.now, up)
            self._collect(name)
            self._tick_later(name, instance, self._random.random() * TICK)

    def crash(self, name: str) -> None:
        """Stop the controller of a partition; its switches keep their tables and forward."""
        self.alive.discard(name)

    def set_cut(self, one: BorderLink, cut: bool) -> None:
        """Cut or heal the link of a border; both controllers notice the state of their ports."""
        (self.cut.add if cut else self.cut.discard)(one.borders)
        self.truth.topology.set_port(one.link.a, one.link.a_port, not cut)
        self.model = ForwardingModel(self.truth.topology)
        self._ports_changed([one])

    def request(self, request: Request) -> Outcome:
        """Carry out a request in the partition that it concerns."""
        match request:
            case Subscribe() | Advertise():
                self.truth.check(request)
                outcome = self._request(self.partition_of_host(request.host), request)
                if outcome.ok:
                    self.truth.register(self._registration(request.id, request.host))
                return outcome
            case Unsubscribe() | Unadvertise():
                registration = self.truth.find(request)
                outcome = self._request(self.partition_of_host(registration.host), request)
                if outcome.ok:
                    self.truth.withdraw(registration)
                return outcome
            case SetPort(switch, port, up, _):
                return self._set_port(request, switch, port, up)
            case SetSwitch(switch):
                self._change(request)
                outcome = self._request(self.divided.partition_of[switch], request)
                touched = [one for one in self.divided.border_links if switch in (one.link.a, one.link.b)]
                self._ports_changed(touched)
                return outcome
            case HostMove():
                return self._move_host(request)
            case SetBudget(switch):
                self.truth.change(request)
                return self._request(self.divided.partition_of[switch], request)
            case _:
                raise ValueError(f"a federation has no requests of type {type(request).__name__}")

    def subscribe_all(self, requests: Sequence[Subscribe]) -> None:
        """Carry out subscriptions that come together; each partition takes its own as one batch."""
        by_partition: dict[str, list[Subscribe]] = {}
        for one in requests:
            self.truth.check(one)
            by_partition.setdefault(self.partition_of_host(one.host), []).append(one)
        for name, mine in by_partition.items():
            outcomes = self.partitions[name].request_all(mine, self.time.now)
            for one, outcome in zip(mine, outcomes, strict=True):
                if outcome.ok:
                    self.truth.register(self._registration(one.id, one.host))
            self._collect(name)

    def run_until(self, time: float) -> None:
        """Let the virtual time pass."""
        self.time.run_until(time)

    def partition_of_host(self, host: str) -> str:
        """Return the partition of a host."""
        return self.divided.partition_of[self.truth.topology.hosts[host].primary.switch]

    def _change(self, request: SetSwitch | SetPort | HostMove) -> None:
        """Change the whole network, and the model that follows from it."""
        self.truth.change(request)
        self.model = ForwardingModel(self.truth.topology)

    def _request(self, name: str, request: Request) -> Outcome:
        outcome = self.partitions[name].request(request, self.time.now)
        self._collect(name)
        return outcome

    def _registration(self, name: str, host: str) -> Registration:
        """Return a new registration as its partition has encoded it."""
        own = self.partitions[self.partition_of_host(host)].planner.registry.live[name]
        return replace(own, seq=self.truth.next_seq)

    def _set_port(self, request: SetPort, switch: str, port: int, up: bool) -> Outcome:
        one = self.divided.borders.get(border_name(switch, port))
        if one is not None:
            self.truth.topology.version += 1
            self.set_cut(one, not up)
            return Outcome(ok=True)
        self._change(request)
        return self._request(self.divided.partition_of[switch], request)

    def _move_host(self, request: HostMove) -> Outcome:
        """Move a host; in another partition it is added, and announces again there."""
        before = self.partition_of_host(request.host)
        self._change(request)
        after = self.partition_of_host(request.host)
        if before == after:
            return self._request(after, request)
        mine = [one for one in self.truth.live.values() if one.host == request.host]
        for one in mine:
            withdraw = Unadvertise if one.kind == ADVERTISEMENT else Unsubscribe
            self._request(before, withdraw(one.id))
        self._request(before, Remove("host", request.host))
        self._request(after, Add("host", self.truth.topology.hosts[request.host].to_json()))
        outcome = Outcome(ok=True)
        for one in mine:
            register = Advertise if one.kind == ADVERTISEMENT else Subscribe
            outcome = self._request(after, register(one.id, one.host, one.topic, one.filter, one.dz))
            if not outcome.ok:
                self.truth.withdraw(one)
        return outcome

    def _ports_changed(self, links: list[BorderLink]) -> None:
        for one in links:
            for name, border in one.ends:
                if name in self.alive:
                    self.partitions[name].port_changed(border, self._is_up(border), self.time.now)
                    self._collect(name)

    def _is_up(self, border: str) -> bool:
        one = self.divided.borders[border]
        down = self.truth.topology.down_switches
        return one.borders not in self.cut and one.link.a not in down and one.link.b not in down

    def _tick_later(self, name: str, instance: int, pause: float) -> None:
        def tick() -> None:
            partition = self.partitions[name]
            if name in self.alive and partition.started == instance:
                partition.tick(self.time.now)
                self._collect(name)
                self._tick_later(name, instance, TICK)

        self.time.after(pause, tick)

    def _collect(self, name: str) -> None:
        """Send the pending messages of a partition."""
        partition = self.partitions[name]
        for push in partition.take_pushes():
            self._push(name, push)
        for border, envelope in partition.take_messages():
            self._send(name, border, envelope)
        due = partition.next_poll()
        if due is not None and due < self._polls.get(name, float("inf")):
            self._polls[name] = due
            self.time.at(due, lambda: self._poll(name, due))

    def _poll(self, name: str, due: float) -> None:
        if self._polls.get(name) == due:
            del self._polls[name]
        if name in self.alive:
            self.partitions[name].poll(self.time.now)
            self._collect(name)

    def _push(self, name: str, push: TablePush) -> None:
        """Let switches carry out a change after a delay, and then confirm it."""
        partition = self.partitions[name]
        started = partition.started

        def confirm() -> None:
            if name in self.alive and partition.started == started:
                partition.confirmed(push.number, self.time.now)
                self._collect(name)

        self.updates.push(partition, push, self._random.uniform(*self.options.confirm), confirm)

    def _send(self, name: str, border: str, envelope: Envelope) -> None:
        options, one = self.options, self.divided.borders[border]
        self.sent[type(envelope.message).__name__] += 1
        data = self._channel(border).seal(envelope)
        self.sent_bytes += len(data)
        if not self._is_up(border):
            return
        for _ in range(1 + (self._random.random() < options.duplication)):
            if self._random.random() >= options.loss:
                delay = self._random.uniform(*options.delay)
                self.time.after(delay, lambda: self._deliver(one, name, border, data))

    def _deliver(self, one: BorderLink, sender: str, border: str, data: bytes) -> None:
        name, far = one.far_end(border)
        if name not in self.alive or not self._is_up(border):
            return
        envelope = self._channel(far).open(data, border)
        if envelope is not None:
            self.partitions[name].receive(far, envelope, self.time.now)
            self._collect(name)

    def _channel(self, border: str) -> SealedChannel:
        channel = self._channels.get(border)
        if channel is None:
            names = " ".join(sorted(self.divided.borders[border].borders))
            channel = self._channels[border] = SealedChannel(hashlib.sha256(names.encode()).digest(), border)
        return channel

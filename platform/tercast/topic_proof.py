"""The proof for one topic: every publisher, every region of the event space, walked through the tables.

The prefixes of all entries, advertisements and subscriptions cut the space into atoms: a prefix without those
below it. Within an atom every table does the same to every event, so one walk for an atom and an ingress port
stands for all its events. Nothing is sampled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tercast.dz import WHOLE, Dz, DzSet, covers
from tercast.forwarding import HostMask, Step, World
from tercast.keys import Order, SortedKeys
from tercast.table_checks import Row, check_rows
from tercast.tables import IN_PORT, Entry, Output
from tercast.topology import Port
from tercast.violations import Findings


@dataclass(slots=True)
class Rule:
    """An entry, with what it does; `turns` when it sends something back to where it came from."""

    entry: Entry
    steps: tuple[Step, ...]
    turns: bool


Rules = dict[str, list[Rule]]
"""The rules at one prefix, by switch."""


@dataclass(slots=True)
class Frame:
    """A prefix that is open during the pass: volume, what of it is filled, who brings and wants it."""

    dz: Dz
    volume: int
    brought: HostMask
    wanted: HostMask
    rules: Rules
    filled: int = 0


@dataclass(slots=True)
class Flow:
    """What becomes of packets at a switch from an ingress port: hosts that get them, and get them again."""

    once: HostMask = 0
    again: HostMask = 0
    onward: list[tuple[Step, Port]] = field(default_factory=list)


class TopicProof:
    """Prefixes of one topic, with the entries, advertisements and subscriptions at each."""

    __slots__ = ("_ads", "_order", "_prefixes", "_rules", "_subs", "_uses", "exact", "topic")

    def __init__(self, topic: str, order: Order, exact: bool) -> None:
        self.topic = topic
        self.exact = exact
        self._order = order
        self._prefixes = SortedKeys()
        self._uses: dict[Dz, int] = {}
        self._rules: dict[Dz, Rules] = {}
        self._ads: dict[Dz, dict[str, list[str]]] = {}
        self._subs: dict[Dz, dict[str, list[str]]] = {}

    def add_entry(self, switch: str, dz: Dz, entry: Entry, world: World) -> None:
        """An entry of the topic is in a table."""
        rules = self._rules.setdefault(dz, {}).setdefault(switch, [])
        turns = any(isinstance(action, Output) and action.port == IN_PORT for action in entry.actions)
        rules.append(Rule(entry, world.steps(switch, entry), turns))
        rules.sort(key=lambda rule: rule.entry.in_port or 0)
        self._use(dz)

    def remove_entry(self, switch: str, dz: Dz, entry: Entry) -> None:
        """It is there no more."""
        here = self._rules[dz]
        rules = here[switch]
        del rules[next(i for i, rule in enumerate(rules) if rule.entry.key == entry.key)]
        if not rules:
            del here[switch]
        if not here:
            del self._rules[dz]
        self._unuse(dz)

    def look_again(self, world: World) -> None:
        """The network is another one: read anew what entries do."""
        for here in self._rules.values():
            for switch, rules in here.items():
                for rule in rules:
                    rule.steps = world.steps(switch, rule.entry)

    def register(self, ad: bool, name: str, host: str, cells: DzSet) -> list[Dz]:
        """An advertisement or a subscription is live; where that is news about the host."""
        table = self._ads if ad else self._subs
        news = [dz for dz in cells if not _covered(table, host, dz)]
        for dz in cells:
            table.setdefault(dz, {}).setdefault(host, []).append(name)
            self._use(dz)
        return news

    def withdraw(self, ad: bool, name: str, host: str, cells: DzSet) -> list[Dz]:
        """It is live no more; where nothing else of the host says the same."""
        table = self._ads if ad else self._subs
        for dz in cells:
            table[dz][host].remove(name)
            if not table[dz][host]:
                del table[dz][host]
            if not table[dz]:
                del table[dz]
            self._unuse(dz)
        return [dz for dz in cells if not _covered(table, host, dz)]

    def check(self, region: DzSet, world: World, found: Findings) -> None:
        """Note all that is wrong within `region`."""
        for dz in region:
            Walk(self, world, found).check(dz)

    def prefixes_of(self, dz: Dz) -> tuple[list[Dz], list[Dz]]:
        """The prefixes that cover `dz`, without it, from short to long; those within it, depth first."""
        above = [dz >> k for k in range(dz.bit_length() - 1, 0, -1) if dz >> k in self._uses]
        key = self._order.key(dz)
        return above, [self._order.dz(found) for found in self._prefixes.range(key, self._order.end(key))]

    def frame(self, dz: Dz, over: Frame | None, world: World, always: bool) -> Frame | None:
        """What is known of a prefix inside `over`; None where it is nothing new, but not with `always`."""
        brought, wanted = (over.brought, over.wanted) if over is not None else (0, 0)
        for host in self._ads.get(dz, ()):
            brought |= 1 << world.index[host] if host in world.place else 0
        for host in self._subs.get(dz, ()):
            wanted |= 1 << world.index[host]
        rules = self._rules.get(dz)
        same = over is not None and (brought, wanted) == (over.brought, over.wanted)
        if rules is None and same and not always:
            return None
        volume = 1 << self._order.depth - dz.bit_length() + 1
        return Frame(dz, volume, brought, wanted, rules or {})

    def publisher(self, host: str, dz: Dz) -> str:
        """An advertisement of `host` that holds a cell."""
        for k in range(dz.bit_length()):
            names = self._ads.get(dz >> k, {}).get(host)
            if names:
                return names[0]
        return host

    def rules(self, prefixes: Iterable[Dz]) -> Iterator[tuple[Dz, str, Rule]]:
        """The rules at the given prefixes, in that order, with prefix and switch."""
        for dz in prefixes:
            for switch, rules in self._rules.get(dz, {}).items():
                for rule in rules:
                    yield dz, switch, rule

    def _use(self, dz: Dz) -> None:
        count = self._uses.get(dz, 0)
        self._uses[dz] = count + 1
        if not count:
            self._prefixes.add(self._order.key(dz))

    def _unuse(self, dz: Dz) -> None:
        self._uses[dz] -= 1
        if not self._uses[dz]:
            del self._uses[dz]
            self._prefixes.remove(self._order.key(dz))


def _covered(table: dict[Dz, dict[str, list[str]]], host: str, dz: Dz) -> bool:
    """Whether the host has a cell that holds `dz`."""
    return any(host in table[dz >> k] for k in range(dz.bit_length()) if dz >> k in table)


class Walk:
    """One pass over a cell of the space: all atoms in it, and all entries."""

    __slots__ = ("_flows", "_found", "_proof", "_stack", "_used", "_world")

    def __init__(self, proof: TopicProof, world: World, found: Findings) -> None:
        self._proof = proof
        self._world = world
        self._found = found
        self._stack: list[Frame] = []
        self._flows: dict[Port, Flow] = {}
        self._used: set[int] = set()

    def check(self, cell: Dz) -> None:
        """Walk every atom within `cell`, then look at the entries there."""
        proof, world = self._proof, self._world
        above, within = proof.prefixes_of(cell)
        stack = self._stack
        for dz in (*above, cell, *within):
            while stack and not covers(stack[-1].dz, dz):
                self._close(cell)
            frame = proof.frame(dz, stack[-1] if stack else None, world, dz == cell)
            if frame is not None and (not stack or stack[-1].dz != dz):
                stack.append(frame)
        while stack:
            self._close(cell)
        self._check_entries(above, within)

    def _close(self, cell: Dz) -> None:
        """A prefix ends: what of it no longer prefix has is an atom."""
        frame = self._stack[-1]
        if frame.filled < frame.volume and frame.brought and covers(cell, frame.dz):
            self._check_atom(frame, frame.dz)
        self._stack.pop()
        if self._stack:
            self._stack[-1].filled += frame.volume

    def _check_atom(self, atom: Frame, dz: Dz) -> None:
        world = self._world
        self._flows = {}
        chain = [frame.rules for frame in reversed(self._stack) if frame.rules]
        ingresses: dict[Port, str] = {}
        for host in world.hosts(atom.brought):
            ingresses.setdefault(world.place[host], host)
        for ingress, host in ingresses.items():
            flow = self._flow(ingress, dz, chain)
            expected = atom.wanted & world.members[world.components[ingress[0]]]
            lost, unwanted = expected & ~flow.once, flow.once & ~expected if self._proof.exact else 0
            if lost | unwanted | flow.again:
                self._note(dz, host, (lost, unwanted, flow.again))
        if self._proof.exact:
            self._check_needless(dz)

    def _note(self, dz: Dz, host: str, masks: tuple[HostMask, HostMask, HostMask]) -> None:
        """Note which hosts lost events, got unwanted ones, got them more than once."""
        publisher = self._proof.publisher(host, dz)
        kinds = (
            ("lost", "subscribes to them and gets none"),
            ("unwanted", "gets them and has no such subscription"),
            ("doubled", "gets more than one copy"),
        )
        for (kind, what), mask in zip(kinds, masks, strict=True):
            for name in self._world.hosts(mask):
                self._found.add(
                    kind,
                    f"host {name} {what}",
                    topic=self._proof.topic,
                    region=(dz,),
                    publisher=publisher,
                    host=name,
                )

    def _flow(self, start: Port, dz: Dz, chain: list[Rules]) -> Flow:
        """Follow packets of the atom from a switch and ingress port; what is reached twice is walked once."""
        done = self._flows
        opened: dict[Port, Flow] = {}
        stack = [start]
        while stack:
            here = stack[-1]
            if here in done:
                stack.pop()
                continue
            flow = opened.get(here)
            if flow is None:
                flow = opened[here] = self._open(here, dz, chain)
            waiting = [far for _, far in flow.onward if far not in done and far not in opened]
            if waiting:
                stack += waiting
                continue
            self._finish(here, flow, dz)
            stack.pop()
        return done[start]

    def _finish(self, here: Port, flow: Flow, dz: Dz) -> None:
        """All that lies behind a switch is known: who gets the packets through it."""
        for step, far in flow.onward:
            behind = self._flows.get(far)
            if behind is None:
                detail = f"{here[0]} sends them over port {step.port} to {far[0]}, where they came from"
                self._add("loop", detail, dz, here[0])
                continue
            flow.again |= behind.again | flow.once & behind.once
            flow.once |= behind.once
        self._flows[here] = flow

    def _open(self, here: Port, dz: Dz, chain: list[Rules]) -> Flow:
        """What the entry that wins at a switch does to packets from an ingress port."""
        switch, in_port = here
        flow = Flow()
        winner: Rule | None = None
        for rules in chain:
            for rule in rules.get(switch, ()):
                if rule.entry.in_port in (None, in_port):
                    self._used.add(id(rule))
                    if winner is None or rule.entry.priority > winner.entry.priority:
                        winner = rule
        if winner is None:
            return flow
        steps = [step for step in winner.steps if step.port != in_port]
        if winner.turns:
            steps += self._world.back(switch, in_port, winner.entry)
        for step in steps:
            if step.problem:
                self._add("output", step.problem, dz, switch)
            elif step.far is not None:
                flow.onward.append((step, step.far))
            else:
                flow.again |= flow.once & step.hosts
                flow.once |= step.hosts
        return flow

    def _check_needless(self, dz: Dz) -> None:
        """No copy crosses a link for nobody."""
        for (switch, _), flow in self._flows.items():
            for step, far in flow.onward:
                behind = self._flows.get(far)
                if behind is not None and not behind.once:
                    detail = (
                        f"{switch} sends copies over port {step.port} to {far[0]}, where nobody gets them"
                    )
                    self._add("needless", detail, dz, switch)

    def _check_entries(self, above: list[Dz], within: list[Dz]) -> None:
        """The entries in the cell, by themselves, and whether packets come to them at all."""
        proof = self._proof
        rows: dict[str, list[Row]] = {}
        for dz, switch, rule in proof.rules(within):
            rows.setdefault(switch, []).append(Row(dz, rule.entry))
            if proof.exact and id(rule) not in self._used:
                detail = f"{switch}: no packet ever comes to entry {rule.entry.dst}"
                self._add("idle", detail, dz, switch)
        over: dict[str, list[Row]] = {switch: [] for switch in rows}
        for dz, switch, rule in proof.rules(above):
            if switch in over:
                over[switch].append(Row(dz, rule.entry))
        for switch, own in rows.items():
            check_rows(switch, proof.topic, own, over[switch], self._found)

    def _add(self, kind: str, detail: str, dz: Dz, switch: str) -> None:
        self._found.add(kind, detail, topic=self._proof.topic, region=(dz,), switch=switch)


def whole_space() -> DzSet:
    """Every region of a topic."""
    return (WHOLE,)

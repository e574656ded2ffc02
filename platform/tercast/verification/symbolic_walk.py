"""The walk of a proof: packets of each atom, from each publisher's port, through the tables."""

from __future__ import annotations

from dataclasses import dataclass, field

from tercast.eventspace.dz import WHOLE, Dz, DzSet, covers
from tercast.topology.topology import Port
from tercast.verification.forwarding import ForwardingModel, ForwardingStep, HostMask
from tercast.verification.table_lint import Effects, LintRow, check_rows, named
from tercast.verification.topic_proof import ProofFrame, ProofRule, Rules, TopicProof
from tercast.verification.violations import Findings

EVERYWHERE: DzSet = (WHOLE,)

_NOBODY = "matches no packet"
_SAME = "has no effect: without it, all packets are forwarded in the same way"


@dataclass(slots=True)
class PacketSet:
    """Packets at a switch from one ingress port: the hosts that get them once or more than once.

    `direct` are the hosts at the switch. `rule` is the entry that sends packets to them and to `onward`.
    """

    once: HostMask = 0
    again: HostMask = 0
    direct: HostMask = 0
    onward: list[tuple[ForwardingStep, Port]] = field(default_factory=list)
    rule: ProofRule | None = None


class SymbolicWalk:
    """One pass over a cell of the event space: all its atoms and all its entries."""

    __slots__ = ("_effects", "_flows", "_found", "_matched", "_needed", "_proof", "_stack", "_world")

    def __init__(self, proof: TopicProof, world: ForwardingModel, found: Findings) -> None:
        self._proof = proof
        self._world = world
        self._found = found
        self._stack: list[ProofFrame] = []
        self._flows: dict[Port, PacketSet] = {}
        self._matched: set[int] = set()
        self._needed: set[int] = set()
        self._effects = Effects()

    def check(self, cell: Dz) -> None:
        """Walk every atom within `cell`, then check the entries in it."""
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
        """Close a prefix; the part of it that no longer prefix covers is an atom."""
        frame = self._stack[-1]
        if frame.filled < frame.volume and frame.brought and covers(cell, frame.dz):
            self._check_atom(frame, frame.dz)
        self._stack.pop()
        if self._stack:
            self._stack[-1].filled += frame.volume

    def _check_atom(self, atom: ProofFrame, dz: Dz) -> None:
        world = self._world
        self._flows = {}
        chain = [frame.rules for frame in reversed(self._stack) if frame.rules]
        ingresses: dict[Port, str] = {}
        for host in world.hosts(atom.brought):
            ingresses.setdefault(world.place[host], host)
        for ingress, host in ingresses.items():
            flow = self._flow(ingress, dz, chain)
            expected = atom.wanted & world.members[world.components[ingress[0]]]
            lost, unwanted = expected & ~flow.once, flow.once & ~expected
            if unwanted and not self._proof.allowance.exact:
                unwanted = self._unexplained(unwanted)
            if lost | unwanted | flow.again:
                self._record_hosts(dz, host, (lost, unwanted, flow.again))
        if not self._proof.allowance.lenient:
            self._check_redundant_copies(dz, atom.wanted)

    def _unexplained(self, unwanted: HostMask) -> HostMask:
        """Return the hosts that get false positives from an entry that is not merged."""
        found = 0
        for (switch, _), flow in self._flows.items():
            if flow.direct & unwanted and not self._is_merged(switch, flow.rule):
                found |= flow.direct & unwanted
        return found

    def _is_merged(self, switch: str, rule: ProofRule | None) -> bool:
        """Whether an entry may send too much."""
        proof = self._proof
        return rule is not None and proof.allowance.is_merged(
            switch, proof.topic, rule.entry.in_port, rule.dz
        )

    def _record_hosts(self, dz: Dz, host: str, masks: tuple[HostMask, HostMask, HostMask]) -> None:
        """Record the hosts that lost events, got false positives, or got duplicates."""
        publisher = self._proof.publisher(host, dz)
        kinds = (
            ("lost", "subscribes to them but receives none"),
            ("unwanted", "receives them without a matching subscription"),
            ("doubled", "receives more than one copy"),
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

    def _flow(self, start: Port, dz: Dz, chain: list[Rules]) -> PacketSet:
        """Follow packets of the atom from a switch and ingress port; walk each such place once."""
        done = self._flows
        opened: dict[Port, PacketSet] = {}
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

    def _finish(self, here: Port, flow: PacketSet, dz: Dz) -> None:
        """Combine the results of all switches after this one: the hosts that get packets through it."""
        for step, far in flow.onward:
            behind = self._flows.get(far)
            if behind is None:
                detail = f"{here[0]} sends them over port {step.port} to {far[0]}, where they came from"
                self._add("loop", detail, dz, here[0])
                continue
            flow.again |= behind.again | flow.once & behind.once
            flow.once |= behind.once
        self._flows[here] = flow

    def _open(self, here: Port, dz: Dz, chain: list[Rules]) -> PacketSet:
        """Apply the entry with the highest priority at a switch to packets from an ingress port."""
        switch, in_port = here
        flow = PacketSet()
        winner, other = self._winner(switch, in_port, chain)
        if winner is None:
            return flow
        flow.rule = winner
        if id(winner) not in self._needed and self._differ(winner, other, in_port):
            self._needed.add(id(winner))
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
                flow.direct |= step.hosts
        return flow

    def _winner(
        self, switch: str, in_port: int, chain: list[Rules]
    ) -> tuple[ProofRule | None, ProofRule | None]:
        """Return the entry that packets from a port match, and the entry that they match without it."""
        winner: ProofRule | None = None
        other: ProofRule | None = None
        for rules in chain:
            for rule in rules.get(switch, ()):
                if rule.entry.in_port in (None, in_port):
                    self._matched.add(id(rule))
                    if winner is None or rule.entry.priority > winner.entry.priority:
                        winner, other = rule, winner
                    elif other is None or rule.entry.priority > other.entry.priority:
                        other = rule
        return winner, other

    def _differ(self, winner: ProofRule, other: ProofRule | None, in_port: int) -> bool:
        """Whether the treatment of packets from a port changes without the entry that they match."""
        effects = self._effects
        return winner.turns or effects.of(winner.entry, in_port) != (
            [] if other is None else effects.of(other.entry, in_port)
        )

    def _check_redundant_copies(self, dz: Dz, wanted: HostMask) -> None:
        """Find copies over links that reach no host, except copies of merged entries.

        If entries may send too much, only hosts with a matching subscription count as reached.
        """
        exact = self._proof.allowance.exact
        for (switch, _), flow in self._flows.items():
            for step, far in flow.onward:
                behind = self._flows.get(far)
                if behind is None or behind.once & (-1 if exact else wanted):
                    continue
                if exact or not self._is_merged(switch, flow.rule):
                    detail = f"{switch} sends copies over port {step.port} to {far[0]}, but no host gets them"
                    self._add("needless", detail, dz, switch)

    def _check_entries(self, above: list[Dz], within: list[Dz]) -> None:
        """Check the entries in the cell, and whether any packets match them."""
        proof = self._proof
        rows: dict[str, list[LintRow]] = {}
        allowance, topic = proof.allowance, proof.topic
        for dz, switch, rule in proof.rules(within):
            rows.setdefault(switch, []).append(LintRow(dz, rule.entry))
            if id(rule) not in self._needed and not self._may_idle(switch, rule):
                why = _SAME if id(rule) in self._matched else _NOBODY
                self._add("idle", f"{switch}: entry {named(rule.entry)} {why}", dz, switch)
        over: dict[str, list[LintRow]] = {switch: [] for switch in rows}
        for dz, switch, rule in proof.rules(above):
            if switch in over:
                over[switch].append(LintRow(dz, rule.entry))
        for switch, own in rows.items():
            check_rows(switch, topic, own, over[switch], self._found, allowance=allowance)

    def _may_idle(self, switch: str, rule: ProofRule) -> bool:
        """Whether an entry that no packet needs is merged, or may be below merged entries."""
        return self._is_merged(switch, rule) or self._proof.allowance.has_covers(switch, self._proof.topic)

    def _add(self, kind: str, detail: str, dz: Dz, switch: str) -> None:
        self._found.add(kind, detail, topic=self._proof.topic, region=(dz,), switch=switch)

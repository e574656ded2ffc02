"""The proof for one topic: each publisher and region of the event space, through all tables.

The prefixes of all entries, advertisements and subscriptions divide the space into atoms. An atom is a prefix
without the longer prefixes in it. Within an atom every table treats all events in the same way. So one walk
for an atom and an ingress port proves all its events. Nothing is sampled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tercast.eventspace.dz import Dz, DzSet
from tercast.routing.cell_keys import Order, SortedKeys
from tercast.tables.entries import IN_PORT, Action, Entry, Output
from tercast.verification.allowance import Allowance
from tercast.verification.forwarding import ForwardingModel, ForwardingStep, HostMask


@dataclass(slots=True)
class ProofRule:
    """An entry with its effect; `turns` means that it sends copies back to the ingress port."""

    dz: Dz
    entry: Entry
    steps: tuple[ForwardingStep, ...]
    turns: bool


Meaning = tuple[tuple[Action, ...], tuple[ForwardingStep, ...], bool]
"""Actions, their effect at a switch, and whether they send copies back to the ingress port."""

_KEPT_MEANINGS = 50_000

Rules = dict[str, list[ProofRule]]
"""The rules at one prefix, by switch."""


@dataclass(slots=True)
class ProofFrame:
    """A prefix that is open during the pass, with its volume, publishers and subscribers.

    `filled` is the part of `volume` that longer prefixes cover.
    """

    dz: Dz
    volume: int
    brought: HostMask
    wanted: HostMask
    rules: Rules
    filled: int = 0


class TopicProof:
    """Prefixes of one topic, with the entries, advertisements and subscriptions at each."""

    __slots__ = ("_ads", "_meanings", "_order", "_prefixes", "_rules", "_subs", "_uses", "allowance", "topic")

    def __init__(self, topic: str, order: Order, allowance: Allowance) -> None:
        self.topic = topic
        self.allowance = allowance
        self._order = order
        self._meanings: dict[tuple[str, int], Meaning] = {}
        self._prefixes = SortedKeys()
        self._uses: dict[Dz, int] = {}
        self._rules: dict[Dz, Rules] = {}
        self._ads: dict[Dz, dict[str, list[str]]] = {}
        self._subs: dict[Dz, dict[str, list[str]]] = {}

    def add_entry(self, switch: str, dz: Dz, entry: Entry, world: ForwardingModel) -> None:
        """Add an entry of the topic in a table."""
        _, steps, turns = self._meaning(switch, entry, world)
        rule = ProofRule(dz, entry, steps, turns)
        here = self._rules.get(dz)
        if here is None:
            here = self._rules[dz] = {}
        rules = here.get(switch)
        if rules is None:
            here[switch] = [rule]
        else:
            rules.append(rule)
            rules.sort(key=lambda rule: rule.entry.in_port or 0)
        self._use(dz)

    def remove_entry(self, switch: str, dz: Dz, entry: Entry) -> None:
        """Remove an entry from a table."""
        here = self._rules[dz]
        rules = here[switch]
        del rules[next(i for i, rule in enumerate(rules) if rule.entry.key == entry.key)]
        if not rules:
            del here[switch]
        if not here:
            del self._rules[dz]
        self._unuse(dz)

    def look_again(self, world: ForwardingModel) -> None:
        """Compute the effects of all entries again, for a changed network."""
        self._meanings.clear()
        for here in self._rules.values():
            for switch, rules in here.items():
                for rule in rules:
                    rule.steps = world.steps(switch, rule.entry)

    def register(self, ad: bool, name: str, host: str, cells: DzSet) -> list[Dz]:
        """Add an advertisement or a subscription; return the cells that are new for its host."""
        table = self._ads if ad else self._subs
        news = [dz for dz in cells if not _covered(table, host, dz)]
        for dz in cells:
            table.setdefault(dz, {}).setdefault(host, []).append(name)
            self._use(dz)
        return news

    def withdraw(self, ad: bool, name: str, host: str, cells: DzSet) -> list[Dz]:
        """Remove an advertisement or a subscription.

        Returns:
            The cells that no other advertisement (or subscription) of the host covers.
        """
        table = self._ads if ad else self._subs
        for dz in cells:
            table[dz][host].remove(name)
            if not table[dz][host]:
                del table[dz][host]
            if not table[dz]:
                del table[dz]
            self._unuse(dz)
        return [dz for dz in cells if not _covered(table, host, dz)]

    def prefixes_of(self, dz: Dz) -> tuple[list[Dz], list[Dz]]:
        """Return the shorter prefixes that cover `dz`, and `dz` with those within it, depth first."""
        above = [dz >> k for k in range(dz.bit_length() - 1, 0, -1) if dz >> k in self._uses]
        key = self._order.key(dz)
        return above, [self._order.dz(found) for found in self._prefixes.range(key, self._order.end(key))]

    def frame(
        self, dz: Dz, over: ProofFrame | None, world: ForwardingModel, always: bool
    ) -> ProofFrame | None:
        """Return the frame of a prefix inside `over`; None if it adds nothing, unless `always`."""
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
        return ProofFrame(dz, volume, brought, wanted, rules or {})

    def publisher(self, host: str, dz: Dz) -> str:
        """Return an advertisement of `host` that covers a cell, or the host if there is none."""
        for k in range(dz.bit_length()):
            names = self._ads.get(dz >> k, {}).get(host)
            if names:
                return names[0]
        return host

    def rules(self, prefixes: Iterable[Dz]) -> Iterator[tuple[Dz, str, ProofRule]]:
        """Yield the rules at the given prefixes, in that order, with prefix and switch."""
        for dz in prefixes:
            for switch, rules in self._rules.get(dz, {}).items():
                for rule in rules:
                    yield dz, switch, rule

    def _meaning(self, switch: str, entry: Entry, world: ForwardingModel) -> Meaning:
        """Return the effect of an entry's actions at a switch, from a cache if possible.

        The key is the identity of the actions, which many entries share. The cache holds a reference to them.
        """
        key = switch, id(entry.actions)
        found = self._meanings.get(key)
        if found is None:
            if len(self._meanings) >= _KEPT_MEANINGS:
                self._meanings.clear()
            turns = any(isinstance(action, Output) and action.port == IN_PORT for action in entry.actions)
            found = self._meanings[key] = (entry.actions, world.steps(switch, entry), turns)
        return found

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
    """Whether the host has a cell that covers `dz`."""
    return any(host in table[dz >> k] for k in range(dz.bit_length()) if dz >> k in table)

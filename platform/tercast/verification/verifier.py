"""The verifier: a proof of tables from the tables alone, by walking prefixes.

It checks every publisher and every region of the event space. Each reachable host with a subscription there
gets the events once, no other host gets them, and nothing loops. The verifier shares no state with the
planner. It assumes only that the entry with the highest priority wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tercast.errors import Refused
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.dz import Dz, DzSet, canonical
from tercast.eventspace.topic import Topic
from tercast.requests.registry import ADVERTISEMENT, Registration, Registry
from tercast.routing.cell_keys import Order
from tercast.runtime.wording import quantity
from tercast.tables.covers import NetworkCovers
from tercast.tables.entries import Diff, Entry
from tercast.topology.topology import Topology
from tercast.verification.allowance import Allowance, Covers
from tercast.verification.forwarding import ForwardingModel
from tercast.verification.symbolic_walk import EVERYWHERE, SymbolicWalk
from tercast.verification.topic_proof import TopicProof
from tercast.verification.violations import Findings, Violation

Touched = dict[str, set[Dz]]


def verify(
    topology: Topology,
    topics: Iterable[Topic],
    ads: Iterable[Registration],
    subs: Iterable[Registration],
    tables: Mapping[str, Iterable[Entry]],
    *,
    address: AddressPlan | None = None,
    exact: bool = True,
    covers: NetworkCovers | None = None,
) -> list[Violation]:
    """Verify `tables` against advertisements and subscriptions.

    Without `address`, the default plan of the topology's family is used. With `covers`, entries below them
    may send too much. With `exact=False` and no covers, all entries may. No entry may lose or duplicate
    events or cause a loop.

    Returns:
        All violations; empty if the tables are correct.
    """
    verifier = Verifier(
        topology,
        topics,
        address or AddressPlan.default(topology.family),
        exact=exact,
        covers=None if covers is None else lambda: covers,
    )
    for registration in (*ads, *subs):
        verifier.register(registration)
    verifier.load(tables)
    return verifier.check()


class Verifier:
    """Keeps tables and registrations, and checks all of them or a changed part."""

    def __init__(
        self,
        topology: Topology,
        topics: Iterable[Topic],
        address: AddressPlan,
        *,
        exact: bool = True,
        covers: Covers | None = None,
    ) -> None:
        self._topology = topology
        self._address = address
        self._allowance = Allowance(exact, covers)
        self._order = Order(address.dz_room)
        self._world = ForwardingModel(topology)
        self._version = topology.version
        self._proofs: dict[str, TopicProof] = {}
        self._names: dict[int, str] = {}
        self._parsed: dict[str, tuple[str, Dz] | Refused] = {}
        self._stray: dict[tuple[str, str, int | None], tuple[Entry, str]] = {}
        self._registered: dict[str, Registration] = {}
        self._counts: dict[str, int] = {}
        self._last_seq = 0
        self._know(topics)

    @classmethod
    def of(
        cls,
        registry: Registry,
        tables: Mapping[str, Iterable[Entry]],
        *,
        exact: bool = True,
        covers: Covers | None = None,
    ) -> Verifier:
        """Make a verifier with the live registrations and the tables, to continue with `step`.

        `covers` returns the covers that are in force at the time of the call.
        """
        topics = registry.topics.values()
        verifier = cls(registry.topology, topics, registry.address, exact=exact, covers=covers)
        for registration in registry.live.values():
            verifier.register(registration)
        verifier.load(tables)
        return verifier

    def step(self, registry: Registry, diff: Diff) -> list[Violation]:
        """Apply the changes of registrations, network and tables, and check the affected cells.

        A changed network or topic affects all cells.
        """
        everything = self._know(registry.topics.values())
        if registry.topology.version != self._version:
            everything = True
            self.refresh()
        touched = self.follow(registry, reencoded=everything)
        for topic, cells in self.apply(diff).items():
            touched.setdefault(topic, set()).update(cells)
        if everything:
            return self.check()
        return self.check({topic: canonical(cells) for topic, cells in touched.items()})

    def register(self, registration: Registration) -> list[Dz]:
        """Add an advertisement or subscription; return cells that are new for its host."""
        self._registered[registration.id] = registration
        self._last_seq = max(self._last_seq, registration.seq)
        ad = registration.kind == ADVERTISEMENT
        proof = self._proofs[registration.topic]
        return proof.register(ad, registration.id, registration.host, registration.dz)

    def withdraw(self, name: str) -> list[Dz]:
        """Remove an advertisement or subscription; return the cells its host no longer covers."""
        gone = self._registered.pop(name)
        return self._proofs[gone.topic].withdraw(gone.kind == ADVERTISEMENT, gone.id, gone.host, gone.dz)

    def follow(self, registry: Registry, reencoded: bool = True) -> Touched:
        """Follow the live registrations; return the cells that changed, by topic.

        With `reencoded=False`, the encodings of known registrations are assumed to be unchanged.
        """
        touched: Touched = {}
        live, registered = registry.live, self._registered
        new = [reg for reg in live.values() if registered.get(reg.id) is not reg] if reencoded else []
        if not reencoded:
            for registration in reversed(live.values()):
                if registration.seq <= self._last_seq:
                    break
                new.append(registration)
        gone = [reg.id for reg in new if reg.id in registered]
        if len(live) < len(registered) + len(new) - len(gone):
            gone += registered.keys() - live.keys()
        for name in gone:
            topic = registered[name].topic
            touched.setdefault(topic, set()).update(self.withdraw(name))
        for registration in new:
            touched.setdefault(registration.topic, set()).update(self.register(registration))
        return touched

    def load(self, tables: Mapping[str, Iterable[Entry]]) -> None:
        """Add whole tables to the tables that are known."""
        for switch, entries in tables.items():
            for entry in entries:
                self._add(switch, entry)

    def apply(self, diff: Diff) -> Touched:
        """Apply a diff; return the cells whose entries changed, by topic."""
        touched: Touched = {}
        for change in (*diff.switches, *diff.crossings):
            for entry in change.removed + change.modified:
                self._remove(change.switch, entry, touched)
            for entry in change.added + change.modified:
                self._add(change.switch, entry, touched)
        return touched

    def refresh(self) -> None:
        """Read the topology again after it changed."""
        self._world = ForwardingModel(self._topology)
        self._version = self._topology.version
        for proof in self._proofs.values():
            proof.look_again(self._world)
        strays, self._stray = self._stray, {}
        for (switch, _, _), (entry, _) in strays.items():
            self._counts[switch] -= 1
            self._add(switch, entry)

    def check(self, touched: Mapping[str, DzSet] | None = None) -> list[Violation]:
        """Return all violations in the `touched` cells by topic; without `touched` in all cells."""
        found = Findings()
        self._allowance.begin()
        self._check_strays(found)
        self._check_counts(found)
        for name, proof in self._proofs.items():
            for dz in EVERYWHERE if touched is None else touched.get(name, ()):
                SymbolicWalk(proof, self._world, found).check(dz)
        return found.violations()

    def _know(self, topics: Iterable[Topic]) -> bool:
        """Update the topics and their codes; return whether any topic was added or removed."""
        codes = {topic.code: topic.name for topic in topics}
        if codes == self._names:
            return False
        same = codes.items() & self._names.items()
        for item in self._names.items() - same:
            del self._proofs[item[1]]
        for item in codes.items() - same:
            self._proofs[item[1]] = TopicProof(item[1], self._order, self._allowance)
        self._names = codes
        self._parsed.clear()
        return True

    def _add(self, switch: str, entry: Entry, touched: Touched | None = None) -> None:
        self._counts[switch] = self._counts.get(switch, 0) + 1
        place = self._place(switch, entry)
        if isinstance(place, str):
            self._stray[switch, entry.dst, entry.in_port] = (entry, place)
            return
        topic, dz = place
        self._proofs[topic].add_entry(switch, dz, entry, self._world)
        if touched is not None:
            touched.setdefault(topic, set()).add(dz)

    def _remove(self, switch: str, entry: Entry, touched: Touched) -> None:
        self._counts[switch] -= 1
        if self._stray.pop((switch, entry.dst, entry.in_port), None) is not None:
            return
        found = self._cell(entry)
        if not isinstance(found, Refused):
            topic, dz = found
            self._proofs[topic].remove_entry(switch, dz, entry)
            touched.setdefault(topic, set()).add(dz)

    def _place(self, switch: str, entry: Entry) -> tuple[str, Dz] | str:
        """Return the topic and cell of an entry, or the reason why it has none."""
        if switch not in self._topology.switches:
            return f"there is no switch {switch}"
        if entry.in_port is not None and (switch, entry.in_port) not in self._world.ports:
            return f"{switch}: entry {entry.dst} is for port {entry.in_port}, which has no link and no host"
        found = self._cell(entry)
        return f"{switch}: entry {entry.dst}: {found.detail}" if isinstance(found, Refused) else found

    def _cell(self, entry: Entry) -> tuple[str, Dz] | Refused:
        found = self._parsed.get(entry.dst)
        if found is None:
            found = self._parsed[entry.dst] = self._parse(entry.dst)
        return found

    def _parse(self, dst: str) -> tuple[str, Dz] | Refused:
        try:
            code, dz = self._address.parse_match(dst)
        except Refused as refused:
            return refused
        name = self._names.get(code)
        return Refused((), "unknown_code", f"no topic has code {code}") if name is None else (name, dz)

    def _check_strays(self, found: Findings) -> None:
        for (switch, _, _), (_, why) in self._stray.items():
            found.add("stray", why, switch=switch)

    def _check_counts(self, found: Findings) -> None:
        for name, switch in self._topology.switches.items():
            count, budget = self._counts.get(name, 0), switch.tcam_budget
            if budget is not None and count > budget:
                entries = quantity(count, "entry", "entries")
                found.add("budget", f"{name} has {entries}, but its budget is {budget}", switch=name)

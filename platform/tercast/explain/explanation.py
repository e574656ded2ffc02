"""Result of an explanation: the event, its path with the entries it matches, and all hosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tercast.explain.event import ExplainedEvent
from tercast.explain.lookup import TopicTable
from tercast.explain.network_state import NetworkState
from tercast.explain.origins import DzOrigin, DzOrigins
from tercast.explain.path import EventPath, PathHop, follow
from tercast.explain.reasons import RECEIVED
from tercast.explain.verdicts import Verdict, Verdicts
from tercast.tables.entries import Entry

FORMAT = "explanation/1"
MOST_NAMES = 50
"""Maximum number of subscriptions listed per entry or host; the total count is always given."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Path and deliveries of one event, with reasons."""

    situation: NetworkState
    event: ExplainedEvent
    tree: str | None
    way: EventPath
    origins: tuple[DzOrigin | None, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def received(self) -> dict[str, int]:
        """The hosts that receive the event, with the number of copies."""
        return {verdict.host: verdict.copies for verdict in self.verdicts if verdict.reason in RECEIVED}

    def to_json(self) -> dict[str, Any]:
        """Write the explanation in the form that the command and the API return."""
        received = [verdict for verdict in self.verdicts if verdict.copies]
        missed = [verdict for verdict in self.verdicts if not verdict.copies]
        return {
            "format": FORMAT,
            "event": self.event.to_json(self.situation.world, self.situation.topics[self.event.topic]),
            "tree": self.tree,
            "path": [self._hop(hop, origin) for hop, origin in zip(self.way.hops, self.origins, strict=True)],
            "loops": self.way.loops,
            "received": [self._verdict(verdict) for verdict in received],
            "not_received": [self._verdict(verdict) for verdict in missed],
        }

    def _hop(self, hop: PathHop, origin: DzOrigin | None) -> dict[str, Any]:
        return {
            "hop": hop.number,
            "from_hop": hop.parent,
            "switch": hop.switch,
            "in_port": hop.in_port,
            "entry": None if hop.entry is None else entry_json(hop.entry),
            "origin": None
            if origin is None
            else {"kind": origin.kind, **_named("subscriptions", origin.subscriptions)},
            "outputs": [self._output(hop, number, origin) for number in range(len(hop.steps))],
        }

    def _output(self, hop: PathHop, number: int, origin: DzOrigin | None) -> dict[str, Any]:
        step = hop.steps[number]
        assert origin is not None
        behind = origin.behind[number]
        hosts = self.situation.world.hosts(step.hosts)
        return {
            "port": step.port,
            "next_switch": None if step.far is None else step.far[0],
            "next_port": None if step.far is None else step.far[1],
            "next_hop": self.way.next_hop(hop, step),
            "host": hosts[0] if hosts else None,
            "problem": step.problem or None,
            **_named("matching", behind.matching),
            **_named("truncated", behind.truncated),
        }

    def _verdict(self, verdict: Verdict) -> dict[str, Any]:
        answers = sorted(verdict.answers, key=lambda answer: answer.reason.rank)
        return {
            "host": verdict.host,
            "copies": verdict.copies,
            "reason": verdict.reason,
            "detail": verdict.detail,
            "at_switch": verdict.switch,
            "subscriptions": [
                {
                    "subscription": answer.wish.id,
                    "subscriber": answer.wish.owner,
                    "filter": answer.wish.filter,
                    "reason": answer.reason,
                }
                for answer in answers[:MOST_NAMES]
            ],
            "subscriptions_count": len(answers),
        }


def explain(situation: NetworkState, event: ExplainedEvent) -> Explanation:
    """Follow an event through the tables, and explain each delivery.

    An event that its publisher would not send has an empty path.
    """
    code = situation.topics[event.topic].code
    tables: dict[str, TopicTable] = {}

    def hit(switch: str, in_port: int) -> Entry | None:
        if switch not in tables:
            tables[switch] = TopicTable(situation.tables(switch), situation.address, code)
        return tables[switch].hit(event.full, in_port)

    start = situation.world.place.get(event.host) if event.problem is None else None
    way = follow(situation.world, start, hit)
    origins = DzOrigins(situation, event)
    of_hop = [origins.of(hop) for hop in way.hops]
    verdicts = Verdicts(situation, event, way, origins, of_hop).all()
    tree = origins.tree
    return Explanation(
        situation, event, None if tree is None else tree.id, way, tuple(of_hop), tuple(verdicts)
    )


def entry_json(entry: Entry) -> dict[str, Any]:
    """Write an entry as a flat object."""
    return {
        "dst": entry.dst,
        "in_port": entry.in_port,
        "priority": entry.priority,
        "actions": [{"output": None, "set_dst": None, **action.to_json()} for action in entry.actions],
    }


def _named(key: str, names: tuple[str, ...]) -> dict[str, Any]:
    return {key: list(names[:MOST_NAMES]), f"{key}_count": len(names)}

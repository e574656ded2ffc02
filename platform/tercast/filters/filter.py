"""Filters: conditions of advertisements and subscriptions on the events of one topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tercast.errors import Path, Refused, SyntaxRefused, shown
from tercast.eventspace.topic import Topic
from tercast.filters.normal_form import Term, normal_form
from tercast.filters.parser import parse_filter
from tercast.filters.syntax_tree import EVERYTHING, And, Matcher, Not, Or, Tree, matcher, tree_text


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of a topic: `str()` is its canonical text, `terms` its disjunctive normal form.

    Equal filters have equal topics and equal syntax trees. `str(filter)` parses to an equal filter.
    """

    topic: Topic
    tree: Tree
    terms: tuple[Term, ...] = field(init=False, compare=False, repr=False)
    _matcher: list[Matcher] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        terms = normal_form(self.tree, self.topic.attributes)
        if not terms:
            raise self._matches_nothing()
        object.__setattr__(self, "terms", terms)
        object.__setattr__(self, "_matcher", [])

    def __reduce__(self) -> tuple[Any, ...]:
        return Filter, (self.topic, self.tree)

    def __str__(self) -> str:
        return tree_text(self.tree, self.topic.attributes)

    @classmethod
    def parse(cls, text: object, topic: Topic, path: Path = ()) -> Filter:
        """Parse `text`; Refused under `path`, with the position of an error in the text."""
        try:
            return cls(topic, parse_filter(text, topic))
        except SyntaxRefused as misread:
            raise misread.under(*path) from None
        except Refused as refused:
            raise Refused((*path, *refused.path), refused.code, refused.detail, text) from None

    @classmethod
    def everything(cls, topic: Topic) -> Filter:
        """The filter that every event of the topic matches."""
        return cls(topic, EVERYTHING)

    def matches(self, values: Mapping[str, Any]) -> bool:
        """Apply the exact matcher to values that `topic.check` returns."""
        if not self._matcher:
            self._matcher.append(matcher(self.tree, self.topic.attributes))
        return self._matcher[0](values)

    def _matches_nothing(self) -> Refused:
        tested = sorted(_tested(self.tree))
        domains = (self.topic.attributes[a] for a in tested[:4])
        known = "; ".join(f"{attribute.name}: {attribute.domain_text}" for attribute in domains)
        topic = shown(self.topic.name)
        detail = (
            f"no event of topic {topic} can match this filter, because its conditions contradict each other "
            f"or exclude all allowed values ({known}); correct the filter"
        )
        return Refused((), "matches_nothing", detail)


def _tested(tree: Tree) -> set[int]:
    """The attributes that a tree tests."""
    match tree:
        case And(parts) | Or(parts):
            return set().union(*map(_tested, parts))
        case Not(inner):
            return _tested(inner)
        case _:
            return {tree.attribute}

"""Findings of a verifier, with the regions of equal findings joined."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tercast.eventspace.dz import Dz, DzSet, canonical, text

_SHOWN_REGIONS = 4
_SURPLUS = ("needless", "redundant", "idle")


@dataclass(frozen=True, slots=True)
class Violation:
    """One way in which tables break the rules.

    `kind` is a code for programs, `detail` a text for people. `topic` and `region` are the affected events,
    `publisher` (an advertisement) sends them, and `switch` or `host` is the place. A field is empty if it
    does not apply.
    """

    kind: str
    detail: str
    topic: str = ""
    region: DzSet = ()
    publisher: str = ""
    switch: str = ""
    host: str = ""

    @property
    def is_surplus(self) -> bool:
        """Whether it concerns only redundant copies or entries, which do no harm."""
        return self.kind in _SURPLUS

    def __str__(self) -> str:
        where = ""
        if self.topic:
            cells = ", ".join(f'"{text(dz)}"' for dz in self.region[:_SHOWN_REGIONS])
            more = len(self.region) - _SHOWN_REGIONS
            where = f"topic {self.topic}" + (f", dz {cells}" if cells else "")
            where += f" and {more} more" if more > 0 else ""
            where += f", events of {self.publisher}" if self.publisher else ""
            where += ": "
        return f"{self.kind}: {where}{self.detail}"


@dataclass(frozen=True, slots=True)
class _Subject:
    kind: str
    detail: str
    topic: str = ""
    publisher: str = ""
    switch: str = ""
    host: str = ""


class Findings:
    """Collects violations; those that differ only in their region become one."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[_Subject, list[Dz]] = {}

    def add(
        self,
        kind: str,
        detail: str,
        *,
        topic: str = "",
        region: Iterable[Dz] = (),
        publisher: str = "",
        switch: str = "",
        host: str = "",
    ) -> None:
        """Add a violation in `region` of `topic`."""
        subject = _Subject(kind, detail, topic, publisher, switch, host)
        self._found.setdefault(subject, []).extend(region)

    def violations(self) -> list[Violation]:
        """Return the violations, in the order in which they were first found."""
        return [
            Violation(
                subject.kind,
                subject.detail,
                subject.topic,
                canonical(cells),
                subject.publisher,
                subject.switch,
                subject.host,
            )
            for subject, cells in self._found.items()
        ]

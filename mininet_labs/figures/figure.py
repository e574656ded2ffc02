"""Values of the registry: figures, experiments, parameters and claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from mininet_labs.figures.rules import Rule
from mininet_labs.figures.samples import Row


class Size(StrEnum):
    """Size of an experiment: for tests, for everyday runs, and that of the paper."""

    TINY = "tiny"
    QUICK = "quick"
    FULL = "full"


class Requirement(StrEnum):
    """Requirement of an experiment on the machine."""

    NOTHING = "none"
    FABRIC = "fabric"
    MININET = "mininet"


@dataclass(frozen=True, slots=True)
class ParameterChoice:
    """A parameter of an experiment: given by the paper, or chosen by us for a reason."""

    name: str
    value: Any
    source: Literal["paper", "ours"]
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Write the parameter; `reason` only if there is one."""
        row = {"name": self.name, "value": self.value, "source": self.source}
        return {**row, "reason": self.reason} if self.reason else row


@dataclass(frozen=True, slots=True)
class Experiment:
    """A measurement that one or several figures show.

    `measure` yields the rows of one seed: `x`, `series`, and the measured values. Two runs with the same seed
    yield the same rows, except for the values in `timed`. `seconds` is the expected processor time of all
    seeds, by size.
    """

    name: str
    measure: Callable[[Size, int], Iterable[Row]]
    choices: Callable[[Size], tuple[ParameterChoice, ...]]
    seconds: Mapping[Size, float]
    seeds: Mapping[Size, tuple[int, ...]]
    timed: frozenset[str] = frozenset()
    requirement: Requirement = Requirement.NOTHING


@dataclass(frozen=True, slots=True)
class PaperClaim:
    """A statement of the paper, and the rule that decides it; both are defined before a run.

    `text` has the words of the paper, `source` its section. `reason` explains a verdict `differs`, once it is
    understood.
    """

    name: str
    text: str
    source: str
    rule: Rule
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One diagram of a picture: the value `y` over `x`.

    It shows the rows whose `group` is `group`; rows without one belong to the group "". `x` names a measured
    value, whose mean at each point is drawn, or is "x".
    """

    y: str
    label: str
    title: str = ""
    group: str = ""
    x: str = "x"
    x_label: str = ""


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """A reproduced figure of a paper.

    `claims` returns the same claims for each size; their rules name the series of that size. `select`
    chooses the columns and rows of the experiments that belong to the figure.
    """

    paper: str
    number: str
    title: str
    x_label: str
    experiments: tuple[Experiment, ...]
    panels: tuple[Panel, ...]
    claims: Callable[[Size], tuple[PaperClaim, ...]]
    select: Callable[[Row], Row | None]
    note: str = ""

    @property
    def name(self) -> str:
        """The name that is unique among all papers, for example `mishra-6.2`."""
        return f"{self.paper}-{self.number}"


PAPERS = {
    "mishra": "Mishra, thesis 3450 (2013)",
    "pleroma": "PLEROMA (Middleware 2014)",
    "debs": "Bhowmik et al. (DEBS 2017)",
}
"""Papers with figures in the registry, by the name that `--paper` takes."""


def columns(*names: str, optional: tuple[str, ...] = ()) -> Callable[[Row], Row | None]:
    """Return a selection of rows that have all these values; other values are left out."""
    kept = ("seed", "x", "series", "group", *names, *optional)

    def select(row: Row) -> Row | None:
        if any(row.get(name) is None for name in names):
            return None
        return {name: row[name] for name in kept if name in row}

    return select

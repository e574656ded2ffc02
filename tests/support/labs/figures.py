"""A small figure whose measurement takes no time."""

from __future__ import annotations

from collections.abc import Iterator

from mininet_labs.figures.figure import (
    Experiment,
    Panel,
    PaperClaim,
    PaperFigure,
    ParameterChoice,
    Size,
    columns,
)
from mininet_labs.figures.rules import Trend
from mininet_labs.figures.samples import Row


class CountedMeasure:
    """Yields falling rows, and records the seeds that were measured; it may stop at a seed."""

    def __init__(self, stop_at: int | None = None, slope: float = -10.0) -> None:
        self.seeds: list[int] = []
        self.stop_at, self.slope = stop_at, slope

    def rows(self, size: Size, seed: int) -> Iterator[Row]:
        """Yield three rows."""
        if seed == self.stop_at:
            raise KeyboardInterrupt
        self.seeds.append(seed)
        for x in (1, 2, 3):
            yield {"x": x, "series": "a", "y": 50 + self.slope * x + seed / 10, "seconds": 0.5}


def small_experiment(measure: CountedMeasure, value: int = 1) -> Experiment:
    """Return an experiment with five seeds and one parameter."""
    return Experiment(
        name="small",
        measure=measure.rows,
        choices=lambda size: (ParameterChoice("value", value, "ours", "small"),),
        seconds={Size.TINY: 5, Size.QUICK: 600, Size.FULL: 3600},
        seeds=dict.fromkeys(Size, (1, 2, 3, 4, 5)),
        timed=frozenset({"seconds"}),
    )


def small_figure(experiment: Experiment) -> PaperFigure:
    """Return a figure with one claim: the values fall."""
    claim = PaperClaim("falls", "The values fall.", "1", Trend("y", ("a",), "falls"), reason="They rise.")
    return PaperFigure(
        paper="mishra",
        number="0.1",
        title="Small",
        x_label="x",
        experiments=(experiment,),
        panels=(Panel("y", "values"),),
        claims=lambda size: (claim,),
        select=columns("y", "seconds"),
    )

"""All figures at the size `tiny`, without what differs between equal runs.

.venv/bin/python tests/support/labs/tiny_figures.py    # writes the files that the tests compare
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

from mininet_labs.figures.figure import Experiment, PaperFigure, Size
from mininet_labs.figures.papers import FIGURES
from mininet_labs.figures.results import SeedRun, document

FOLDER = Path(__file__).parent / "tiny_figures"
CIRCUMSTANCES = {"load_before": 0.0, "cores": 1}
VERDICT = ("verdict", "value", "reason")


@cache
def runs(name: str) -> tuple[SeedRun, ...]:
    """Measure an experiment, once in a process."""
    experiment = _experiments()[name]
    return tuple(
        SeedRun(name, seed, tuple(experiment.measure(Size.TINY, seed)), CIRCUMSTANCES)
        for seed in experiment.seeds[Size.TINY]
    )


@cache
def _experiments() -> dict[str, Experiment]:
    return {one.name: one for figure in FIGURES for one in figure.experiments}


def tiny_document(figure: PaperFigure) -> dict[str, Any]:
    """Return the document without run, times and verdicts; rules and parameters are in it."""
    found = document(figure, Size.TINY, [run for one in figure.experiments for run in runs(one.name)])
    timed = set(found["timed"])
    found["claims"] = [_without(claim, VERDICT) for claim in found["claims"]]
    found["rows"] = [_without(row, timed) for row in found["rows"]]
    found["panels"] = [
        {**panel, "lines": [line["series"] for line in panel["lines"]]} if panel["y"] in timed else panel
        for panel in found["panels"]
    ]
    return json.loads(json.dumps(_without(found, ("run", "verdict"))))


def _without(row: dict[str, Any], names: Any) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in names}


def path_of(figure: PaperFigure) -> Path:
    """Return the path of the file that a figure is compared with."""
    return FOLDER / f"{figure.name}.json"


def main() -> int:
    """Write all files."""
    FOLDER.mkdir(exist_ok=True)
    for figure in FIGURES:
        found = tiny_document(figure)
        rows = found.pop("rows")
        lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
        head = json.dumps(found, ensure_ascii=False).removesuffix("}")
        path_of(figure).write_text(f'{head}, "rows": [\n{lines}\n]}}\n', encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

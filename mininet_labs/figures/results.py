"""Results of figures: JSON, files, and the comparison with committed results."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mininet_labs.figures.figure import PAPERS, PaperClaim, PaperFigure, Size
from mininet_labs.figures.lines import lines_json, panel_lines
from mininet_labs.figures.rules import ClaimFinding, ClaimVerdict, judged, worst
from mininet_labs.figures.samples import Row

ROOT = Path(__file__).resolve().parents[2]
COMMITTED = ROOT / "docs" / "figures"
"""Folder of the committed results, `PAPER/NUMBER.json`."""

PICTURES = ROOT / "docs" / "images" / "figures"
"""Folder of the committed pictures, `PAPER-NUMBER.svg`."""

SIZE_OPTIONS = {Size.TINY: " --tiny", Size.QUICK: "", Size.FULL: " --full"}

Document = dict[str, Any]

_POINTS = re.compile(r"\[\s+\[[-\d.e,\s\[\]]+\]\s+\]")
"""A list of points, which `json` writes with a line for each coordinate."""


@dataclass(frozen=True, slots=True)
class SeedRun:
    """The rows of one seed of an experiment, and the circumstances of the run."""

    experiment: str
    seed: int
    rows: tuple[Row, ...]
    circumstances: Mapping[str, Any]

    @property
    def is_noisy(self) -> bool:
        """Whether more processes than cores were running when the run started."""
        return bool(self.circumstances["load_before"] > self.circumstances["cores"])


def document(figure: PaperFigure, size: Size, runs: Sequence[SeedRun]) -> Document:
    """Return the JSON; equal seeds give equal JSON but for `run` and `timed` values."""
    own = {experiment.name for experiment in figure.experiments}
    mine = [run for run in runs if run.experiment in own]
    rows = figure_rows(figure, mine)
    keys = frozenset(key for row in rows for key in row)
    timed = keys & frozenset[str]().union(*(experiment.timed for experiment in figure.experiments))
    noisy = bool(timed) and any(run.is_noisy for run in mine)
    claims = figure.claims(size)
    findings = [judged(claim.rule, rows, timed, noisy) for claim in claims]
    return {
        "figure": figure.number,
        "paper": figure.paper,
        "paper_title": PAPERS[figure.paper],
        "title": figure.title,
        "size": size.value,
        "seeds": sorted({run.seed for run in mine}),
        "command": f'make figures ARGS="--only {figure.name}{SIZE_OPTIONS[size]} --again"',
        "verdict": worst(finding.outcome for finding in findings).value,
        "claims": [_claim(claim, finding) for claim, finding in zip(claims, findings, strict=True)],
        "parameters": _parameters(figure, size),
        "panels": [
            {
                **asdict(panel),
                "x_label": panel.x_label or figure.x_label,
                "lines": lines_json(panel_lines(panel, rows)),
            }
            for panel in figure.panels
        ],
        "timed": sorted(timed),
        "run": {"noisy": noisy, "seeds": [_circumstances(run) for run in mine]},
        "rows": rows,
    }


def figure_rows(figure: PaperFigure, runs: Sequence[SeedRun]) -> list[Row]:
    """Return the rows of a figure from those of its experiments, with their seeds first."""
    found = []
    for run in runs:
        for row in run.rows:
            selected = figure.select({"seed": run.seed, **row})
            if selected is not None:
                found.append(selected)
    return found


def _claim(claim: PaperClaim, finding: ClaimFinding) -> Document:
    row = {
        "id": claim.name,
        "text": claim.text,
        "source": claim.source,
        "rule": claim.rule.text,
        "verdict": finding.outcome.value,
        "value": finding.value,
    }
    explained = claim.reason and finding.outcome is ClaimVerdict.DIFFERS
    return {**row, "reason": claim.reason} if explained else row


def _parameters(figure: PaperFigure, size: Size) -> list[Document]:
    found: dict[str, Document] = {}
    for experiment in figure.experiments:
        for choice in experiment.choices(size):
            found.setdefault(choice.name, choice.to_json())
    return list(found.values())


def _circumstances(run: SeedRun) -> Document:
    return {"experiment": run.experiment, "seed": run.seed, **run.circumstances}


def write(path: Path, found: Document) -> None:
    """Write a document, one row of the measurement and one line of a panel per line of text."""
    rows = ",\n".join(f"  {json.dumps(row)}" for row in found["rows"])
    head = json.dumps({**found, "rows": []}, indent=1, ensure_ascii=False)
    head = _POINTS.sub(lambda match: " ".join(match[0].split()), head)
    assert head.endswith('"rows": []\n}')
    path.parent.mkdir(parents=True, exist_ok=True)
    text = head.removesuffix("[]\n}") + (f"[\n{rows}\n ]\n}}\n" if rows else "[]\n}\n")
    path.write_text(text, encoding="utf-8")


def read(path: Path) -> Document | None:
    """Read a document; None if there is none."""
    if not path.is_file():
        return None
    found: Document = json.loads(path.read_text(encoding="utf-8"))
    return found


def place(folder: Path, figure: PaperFigure, size: Size) -> Path:
    """Return the path of a figure's document; that of the full size ends in `-full`."""
    end = "" if size is Size.QUICK else f"-{size.value}"
    return folder / figure.paper / f"{figure.number}{end}.json"


def fallen(before: Document | None, now: Document) -> list[str]:
    """Return the claims that held before and differ now."""
    if before is None:
        return []
    held = {claim["id"] for claim in before["claims"] if claim["verdict"] == ClaimVerdict.HOLDS}
    return [
        claim["id"]
        for claim in now["claims"]
        if claim["id"] in held and claim["verdict"] == ClaimVerdict.DIFFERS
    ]

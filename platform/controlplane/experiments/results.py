"""Reads the committed results of `make figures`: one document for each figure of a paper."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings

from tercast.runtime.wording import one_line

Document = dict[str, Any]

SUMMARY = ("paper", "paper_title", "figure", "title", "size", "seeds", "verdict", "claims", "command")
"""Keys of a document that the list has too."""

_NAME = re.compile(r"([a-z]+)-([0-9a-z.]+(?:-full)?)")


def summaries() -> list[Document]:
    """Return the summaries of all figures, paper by paper, without measured values."""
    found = [{"name": name, **{key: one[key] for key in SUMMARY}} for name, one in _documents()]
    return sorted(found, key=lambda one: (_order(one["paper"]), one["figure"], one["size"]))


def experiment(name: str) -> Document | None:
    """Return the document of a figure without the rows of single seeds; None if there is none."""
    parts = _NAME.fullmatch(name)
    if parts is None:
        return None
    path = _folder() / parts[1] / f"{parts[2]}.json"
    if not path.is_file():
        return None
    found = _read(path)
    parameters = [{**row, "value": one_line(row["value"])} for row in found["parameters"]]
    return {"name": name, **found, "parameters": parameters}


def _folder() -> Path:
    return Path(settings.EXPERIMENTS_DIR)


def _documents() -> Iterator[tuple[str, Document]]:
    for path in sorted(_folder().glob("*/*.json")):
        name = f"{path.parent.name}-{path.stem}"
        if _NAME.fullmatch(name):
            yield name, _read(path)


def _read(path: Path) -> Document:
    found: Document = json.loads(path.read_text(encoding="utf-8"))
    del found["rows"]
    return found


def _order(paper: str) -> int:
    """Return the place of a paper by its year of publication."""
    papers = ("mishra", "pleroma", "debs")
    return papers.index(paper) if paper in papers else len(papers)

"""The page docs/figures.md: verdicts and tables from the committed results, between markers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import Any

from mininet_labs.figures.figure import PAPERS, PaperFigure, Size
from mininet_labs.figures.lines import read_lines
from mininet_labs.figures.papers import FIGURES
from mininet_labs.figures.results import COMMITTED, ROOT, Document, place, read
from tercast.runtime.wording import one_line

PAGE = ROOT / "docs" / "figures.md"

_MARKED = re.compile(r"<!-- figures: ([\w.-]+) -->\n.*?<!-- end -->\n", re.DOTALL)


def filled(page: str) -> str:
    """Return the page with all parts between markers made from the committed results."""
    parts: dict[str, Callable[[], Iterator[str]]] = {"summary": _summary}
    for paper in PAPERS:
        parts[paper] = lambda paper=paper: _paper(paper)  # type: ignore[misc]

    def fill(found: re.Match[str]) -> str:
        return f"<!-- figures: {found[1]} -->\n" + "\n".join(parts[found[1]]()) + "\n<!-- end -->\n"

    return _MARKED.sub(fill, page)


def committed() -> Iterator[tuple[PaperFigure, Document | None]]:
    """Yield each figure with its committed result of the quick size."""
    for figure in FIGURES:
        yield figure, read(place(COMMITTED, figure, Size.QUICK))


def _summary() -> Iterator[str]:
    yield "| figure | title | verdict | claims that hold |"
    yield "| --- | --- | --- | --- |"
    for figure, found in committed():
        anchor = f"[{PAPERS[figure.paper].partition(' (')[0]} {figure.number}](#{_anchor(figure)})"
        if found is None:
            yield f"| {anchor} | {figure.title} | not run | |"
            continue
        claims = found["claims"]
        held = sum(claim["verdict"] == "holds" for claim in claims)
        yield f"| {anchor} | {figure.title} | {found['verdict']} | {held} of {len(claims)} |"


def _paper(paper: str) -> Iterator[str]:
    for figure, found in committed():
        if figure.paper == paper:
            yield from _figure(figure, found)


def _anchor(figure: PaperFigure) -> str:
    return re.sub(r"[^\w-]", "", f"{figure.paper}-{figure.number}-{figure.title}".lower().replace(" ", "-"))


def _figure(figure: PaperFigure, found: Document | None) -> Iterator[str]:
    yield f"### {figure.paper} {figure.number} {figure.title}"
    yield ""
    if figure.note:
        yield from (figure.note, "")
    if found is None:
        yield from (f'Not run. `make figures ARGS="--only {figure.name}"` runs it.', "")
        return
    yield from (f"![{figure.title}](images/figures/{figure.name}.svg)", "")
    yield "| claim | rule | verdict | measured |"
    yield "| --- | --- | --- | --- |"
    for claim in found["claims"]:
        reason = f". Reason: {claim['reason']}" if "reason" in claim else ""
        cells = (
            f"`{claim['id']}`: {claim['text']} ({claim['source']})",
            claim["rule"],
            claim["verdict"],
            claim["value"] + reason,
        )
        yield f"| {' | '.join(_cell(cell) for cell in cells)} |"
    yield ""
    for panel in found["panels"]:
        yield from _values(panel, found)
    yield from _parameters(found)
    yield from (_circumstances(found), "")


def _values(panel: dict[str, Any], found: Document) -> Iterator[str]:
    lines = read_lines(panel)
    if not lines or panel["x"] != "x":
        return
    places = sorted({point.x for points in lines.values() for point in points})
    title = f"{panel['label']}{', ' if panel['title'] else ''}{panel['title']}"
    yield from (f"Mean of the seeds: {title}, by {panel['x_label']}.", "")
    if len(places) > 12:
        yield from (f"The {len(places)} points are in the JSON.", "")
        return
    yield f"| series | {' | '.join(f'{x:g}' for x in places)} |"
    yield f"| --- |{' --- |' * len(places)}"
    for series, points in lines.items():
        by_x = {point.x: point.mean for point in points}
        yield f"| {series} | {' | '.join(_number(by_x.get(x)) for x in places)} |"
    yield ""


def _parameters(found: Document) -> Iterator[str]:
    yield "| parameter | value | chosen by | reason |"
    yield "| --- | --- | --- | --- |"
    for row in found["parameters"]:
        value, reason = _cell(one_line(row["value"])), _cell(row.get("reason", ""))
        yield f"| {row['name']} | {value} | {row['source']} | {reason} |"
    yield ""


def _circumstances(found: Document) -> str:
    runs: Sequence[dict[str, Any]] = found["run"]["seeds"]
    first = runs[0]
    loads = [run["load_before"] for run in runs]
    seconds = sum(run["processor_seconds"] for run in runs)
    return (
        f"Size {found['size']}, seeds {', '.join(map(str, found['seeds']))}, commit {first['commit']}, "
        f"started {first['started']}, {seconds:,.0f} s of processor time, {first['cores']} cores "
        f"of {first['cpu']}, "
        f"load {min(loads):g} to {max(loads):g} (mean {fmean(loads):.1f})."
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")

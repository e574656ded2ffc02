"""Pictures and tables of docs/aggregation-figures.md, made from the committed results.

    .venv/bin/python tests/benchmarks/aggregation_page.py [RESULTS]

The text between `<!-- table: NAME -->` and `<!-- end -->` is replaced.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "aggregation-quick.json"
TIMES = HERE / "results" / "aggregation-time.json"
DOCS = HERE.parents[1] / "docs"
PAGE = DOCS / "aggregation-figures.md"
PICTURES = DOCS / "images" / "aggregation"

Experiment = dict[str, Any]
Row = dict[str, Any]
Read = Callable[[Row], float]

STYLES = {
    "exact": ("0.6", "x"),
    "la": ("tab:red", "s"),
    "fa-lb": ("tab:orange", "^"),
    "fa-pb": ("tab:blue", "o"),
    "optimal": ("tab:green", "D"),
    "la with fa-pb": ("tab:blue", "o"),
    "la with optimal": ("tab:green", "D"),
}

FA_PB_AIMS = {10: 0.45, 25: 0.25, 50: 0.11}
"""Copies added by `fa-pb` as a share of those by `la`, with hot spots, for budgets in percent."""

OPTIMAL_AIMS = {"zipf": 0.5, "uniform": 0.7}
"""Copies added by `optimal` as a share of those by `fa-pb`, for each kind of workload."""

_PLACE = re.compile(r"<!-- table: ([\w-]+) -->\n.*?<!-- end -->\n", re.DOTALL)


def main() -> None:
    """Draw all pictures and fill the page."""
    result = json.loads(Path(sys.argv[1] if len(sys.argv) > 1 else RESULTS).read_text())
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, experiment in result["experiments"].items():
        draw(experiment, PICTURES / f"{name}.png")
    PAGE.write_text(filled(PAGE.read_text(), result))


def filled(page: str, result: dict[str, Any]) -> str:
    """Return the page with all tables made from `result` and from the costs on a large network."""

    def fill(found: re.Match[str]) -> str:
        name = found[1]
        whole = {"machine": machine, "ratios": ratios, "aims": aims, "times": times}.get(name)
        text = whole(result) if whole else table(result["experiments"][name])
        return f"<!-- table: {name} -->\n{text}<!-- end -->\n"

    return _PLACE.sub(fill, page)


def machine(result: dict[str, Any]) -> str:
    """Describe the machine and the duration of the experiments."""
    experiments = list(result["experiments"].values())
    first = experiments[0]["machine"]
    seconds = sum(experiment["seconds"] for experiment in experiments)
    return (
        f"The {result['extent']} size, started {first['started']}, {seconds:,.0f} seconds in all, on one of "
        f"{first['cores']} cores of {first['cpu']} with other work on them, {first['ram_gib']} GiB, Linux "
        f"{first['kernel']}, Python {first['python']}, NumPy {first['numpy']}, Numba {first['numba']}.\n"
    )


def table(experiment: Experiment) -> str:
    """Return copies added on unseen events, in percent of the exact ones: mean, lowest and highest.

    A note says where budgets were too small with some seeds.
    """
    rows = experiment["rows"]
    seeds = len({row["seed"] for row in rows})
    names = [name for name in methods(rows) if name != "exact"]
    head = [experiment["x"], *names]
    lines = [head]
    for x in sorted({row["x"] for row in rows}):
        lines.append([f"{x:g}", *(_cell(_values(rows, name, added("unseen"), x), seeds) for name in names)])
    return _lines_of(lines[0], lines[1:])


def ratios(result: dict[str, Any]) -> str:
    """Return the ratios of the copies that methods add, for budgets as shares: mean and worst."""
    head = ["workload", "budget, %", "fa-pb / la", "optimal / fa-pb", "optimal / fa-pb, worst seed"]
    rows = [
        [share.title, f"{share.budget:g}", *(f"{cell:.2f}" for cell in (share.pb, share.best, share.worst))]
        for share in shares(result)
    ]
    return _lines_of(head, rows)


@dataclass(frozen=True, slots=True)
class Share:
    """Ratios of methods at a budget, on unseen events.

    `pb` is `fa-pb` to `la`. `best` and `worst` are `optimal` to `fa-pb`: of the means of all seeds, and the
    worst.
    """

    kind: str
    title: str
    budget: float
    seeds: int
    pb: float
    best: float
    worst: float


def shares(result: dict[str, Any]) -> Iterator[Share]:
    """Yield all ratios that were measured with budgets as shares of the largest exact table."""
    for name, experiment in result["experiments"].items():
        if name.startswith("shares-"):
            rows = experiment["rows"]
            for x in sorted({row["x"] for row in rows}):
                la, pb, best = (
                    _values(rows, method, added("unseen"), x) for method in ("la", "fa-pb", "optimal")
                )
                yield Share(
                    name.rsplit("-", 1)[1],
                    experiment["title"],
                    x,
                    len(best),
                    _ratio(mean(pb), mean(la)),
                    _ratio(mean(best), mean(pb)),
                    max(_ratio(ours, theirs) for ours, theirs in zip(best, pb, strict=True)),
                )


def aims(result: dict[str, Any]) -> str:
    """Return the aims and the measured values."""
    rows = []
    for share in shares(result):
        seeds = len(result["sizes"]["seeds"])
        few = f" ({share.seeds} of {seeds} seeds)" if share.seeds < seeds else ""
        for text, aim, figure in _aims_of(share):
            what = f"{share.title}, {share.budget:g} %: {text}"
            rows.append([what, f"at most {aim:g}", f"{figure:.2f}{few}", _met(figure <= aim)])
    worst = max(share.worst for share in shares(result))
    rows.append(["`optimal / fa-pb` of any seed above", "at most 1.05", f"{worst:.2f}", _met(worst <= 1.05)])
    for run in json.loads(TIMES.read_text())["runs"]:
        seconds = run["processor_seconds"]
        what = f"300 switches, 15,000 subscriptions, budget {run['budget']}: `{run['method']}`"
        rows.append([what, "under 10 s on one core", f"{seconds:.1f} s", _met(seconds < 10)])
    return _lines_of(["aim", "", "measured", "met"], rows)


def _aims_of(share: Share) -> Iterator[tuple[str, float, float]]:
    if share.kind == "zipf":
        yield "`fa-pb / la`", FA_PB_AIMS[share.budget], share.pb
    yield "`optimal / fa-pb`", OPTIMAL_AIMS[share.kind], share.best


def _met(met: bool) -> str:
    return "yes" if met else "**no**"


def times(result: dict[str, Any]) -> str:
    """Return the cost and the result of each method on a large network."""
    found = json.loads(TIMES.read_text())
    head = ["budget", "switches over it", "method", "run, s", "processor, s", "copies added, %"]
    rows = [
        [
            str(run["budget"]),
            f"{run['switches_over_budget']}",
            run["method"],
            f"{run['seconds']:.1f}",
            f"{run['processor_seconds']:.1f}",
            f"{run['added_percent']:.2f}",
        ]
        for run in found["runs"]
    ]
    machine = found["machine"]
    text = (
        f"{found['switches']} switches, {found['hosts']:,} hosts, {found['subscriptions']:,} subscriptions, "
        f"{found['events']:,} events, {found['exact_entries']:,} exact entries, "
        f"{found['largest_exact']:,} in the largest table. Started {machine['started']}, {machine['cpu']}, "
        f"{machine['cores']} cores with a load of {machine['load_average'][0]:g}. Reading the events took "
        f"{found['read_seconds']:g} s.\n\n"
    )
    return text + _lines_of(head, rows)


def _lines_of(head: list[str], rows: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, ["---"] * len(head), *rows))


def _ratio(ours: float, theirs: float) -> float:
    """Return the ratio of two values; 1 if both are 0."""
    return ours / theirs if theirs else (1.0 if not ours else float("inf"))


def methods(rows: list[Row]) -> list[str]:
    """Return the methods of rows, in the order of their first row."""
    return list(dict.fromkeys(row["method"] for row in rows))


def fpr(events: str) -> Read:
    """Return a reader of the network's false-positive rate in percent."""
    return lambda row: float(row[events]["fpr"])


def added(events: str) -> Read:
    """Return a reader of the copies that are added to those of the exact tables, in percent."""
    return lambda row: float(row[events]["added_percent"])


def seconds(row: Row) -> float:
    """Return the run time of a periodic method."""
    return float(row["seconds"])


def draw(experiment: Experiment, path: Path) -> None:
    """Draw rates and added copies, run time, and (if budgets vary) merged entries."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - the import takes a second

    panels: list[tuple[str, str, dict[str, Read]]] = [
        ("network false-positive rate, %", "x", {"unseen": fpr("unseen"), "training": fpr("training")}),
        ("copies added over exact, %", "x", {"unseen": added("unseen"), "training": added("training")}),
    ]
    if experiment["x"] == "budget":
        panels.append(("network false-positive rate, %", "merged", {"unseen": fpr("unseen")}))
    if {"5g", "5h", "5j"} & {*experiment["shows"]}:
        panels.append(("run time, s", "x", {"": seconds}))
    figure = Figure(figsize=(5 * len(panels), 3.8), layout="constrained")
    for axes, (label, across, reads) in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True
    ):
        for events, read in reads.items():
            _lines(axes, experiment["rows"], across, read, "-" if events != "training" else ":")
        axes.set_xlabel("entries merged, %" if across == "merged" else experiment["x"])
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
    axes = figure.axes[0]
    axes.legend(fontsize=8)
    figure.suptitle(f"{', '.join(experiment['shows'])}: {experiment['title']}", fontsize=10)
    figure.savefig(path, dpi=100, metadata={"Software": None})


def _lines(axes: Any, rows: list[Row], across: str, read: Read, style: str) -> None:
    for name in methods(rows):
        if name == "exact" and read.__qualname__.startswith("added"):
            continue
        own = [row for row in rows if row["method"] == name and (read is not seconds or "seconds" in row)]
        points = _points(own, across, read)
        if not points:
            continue
        colour, marker = STYLES[name]
        x = [point[0] for point in points]
        label = name if style == "-" else None
        axes.plot(x, [p[2] for p in points], style, color=colour, marker=marker, markersize=4, label=label)
        if style == "-":
            axes.fill_between(x, [p[1] for p in points], [p[3] for p in points], color=colour, alpha=0.15)


def _points(rows: list[Row], across: str, read: Read) -> list[tuple[float, float, float, float]]:
    """Return x, lowest, mean and highest value; a method that ran at an x has its state before too."""
    points = []
    for x, turn in sorted({(row["x"], "seconds" in row) for row in rows}):
        own = [row for row in rows if row["x"] == x and ("seconds" in row) == turn]
        values = [read(row) for row in own]
        place = mean(row["merged"] for row in own) if across == "merged" else x
        points.append((place, min(values), mean(values), max(values)))
    return points


def _values(rows: list[Row], name: str, read: Read, x: float) -> list[float]:
    """Return the last value of each seed at an x, after a method that ran there."""
    last = {row["seed"]: read(row) for row in rows if row["method"] == name and row["x"] == x}
    return list(last.values())


def _cell(values: list[float], seeds: int) -> str:
    if not values:
        return ""
    fewer = f", {len(values)} of {seeds} seeds" if len(values) < seeds else ""
    return f"{mean(values):.2f} ({min(values):.2f} to {max(values):.2f}{fewer})"


if __name__ == "__main__":
    main()

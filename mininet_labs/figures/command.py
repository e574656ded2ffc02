"""Command `figures`: reproduce figures of the papers, with a verdict for each claim.

Exit status 0: every figure ran or states why not, and no claim that held in the committed results differs;
1: a claim fell; 2: bad arguments; 130: Ctrl-C, and finished seeds are kept.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from mininet_labs.errors import LabError
from mininet_labs.figures.drawing import picture
from mininet_labs.figures.figure import PaperFigure, Size
from mininet_labs.figures.page import PAGE, filled
from mininet_labs.figures.papers import FIGURES
from mininet_labs.figures.results import COMMITTED, PICTURES, Document, document, fallen, place, read, write
from mininet_labs.figures.runner import SeedSchedule, experiments_of, missing, only_one
from mininet_labs.interrupts import Interrupted, raise_when_asked


def run(args: argparse.Namespace) -> int:
    """Run the chosen figures, or list them."""
    if args.update and args.seeds:
        raise LabError("--seeds", "cannot be used with --update", "committed results need all seeds")
    figures = chosen(args.only, args.paper)
    size = Size(args.size)
    if args.list:
        print("\n".join(listed(figures, size, args.real)))
        return 0
    ready = []
    for figure in figures:
        reason = next(filter(None, (missing(one, args.real) for one in figure.experiments)), "")
        if reason:
            print(f"{figure.name}: not run: {reason}")
        else:
            ready.append(figure)
    with only_one(args.output):
        return _measure(args, size, ready)


def chosen(numbers: Sequence[str], paper: str | None) -> list[PaperFigure]:
    """Return the figures that the arguments name.

    Raises:
        LabError: There is no such figure.
    """
    found = [figure for figure in FIGURES if paper in (None, figure.paper)]
    known = {figure.number for figure in found} | {figure.name for figure in found}
    for number in numbers:
        if number not in known:
            names = ", ".join(figure.name for figure in found)
            raise LabError(
                number, "there is no such figure", f"use names of figures, or the numbers in them: {names}"
            )
    return [one for one in found if not numbers or {one.number, one.name} & {*numbers}]


def listed(figures: Sequence[PaperFigure], size: Size, real: bool) -> list[str]:
    """Return a line for each figure: name, minutes, needs, last verdict, title."""
    lines = [f"{'figure':<19}{'minutes':>8}  {'needs':<8} {'verdict':<10} title"]
    for figure in figures:
        minutes = sum(one.seconds[size] for one in figure.experiments) / 60
        needs = ", ".join(dict.fromkeys(one.requirement.value for one in figure.experiments))
        last = read(place(COMMITTED, figure, size))
        verdict = last["verdict"] if last else "-"
        lines.append(f"{figure.name:<19}{minutes:>8.1f}  {needs:<8} {verdict:<10} {figure.title}")
    return lines


def _measure(args: argparse.Namespace, size: Size, figures: Sequence[PaperFigure]) -> int:
    raise_when_asked()
    schedule = SeedSchedule(size, args.output / "seeds", args.again, _report, tuple(args.seeds))
    runs = []
    try:
        for found in schedule.run(experiments_of(figures)):
            runs.append(found)
    except (KeyboardInterrupt, Interrupted):
        _report(f"stopped; finished seeds are kept in {args.output}")
        return 130
    fell = False
    for figure in figures:
        now = document(figure, size, runs)
        lost = fallen(read(place(COMMITTED, figure, size)), now)
        fell = fell or bool(lost)
        _show(now, lost)
        _save(figure, size, now, args.output, args.update)
    if args.update and size is Size.QUICK:
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 1 if fell else 0


def _save(figure: PaperFigure, size: Size, now: Document, output: Path, update: bool) -> None:
    write(place(output / "results", figure, size), now)
    drawn = output / "pictures" / f"{place(output, figure, size).stem}.svg"
    drawn = drawn.with_name(f"{figure.paper}-{drawn.name}")
    drawn.parent.mkdir(parents=True, exist_ok=True)
    image = picture(now)
    drawn.write_text(image, encoding="utf-8")
    if update:
        write(place(COMMITTED, figure, size), now)
        PICTURES.mkdir(parents=True, exist_ok=True)
        (PICTURES / drawn.name).write_text(image, encoding="utf-8")


def _show(now: Document, lost: Sequence[str]) -> None:
    print(f"{now['paper']} {now['figure']}: {now['verdict']}")
    for claim in now["claims"]:
        mark = " (held before)" if claim["id"] in lost else ""
        print(f"  {claim['verdict']:<10} {claim['id']}: {claim['value']}{mark}")


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)

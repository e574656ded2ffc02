"""Pictures of figures as SVG text; equal documents give equal pictures.

A line connects the means of the seeds. The band around it extends from the lowest to the highest value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import Any

from mininet_labs.figures.lines import Lines, Point, read_lines

COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#17becf", "#7f7f7f")
WIDTH, HEIGHT = 460, 330
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 34, 44
LEGEND_LINE = 15
TICKS = 5


def picture(document: Mapping[str, Any]) -> str:
    """Return the SVG of a document: its panels side by side, each with its legend below."""
    drawn = [(panel, read_lines(panel)) for panel in document["panels"] if panel["lines"]]
    height = HEIGHT + LEGEND_LINE * max((len(lines) for _, lines in drawn), default=0) + 8
    width = WIDTH * max(1, len(drawn))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for number, (panel, lines) in enumerate(drawn):
        parts += [f'<g transform="translate({WIDTH * number} 0)">', *_panel(panel, lines), "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def _panel(panel: Mapping[str, Any], lines: Lines) -> Iterable[str]:
    every = [point for points in lines.values() for point in points]
    across = _ticks(min(point.x for point in every), max(point.x for point in every))
    up = _ticks(min(0.0, *(point.low for point in every)), max(point.high for point in every))
    frame = _Frame(across[0], across[-1], up[0], up[-1])
    centre = f'x="{WIDTH / 2:g}" y="18" text-anchor="middle"'
    yield f'<text {centre} font-size="12">{escape(panel["title"])}</text>'
    yield from _axes(frame, across, up)
    yield (
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2:g}" y="{HEIGHT - 8}" text-anchor="middle">'
        f"{escape(panel['x_label'])}</text>"
    )
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield (
        f'<text x="13" y="{middle:g}" text-anchor="middle" transform="rotate(-90 13 {middle:g})">'
        f"{escape(panel['label'])}</text>"
    )
    for number, (series, points) in enumerate(lines.items()):
        yield from _line(frame, points, number)
        yield from _legend(series, number)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Ranges of both axes."""

    left: float
    right: float
    bottom: float
    top: float

    def x(self, value: float) -> str:
        share = (value - self.left) / ((self.right - self.left) or 1)
        return f"{LEFT + share * (WIDTH - LEFT - RIGHT):.1f}"

    def y(self, value: float) -> str:
        share = (value - self.bottom) / ((self.top - self.bottom) or 1)
        return f"{HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM):.1f}"


def _axes(frame: _Frame, across: Sequence[float], up: Sequence[float]) -> Iterable[str]:
    left, right, bottom, top = LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM, TOP
    for value in up:
        y = frame.y(value)
        yield f'<path d="M{left} {y}H{right}" stroke="#dddddd"/>'
        yield f'<text x="{left - 5}" y="{y}" dy="4" text-anchor="end">{value:g}</text>'
    for value in across:
        x = frame.x(value)
        yield f'<path d="M{x} {bottom}V{top}" stroke="#eeeeee"/>'
        yield f'<text x="{x}" y="{bottom + 15}" text-anchor="middle">{value:g}</text>'
    yield f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="#333333"/>'


def _line(frame: _Frame, points: Sequence[Point], number: int) -> Iterable[str]:
    colour, dash = _style(number)
    upper = " ".join(f"{frame.x(point.x)},{frame.y(point.high)}" for point in points)
    lower = " ".join(f"{frame.x(point.x)},{frame.y(point.low)}" for point in reversed(points))
    means = " ".join(f"{frame.x(point.x)},{frame.y(point.mean)}" for point in points)
    yield f'<polygon points="{upper} {lower}" fill="{colour}" fill-opacity="0.12"/>'
    yield f'<polyline points="{means}" fill="none" stroke="{colour}" stroke-width="1.6"{dash}/>'
    for point in points:
        yield f'<circle cx="{frame.x(point.x)}" cy="{frame.y(point.mean)}" r="2.4" fill="{colour}"/>'


def _legend(series: str, number: int) -> Iterable[str]:
    colour, dash = _style(number)
    y = HEIGHT + 6 + LEGEND_LINE * number
    yield f'<path d="M{LEFT} {y}h26" stroke="{colour}" stroke-width="1.6"{dash}/>'
    yield f'<text x="{LEFT + 33}" y="{y + 4}">{escape(series)}</text>'


def _style(number: int) -> tuple[str, str]:
    dash = "" if number < len(COLOURS) else ' stroke-dasharray="5 3"'
    return COLOURS[number % len(COLOURS)], dash


def _ticks(low: float, high: float) -> list[float]:
    """Return round values that include the range."""
    width = (high - low) or abs(high) or 1.0
    step = 10.0 ** floor(log10(width / TICKS))
    step *= next(factor for factor in (1, 2, 5, 10) if width / (step * factor) <= TICKS)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, max(last, first + 1) + 1)]

"""Spans of time, pairs of microseconds since 1970 (the end not included), and lists of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Span = tuple[int, int]

EVER: Span = (-(1 << 62), 1 << 62)


def to_windows(span: Span, window: int) -> Span:
    """The span, widened to whole windows."""
    start, end = span
    return start - start % window, end + -end % window


def within_windows(span: Span, window: int) -> Span:
    """The whole windows that lie in the span; its end may come before its start when there are none."""
    start, end = span
    return start + -start % window, end - end % window


def clipped(spans: Iterable[Span], to: Span) -> list[Span]:
    """The parts of the spans that lie in `to`."""
    cut = [(max(start, to[0]), min(end, to[1])) for start, end in spans]
    return [(start, end) for start, end in cut if start < end]


def joined(spans: Iterable[Span], most: int) -> list[Span]:
    """The same times as disjoint spans in order; beyond `most` the nearest ones become one."""
    out: list[Span] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        elif start < end:
            out.append((start, end))
    while len(out) > most:
        at = min(range(len(out) - 1), key=lambda i: out[i + 1][0] - out[i][1])
        out[at : at + 2] = [(out[at][0], out[at + 1][1])]
    return out


def without(spans: Sequence[Span], taken: Iterable[Span]) -> list[Span]:
    """What is left of the spans where those of `taken` are taken out."""
    left = list(spans)
    for a, b in taken:
        left = [
            part
            for start, end in left
            for part in ((start, min(end, a)), (max(start, b), end))
            if part[0] < part[1]
        ]
    return sorted(left)


def overlaps(span: Span, others: Iterable[Span]) -> bool:
    """Whether the span has a time in common with one of the others; an empty span has none."""
    return any(max(span[0], start) < min(span[1], end) for start, end in others)


def widened(span: Span, before: int, after: int) -> Span:
    """The span, so much longer at both ends."""
    return span[0] - before, span[1] + after

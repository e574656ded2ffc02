"""Spans of time: pairs of microseconds since 1970 (end exclusive), and lists of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Span = tuple[int, int]

EVER: Span = (-(1 << 62), 1 << 62)


def to_windows(span: Span, window: int) -> Span:
    """Return the span, extended to whole windows."""
    start, end = span
    return start - start % window, end + -end % window


def within_windows(span: Span, window: int) -> Span:
    """Return the whole windows within a span; the end is before the start if there are none."""
    start, end = span
    return start + -start % window, end - end % window


def clipped(spans: Iterable[Span], to: Span) -> list[Span]:
    """Return the parts of spans that are within `to`."""
    cut = [(max(start, to[0]), min(end, to[1])) for start, end in spans]
    return [(start, end) for start, end in cut if start < end]


def joined(spans: Iterable[Span], most: int) -> list[Span]:
    """Return disjoint sorted spans; merge the nearest ones until at most `most` remain."""
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
    """Return the parts of spans that are outside of all spans in `taken`."""
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
    """Whether a span has a time in common with one of the others; an empty span has none."""
    return any(max(span[0], start) < min(span[1], end) for start, end in others)


def widened(span: Span, before: int, after: int) -> Span:
    """Return the span, extended by so many microseconds at its ends."""
    return span[0] - before, span[1] + after

"""The registry: all figures of the papers that can be redone, with their claims."""

from __future__ import annotations

from mininet_labs.figures.figure import PaperFigure
from mininet_labs.figures.papers.mishra import FIGURES as _MISHRA

FIGURES: tuple[PaperFigure, ...] = _MISHRA
"""All figures, in the order of the papers."""

"""The registry: all figures of the papers that can be reproduced, with their claims."""

from __future__ import annotations

from mininet_labs.figures.figure import PaperFigure
from mininet_labs.figures.papers.debs import FIGURES as _DEBS
from mininet_labs.figures.papers.mishra import FIGURES as _MISHRA
from mininet_labs.figures.papers.pleroma import FIGURES as _PLEROMA
from mininet_labs.figures.papers.pleroma_federation import FIGURES as _FEDERATION

FIGURES: tuple[PaperFigure, ...] = (*_MISHRA, *_PLEROMA, *_FEDERATION, *_DEBS)
"""All figures, in the order of the papers."""

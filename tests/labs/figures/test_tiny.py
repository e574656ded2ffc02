"""All figures at the size `tiny` give the committed files; claims are not checked.

The files contain the rules and parameters too. So a rule cannot be loosened, nor a parameter changed,
without a change of a file: `.venv/bin/python tests/support/labs/tiny_figures.py` writes them.
"""

import json

import pytest

from mininet_labs.figures.drawing import picture
from mininet_labs.figures.figure import PaperFigure, Requirement, Size
from mininet_labs.figures.papers import FIGURES
from mininet_labs.figures.results import document
from tests.support.labs.tiny_figures import FOLDER, path_of, runs, tiny_document

SIMULATED = [
    figure for figure in FIGURES if all(one.requirement is Requirement.NOTHING for one in figure.experiments)
]


@pytest.mark.parametrize("figure", SIMULATED, ids=lambda figure: figure.name)
def test_a_figure_gives_the_committed_file(figure: PaperFigure) -> None:
    assert tiny_document(figure) == json.loads(path_of(figure).read_text(encoding="utf-8"))


@pytest.mark.parametrize("figure", SIMULATED, ids=lambda figure: figure.name)
def test_a_figure_has_something_to_draw_and_claims(figure: PaperFigure) -> None:
    found = document(figure, Size.TINY, [run for one in figure.experiments for run in runs(one.name)])
    assert "polyline" in picture(found)
    assert found["claims"] and {claim["verdict"] for claim in found["claims"]} == {"undecided"}


def test_each_file_belongs_to_a_figure() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == {figure.name for figure in SIMULATED}


def test_names_are_unique() -> None:
    names = [figure.name for figure in FIGURES]
    assert len(names) == len(set(names))
    for figure in FIGURES:
        for size in Size:
            claims = [claim.name for claim in figure.claims(size)]
            assert len(claims) == len(set(claims)) > 0


def test_every_choice_of_ours_has_a_reason() -> None:
    for figure in FIGURES:
        for experiment in figure.experiments:
            for choice in experiment.choices(Size.QUICK):
                assert choice.reason or choice.source == "paper", (figure.name, choice.name)

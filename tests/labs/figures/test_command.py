"""`python -m mininet_labs figures`: the list, the choice of figures, and the exit status."""

import json
from pathlib import Path

import pytest

from mininet_labs import commands
from mininet_labs.errors import LabError
from mininet_labs.figures import command
from mininet_labs.figures.figure import PAPERS, PaperFigure
from mininet_labs.figures.options import PAPERS as PAPER_OPTIONS
from tests.support.labs.figures import CountedMeasure, small_experiment, small_figure


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one figure; signals stay as they are."""
    monkeypatch.setattr(command, "COMMITTED", tmp_path / "committed")
    monkeypatch.setattr(command, "PICTURES", tmp_path / "pictures")
    monkeypatch.setattr(command, "PAGE", tmp_path / "figures.md")
    monkeypatch.setattr(command, "raise_when_asked", lambda: None)
    (tmp_path / "figures.md").write_text("# Figures\n")
    return tmp_path


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, measure: CountedMeasure, *arguments: str) -> int:
    figures = (small_figure(small_experiment(measure)),)
    monkeypatch.setattr(command, "FIGURES", figures)
    return commands.main(["figures", "-o", str(folder / "out"), *arguments])


def test_it_lists_the_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["figures", "--list", "--paper", "pleroma"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["figure", "minutes", "needs", "verdict", "title"]
    names = [f"pleroma-{number}" for number in ("7d", "7e", "7f", "7g", "7h", "federation")]
    assert [line.split()[0] for line in lines] == names


def chosen(*numbers: str, paper: str | None = None) -> list[str]:
    figures: list[PaperFigure] = command.chosen(numbers, paper)
    return [figure.name for figure in figures]


def test_figures_are_chosen_by_number_name_and_paper() -> None:
    assert chosen("6.2", "7f", "debs-5l") == ["mishra-6.2", "pleroma-7f", "debs-5l"]
    assert chosen(paper="mishra") == ["mishra-6.2", "mishra-6.3", "mishra-6.7"]
    with pytest.raises(LabError, match="9z: there is no such figure"):
        chosen("9z")


def test_papers_of_the_options_are_those_of_the_registry() -> None:
    assert tuple(PAPERS) == PAPER_OPTIONS


def test_a_bad_number_is_a_bad_argument(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(folder, monkeypatch, CountedMeasure(), "--only", "9z") == 2


def test_a_run_writes_results_and_pictures(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(folder, monkeypatch, CountedMeasure()) == 0
    found = json.loads((folder / "out/results/mishra/0.1.json").read_text())
    assert found["verdict"] == "holds"
    assert (folder / "out/pictures/mishra-0.1.svg").read_text().startswith("<svg")
    assert not (folder / "committed").exists()


def test_a_claim_that_fell_gives_status_1(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(folder, monkeypatch, CountedMeasure(), "--update") == 0
    assert (folder / "committed/mishra/0.1.json").is_file() and (folder / "pictures/mishra-0.1.svg").is_file()
    assert run(folder, monkeypatch, CountedMeasure(slope=5.0), "--again") == 1


def test_ctrl_c_keeps_finished_seeds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(folder, monkeypatch, CountedMeasure(stop_at=4)) == 130
    rest = CountedMeasure()
    assert run(folder, monkeypatch, rest) == 0
    assert rest.seeds == [4, 5]

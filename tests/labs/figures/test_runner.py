"""Finished seeds are kept and read again; equal seeds give equal documents."""

import json
from pathlib import Path
from typing import Any

import pytest

from mininet_labs.errors import LabError
from mininet_labs.figures.figure import Experiment, Size
from mininet_labs.figures.results import SeedRun, document, fallen, read, write
from mininet_labs.figures.runner import SeedSchedule, only_one
from tests.support.labs.figures import CountedMeasure, small_experiment, small_figure


def run(folder: Path, experiment: Experiment, **options: Any) -> tuple[list[SeedRun], list[str]]:
    lines: list[str] = []
    again = options.pop("again", False)
    schedule = SeedSchedule(Size.QUICK, folder, again, lines.append, **options)
    return list(schedule.run([experiment])), lines


def test_a_second_run_measures_nothing(tmp_path: Path) -> None:
    first, second = CountedMeasure(), CountedMeasure()
    runs, lines = run(tmp_path, small_experiment(first))
    assert first.seeds == [1, 2, 3, 4, 5] and len(lines) == 5
    repeated, lines = run(tmp_path, small_experiment(second))
    assert second.seeds == [] and lines == []
    assert [one.rows for one in repeated] == [one.rows for one in runs]


def test_finished_seeds_survive_ctrl_c(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, small_experiment(CountedMeasure(stop_at=3)))
    rest = CountedMeasure()
    run(tmp_path, small_experiment(rest))
    assert rest.seeds == [3, 4, 5]


def test_seeds_are_measured_again_on_request_and_with_other_parameters(tmp_path: Path) -> None:
    run(tmp_path, small_experiment(CountedMeasure()))
    again, other = CountedMeasure(), CountedMeasure()
    run(tmp_path, small_experiment(again), again=True, seeds=(2,))
    run(tmp_path, small_experiment(other, value=2), seeds=(2,))
    assert (again.seeds, other.seeds) == ([2], [2])


def test_progress_states_the_remaining_time(tmp_path: Path) -> None:
    _, lines = run(tmp_path, small_experiment(CountedMeasure()))
    assert lines[0] == "[1/5] small, seed 1; 10 min remaining"
    assert lines[1].endswith("0 s remaining")  # at the pace of the first


def test_the_circumstances_of_each_seed_are_recorded(tmp_path: Path) -> None:
    (first, *_), _ = run(tmp_path, small_experiment(CountedMeasure()))
    wanted = {
        "started",
        "seconds",
        "processor_seconds",
        "load_before",
        "load_after",
        "commit",
        "cpu",
        "cores",
    }
    assert wanted <= first.circumstances.keys()


def test_equal_seeds_give_equal_documents(tmp_path: Path) -> None:
    documents = []
    for folder in ("a", "b"):
        experiment = small_experiment(CountedMeasure())
        runs, _ = run(tmp_path / folder, experiment)
        found = document(small_figure(experiment), Size.QUICK, runs)
        documents.append(json.dumps({**found, "run": None}))
    assert documents[0] == documents[1]


def test_a_document_has_verdicts_parameters_and_seeds(tmp_path: Path) -> None:
    experiment = small_experiment(CountedMeasure())
    runs, _ = run(tmp_path, experiment)
    found = document(small_figure(experiment), Size.QUICK, runs)
    assert found["seeds"] == [1, 2, 3, 4, 5] and found["verdict"] == "holds"
    (claim,) = found["claims"]
    assert claim["text"] == "The values fall." and claim["verdict"] == "holds" and "reason" not in claim
    assert found["parameters"] == [{"name": "value", "value": 1, "source": "ours", "reason": "small"}]
    assert found["timed"] == ["seconds"]
    write(tmp_path / "one.json", found)
    assert read(tmp_path / "one.json") == json.loads(json.dumps(found))


def test_a_claim_that_held_may_fall(tmp_path: Path) -> None:
    found = []
    for name, slope in (("before", -10.0), ("now", 10.0)):
        experiment = small_experiment(CountedMeasure(slope=slope))
        runs, _ = run(tmp_path / name, experiment)
        found.append(document(small_figure(experiment), Size.QUICK, runs))
    before, now = found
    assert now["claims"][0]["reason"] == "They rise."
    assert fallen(before, now) == ["falls"]
    assert fallen(now, now) == fallen(None, now) == []


def test_one_process_measures(tmp_path: Path) -> None:
    with only_one(tmp_path), pytest.raises(LabError, match="another process measures"), only_one(tmp_path):
        pass

"""Experiments over REST: all users read the committed results; broken names are not found."""

import json

import pytest

ROW = {
    "figure": "6.2",
    "paper": "mishra",
    "paper_title": "Mishra, thesis 3450 (2013)",
    "title": "False positives",
    "size": "quick",
    "seeds": [1, 2, 3, 4, 5],
    "command": 'make figures ARGS="--only mishra-6.2 --again"',
    "verdict": "differs",
    "claims": [
        {
            "id": "falls",
            "text": "t",
            "source": "6",
            "rule": "r",
            "verdict": "differs",
            "value": "v",
            "reason": "w",
        }
    ],
    "parameters": [{"name": "seeds", "value": [1, 2], "source": "ours"}],
    "panels": [],
    "timed": [],
    "run": {"noisy": False, "seeds": []},
    "rows": [{"seed": 1, "x": 1, "series": "a", "fpr": 2.0}],
}


@pytest.fixture
def results(settings, tmp_path):
    settings.EXPERIMENTS_DIR = tmp_path
    for paper, figure in (("debs", "5a"), ("mishra", "6.2"), ("pleroma", "7d")):
        path = tmp_path / paper / f"{figure}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({**ROW, "paper": paper, "figure": figure}))
    return tmp_path


def test_the_list_has_verdicts_in_the_order_of_the_papers(world, results):
    rows = world.get("experiments/").json()["experiments"]
    assert [row["name"] for row in rows] == ["mishra-6.2", "pleroma-7d", "debs-5a"]
    assert rows[0]["claims"][0]["verdict"] == "differs" and "rows" not in rows[0] and "panels" not in rows[0]


def test_an_experiment_has_everything_but_single_rows(world, results):
    found = world.get("experiments/mishra-6.2/").json()
    assert found["name"] == "mishra-6.2" and found["parameters"] == [
        {"name": "seeds", "value": "1, 2", "source": "ours"}
    ]
    assert "rows" not in found


@pytest.mark.parametrize("name", ["mishra-9", "..-6.2", "mishra", "mishra-6.2.json", "%2e%2e-6.2"])
def test_an_unknown_name_is_not_found(world, results, name):
    assert world.get(f"experiments/{name}/").status_code == 404


def test_there_may_be_no_results(world, settings, tmp_path):
    settings.EXPERIMENTS_DIR = tmp_path / "none"
    assert world.get("experiments/").json() == {"experiments": []}


def test_unknown_parameters_are_refused(world, results):
    assert world.get("experiments/?paper=mishra").status_code == 400


def test_the_committed_results_match_the_schema(world):
    for row in world.get("experiments/").json()["experiments"]:
        found = world.get(f"experiments/{row['name']}/").json()
        assert found["run"]["seeds"] and found["panels"] and found["claims"]

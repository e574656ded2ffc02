"""Learned cuts: valid trees that lose nothing, avoid false positives, and are written as scenarios."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tercast.cli.main import main
from tercast.dimensions.learned import Learner
from tercast.dimensions.learned_space import learned_space
from tercast.dimensions.measured_cost import Measure
from tercast.dimensions.workload import Workload
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tests.property_profiles import examples
from tests.support.dimension_workloads import scenario, workloads

DEPTH, LIMIT = 12, 6


@examples(60)
@given(workloads())
def test_learned_cuts_are_valid_and_lose_nothing(workload: Workload) -> None:
    learner = Learner(workload)
    for cuts in (1, 3, 30):
        learner.grow(cuts)
        topic = workload.topic.with_cuts(json.loads(json.dumps(learner.nodes())))
        assert topic.cuts.count == learner.cuts <= cuts
        Measure(workload, DEPTH, LIMIT).of_topic(topic)  # fails if an event is lost


@examples(30)
@given(workloads())
def test_enough_cuts_deliver_only_what_hosts_want(workload: Workload) -> None:
    """With a cut at every bound, and no limit, only texts that no cut can separate are false positives."""
    learner = Learner(workload)
    learner.grow(4_096)
    topic = workload.topic.with_cuts(learner.nodes())
    cost, _ = Measure(workload, 112, 10_000).of_topic(topic)
    assert cost.unwanted <= _indistinct(workload)


def _indistinct(workload: Workload) -> int:
    """Deliveries of texts that share their first 16 bytes with a wanted one: no cut divides these."""
    long = sum(any(isinstance(v, str) and len(v.encode()) >= 16 for v in e.values()) for e in workload.events)
    return long * len(workload.hosts)


def quotes(number: int, seed: int = 1) -> Workload:
    """Filters at bounds far from midpoints, of one attribute each."""
    rows: list[dict[str, Any]] = [{"name": "symbol", "type": "string"}]
    rows += [{"name": name, "type": "float", "min": 0.0, "max": 1024.0} for name in ("open", "close")]
    topic = Topic.from_json({"name": "t", "code": 0, "indexed": ["symbol", "close"], "attributes": rows})
    texts = ['symbol = "IBM" and close < 101', "close in [90, 110]", "open > 700", 'symbol prefix "GO"']
    rng = random.Random(seed)
    events = [
        {
            "symbol": rng.choice(["AAPL", "GOOG", "IBM", "MSFT"]),
            "open": rng.uniform(1, 1000),
            "close": rng.uniform(1, 200),
        }
        for _ in range(number)
    ]
    own = tuple((f"h{n}", Filter.parse(text, topic)) for n, text in enumerate(texts))
    return Workload(topic, own, tuple(events))


def test_a_learned_space_has_fewer_cells_and_no_false_positives() -> None:
    seen, unseen = quotes(800).halves()
    space = learned_space(seen, 112, 50, 256)
    judge = Measure(unseen, 112, 50)
    learned, now = judge.of_topic(space)[0], judge.of_topic(seen.topic)[0]
    assert now.unwanted > 100
    assert learned.unwanted <= now.unwanted / 50 and learned.cells < now.cells / 2
    assert space.cuts.count <= 256


def test_the_fewest_cuts_that_are_nearly_as_good_are_taken() -> None:
    seen, _ = quotes(800).halves()
    assert learned_space(seen, 112, 50, 4_096).cuts.count <= 64


def test_without_a_bound_there_is_nothing_to_cut() -> None:
    workload = quotes(10)
    everything = Workload(workload.topic, (("h", Filter.everything(workload.topic)),), workload.events)
    assert not learned_space(everything, 112, 50, 100).cuts


def test_the_command_writes_a_scenario_that_plans_and_proposes_cuts(tmp_path: Path) -> None:
    workload = quotes(200)
    document = scenario(workload) | {"limits": {}}
    (tmp_path / "s.json").write_text(json.dumps(document))
    lines = (json.dumps({"publisher": "a1", "values": values}) for values in workload.events)
    (tmp_path / "e.jsonl").write_text("".join(f"{line}\n" for line in lines))
    files = [str(tmp_path / name) for name in ("s.json", "e.jsonl", "out.json", "new.json", "plan.json")]
    command = ["space", files[0], "--events", files[1], "-o", files[2], "--apply", files[3]]
    assert main([*command, "--max-cuts", "64"]) == 0
    found = json.loads(Path(files[2]).read_text())["topics"]["t"]
    by_method = {candidate["method"]: candidate for candidate in found["candidates"]}
    assert set(by_method) == {"current", "all", "spectral", "greedy", "learned"}
    assert found["best"] == "learned" and by_method["learned"]["unwanted"] < by_method["greedy"]["unwanted"]
    topic = json.loads(Path(files[3]).read_text())["topics"][0]
    assert topic["cuts"] == found["cuts"] and by_method["learned"]["cuts"] == len(found["cuts"]) // 2
    assert main(["plan", files[3], "-o", files[4]]) == 0
    assert main(["verify", files[3], files[4]]) == 0
    assert main([*command, "--method", "greedy"]) == 0
    topic = json.loads(Path(files[3]).read_text())["topics"][0]
    assert "cuts" not in topic and topic["indexed"] == by_method["greedy"]["indexed"]


@pytest.mark.parametrize("cuts", ["-1", "4097", "many"])
def test_a_wrong_number_of_cuts_is_refused(cuts: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["space", "s.json", "--events", "e.jsonl", "--max-cuts", cuts])
    assert "from 0 to 4096" in capsys.readouterr().err

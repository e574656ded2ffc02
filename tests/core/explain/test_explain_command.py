"""`tercast explain` offline."""

import json
from pathlib import Path

import pytest

from tercast.cli.main import main
from tests.support.networks import example


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    scenario, plan = tmp_path / "s.json", tmp_path / "p.json"
    scenario.write_text(json.dumps(example()))
    assert main(["plan", str(scenario), "-o", str(plan)]) == 0
    return [str(scenario), str(plan)]


def test_it_shows_dz_address_path_and_reasons(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *files, "--publisher", "a1", "--value", "low=92"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        'event    {"low": 92} of topic quotes',
        "from     a1, host h1, at port 3 of s1",
        "dz       0001011100",
        "address  ff0e:4:1700::",
        "tree     t1",
        "",
        "path:",
        "  [0] s1, from port 3: ff0e:4:1400::/38, priority 24 (exact entry for q1)",
        "        -> port 1 to s2 [1], for q1",
        "  [1] s2, from port 1: ff0e:4:1400::/38, priority 24 (exact entry for q1)",
        "        -> host h2 at port 3, for q1",
        "",
        "received by:",
        "  h2: match; a subscription of the host matches the event",
        "      q1: match; low in [80, 100]",
        "",
        "not received by:",
        "  h1: no_subscription; the host has no subscription to topic quotes",
    ]


def test_it_names_the_cuts_on_the_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = example()
    document["topics"][0]["cuts"] = [["low", 80], 1, ["low", 101], 1, 1]
    scenario, plan = str(tmp_path / "s.json"), str(tmp_path / "p.json")
    Path(scenario).write_text(json.dumps(document))
    assert main(["plan", scenario, "-o", plan]) == 0
    assert main(["explain", scenario, plan, "--publisher", "a1", "--value", "low=92"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:4] == ["cuts     low < 80: no", "         low < 101: yes"]
    assert (
        lines[4].startswith("dz       10")
        and "  h2: match; a subscription of the host matches the event" in lines
    )


def test_it_names_truncation_and_switches_that_cannot_be_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = example()
    document["limits"]["max_dz_length"] = 4
    scenario, plan = str(tmp_path / "s.json"), str(tmp_path / "p.json")
    Path(scenario).write_text(json.dumps(document))
    assert main(["plan", scenario, "-o", plan]) == 0
    folder = str(tmp_path / "none")
    capsys.readouterr()
    main(["explain", scenario, plan, "--publisher", "a1", "--value", "low=70", "--ovs-run-dir", folder])
    out = capsys.readouterr().out
    assert "        -> host h2 at port 3, for the cells of q1, not the filter\n" in out
    assert "\non the switches: as expected; some could not be checked\n  s1 could not be checked: " in out


def test_json_has_the_same(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *files, "--publisher", "h1", "--values", '{"low": 92}', "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["format"] == "explanation/1"
    assert [hop["switch"] for hop in answer["path"]] == ["s1", "s2"]


def test_what_is_not_sent_and_what_is_dropped(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *files, "--publisher", "a1", "--value", "low=900"]) == 0
    assert "the event is not sent: outside_advertisement" in capsys.readouterr().out
    assert main(["explain", *files, "--publisher", "a1", "--value", "low=9"]) == 0
    out = capsys.readouterr().out
    assert "[0] s1, from port 3: no entry, dropped" in out
    assert "  no host" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--publisher", "h9", "--value", "low=1"], 'publisher: "h9" is neither'),
        (["--publisher", "a1", "--value", "low=x"], 'values.low: "x" is not an integer'),
        (["--publisher", "h2", "--value", "low=1"], "topic: this publisher has no advertisement"),
        (["--publisher", "h2", "--topic", "x", "--value", "low=1"], 'topic: unknown topic "x"; use one of '),
        (
            ["--publisher", "a1", "--api", "http://127.0.0.1:1", "--value", "low=1"],
            "SCENARIO and --api exclude",
        ),
    ],
)
def test_refusals_are_one_line(
    files: list[str], capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["explain", *files, *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith(message)
    assert error.count("\n") == 1


def test_without_files_and_api_the_remedy_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--publisher", "a1", "--value", "low=1"]) == 2
    assert "--api URL" in capsys.readouterr().err
    assert main(["explain", "--publisher", "a1", "--value", "x=a,b", "--api", "http://127.0.0.1:1"]) == 2
    assert "--values JSON" in capsys.readouterr().err

"""`tercast import` writes topologies that scenarios accept."""

import json

import pytest

from tercast.cli import main
from tercast.errors import RefusedMany
from tercast.offline.scenario import read_scenario
from tercast.topology.importers import read_topology

TOPIC = {"name": "t", "code": 0, "attributes": [{"name": "x", "type": "int", "min": 0, "max": 7}]}


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run_(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main.main(list(arguments))
        except SystemExit as ended:  # of argparse
            code = int(ended.code)
        out, err = capsys.readouterr()
        return code, out, err

    return run_


def scenario(topology: dict, family: str) -> dict:
    prefix = {"ipv6": "ff0e::/16", "ipv4": "225.128.0.0/9"}[family]
    first, last = topology["hosts"][0]["id"], topology["hosts"][-1]["id"]
    return {
        "format": "scenario/1",
        "address": {"family": family, "prefix": prefix},
        "topology": topology,
        "topics": [TOPIC],
        "requests": [
            {"op": "advertise", "id": "a1", "host": first, "topic": "t", "filter": "true"},
            {"op": "subscribe", "id": "q1", "host": last, "topic": "t", "filter": "x < 4"},
        ],
    }


@pytest.mark.parametrize("family", ["ipv6", "ipv4"])
def test_from_a_file_to_a_plan_that_holds(run, tmp_path, family):
    (tmp_path / "rocket").write_text("Bern Oslo 2.5\nOslo Bern 2.5\nOslo Rome 1\n")
    code, _, err = run("import", "rocket", "-o", "topology.json", "--hosts", "1", "--family", family)
    assert code == 0
    assert err.splitlines()[-1] == "rocket: rocketfuel, 3 switches, 2 links, 3 hosts, 2 repairs"
    topology = json.loads((tmp_path / "topology.json").read_text())
    (tmp_path / "scenario.json").write_text(json.dumps(scenario(topology, family)))
    assert run("plan", "scenario.json", "-o", "plan.json")[0] == 0
    assert json.loads((tmp_path / "plan.json").read_text())["flows"]["bern"]
    assert run("verify", "scenario.json", "plan.json")[0] == 0


def test_what_it_wrote_it_reads_again_alone_and_in_a_scenario(run, tmp_path):
    file = {"nodes": [{"id": 1, "label": "Zürich", "lat": 47.4, "lon": 8.5}, {"id": 2}], "links": []}
    (tmp_path / "file.json").write_text(json.dumps(file))
    assert run("import", "file.json", "-o", "one.json", "--hosts", "2")[0] == 0
    written = (tmp_path / "one.json").read_text()
    assert run("import", "one.json", "-o", "two.json")[0] == 0
    assert (tmp_path / "two.json").read_text() == written
    (tmp_path / "scenario.json").write_text(json.dumps(scenario(json.loads(written), "ipv6")))
    code, out, err = run("import", "scenario.json", "-o", "-")
    assert (code, out) == (0, written)
    assert "tercast, 2 switches, 0 links, 4 hosts, 0 repairs" in err


def test_hosts_beside_those_of_our_own_file():
    topology = read_topology(b"a b 1\n", hosts_per_switch=1).topology
    topology["hosts"] = [{**topology["hosts"][1], "id": "mine"}]
    more = read_topology(json.dumps(topology).encode(), hosts_per_switch=1).topology["hosts"]
    assert [(row["id"], row["port"], row["ip"]) for row in more] == [
        ("mine", 2, "fd00::2"),
        ("h-a-1", 2, "fd00::1"),
        ("h-b-1", 3, "fd00::3"),
    ]


def test_all_errors_in_our_own_file_are_reported(run, tmp_path):
    topology = read_topology(b"a b 1\n").topology
    topology["switches"][0] |= {"lat": 91, "colour": "red"}
    topology["switches"][1]["lon"] = "8"
    topology["links"][0]["b"] = "c"
    (tmp_path / "bad.json").write_text(json.dumps(topology))
    code, _, err = run("import", "bad.json", "-o", "out.json")
    assert code == 2 and not (tmp_path / "out.json").exists()
    places = [line.split(": ")[1] for line in err.splitlines()]
    assert places[0] == "switches[0].colour" and places[1] == "switches[1].lon"


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"name": 5}, "name"),
        ({"lat": 90.5}, "lat"),
        ({"lat": True}, "lat"),
        ({"lon": -181}, "lon"),
        ({"lon": "8"}, "lon"),
    ],
)
def test_scenarios_check_how_switches_are_shown(fields, place):
    topology = read_topology(b"a b 1\n", hosts_per_switch=1).topology
    topology["switches"][0] |= fields
    with pytest.raises(RefusedMany) as caught:
        read_scenario(scenario(topology, "ipv6"))
    assert caught.value.errors[0].path[:4] == ("topology", "switches", 0, place)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("import", "nothing", "-o", "x"), "nothing: cannot be read: No such file"),
        (("import", ".", "-o", "x"), "cannot be read: Is a directory"),
        (("import", "rubbish", "-o", "x"), "rubbish: the file has an unknown format; use one of"),
        (("import", "good", "-o", "no/where"), "cannot be written"),
        (("import", "good", "-o", "x", "--hosts", "101"), "0 to 100"),
        (("import", "good", "-o", "x", "--format", "svg"), "graphml"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(run, tmp_path, arguments, words):
    (tmp_path / "rubbish").write_bytes(bytes(range(256)))
    (tmp_path / "good").write_text("a b 1\n")
    code, out, err = run(*arguments)
    assert code == 2 and out == "" and words in err
    assert not (tmp_path / "x").exists()

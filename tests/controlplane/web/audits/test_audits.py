"""Audits over REST: operators start them, a worker runs them, all users read them."""

import pytest

from controlplane.deployment.audits.models import Audit, Check, Drift


@pytest.fixture
def asked(world):
    """An audit of s1 and s2 with the result of a worker."""
    answer = world.post("audits/", {"switches": ["s2", "s1"]})
    assert answer.status_code == 202
    audit = Audit.objects.get()
    Check.objects.filter(switch="s1").update(state="equal", entries=3, foreign=0)
    check = Check.objects.get(switch="s2")
    Check.objects.filter(pk=check.pk).update(state="repaired", missing=1, different=1)
    Drift.objects.create(
        check_of=check, kind="missing", dst="ff0e:4::/34", priority=20, expected=[{"output": 1}]
    )
    found, expected = [{"output": "in_port"}], [{"set_dst": "h1"}, {"output": 3}]
    Drift.objects.create(
        check_of=check,
        kind="different",
        dst="ff0e:4::/33",
        in_port=2,
        priority=19,
        found=found,
        expected=expected,
    )
    Audit.objects.update(state="done")
    return audit


def test_it_is_answered_with_202_and_its_address(world):
    answer = world.post("audits/", {})
    assert answer.status_code == 202
    body = answer.json()
    assert answer.headers["Location"] == body["url"] == f"/api/v1/audits/{body['id']}/"
    assert (body["state"], body["repair"], body["trigger"]) == ("queued", True, "operator")
    assert body["switches"] == {"waiting": 3}
    assert Audit.objects.get().actor is not None


def test_results_by_switch_and_by_entry(world, asked):
    body = world.get(f"audits/{asked.pk}/").json()
    assert body["switches"] == {"equal": 1, "repaired": 1}
    rows = world.get(body["checks_url"]).json()["results"]
    assert [(row["switch"], row["state"], row["missing"], row["different"]) for row in rows] == [
        ("s2", "repaired", 1, 1),
        ("s1", "equal", 0, 0),
    ]
    rows = world.get(body["drift_url"]).json()["results"]
    assert [(row["switch"], row["kind"], row["dst"], row["in_port"]) for row in rows] == [
        ("s2", "missing", "ff0e:4::/34", None),
        ("s2", "different", "ff0e:4::/33", 2),
    ]
    assert rows[0]["found"] is None and rows[0]["expected"] == [{"output": 1, "set_dst": None}]
    assert rows[1]["found"] == [{"output": "in_port", "set_dst": None}]
    only = world.get(body["drift_url"] + "?kind=missing&switch=s2").json()["results"]
    assert [row["kind"] for row in only] == ["missing"]
    assert [row["switch"] for row in world.get(body["checks_url"] + "?state=equal").json()["results"]] == [
        "s1"
    ]


@pytest.mark.parametrize(
    "body, pointer, code",
    [
        ({"switches": ["s1", "s9"]}, "/switches/1", "unknown_switch"),
        ({"switches": "s1"}, "/switches", "not_a_list"),
        ({"switches": []}, "/switches", "min_length"),
        ({"switches": [7]}, "/switches/0", "wrong_type"),
        ({"repair": "no"}, "/repair", "wrong_type"),
        ({"fix": True}, "/fix", "unknown_field"),
    ],
)
def test_what_is_wrong_is_named(world, pointers, body, pointer, code):
    assert pointers(world.post("audits/", body)) == [(None, pointer, code)]
    assert not Audit.objects.exists()


def test_unknown_parameters_and_audits(world, asked, problem):
    problem(world.post("audits/?dry_run=true", {}), 400)
    problem(world.get("audits/?kind=x"), 400)
    problem(world.get(f"audits/{asked.pk}/drift/?kind=x"), 400)
    problem(world.get("audits/999999999/"), 404)
    problem(world.get("audits/999999999/drift/"), 404)


def test_viewers_read_and_do_not_ask(world, asked, make_user, caller_of, problem):
    viewer = caller_of(make_user("vera", "viewer"))
    assert viewer.get(f"audits/{asked.pk}/checks/").status_code == 200
    problem(viewer.post("audits/", {}), 403)


def test_there_is_a_limit_to_what_waits(world, problem):
    for _ in range(20):
        assert world.post("audits/", {"switches": ["s1"]}).status_code == 202
    assert problem(world.post("audits/", {}), 409)["type"].endswith("busy")

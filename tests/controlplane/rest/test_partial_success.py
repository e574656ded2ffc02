"""`atomic=false` accepts the valid items and reports the others; uploads report the line of each error."""

import pytest

from controlplane.registry.models import Publisher, Subscription
from controlplane.requestlog.models import Operation, RefusedItem, Request
from tests.support.controlplane.bulk_calls import small

CSV = {"content_type": "text/csv"}


def test_valid_items_are_accepted_and_invalid_ones_reported(world, error):
    body = small(5)
    body[1]["filter"] = "low > 5000"
    body[3]["topic"] = "nothing"
    answer = world.post("subscriptions/?atomic=false", body)
    report = answer.json()
    assert answer.status_code == 202 and (report["items"], report["refused"]) == (5, 2)
    assert report["states"]["queued"] == 3 and report["progress"] == pytest.approx(0.4)
    assert [row["index"] for row in world.get(report["results"]).json()["results"]] == [0, 2, 4]
    page = world.get(report["refused_items"]).json()["results"]
    assert [(row["index"], row["errors"][0]["code"]) for row in page] == [
        (1, "matches_nothing"),
        (3, "unknown_topic"),
    ]
    assert [row.filter for row in Subscription.objects.order_by("id")] == ["low < 1", "low < 3", "low < 5"]
    assert [row["index"] for row in world.get(f"{report['refused_items']}?index=3").json()["results"]] == [3]


def test_when_nothing_is_good_nothing_is_logged(world, pointers):
    before = Request.objects.count(), Operation.objects.count()
    body = [{**small(1)[0], "topic": "nothing"}, 7]
    found = pointers(world.post("subscriptions/?atomic=false", body))
    assert found == [(0, "/topic", "unknown_topic"), (1, "", "wrong_type")]
    assert (Request.objects.count(), Operation.objects.count()) == before and not RefusedItem.objects.exists()


def test_people_and_switches_too(world):
    people = [
        {"name": "p", "host": "h1"},
        {"name": "p", "host": "h1"},
        {"name": "q", "host": "h9"},
        {"name": "r", "host": "h2"},
    ]
    body = world.post("publishers/?atomic=false", people).json()
    assert [(row["index"], row["name"]) for row in body["results"]] == [(0, "p"), (3, "r")]
    assert (body["items"], body["refused"]) == (2, 2)
    assert [(e["index"], e["code"]) for e in body["errors"]] == [(1, "not_unique"), (2, "unknown_host")]
    switches = [{"name": "s8", "dpid": "0000000000000008"}, {"name": "s9", "dpid": 9}]
    body = world.post("switches/?atomic=false", switches).json()
    assert (body["items"], body["refused"]) == (2, 1)
    assert world.get(body["refused_items"]).json()["results"][0]["index"] == 1


def test_a_dry_run_shows_the_cost_of_valid_items(world):
    body = small(3)
    body[0]["filter"] = "low >"
    result = world.post("subscriptions/?atomic=false&dry_run=true", body).json()
    assert [row["index"] for row in result["results"]] == [1, 2] and result["refused"] == 1
    assert result["errors"][0]["index"] == 0 and result["dz_cells"] > 0
    assert not Subscription.objects.exists()


def test_atomic_calls_have_no_partial_counts(world, error):
    assert "refused" not in world.post("publishers/", [{"name": "p", "host": "h1"}]).json()
    for call in (
        lambda: world.patch("topics/1/?atomic=false", {}),
        lambda: world.delete("topics/1/?atomic=false"),
    ):
        assert error(call())["code"] == "not_available"


def test_lines_of_a_json_list_are_reported(world, problem):
    people = (
        '  {"name": "p", "host": "h1"},\n  {"name": "q",\n   "host": "h9"}, {"name": "[,]\\n", "host": "h1"}'
    )
    text = f"[\n{people},\n\n 7\n]"
    errors = problem(world.raw("POST", "publishers/", text), 400)["errors"]
    assert [(e["index"], e["line"]) for e in errors] == [(1, 3), (2, 4), (3, 6)]


def test_a_csv_file_is_taken(world):
    text = '\ufeffname,host\r\np,h1\r\n\r\n"q","h2"\r\n'
    assert world.raw("POST", "publishers/", text, **CSV).json()["items"] == 2
    assert set(Publisher.objects.values_list("name", "host__name")) >= {("p", "h1"), ("q", "h2")}
    text = 'topic,subscriber,filter\nquotes,alice,"low in [1, 2]"\nquotes,bob,true\n'
    body = world.raw("POST", "subscriptions/?dry_run=true", text, **CSV).json()
    assert body["items"] == 2 and body["dz_cells"] > 0 and not Subscription.objects.exists()
    assert world.raw("POST", "subscriptions/", text, **CSV).json()["items"] == 2
    assert {row.filter for row in Subscription.objects.all()} == {"low in [1, 2]", "true"}


def test_errors_of_a_csv_file_have_their_lines(world, problem):
    text = 'topic,subscriber,filter\nquotes,alice,"low\n< 9"\nnothing,alice,low < 9\n'
    text += "quotes,alice\nquotes,carol,low <\n"
    errors = problem(world.raw("POST", "subscriptions/", text, **CSV), 400)["errors"]
    found = [(e["index"], e["line"], e["code"]) for e in errors]
    assert found[:3] == [(1, 4, "unknown_topic"), (2, 5, "wrong_columns"), (3, 6, "unknown_subscriber")]
    assert {line for _, line, _ in found} == {4, 5, 6}
    body = world.raw("POST", "subscriptions/?atomic=false", text, **CSV).json()
    assert (body["items"], body["refused"]) == (4, 3)
    errors = world.get(body["refused_items"]).json()["results"][0]["errors"]
    assert errors[0]["line"] == 4


@pytest.mark.parametrize(
    "text, code",
    [
        (b"name,host\n", "empty"),
        (b"name,name\np,h1\n", "bad_heading"),
        (b"name,\np,h1\n", "bad_heading"),
        (b"name,host\np\xff,h1\n", "not_utf8"),
        (b"name,host\np\x00,h1\n", "null_character"),
        (b'name,host\n"p,h1\n', "not_csv"),
        (b'name,host\n"p"x,h1\n', "not_csv"),
        (b"name,colour\np,red\n", "unknown_field"),
    ],
)
def test_files_that_are_none_are_refused_by_name(world, problem, text, code):
    errors = problem(world.raw("POST", "publishers/", text, **CSV), 400)["errors"]
    assert code in [e["code"] for e in errors]


@pytest.mark.parametrize(
    "heading, line, words",
    [
        ("name;host", 1, "semicolons"),
        ("\ufeffname;host", 1, "semicolons"),
        ('"name";"host"', 1, "semicolons"),
        ("name\thost", 1, "tabs"),
        ('"name"\t"host"', 1, "tabs"),
        ("name|host", 1, "vertical bars"),
        ("\r\n\r\nname;host", 3, "semicolons"),
        ("sep=;\r\nname;host", 1, "semicolons"),
        ("name,", 1, "column 2 of the heading has no name"),
        ("name,host,name", 1, "twice"),
    ],
)
def test_a_wrong_heading_is_reported_once_and_not_by_row(world, problem, heading, line, words):
    mark = next((mark for mark in ";\t|" if mark in heading), ",")
    text = heading + "\r\n" + "".join(f"p{n}{mark}h1\r\n" for n in range(20))
    (error,) = problem(world.raw("POST", "publishers/?atomic=false", text, **CSV), 400)["errors"]
    assert error["code"] == "bad_heading" and words in error["detail"]
    assert f"line {line}: " in error["detail"] and not Publisher.objects.filter(name="p1").exists()


def test_columns_are_judged_at_the_heading(world, problem):
    text = "\n" + "name,Host,colour\n" + "p,h1,red\n" * 20
    errors = problem(world.raw("POST", "publishers/?atomic=false", text, **CSV), 400)["errors"]
    assert [(e["pointer"], e["code"], e["line"]) for e in errors] == [
        ("/Host", "unknown_field", 2),
        ("/colour", "unknown_field", 2),
        ("/host", "required", 2),
    ]
    quoted = '"host" , name\n'.replace(" ", "") + '"h1","p;q|r"\n'
    assert "p;q|r" in str(problem(world.raw("POST", "publishers/", quoted, **CSV), 400))
    assert world.raw("POST", "publishers/", '"host","name"\nh1,"p"\n', **CSV).status_code == 201


def test_files_are_bounded(world, problem):
    rows = "name,host\n" + "p,h1\n" * 50_001
    assert "50000" in problem(world.raw("POST", "publishers/", rows, **CSV), 413)["detail"]
    assert "text/csv" in problem(world.raw("POST", "topics/", "a,b\n1,2\n", **CSV), 415)["detail"]

"""CSV lists: all rows, streamed in pages, safe in a spreadsheet, and usable as an upload."""

import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from controlplane.accounts.trail.models import Action
from controlplane.network.models import InstalledEntry, Switch
from controlplane.registry.models import Subscription
from controlplane.rest import list_bodies
from tests.support.controlplane.bulk_calls import small


def rows(answer):
    assert answer.status_code == 200, answer
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    text = b"".join(answer.streaming_content).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_all_rows_come_in_the_order_and_by_the_filters_asked_for(world, monkeypatch):
    monkeypatch.setattr("controlplane.rest.csv_export.PAGE", 2)
    world.post("subscriptions/", small(5))
    found = rows(world.get("subscriptions/?format=csv&ordering=-id&q=low"))
    shown = world.get("subscriptions/?ordering=-id").json()["results"]
    assert [row["filter"] for row in found] == [row["filter"] for row in shown] and len(found) == 5
    assert list(found[0]) == list(shown[0]) and found[0]["id"] == str(shown[0]["id"])
    assert found[0]["withdrawal"] == "" and found[0]["dz"].startswith("[")
    assert [row["name"] for row in rows(world.get("subscribers/", HTTP_ACCEPT="text/csv"))] == [
        "alice",
        "bob",
    ]


def test_a_page_of_rows_is_in_memory_at_a_time(world, monkeypatch):
    monkeypatch.setattr("controlplane.rest.csv_export.PAGE", 10)
    world.post("subscriptions/", small(35))
    with CaptureQueriesContext(connection) as captured:
        pieces = iter(world.get("subscriptions/?format=csv").streaming_content)
        next(pieces)
        first = len(captured)
        assert next(pieces).count(b"\r\n") == 10
        assert len(captured) - first <= 3
        assert len(list(pieces)) == 3


def test_requests_entries_and_charts_are_there_too(world):
    switch = Switch.objects.get(name="s1")
    InstalledEntry.objects.create(
        switch=switch, dst="ff0e::/32", priority=2, actions=[], confirmed_at=timezone.now()
    )
    answer = world.get(f"tables/{switch.pk}/entries/?format=csv")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="entries-s1.csv"'
    assert rows(answer)[0]["dst"] == "ff0e::/32"
    assert {row["kind"] for row in rows(world.get("requests/?format=csv"))} >= {"add_switch", "add_host"}
    for chart in ("flow-table-size", "delay", "false-positives", "dimension-selection"):
        assert rows(world.get(f"analytics/{chart}/?format=csv")) == []


def test_formulas_are_kept_from_spreadsheets(world, administrator):
    now = timezone.now()
    for name in ("=1+1", "+1", "-1", "@x", "\tx", "fine"):
        Action.objects.create(at=now, last_at=now, actor=name, method="POST", resource="login", object="x")
    found = [row["actor"] for row in rows(administrator.get("audit/actions/?format=csv&resource=login"))]
    assert found == ["'=1+1", "'+1", "'-1", "'@x", "'\tx", "fine"]
    assert [list_bodies.unguarded(cell) for cell in (*found, "'x", "'")] == [
        "=1+1",
        "+1",
        "-1",
        "@x",
        "\tx",
        "fine",
        "'x",
        "'",
    ]


def test_what_was_exported_can_be_read_in_again(world):
    world.post(
        "subscriptions/",
        [{"subscriber": "alice", "topic": "quotes", "filter": f} for f in ("low < 5", "low < 7")],
    )
    found = rows(world.get("subscriptions/?format=csv"))
    text = io.StringIO()
    writer = csv.DictWriter(text, ["subscriber", "topic", "filter"], extrasaction="ignore")
    writer.writeheader()
    writer.writerows(found)
    again = world.raw("POST", "subscriptions/", text.getvalue(), content_type="text/csv")
    assert again.status_code == 409  # all of them exist
    for row in Subscription.objects.all():
        assert world.delete(f"subscriptions/{row.pk}/").status_code == 202
    assert world.raw("POST", "subscriptions/", text.getvalue(), content_type="text/csv").status_code == 202
    filters = list(Subscription.objects.order_by("id").values_list("filter", flat=True))
    assert filters == ["low < 5", "low < 7"] * 2


@pytest.mark.parametrize(
    "query, parameter",
    [
        ("format=xml", "format"),
        ("format=csv&limit=1", "limit"),
        ("format=csv&count=true", "count"),
        ("format=csv&cursor=x", "cursor"),
        ("format=csv&nonsense=1", "nonsense"),
        ("format=csv&ordering=nonsense", "ordering"),
    ],
)
def test_bad_questions_are_refused_before_anything_is_sent(world, error, query, parameter):
    assert error(world.get(f"subscriptions/?{query}"))["parameter"] == parameter


def test_single_objects_and_other_lists_are_no_csv(world, problem):
    problem(world.get("subscribers/1/", HTTP_ACCEPT="text/csv"), 406)
    problem(world.get("topics/", HTTP_ACCEPT="text/csv"), 406)

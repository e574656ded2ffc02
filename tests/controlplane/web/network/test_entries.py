"""Entries of tables: their meaning in attributes, their counters, and their origin."""

from urllib.parse import urlencode

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from controlplane.explain.region_text import Regions
from controlplane.network import entry_counters
from controlplane.network.controller_client import ControllerClient, UnreachableError
from controlplane.network.models import InstalledEntry, Switch
from controlplane.planning import confirmed_entries, planner_state
from tercast.eventspace import dz
from tercast.eventspace.event_encoder import event_dz_batch
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.tables.entries import difference
from tests.support.controlplane.api_fixtures import TOPIC, end, error, problem
from tests.support.controlplane.prepared_rows import write_once

DEPTH = 40
CORE = Topic.from_json({**TOPIC, "code": 2, "indexed": [one["name"] for one in TOPIC["attributes"]]})
EVENTS = st.fixed_dictionaries(
    {
        "low": st.integers(0, 1023),
        "high": st.floats(0, 100),
        "open": st.booleans(),
        "side": st.sampled_from(["buy", "sell"]),
        "symbol": st.text("ABIMZ\x7f\u00e9\u20ac\U0001f600", max_size=4),
    }
)


@given(EVENTS, EVENTS, st.integers(0, DEPTH))
def test_a_region_is_a_filter_that_holds_the_events_of_its_dz_and_no_others(event, other, bits):
    cell = dz.prefix(CORE.event_dz(event, DEPTH), bits)
    region = Regions({2: CORE}).text(2, cell)
    holds = Filter.parse(region, CORE).matches
    assert holds(event), region
    assert holds(other) == dz.covers(cell, CORE.event_dz(other, DEPTH)), region


def test_nobody_knows_what_a_foreign_code_means():
    assert Regions({2: CORE}).text(4, dz.parse("01")) is None
    assert Regions({2: CORE}).text(2, dz.parse("")) == "true"


def announce(world):
    """Create an advertisement at h1, subscriptions at h2 and h3, all installed."""
    for resource, body in (
        ("advertisements", {"publisher": "exchange", "topic": "quotes", "filter": "low < 512"}),
        ("subscriptions", {"subscriber": "alice", "topic": "quotes", "filter": "low in [80, 100]"}),
        ("subscriptions", {"subscriber": "bob", "topic": "quotes", "filter": "low > 90"}),
        ("subscriptions", {"subscriber": "bob", "topic": "quotes", "filter": "low > 600"}),
    ):
        assert world.post(f"{resource}/", body).status_code == 202
    end()
    planner = planner_state.load().planner
    for switch in Switch.objects.all():
        table = planner.table(switch.name)
        confirmed_entries.change(
            switch, difference(switch.name, confirmed_entries.table(switch), table), timezone.now()
        )


@pytest.fixture
def busy(world):
    write_once(announce, world)
    entry_counters.forget()
    return world


def table_of(caller, switch):
    pk = Switch.objects.get(name=switch).pk
    return pk, caller.get(f"tables/{pk}/entries/").json()["results"]


def origin(caller, pk, entry):
    answer = caller.get(f"tables/{pk}/entries/{entry}/origin/")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_entries_show_their_region(busy):
    _, rows = table_of(busy, "s1")
    assert all(row["region"].startswith("low in [") for row in rows)


def test_an_entry_stands_for_the_subscriptions_that_want_what_wins_it(busy, viewer):
    """Compare with many events from h1, each with the entry that it matches at s2."""
    pk, rows = table_of(busy, "s2")
    rows = [(row["id"], row["priority"], dz.parse(row["dz"])) for row in rows if row["in_port"] in (None, 1)]
    subscriptions = busy.get("subscriptions/").json()["results"]
    wanted = {row["filter"]: list(map(dz.parse, row["dz"])) for row in subscriptions}
    events = [{"low": low, "high": 100 * n / 8} for low in range(0, 512, 2) for n in range(8)]
    served = {}
    for full in event_dz_batch(Topic.from_json({**TOPIC, "code": 0}), events, DEPTH):
        meets = [(priority, pk) for pk, priority, cell in rows if dz.covers(cell, full)]
        if meets:
            matching = {
                text for text, cells in wanted.items() if any(dz.covers(cell, full) for cell in cells)
            }
            served.setdefault(max(meets)[1], set()).update(matching)
    assert len(served) > 2
    for entry, filters in served.items():
        found = origin(viewer, pk, entry)
        assert {one["filter"] for one in found["subscriptions"]} == filters
        assert (found["kind"], found["subscriptions_count"]) == ("exact", len(filters))
    assert any(len(filters) == 2 for filters in served.values())


def test_an_entry_that_the_plan_does_not_have_says_so(busy):
    pk, rows = table_of(busy, "s1")
    InstalledEntry.objects.filter(pk=rows[0]["id"]).update(actions=[])
    assert origin(busy, pk, rows[0]["id"]) == {
        "kind": "unplanned",
        "subscriptions": [],
        "subscriptions_count": 0,
    }
    foreign = InstalledEntry.objects.create(
        switch_id=pk, dst="ff0e:77::/32", priority=9, actions=[], confirmed_at=timezone.now()
    )
    assert origin(busy, pk, foreign.pk)["kind"] == "unplanned"
    problem(busy.get(f"tables/{pk}/entries/999999/origin/"), 404)
    other = Switch.objects.get(name="s2").pk
    problem(busy.get(f"tables/{other}/entries/{rows[0]['id']}/origin/"), 404)


def test_counters_are_read_from_the_switch_and_kept_for_a_moment(busy, monkeypatch):
    asked = []

    def answer(_, dpid):
        asked.append(dpid)
        return [
            {"dst": row["dst"], "in_port": row["in_port"], "packets": 7, "bytes": 700} for row in rows[1:]
        ]

    monkeypatch.setattr(ControllerClient, "entries", answer)
    pk, rows = table_of(busy, "s2")
    ids = ",".join(str(row["id"]) for row in rows[:2])
    for _ in range(2):
        body = busy.get(f"tables/{pk}/counters/?id__in={ids}").json()
        assert body["counters"] == [
            {"id": rows[0]["id"], "packets": None, "bytes": None},
            {"id": rows[1]["id"], "packets": 7, "bytes": 700},
        ]
    assert asked == ["0000000000000002"]
    assert error(busy.get(f"tables/{pk}/counters/"))["code"] == "required"


def test_counters_of_a_switch_that_does_not_answer_are_not_known(busy, monkeypatch):
    pk, rows = table_of(busy, "s1")
    monkeypatch.setattr(ControllerClient, "entries", lambda *_: None)
    document = problem(busy.get(f"tables/{pk}/counters/?id__in={rows[0]['id']}"), 503)
    assert "s1" in document["detail"] and "not connected" in document["detail"]

    def refuse(*_):
        raise UnreachableError("no connection")

    monkeypatch.setattr(ControllerClient, "entries", refuse)
    assert (
        "no connection" in problem(busy.get(f"tables/{pk}/counters/?id__in={rows[0]['id']}"), 503)["detail"]
    )


def narrowed(caller, pk, **query):
    rows = caller.get(f"tables/{pk}/entries/?{urlencode(query)}").json()["results"]
    return {row["id"] for row in rows}


def test_entries_are_narrowed_to_a_topic_and_to_what_meets_a_dz(busy, viewer):
    """Compare each existing dz, and those above and below it, with all entries, by the relation of dz."""
    pk, rows = table_of(busy, "s2")
    foreign = InstalledEntry.objects.create(
        switch_id=pk, dst="ff0f:77::/32", priority=9, actions=[], confirmed_at=timezone.now()
    )
    texts = {row["dz"] for row in rows}
    for asked in texts | {text[:-1] for text in texts} | {text + "01" for text in texts} | {"", "1" * 20}:
        cell = dz.parse(asked)
        wanted = {
            row["id"] for row in rows if dz.relation(dz.parse(row["dz"]), cell) is not dz.Relation.DISJOINT
        }
        assert narrowed(viewer, pk, dz=asked) == wanted, asked
        assert narrowed(viewer, pk, dz=asked, topic="quotes") == wanted
    assert len(rows) > 4 and {row["topic"] for row in rows} == {"quotes"}
    assert narrowed(viewer, pk, topic="quotes") == {row["id"] for row in rows}
    assert narrowed(viewer, pk, topic="other") == set()
    assert narrowed(viewer, pk) == {foreign.pk, *(row["id"] for row in rows)}


def test_what_is_no_dz_is_refused_by_name(busy):
    pk, _ = table_of(busy, "s2")
    assert error(busy.get(f"tables/{pk}/entries/?dz=012"))["code"] == "not_a_dz"
    assert error(busy.get(f"tables/{pk}/entries/?dz={'0' * 97}"))["code"] == "dz_too_long"

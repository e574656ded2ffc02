"""Proposals of indexed attributes over the API: from past events, applied or not, reverted."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from controlplane.analytics.dimensions import apply, outdated_spaces, spark_results
from controlplane.analytics.dimensions import propose as choosing
from controlplane.analytics.dimensions.models import Proposal
from controlplane.analytics.models import Result, Series
from controlplane.registry.models import Advertisement, Subscription, Topic
from controlplane.requestlog.models import OutboxEvent, Request, State
from controlplane.telemetry.models import EventSample
from tercast.dimensions.learned_space import learned_space
from tests.support.controlplane.prepared_rows import write_once

ATTRIBUTES = [{"name": name, "type": "int", "min": 0, "max": 1023} for name in ("noise", "low", "same")]


def announce(world, end):
    world.post("topics/", {"name": "heat", "attributes": ATTRIBUTES})
    world.post("advertisements/", {"publisher": "exchange", "topic": "heat", "filter": ""})
    wanted = [
        {"subscriber": "bob", "topic": "heat", "filter": f"low in [{start}, {start + 3}] and noise < 1000"}
        for start in range(0, 1024, 16)
    ]
    world.post("subscriptions/", wanted)
    end()
    report(range(400))


@pytest.fixture
def busy(world, end, monkeypatch):
    """Filters test only `low`; `noise` and `same` take bits from it. All three are indexed."""
    monkeypatch.setattr(choosing, "MAX_CUTS", 16)  # takes less time
    write_once(announce, world, end)
    return world


def report(numbers):
    ad = Advertisement.objects.get()
    EventSample.objects.bulk_create(
        EventSample(
            topic=ad.topic,
            advertisement=ad,
            values={"noise": number * 389 % 1024, "low": number * 211 % 1024, "same": 7},
        )
        for number in numbers
    )


def propose(caller):
    return caller.post("analytics/proposals/", {"topic": "heat"})


def finish(request, state=State.ACTIVE):
    """Act as the worker after the switches have confirmed."""
    asked = Request.objects.get(pk=request)
    if state == State.ACTIVE:
        space = {key: asked.payload[key] for key in ("indexed", "cuts") if key in asked.payload}
        Topic.objects.filter(name="heat").update(**space)
    Request.objects.filter(pk=request).update(state=state, confirmed_at=timezone.now())


def test_a_proposal_shows_every_candidate_on_other_events_and_changes_nothing(busy):
    logged = Request.objects.count()
    answer = propose(busy)
    assert answer.status_code == 201
    body = answer.json()
    assert answer.headers["Location"] == body["url"]
    assert (body["state"], body["before"], body["judged_by"]) == ("open", ["noise", "low", "same"], 200)
    by_method = {row["method"]: row for row in body["candidates"]}
    assert set(by_method) == {"current", "all", "spectral", "greedy", "learned"}
    assert by_method[body["method"]]["unwanted"] < by_method["current"]["unwanted"]
    assert "same" not in body["indexed"]
    assert by_method[body["method"]]["cuts"] == len(body["cuts"]) // 2
    assert body["saved"] > 2 * body["standard_error"]
    assert {row["attribute"] for row in body["ranking"]} == {"noise", "low", "same"}
    assert body["measured"] is None
    assert Request.objects.count() == logged
    assert busy.get("analytics/proposals/?topic=heat").json()["results"] == [body]
    assert busy.get(body["url"]).json() == body


def test_it_is_applied_once_and_taken_back_once(busy, problem):
    row = propose(busy).json()
    answer = busy.post(f"{row['url']}apply/")
    assert answer.status_code == 202
    request = answer.json()["id"]
    cuts = {"cuts": row["cuts"]} if row["cuts"] else {}
    assert Request.objects.get(pk=request).payload == {
        "op": "set_indexed",
        "topic": "heat",
        "indexed": row["indexed"],
        **cuts,
    }
    assert busy.get(row["url"]).json()["state"] == "applying"
    assert "already applied" in problem(busy.post(f"{row['url']}apply/"), 409)["detail"]
    assert "not applied" in problem(busy.post(f"{row['url']}revert/"), 409)["detail"]
    finish(request)
    assert busy.get(row["url"]).json()["state"] == "applied"
    back = busy.post(f"{row['url']}revert/")
    assert back.status_code == 202
    back_payload = Request.objects.get(pk=back.json()["id"]).payload
    assert back_payload["indexed"] == ["noise", "low", "same"] and not back_payload.get("cuts")
    finish(back.json()["id"])
    assert busy.get(row["url"]).json()["state"] == "reverted"
    assert "already reverted" in problem(busy.post(f"{row['url']}revert/"), 409)["detail"]


def test_one_that_failed_may_be_applied_again(busy):
    row = propose(busy).json()
    finish(busy.post(f"{row['url']}apply/").json()["id"], State.FAILED)
    assert busy.get(row["url"]).json()["state"] == "failed"
    assert busy.post(f"{row['url']}apply/").status_code == 202


def test_a_topic_that_has_moved_on_is_left_alone(busy, problem):
    row = propose(busy).json()
    Topic.objects.filter(name="heat").update(indexed=["noise"])
    assert "now indexes: noise." in problem(busy.post(f"{row['url']}apply/"), 409)["detail"]


def test_cuts_that_have_changed_since_are_left_alone(busy, problem):
    row = propose(busy).json()
    Topic.objects.filter(name="heat").update(cuts=[["low", 5], 1, 1])
    assert "cuts of topic heat have changed" in problem(busy.post(f"{row['url']}apply/"), 409)["detail"]


def thirds(world, end):
    """Create filters that begin at thirds, so midpoints need more cells than the limit allows."""
    world.post("topics/", {"name": "heat", "attributes": ATTRIBUTES})
    world.post("advertisements/", {"publisher": "exchange", "topic": "heat", "filter": ""})
    texts = [
        f"low in [{start}, {start + 41}] and noise in [{start}, {start + 333}]" for start in range(0, 660, 43)
    ]
    world.post("subscriptions/", [{"subscriber": "bob", "topic": "heat", "filter": text} for text in texts])
    end()


def test_learned_cuts_are_the_best_choice_between_midpoints(world, end):
    thirds(world, end)
    report(range(400))
    row = propose(world).json()
    by_method = {candidate["method"]: candidate for candidate in row["candidates"]}
    assert (row["method"], row["before_cuts"]) == ("learned", []) and row["cuts"]
    assert by_method["learned"]["unwanted"] < by_method["greedy"]["unwanted"] / 2
    request = world.post(f"{row['url']}apply/").json()["id"]
    assert Request.objects.get(pk=request).payload["cuts"] == row["cuts"]
    finish(request)
    world.post(f"{row['url']}revert/")
    assert Request.objects.latest("id").payload["cuts"] == []


def test_what_was_measured_before_and_after_stands_beside_what_was_expected(busy):
    row = propose(busy).json()
    request = busy.post(f"{row['url']}apply/").json()["id"]
    finish(request)
    changed = Request.objects.get(pk=request)
    hours, minutes = (
        Series.objects.create(job="false_positives", window=window) for window in (3_600_000_000, 60_000_000)
    )
    rows = ((hours, -180, 40), (minutes, -120, 40), (minutes, -7200, 99), (minutes, 60, 5))
    for series, offset, unwanted in rows:  # the same deliveries, by hour and by minute
        Result.objects.create(
            series=series,
            window_start=changed.received_at + timedelta(seconds=offset),
            topic="heat",
            host="h3",
            values={"delivered": 100, "unwanted": unwanted, "doubled": 0, "lost": 0},
        )
    measured = busy.get(row["url"]).json()["measured"]
    assert (measured["before"]["delivered"], measured["before"]["fpr"]) == (100, 40.0)
    assert measured["after"]["delivered"] == 0  # its window starts in the future
    Request.objects.filter(pk=request).update(confirmed_at=changed.received_at - timedelta(minutes=10))
    Result.objects.filter(values__unwanted=5).update(window_start=changed.received_at - timedelta(seconds=5))
    assert busy.get(row["url"]).json()["measured"]["after"]["unwanted"] == 45


def test_what_spark_has_ranked_is_the_spectral_candidate(busy):
    series = Series.objects.create(job="dimension_selection", window=60_000_000)
    found = {
        "ranking": ["same", "low", "noise"],
        "weights": [0.9, 0.1, 0.0],
        "eigenvalues": [3.0, 1.0, 0.0],
        "selected": ["same"],
        "events": 1,
        "subscriptions": 1,
    }
    Result.objects.create(series=series, window_start=timezone.now(), topic="heat", values=found)
    body = propose(busy).json()
    assert {row["method"]: row["indexed"] for row in body["candidates"]}["spectral"] == ["same"]
    assert body["ranking"][0] == {"attribute": "same", "weight": 0.9, "selected": True, "indexed": True}


def learned_by_spark(cuts, minutes):
    """Store a result of the job `learned_space` that is so many minutes old."""
    series, _ = Series.objects.get_or_create(job="learned_space", window=60_000_000)
    values = {"indexed": ["low"], "cuts": json.dumps(cuts)}
    at = timezone.now() - timedelta(minutes=minutes)
    return Result.objects.create(series=series, window_start=at, topic="heat", values=values)


def age_samples(minutes):
    """Let all samples up to now be so many minutes old."""
    EventSample.objects.update(reported_at=timezone.now() - timedelta(minutes=minutes))


SPARK_CUTS = [["low", 512], 3, 4]


def test_a_space_that_spark_has_learned_is_the_learned_candidate_if_it_is_better(world, end, monkeypatch):
    thirds(world, end)
    report(range(400))
    workload, _ = choosing.past(Topic.objects.get(name="heat"))
    large = learned_space(workload, 48, 50, 64)
    monkeypatch.setattr(choosing, "MAX_CUTS", 2)
    age_samples(60)
    report(range(400, 500))
    learned_by_spark(large.cuts.to_json(large.attributes), 30)
    body = propose(world).json()
    found = {row["method"]: row["cuts"] for row in body["candidates"]}["learned"]
    assert body["judged_by"] == 50, "only later events are compared"
    assert (body["method"], found) == ("learned", large.cuts.count) and found > 2
    learned_by_spark([["same", 3], 1, 1], 20)  # divides nothing that filters test
    body = propose(world).json()
    assert {row["method"]: row["cuts"] for row in body["candidates"]}["learned"] == 2


def test_spaces_of_spark_need_later_samples_and_fitting_attributes(busy):
    topic = Topic.objects.get(name="heat")
    age_samples(60)
    report(range(400, 500))
    learned_by_spark(SPARK_CUTS, 10)
    assert spark_results.known_space(topic, 500) is None, "the samples may be those it was learned from"
    learned_by_spark(SPARK_CUTS, 20)
    found = spark_results.known_space(topic, 500)
    assert found.later == 100 and found.space.cuts.to_json(found.space.attributes) == SPARK_CUTS
    assert found.space.indexed == ("low",)
    assert spark_results.known_space(topic, 250).later == 50
    assert spark_results.known_space(topic, 190) is None, "too few of the samples used are later"
    learned_by_spark([["gone", 5], 3, 4], 18)
    assert spark_results.known_space(topic, 500) == found


@pytest.mark.parametrize(
    ("body", "code"),
    [({"topic": "none"}, "unknown_topic"), ({}, "required"), ({"topic": "heat", "x": 1}, "unknown_field")],
)
def test_bad_bodies_are_refused_by_name(busy, problem, body, code):
    assert problem(busy.post("analytics/proposals/", body), 400)["errors"][0]["code"] == code


def test_without_samples_or_subscriptions_there_is_nothing_to_judge_by(busy, problem):
    EventSample.objects.all().delete()
    assert "0 event samples" in problem(propose(busy), 409)["detail"]


def test_viewers_read_and_propose_nothing(busy, viewer):
    propose(busy)
    assert viewer.get("analytics/proposals/").status_code == 200
    assert propose(viewer).status_code == 403


def test_a_topic_chooses_by_itself_only_when_it_says_so_and_once_for_the_same_samples(busy):
    apply.apply_proposals()
    assert not Proposal.objects.exists()
    topic = Topic.objects.get(name="heat")
    answer = busy.patch(f"topics/{topic.pk}/", {"automatic_indexing": True})
    assert (answer.status_code, answer.json()["automatic_indexing"]) == (200, True)
    apply.apply_proposals()
    row = Proposal.objects.get()
    assert (row.trigger, row.actor) == ("period", None)
    assert row.request is not None
    assert row.request.payload["indexed"] == row.indexed
    apply.apply_proposals()
    finish(row.request_id)
    report(range(400, 500))
    apply.apply_proposals()
    assert Proposal.objects.count() == 1, "a topic that has just changed does not change again for a while"
    propose(busy)  # a later open proposal does not end the pause
    report(range(500, 600))
    apply.apply_proposals()
    assert Proposal.objects.filter(trigger="period").count() == 1
    Request.objects.filter(pk=row.request_id).update(confirmed_at=timezone.now() - apply.PAUSE)
    apply.apply_proposals()
    assert Proposal.objects.filter(trigger="period").count() == 2


def test_taking_back_what_a_topic_chose_by_itself_stops_it_from_choosing(busy):
    topic = Topic.objects.get(name="heat")
    busy.patch(f"topics/{topic.pk}/", {"automatic_indexing": True})
    apply.apply_proposals()
    row = Proposal.objects.get()
    finish(row.request_id)
    assert busy.post(f"analytics/proposals/{row.pk}/revert/").status_code == 202
    topic.refresh_from_db()
    assert not topic.automatic_indexing


def test_a_change_by_hand_is_left_alone_for_a_while_too(busy):
    topic = Topic.objects.get(name="heat")
    request = busy.patch(f"topics/{topic.pk}/", {"indexed": ["noise"], "automatic_indexing": True}).json()
    apply.apply_proposals()
    finish(request["id"])
    apply.apply_proposals()
    assert not Proposal.objects.exists()


def test_what_saves_too_little_or_what_may_be_chance_is_not_applied(busy):
    row = choosing.compute(Topic.objects.get(name="heat"), "operator", None)
    assert apply.is_worth_it(row)
    row.figures["standard_error"] = row.figures["saved"]
    assert not apply.is_worth_it(row)
    row.figures["standard_error"] = 0.0
    costs = {candidate["method"]: candidate for candidate in row.figures["candidates"]}
    costs["current"]["unwanted"], costs[row.method]["unwanted"] = 100, 91
    assert not apply.is_worth_it(row)


def test_only_the_newest_that_nobody_applied_stay(busy, monkeypatch):
    monkeypatch.setattr(choosing, "KEPT", 2)
    first = propose(busy).json()
    busy.post(f"{first['url']}apply/")
    later = [propose(busy).json()["id"] for _ in range(3)]
    assert set(Proposal.objects.values_list("id", flat=True)) == {first["id"], *later[1:]}


def test_what_is_proposed_is_thinned_out_evenly(busy, monkeypatch):
    monkeypatch.setattr(choosing, "MOST_EVENTS", 100)
    monkeypatch.setattr(choosing, "MOST_SUBSCRIPTIONS", 10)
    workload, _ = choosing.past(Topic.objects.get(name="heat"))
    assert (len(workload.events), len(workload.subscriptions)) == (100, 10)
    assert workload.events[-1]["low"] == 396 * 211 % 1024


@pytest.fixture
def learned(busy):
    """The topic has cuts that suit its filters, and the pause after the last proposal is over."""
    Topic.objects.filter(name="heat").update(indexed=["low"], cuts=[["low", 512], 1, 1])
    assert not apply.is_worth_it(choosing.compute(Topic.objects.get(name="heat"), "operator", None))
    rest()
    return busy


def rest():
    """Let the pause after the last proposal end."""
    past = timezone.now() - outdated_spaces.PAUSE
    Proposal.objects.update(created_at=past)
    Subscription.objects.update(created_at=past)


def move_filters(world, end):
    """Replace the filters by others, on another attribute."""
    for row in world.get("subscriptions/?limit=200").json()["results"]:
        world.delete(f"subscriptions/{row['id']}/")
    end()
    wanted = [
        {"subscriber": "bob", "topic": "heat", "filter": f"noise in [{start}, {start + 2}] and low > 5"}
        for start in range(5, 1024, 16)
    ]
    world.post("subscriptions/", wanted)
    end()


def drifts():
    texts = OutboxEvent.objects.filter(kind="alarm").values_list("payload__text", flat=True)
    return [text for text in texts if "no longer fits its filters and events" in text]


def test_a_space_that_fits_causes_no_alarm(learned):
    report(range(400, 500))
    outdated_spaces.report_outdated()
    assert Proposal.objects.count() == 2, "new samples lead to a new proposal"
    assert drifts() == []


def test_other_filters_cause_one_alarm_with_the_proposal_to_apply(learned, end):
    move_filters(learned, end)
    outdated_spaces.report_outdated()
    row = Proposal.objects.order_by("id").last()
    (text,) = drifts()
    assert text.startswith(
        f"the event space of topic heat no longer fits its filters and events: proposal {row.pk} "
    )
    assert (row.trigger, row.request, row.actor) == ("period", None, None)
    assert Topic.objects.get(name="heat").cuts == row.before_cuts, "nothing changes automatically"
    report(range(400, 500))
    outdated_spaces.report_outdated()
    assert Proposal.objects.count() == 2, "there is at most one proposal an hour"
    rest()
    outdated_spaces.report_outdated()
    assert (Proposal.objects.count(), len(drifts())) == (3, 1), "the alarm is not repeated"


def test_drift_is_examined_only_after_changes_and_only_with_cuts(learned, end):
    outdated_spaces.report_outdated()
    assert Proposal.objects.count() == 1, "neither samples nor subscriptions are new"
    topic = Topic.objects.filter(name="heat")
    report(range(400, 500))
    topic.update(automatic_indexing=True)
    outdated_spaces.report_outdated()
    topic.update(automatic_indexing=False, cuts=[])
    outdated_spaces.report_outdated()
    assert Proposal.objects.count() == 1

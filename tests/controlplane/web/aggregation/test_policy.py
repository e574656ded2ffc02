"""The policy of aggregation: the method is logged, the rest applies now, the period is in beat's table."""

import pytest
from django_celery_beat.models import PeriodicTask

from controlplane.aggregation.models import Policy
from controlplane.aggregation.policy import TASK_NAME
from controlplane.requestlog.models import Request, State

DEFAULT = {"method": "none", "sampling": 1.0, "gain": 0.1, "period": 300, "request": None, "alarms": []}


def test_at_first_nothing_is_aggregated(viewer):
    assert viewer.get("aggregation/").json() == DEFAULT


def test_a_change_of_the_method_is_a_request(operator, end):
    answer = operator.patch("aggregation/", {"method": "fa-pb"})
    assert answer.status_code == 202
    body = answer.json()
    assert (body["kind"], body["state"], body["object"]) == ("set_aggregation", "queued", None)
    assert answer.headers["Location"] == body["url"]
    assert Request.objects.get().payload == {"op": "set_aggregation", "method": "fa-pb"}
    assert operator.get("aggregation/").json() == {**DEFAULT, "request": body["url"]}, "not yet"
    end()
    assert operator.get("aggregation/").json()["method"] == "fa-pb"


def test_a_change_that_failed_changes_nothing(operator, end):
    operator.patch("aggregation/", {"method": "optimal"})
    end(State.FAILED)
    assert operator.get("aggregation/").json()["method"] == "none"


def test_what_the_network_does_not_know_changes_at_once(operator, viewer):
    answer = operator.patch("aggregation/", {"sampling": 0.25, "gain": 0, "period": 60})
    assert answer.status_code == 200
    assert answer.json() == {**DEFAULT, "sampling": 0.25, "gain": 0.0, "period": 60}
    assert viewer.get("aggregation/").json() == answer.json()
    assert not Request.objects.exists()
    assert operator.patch("aggregation/", {}).json() == answer.json()


def test_the_period_is_that_of_the_periodic_task(operator):
    operator.patch("aggregation/", {"period": 60})
    row = PeriodicTask.objects.get(name=TASK_NAME)
    assert (row.enabled, row.interval.every, row.task) == (True, 60, "tercast.aggregate")
    operator.patch("aggregation/", {"period": None})
    assert not PeriodicTask.objects.get(name=TASK_NAME).enabled
    assert operator.get("aggregation/").json()["period"] is None
    operator.patch("aggregation/", {"period": 60})
    assert PeriodicTask.objects.get(name=TASK_NAME).enabled
    row.interval.every, row.interval.period = 2, "minutes"  # like the admin pages
    row.interval.save()
    assert operator.get("aggregation/").json()["period"] == 120


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("method", "best"),
        ("method", None),
        ("method", 1),
        ("sampling", 0),
        ("sampling", -0.5),
        ("sampling", 1.01),
        ("sampling", "1"),
        ("sampling", True),
        ("gain", -0.1),
        ("gain", 1.1),
        ("period", 0),
        ("period", 9),
        ("period", 60.0),
        ("period", "60"),
        ("speed", 1),
    ],
)
def test_a_bad_value_is_named(operator, error, field, value):
    found = error(operator.patch("aggregation/", {field: value}))
    assert found["pointer"] == f"/{field}"
    assert not Policy.objects.exclude(method="none", sampling=1, gain=0.1).exists()
    assert not Request.objects.exists()


@pytest.mark.parametrize("value", [1.01, 0, -0.5])
def test_a_bad_share_is_reported_with_the_rule(operator, value):
    answer = operator.patch("aggregation/", {"sampling": value})
    assert f"{value} is out of range; use a number above 0 and at most 1" in answer.content.decode()


def test_all_bad_values_at_once_and_none_of_the_good(operator, pointers):
    found = pointers(operator.patch("aggregation/", {"sampling": 2, "gain": 2, "method": "la"}))
    assert [pointer for _, pointer, _ in found] == ["/sampling", "/gain"]
    assert not Request.objects.exists()


def test_a_dry_run_shows_the_cost(operator):
    cost = operator.patch("aggregation/?dry_run=true", {"method": "la", "gain": 0.5}).json()
    assert cost["dry_run"] and cost["accepted"] and cost["entries"] == []
    assert operator.get("aggregation/").json() == DEFAULT
    assert not Request.objects.exists()

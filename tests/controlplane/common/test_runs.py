"""The life cycle that runs of aggregation, runs of analytics and audits share."""

import pytest

from controlplane.aggregation.models import AggregationRunState
from controlplane.aggregation.models import Run as AggregationRun
from controlplane.analytics.models import AnalyticsRunState, Series
from controlplane.analytics.models import Run as AnalyticsRun
from controlplane.common.problems import Problem
from controlplane.common.runs import UNDER_WAY, RunLifeCycle, one_at_a_time, prune
from controlplane.deployment.audits.models import Audit, AuditState

STATES = (AggregationRunState, AnalyticsRunState, AuditState)


def add_aggregation():
    return AggregationRun.objects.create(trigger="operator", method="fa-pb")


def add_analytics():
    series, _ = Series.objects.get_or_create(job="delay", window=60_000_000)
    return AnalyticsRun.objects.create(trigger="operator", series=series)


def add_audit():
    return Audit.objects.create(trigger="operator")


KINDS = {
    "aggregation": (RunLifeCycle(AggregationRun, "run", under_way=None), add_aggregation, "succeeded"),
    "analytics": (RunLifeCycle(AnalyticsRun, "run", under_way=None), add_analytics, "succeeded"),
    "audit": (RunLifeCycle(Audit, "audit"), add_audit, "done"),
}


@pytest.fixture(params=KINDS)
def kind(request, db):
    return KINDS[request.param]


@pytest.mark.parametrize("states", STATES)
def test_every_model_begins_with_the_states_of_the_life_cycle(states):
    assert tuple(map(str, states))[: len(UNDER_WAY)] == UNDER_WAY


def test_two_workers_do_not_begin_or_end_the_same_run(kind):
    cycle, add, final = kind
    run = add()
    other = cycle.find(run.pk)
    assert cycle.begin(run) and run.state == "running" and run.started_at is not None
    assert not cycle.begin(other)
    assert not cycle.is_over(run.pk) and not cycle.find(run.pk).is_over
    assert cycle.end(run, final) and not cycle.end(run, final)
    ended = cycle.find(run.pk)
    assert (ended.state, ended.is_over, cycle.is_over(run.pk)) == (final, True, True)
    assert ended.ended_at is not None and not cycle.under_way().exists()


def test_a_worker_that_was_given_up_ends_nothing(kind):
    cycle, add, final = kind
    run = add()
    assert cycle.begin(run)
    cycle.put_back(cycle.find(run.pk))
    assert not cycle.end(run, final)
    later = cycle.find(run.pk)
    assert later.state == "queued" and cycle.begin(later)
    if hasattr(run, "attempts"):  # without a count, one worker at a time has the lock of its work
        assert (run.attempts, later.attempts) == (1, 2)
        assert not cycle.end(run, final)
    assert cycle.end(later, final)


def test_a_run_that_is_not_there(kind):
    cycle, _, _ = kind
    with pytest.raises(Problem) as found:
        cycle.find(7)
    assert found.value.status == 404 and "7" in str(found.value.detail)
    assert cycle.is_over(7)


@pytest.mark.parametrize("seen", [True, False])
def test_one_at_a_time_by_a_look_or_by_the_constraint(db, seen):
    first = add_aggregation()
    others = AggregationRun.objects.filter(under_way=True)
    with (
        pytest.raises(
            Problem, match=rf"Run {first.pk} of x is in progress. Wait." if seen else "A run of x is"
        ),
        one_at_a_time(others if seen else others.none(), " of x", "Wait."),
    ):
        add_aggregation()
    assert AggregationRun.objects.count() == 1


def test_the_newest_are_kept(db):
    ids = [add_audit().pk for _ in range(5)]
    prune(Audit.objects.exclude(pk=ids[4]), 2)
    assert list(Audit.objects.values_list("pk", flat=True)) == ids[2:]
    prune(Audit.objects.none(), 2)


def test_a_run_ends_with_fields_of_its_own(db):
    run = add_analytics()
    cycle = KINDS["analytics"][0]
    assert cycle.begin(run, stage="starting") and cycle.end(run, "succeeded", rows=7, reason="")
    ended = cycle.find(run.pk)
    assert (ended.rows, ended.stage, ended.under_way) == (7, "starting", None)

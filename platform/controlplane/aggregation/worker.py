"""Computation of a run in this process, from a consistent state of the planner to the log."""

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from controlplane.aggregation import compute, runs
from controlplane.aggregation.models import AggregationRunState, AggregationTrigger, Policy, Run
from controlplane.aggregation.past_traffic import traffic
from controlplane.aggregation.process_starter import SECONDS
from controlplane.common import fault_injection
from controlplane.planning import planner_state
from controlplane.telemetry import samples
from tercast.errors import TercastError

logger = logging.getLogger(__name__)


def execute_run() -> Run | None:
    """Compute the queued run, if there is one; call this with the lock of runs held."""
    run = runs.begin()
    if run is None:
        return None
    fault_injection.point("aggregate:begin")
    try:
        with _in_time():
            found = _found(run)
    except TimeoutError:
        runs.end(
            run,
            AggregationRunState.FAILED,
            f"it took more than {SECONDS} s; use a smaller fraction of samples",
        )
    except MemoryError:
        runs.end(
            run,
            AggregationRunState.FAILED,
            "it needs more memory than the limit; use a smaller fraction of samples",
        )
    except TercastError as error:
        runs.end(run, AggregationRunState.FAILED, str(error))
    except Exception as error:
        logger.exception("run %d failed", run.pk)
        runs.end(
            run, AggregationRunState.FAILED, f"an internal error of the run: {type(error).__name__}: {error}"
        )
    else:
        fault_injection.point("aggregate:found")
        _conclude(run, found)
    return run


def _found(run: Run) -> compute.ComputedCovers:
    state = planner_state.load()
    past = traffic(state.planner)
    run.position, run.events = state.position, len(past)
    run.newest_sample = samples.newest()
    gain = Policy.current().gain if run.trigger == AggregationTrigger.PERIODIC else None
    return compute.run(
        state.planner,
        run.method,
        past.events,
        run.sampling,
        gain,
        numbers=past.numbers,
        loads=past.loads,
    )


def _conclude(run: Run, found: compute.ComputedCovers) -> None:
    run.results, run.reason = found.results, found.reason
    if found.request is None:
        runs.end(run, AggregationRunState.SKIPPED, found.reason)
    else:
        run.covers_before = found.covers_before
        runs.install(run, found.request)


@contextmanager
def _in_time() -> Iterator[None]:
    """Raise `TimeoutError` in the block if it takes too long; only for the main thread."""
    before = signal.signal(signal.SIGALRM, _late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _late(*_: object) -> NoReturn:
    raise TimeoutError

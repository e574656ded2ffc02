"""The time until which telemetry is complete, by the reports of its writers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from analytics.input.cutoff import CutOff
from analytics.input.writers import ParquetWriter, slowest
from analytics.times import micros

NOW = datetime(2026, 3, 29, 12, tzinfo=UTC)
PAIR = ("published", "delivered")


def at(seconds: float) -> int:
    """Return the microseconds since 1970 at so many seconds after now."""
    return micros(NOW + timedelta(seconds=seconds))


def writer(
    name: str = "w",
    reported: float = -1,
    until: float | None = -2,
    closed: bool = False,
    datasets: frozenset[str] | None = None,
) -> ParquetWriter:
    complete = None if until is None else at(until)
    return ParquetWriter(name, 0, closed, at(reported), 5_000_000, complete, datasets)


@pytest.mark.parametrize(
    ("one", "held"),
    [
        (writer(), -2),
        (writer(closed=True), None),
        (writer(reported=-74, until=-75), -75),
        (writer(reported=-76, until=-77), None),  # silent for longer than three periods and a minute
        (writer(reported=-1, until=-599), -599),
        (writer(reported=-1, until=-9000), -601),  # its rows wait for longer than a writer may delay results
        (writer(reported=-1, until=None), -11),  # an earlier release
        (ParquetWriter("w", 0, False, None, 0, None), None),  # no readable time
    ],
)
def test_a_writer_at_work_delays_results_and_one_that_stopped_does_not(
    one: ParquetWriter, held: float | None
) -> None:
    assert one.held_at(NOW) == (None if held is None else at(held))


def test_the_slowest_writer_of_the_datasets_decides() -> None:
    tables = writer("tables", until=-30, datasets=frozenset({"table_snapshots"}))
    slow = writer("slow", until=-9, datasets=frozenset({"published"}))
    writers = [tables, slow, writer("fast"), writer("gone", reported=-300, until=-300)]
    assert slowest(writers, PAIR, NOW) == (at(-9), "slow")
    assert slowest(writers, ["delivered"], NOW) == (at(-2), "fast")
    assert slowest(writers, ["table_snapshots"], NOW) == (at(-30), "tables")
    assert slowest([tables], PAIR, NOW) is None
    assert slowest([], PAIR, NOW) is None


def test_a_cut_off_does_not_go_back() -> None:
    assert CutOff(at(-20)).not_before(at(-15)).at == at(-15)
    assert CutOff(at(-20)).not_before(at(-25)).at == at(-20)
    assert CutOff(None).not_before(at(-15)).at is None

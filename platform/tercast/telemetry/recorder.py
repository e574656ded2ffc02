"""Collection of telemetry rows, which a separate thread sends in batches.

Adding a row never waits for a disk or a network. If a batch cannot be sent, the same batch is sent again
after a pause that grows. Meanwhile rows wait, up to a limit. Lost rows are counted.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Self

from tercast.runtime.wording import quantity
from tercast.telemetry.datasets import Dataset
from tercast.telemetry.retry_pause import FIRST_PAUSE_S, RetryPause
from tercast.telemetry.rows import Make, check_rows
from tercast.telemetry.sinks import BatchRefused, Report, RowBatch, Sink, SinkDown

PERIOD_S = 5.0
"""Longest time in seconds that rows wait before they are sent, even if they are few."""
BATCH_ROWS = 5_000
PENDING_ROWS = 100_000
CLOSING_S = 15.0
NO_MEMORY = "there is no memory for a batch; it is sent again later"


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def now_micros() -> int:
    """Return the machine's time in microseconds since 1970."""
    return time.time_ns() // 1000


@dataclass(slots=True)
class RecorderCounts:
    """Counters of rows: each accepted row (`taken`) is written, lost or pending.

    A batch is lost if it was refused as a whole, or was not sent before the end. `retries` counts attempts
    that failed and were repeated.
    """

    taken: int = 0
    written: int = 0
    lost: int = 0
    pending: int = 0
    batches: int = 0
    lost_batches: int = 0
    retries: int = 0


class Recorder:
    """Collects rows for `sink`; several threads may add rows.

    `name` identifies this writer in its reports. At most `pending_rows` wait. If there are more, the oldest
    rows that are in no batch are lost and counted.

    Jobs that read telemetry while it is written use `complete_until` of the reports. All rows that were added
    before this time are sent or lost. `datasets` are the datasets of which this writer may have rows (None:
    any). Jobs over other datasets do not wait for it. `clock` stamps the rows.
    """

    def __init__(
        self,
        sink: Sink,
        host: str = "",
        *,
        period: float = PERIOD_S,
        batch_rows: int = BATCH_ROWS,
        pending_rows: int = PENDING_ROWS,
        first_pause: float = FIRST_PAUSE_S,
        datasets: Iterable[Dataset] | None = None,
        clock: Callable[[], int] = now_micros,
    ) -> None:
        self.name = f"{host or 'writer'}-{os.getpid()}-{secrets.token_hex(4)}"
        self.error: str | None = None
        self._sink, self._host, self._period = sink, host, period
        self._batch_rows, self._pending_rows = batch_rows, max(pending_rows, batch_rows)
        self._datasets = None if datasets is None else sorted(dataset.name for dataset in datasets)
        self._clock = clock
        self._started = datetime.now(UTC)
        self._tally = RecorderCounts()
        self._rejected: Counter[tuple[str, str, str]] = Counter()
        self._rows: deque[tuple[int, Dataset, Make]] = deque()
        self._batches: deque[RowBatch] = deque()
        self._number = 0
        self._cutting = self._cut_since = 0
        self._pause = RetryPause(first_pause)
        self._closing: float | None = None
        self._closed = False
        self._turn = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="telemetry", daemon=True)
        self._thread.start()

    def add(self, dataset: Dataset, make: Make) -> None:
        """Accept a row; `make` is called when its batch is created. A row after `close` is lost."""
        with self._turn:
            self._tally.taken += 1
            if self._closing is not None:
                self._tally.lost += 1
                return
            self._rows.append((self._clock(), dataset, make))
            if len(self._rows) + self._in_batches() > self._pending_rows:
                self._rows.popleft()
                self._tally.lost += 1
                self.error = f"more than {self._pending_rows} rows waited; the oldest rows are lost"
            if len(self._rows) == self._batch_rows:
                self._turn.notify_all()

    def reject(self, topic: str, reason: str, host: str) -> None:
        """Count an event that a host did not accept, for the next report."""
        with self._turn:
            self._rejected[host, topic, reason] += 1

    def tally(self) -> RecorderCounts:
        """Return the current counters."""
        with self._turn:
            return RecorderCounts(**{**asdict(self._tally), "pending": len(self._rows) + self._in_batches()})

    def complete_until(self) -> datetime:
        """Return the time of the oldest waiting row, or the current time; all rows before are done."""
        with self._turn:
            if self._in_batches():
                oldest = self._cut_since
            else:
                oldest = self._rows[0][0] if self._rows else self._clock()
        return _EPOCH + timedelta(microseconds=oldest)

    def report(self) -> Report:
        """Return the state of this writer, for the supervision of all writers and for jobs."""
        return {
            "name": self.name,
            "host": self._host,
            "started_at": self._started.isoformat(),
            "told_at": datetime.now(UTC).isoformat(),
            "period_s": self._period,
            "complete_until": self.complete_until().isoformat(),
            "datasets": self._datasets,
            "closed": self._closed,
            "error": self.error,
            **asdict(self.tally()),
            **self._rejections(),
        }

    def _rejections(self) -> Report:
        """Return the events that were not accepted, by host, topic and reason; empty without any."""
        with self._turn:
            rows = sorted(self._rejected.items())
        rejected = [
            {"host": host, "topic": topic, "reason": reason, "events": count}
            for (host, topic, reason), count in rows
        ]
        return {"rejected": rejected} if rejected else {}

    def close(self, seconds: float = CLOSING_S) -> RecorderCounts:
        """Send the waiting rows for up to `seconds`; the remaining rows are lost.

        Returns:
            The final counters.
        """
        with self._turn:
            if self._closing is None:
                self._closing = time.monotonic() + seconds
                self._pause.end()
            self._turn.notify_all()
        self._thread.join()
        return self.tally()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self) -> None:
        reported_at = float("-inf")
        while True:
            self._wait(reported_at + self._period)
            ending = self._closing is not None
            self._cut()
            self._hand_over()
            if ending and (not self._batches or self._out_of_time()):
                break
            if time.monotonic() >= reported_at + self._period:
                self._send_report()
                reported_at = time.monotonic()
        self._end()

    def _wait(self, due: float) -> None:
        """Wait until rows should be sent, or until the next attempt is due."""
        with self._turn:
            while (left := self._due(due) - time.monotonic()) > 0:
                self._turn.wait(left)

    def _due(self, due: float) -> float:
        if self._pause.failures:
            retry = self._pause.retry_at
            return retry if self._closing is None else min(retry, self._closing)
        full = len(self._rows) >= self._batch_rows
        return float("-inf") if full or self._closing is not None else due

    def _cut(self) -> None:
        """Make batches of rows unless some still wait, because rows in no batch may be dropped."""
        if self._batches:
            return
        with self._turn:
            rows = [self._rows.popleft() for _ in range(min(len(self._rows), self._batch_rows))]
            self._cutting = len(rows)
            self._cut_since = rows[0][0] if rows else self._cut_since
        try:
            made, error = check_rows((dataset, make) for _, dataset, make in rows)
        except MemoryError:
            with self._turn:
                self._cutting = 0
                self._rows.extendleft(reversed(rows))
            self._put_off(NO_MEMORY)
            return
        with self._turn:
            self._cutting = 0
            self._tally.lost += len(rows) - sum(map(len, made.values()))
            self.error = error or self.error
            for dataset, checked in made.items():
                self._number += 1
                self._batches.append(RowBatch(f"{self.name}-{self._number}", dataset, tuple(checked)))

    def _hand_over(self) -> None:
        """Send batches, and make more of waiting rows, until all are sent or one fails."""
        while self._batches:
            batch = self._batches[0]
            try:
                refused = self._sink.send(batch, self.report())
            except SinkDown as down:
                self._put_off(str(down))
                return
            except MemoryError:
                self._put_off(NO_MEMORY)
                return
            except BatchRefused as why:
                self._done(batch, len(batch.rows), str(why))
            except Exception as error:  # an error of the sink must not end the thread unnoticed
                self._done(batch, len(batch.rows), f"{type(error).__name__}: {error}")
            else:
                self._done(
                    batch,
                    refused,
                    f"{quantity(refused, 'row was', 'rows were')} refused" if refused else None,
                )
            if len(self._rows) >= self._batch_rows or self._closing is not None:
                self._cut()

    def _put_off(self, error: str) -> None:
        with self._turn:
            self._pause.lengthen()
            self._tally.retries += 1
            self.error = error

    def _done(self, batch: RowBatch, lost: int, error: str | None) -> None:
        with self._turn:
            self._pause.reset()
            self._batches.popleft()
            self._tally.written += len(batch.rows) - lost
            self._tally.lost += lost
            self._tally.batches += 1
            self._tally.lost_batches += lost == len(batch.rows)
            self.error = error or self.error

    def _send_report(self) -> None:
        if self._pause.failures:
            return
        try:
            self._sink.send_report(self.report())
        except Exception as why:  # the next report contains the same data
            self.error = str(why)

    def _end(self) -> None:
        with self._turn:
            self._tally.lost += len(self._rows) + self._in_batches()
            self._tally.lost_batches += len(self._batches)
            self._rows.clear()
            self._batches.clear()
            self._pause.reset()
            self._closed = True
        self._send_report()

    def _out_of_time(self) -> bool:
        return self._closing is not None and time.monotonic() >= self._closing

    def _in_batches(self) -> int:
        return self._cutting + sum(len(batch.rows) for batch in self._batches)

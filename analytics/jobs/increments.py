"""Plan of a run that continues earlier runs: rows to read and results to compute.

Earlier runs have recorded their files with the spans of their rows. Rows of new files change the results of
some windows. These are computed again from all files, new or known, that have rows for them. So results do
not depend on how telemetry was divided among runs, and repeated or late rows change exactly the results that
they concern.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from analytics.errors import CannotRun
from analytics.input.dataset_reader import Telemetry, days
from analytics.input.facts import FileFacts
from analytics.input.files import within
from analytics.jobs.job_table import JOBS, IncrementReach
from analytics.options import JobOptions
from analytics.spans import (
    EVER,
    Span,
    clipped,
    joined,
    overlaps,
    to_windows,
    widened,
    within_windows,
    without,
)
from analytics.times import micros

MOST_SPANS = 16
ListedFiles = dict[str, tuple[str, Any]]


Files = dict[str, dict[str, FileFacts]]
"""Facts by dataset and by path in the dataset."""


@dataclass(frozen=True, slots=True)
class ReadFiles:
    """Files that earlier runs have read; with `rebuild` their results are computed again too."""

    files: Files
    rebuild: bool = False


@dataclass(slots=True)
class Increment:
    """Work of a run.

    Attributes:
        spans: Spans whose results are computed.
        choice: Files to read, by dataset.
        files: Files that were not known before, or had rows that were left.
        before: Earlier facts about the latter.
        left: Numbers of rows that this run leaves, by dataset.
        there: Numbers of all files and bytes.
        kept: Number of spans whose results stay although files of theirs were deleted.
    """

    spans: list[Span]
    choice: dict[str, list[tuple[str, Any]]]
    files: Files
    before: Files
    left: dict[str, int]
    there: Counter[str]
    kept: int

    def to_json(self) -> dict[str, Any]:
        """Return the increment for the meta file; spans are pairs of microseconds."""
        new: Counter[str] = Counter(files=0, rows=0, bytes=0)
        rejected: Counter[str] = Counter()
        for name, found in self.files.items():
            for path, one in found.items():
                earlier = self.before.get(name, {}).get(path)
                new.update(one.since(earlier))
                rejected.update(Counter(one.rejected) - Counter(earlier.rejected if earlier else {}))
        return {
            "spans": [list(span) for span in self.spans],
            "new": dict(new),
            "there": {"files": self.there["files"], "bytes": self.there["bytes"]},
            "kept": self.kept,
            "rejected": dict(rejected),
            "files": {
                name: {path: asdict(f) for path, f in found.items()} for name, found in self.files.items()
            },
        }


def read_known(obj: Any) -> ReadFiles:
    """Read a JSON document `{"rebuild": bool, "files": {dataset: {path: facts}}}`.

    Raises:
        CannotRun: It has another form.
    """
    try:
        files = {
            str(name): {str(path): FileFacts(**facts) for path, facts in found.items()}
            for name, found in obj["files"].items()
        }
        return ReadFiles(files, bool(obj.get("rebuild", False)))
    except (KeyError, TypeError, AttributeError) as error:
        raise CannotRun(f"--known: the file does not have the form that runs write: {error!r}") from None


@dataclass(frozen=True, slots=True)
class _DatasetChange:
    """Difference between the files of a dataset and those that earlier runs have read.

    Attributes:
        facts: Facts of all files.
        files: Files that are new or had rows that were left.
        before: Earlier facts about the latter.
        lost: Facts of known files that no longer exist.
        left: Number of rows that this run leaves.
    """

    reach: IncrementReach
    listed: ListedFiles
    facts: dict[str, FileFacts]
    files: dict[str, FileFacts]
    before: dict[str, FileFacts]
    lost: list[FileFacts]
    left: int

    @property
    def name(self) -> str:
        """The name of the dataset."""
        return self.reach.dataset.name

    def choose(self, spans: list[Span], new_only: bool) -> list[tuple[str, Any]]:
        """Return the files with rows that the results of spans need."""
        listed = {path: self.listed[path] for path in self.listed if not new_only or path in self.files}
        return _chosen(listed, self.facts, self.reach, spans)


def plan(telemetry: Telemetry, job: str, options: JobOptions, known: ReadFiles) -> Increment:
    """Plan a run after earlier runs that have read `known`; this inspects the new files."""
    reaches = sources(job, options)
    telemetry.cut = telemetry.cut.not_before(_end(known, reaches))
    changes = [_changes(telemetry, job, options, reach, known) for reach in reaches]
    window = options.window
    touched = [span for one in changes for span in _touched(one.files.values(), one.reach, window)]
    gone = [span for one in changes for span in _touched(one.lost, one.reach, window)]
    clip = _clip(options, known.rebuild)
    if known.rebuild or (JOBS[job].whole and touched):
        touched = [clip]
    asked = joined(clipped(touched, clip), MOST_SPANS)
    spans = without(asked, gone) if JOBS[job].windowed else asked
    there: Counter[str] = Counter()
    for one in changes:
        there.update(files=len(one.listed), bytes=sum(pair[1].getLen() for pair in one.listed.values()))
    return Increment(
        spans,
        {one.name: one.choose(spans, new_only=JOBS[job].once and not known.rebuild) for one in changes},
        {one.name: one.files for one in changes},
        {one.name: one.before for one in changes},
        {one.name: one.left for one in changes},
        there,
        kept=0 if spans == asked else len(gone),
    )


def _changes(
    telemetry: Telemetry, job: str, options: JobOptions, reach: IncrementReach, known: ReadFiles
) -> _DatasetChange:
    """Compare the files of a dataset with the known ones; this inspects the new ones."""
    first, last = days(options)
    limit = micros(options.latest)
    if telemetry.cut.at is not None:
        limit = min(limit, telemetry.cut.at - 1)
    name = reach.dataset.name
    before = known.files.get(name, {})
    listed = _listed(telemetry, name, first, last)
    new = {path: pair for path, pair in listed.items() if _is_new(before.get(path), pair[1], limit)}
    found = telemetry.inspect(reach.dataset, new)
    facts = {**before, **found}
    held = {path for path, one in found.items() if one.left} if JOBS[job].once else set()
    return _DatasetChange(
        reach,
        listed,
        facts,
        files={path: one for path, one in found.items() if path not in held},
        before={
            path: before[path] for path in found if path in before and before[path].size == found[path].size
        },
        lost=[before[path] for path in before.keys() - listed.keys() if within(path, first, last)],
        left=sum(facts[path].rows if path in held else facts[path].left for path in listed),
    )


def sources(job: str, options: JobOptions) -> tuple[IncrementReach, ...]:
    """Return the datasets that a job reads with these options."""
    found = JOBS[job].sources
    if job == "false_positives" and options.subscriptions is None:
        return found[1:]  # without subscriptions there are no losses in the result
    return found


def _end(known: ReadFiles, reaches: Iterable[IncrementReach]) -> int:
    """Return the time before which rows have counted in earlier runs."""
    files = [known.files.get(reach.dataset.name, {}) for reach in reaches]
    return max((one.last + 1 for found in files for one in found.values() if one.last is not None), default=0)


def _listed(telemetry: Telemetry, name: str, first: Any, last: Any) -> ListedFiles:
    return {
        path.rsplit(f"/{name}/", 1)[-1]: (path, status)
        for path, status in telemetry.listed(name)
        if within(path, first, last)
    }


def _is_new(known: FileFacts | None, status: Any, limit: int) -> bool:
    """Whether a file has rows up to a time that no run has counted."""
    if known is None or known.size != status.getLen():
        return True
    return known.future is not None and known.future <= limit


def _touched(facts: Iterable[FileFacts], reach: IncrementReach, window: int) -> list[Span]:
    """Return the windows whose results the rows of files change."""
    spans = [one.span for one in facts if one.span is not None]
    return joined(
        (to_windows(widened(span, reach.before, reach.after), window) for span in spans), len(spans) or 1
    )


def _clip(options: JobOptions, rebuild: bool) -> Span:
    """Return the time of possible results as whole windows; a rebuild includes both ends."""
    start = EVER[0] if options.since is None else micros(options.since)
    end = EVER[1] if options.until is None else micros(options.until)
    snapped = to_windows if rebuild else within_windows
    a, b = snapped((start, end), options.window)
    return (EVER[0] if options.since is None else a), (EVER[1] if options.until is None else b)


def _chosen(
    listed: ListedFiles, facts: Mapping[str, FileFacts], reach: IncrementReach, spans: list[Span]
) -> list[tuple[str, Any]]:
    needed = [widened(span, reach.before, reach.after) for span in spans]
    return [
        pair
        for path, pair in listed.items()
        if (span := facts[path].reach) is not None and overlaps(span, needed)
    ]

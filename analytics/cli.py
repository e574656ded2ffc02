"""Command line that runs one job: `python -m analytics JOB --telemetry ROOT --out DIR`."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from analytics.errors import AnalyticsError, CannotRun, JobFailed, NoJava, NoTelemetry
from analytics.jobs.increments import read_known
from analytics.jobs.job_table import JOBS
from analytics.jobs.runner import run_job
from analytics.options import DZ_LENGTH, JobOptions
from analytics.output.progress import JobProgress
from analytics.spark.session import java_end, start_session, stop_session
from analytics.subscriptions import read_subscriptions
from analytics.times import parse_length, parse_time
from tercast.eventspace.cut_tree import MAX_CUTS
from tercast.runtime.json_files import FileRefused, read_document

DONE, FAILED, REFUSED = 0, 1, 2

JOB_NAMES = tuple(JOBS)
MOST_DEPTH = 24

_EXAMPLES = """\
examples:
  python -m analytics delay --telemetry run/telemetry --out results --window "5 minutes"
  python -m analytics false_positives --telemetry run/telemetry --out results --subscriptions s.json

Every job accepts every option and ignores those that do not concern it.
Exit status: 0 success, 1 the job failed, 2 an input or option is wrong.
"""

_COMPARES = {"dimension_selection": "compares events with", "learned_space": "learns from"}
"""Jobs that need subscriptions."""

Value = TypeVar("Value")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a job and return the exit status."""
    args = make_parser().parse_args(arguments)
    try:
        return _run(args, read_options(args))
    except CannotRun as refused:
        _print_errors(str(refused))
        return REFUSED
    except FileRefused as refused:
        _print_errors(*refused.lines)
        return REFUSED
    except JobFailed as failed:
        _print_errors(str(failed))
        return FAILED
    except KeyboardInterrupt:
        return 130


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m analytics",
        description="Run one Spark job over telemetry and write its result as JSON.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_input(parser.add_argument)
    _add_job_options(parser.add_argument)
    _add_space_options(parser.add_argument)
    _add_run_options(parser.add_argument)
    return parser


def _add_input(add: Callable[..., object]) -> None:
    """Add the job, its folders and its time range to the options."""
    add("job", metavar="JOB", choices=JOB_NAMES, help=", ".join(JOB_NAMES))
    add(
        "--telemetry",
        metavar="ROOT",
        required=True,
        help="telemetry root: a folder, or a path that Spark can read",
    )
    add("--out", metavar="DIR", required=True, help="folder for JOB.json and JOB.meta.json")
    add(
        "--since",
        metavar="T",
        type=_typed(parse_time),
        help="start of the time range (ISO 8601; UTC without a time zone)",
    )
    add("--until", metavar="T", type=_typed(parse_time), help="end of the time range (exclusive)")
    add(
        "--window",
        metavar="LENGTH",
        type=_typed(parse_length),
        default="1 minute",
        help="length of a window of results (%(default)s)",
    )


def _add_job_options(add: Callable[..., object]) -> None:
    """Add the options that concern some jobs."""
    add(
        "--subscriptions",
        metavar="FILE",
        help="file with topics and subscriptions (for false_positives, dimension_selection, learned_space)",
    )
    add(
        "--depth",
        metavar="BITS",
        type=_typed(_depth),
        default="8",
        help="length of the dz in the histogram of publisher_load (%(default)s)",
    )
    add(
        "--threshold",
        metavar="SHARE",
        type=_typed(_share),
        default="0.9",
        help="share of the weight that the selected dimensions must reach (%(default)s)",
    )
    add(
        "--last-events",
        metavar="N",
        type=_typed(_count),
        help="use only the last N events of a topic to select dimensions",
    )
    add(
        "--most",
        metavar="N",
        type=_typed(_count),
        default="2000",
        help="maximum number of sampled events per topic (%(default)s)",
    )


def _add_space_options(add: Callable[..., object]) -> None:
    """Add the options of learned event spaces."""
    add(
        "--max-cuts",
        metavar="N",
        type=_typed(_cuts),
        default="1024",
        help="maximum number of cuts of learned_space (%(default)s)",
    )
    add(
        "--dz-length",
        metavar="BITS",
        type=_typed(_dz_length),
        default=str(DZ_LENGTH),
        help="maximum length of the dz of an event for learned_space (%(default)s)",
    )


def _add_run_options(add: Callable[..., object]) -> None:
    """Add the options that control the run and its additional output."""
    add(
        "--now",
        metavar="T",
        type=_typed(parse_time),
        help="current time; later rows are rejected (default: the clock)",
    )
    add("--parquet", action="store_true", help="also write DIR/JOB.parquet")
    add(
        "--known",
        metavar="FILE",
        help="continue earlier runs: JSON file of known files, from `increment` in their meta files",
    )
    add("--progress", metavar="FILE", help="file for progress reports")
    add("--master", metavar="URL", default="local[*]", help="master of Spark (%(default)s)")
    add("--memory", metavar="SIZE", type=_typed(_size), default="1g", help="memory of Spark (%(default)s)")


def read_options(args: argparse.Namespace) -> JobOptions:
    """Return the options of a command line.

    Raises:
        CannotRun: Options contradict each other, or one is missing.
        FileRefused: The file of subscriptions is wrong.
    """
    if args.since and args.until and args.since >= args.until:
        raise CannotRun("--until must be later than --since")
    if args.job in _COMPARES and args.subscriptions is None:
        raise CannotRun(f"{args.job} {_COMPARES[args.job]} subscriptions; set --subscriptions FILE")
    needs_subscriptions = args.job in {"false_positives", *_COMPARES}
    subscriptions = None
    if args.subscriptions is not None and needs_subscriptions:
        subscriptions = read_document(args.subscriptions, read_subscriptions)
    return JobOptions(
        telemetry=args.telemetry,
        now=args.now or datetime.now(UTC),
        since=args.since,
        until=args.until,
        window=args.window,
        subscriptions=subscriptions,
        depth=args.depth,
        threshold=args.threshold,
        last_events=args.last_events,
        most=args.most,
        max_cuts=args.max_cuts,
        dz_length=args.dz_length,
    )


def _run(args: argparse.Namespace, options: JobOptions) -> int:
    progress = JobProgress(args.progress)
    try:
        known = read_document(args.known, read_known) if args.known else None
        progress.stage("starting")
        spark = start_session(args.master, args.memory)
        try:
            how: dict[str, Any] = {"parquet": args.parquet, "known": known, "progress": progress}
            run_job(spark, args.job, options, args.out, **how)
        except Exception as error:
            ended = None if isinstance(error, CannotRun) else java_end(spark)
            if ended is not None:
                raise JobFailed(ended) from None
            raise
        finally:
            stop_session(spark)
    except AnalyticsError as error:
        progress.refused(_code(error), str(error))
        raise
    return DONE


def _code(error: AnalyticsError) -> str:
    """Return the code of an error, for programs."""
    kinds = {NoJava: "no_java", NoTelemetry: "no_telemetry", JobFailed: "failed"}
    return next((code for kind, code in kinds.items() if isinstance(error, kind)), "refused")


def _typed(parse: Callable[[str], Value]) -> Callable[[str], Value]:
    """Wrap `parse` so that argparse shows its error after the name of the option."""

    def typed(text: str) -> Value:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return typed


def _depth(text: str) -> int:
    return _integer(text, 0, MOST_DEPTH)


def _cuts(text: str) -> int:
    return _integer(text, 1, MAX_CUTS)


def _dz_length(text: str) -> int:
    return _integer(text, 1, DZ_LENGTH)


def _count(text: str) -> int:
    return _integer(text, 1, 1_000_000_000)


def _integer(text: str, low: int, high: int) -> int:
    if not re.fullmatch("[0-9]{1,10}", text) or not low <= int(text) <= high:
        raise ValueError(f"{text!r} is not an integer from {low} to {high}")
    return int(text)


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= 1:
        raise ValueError(f"{text!r} is not a share; write a number above 0 and at most 1")
    return value


def _size(text: str) -> str:
    if not re.fullmatch("[1-9][0-9]{0,6}[mg]", text):
        raise ValueError(f"{text!r} is not a memory size; write for example 1g or 800m")
    return text


def _print_errors(*lines: str) -> None:
    for line in lines:
        print(line.encode("utf-8", "backslashreplace").decode("utf-8"), file=sys.stderr)

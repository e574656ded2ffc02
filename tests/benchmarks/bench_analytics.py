"""Measure the run time and peak memory of each analytics job, and of DuckDB on the same files; JSON.

    .venv/bin/python tests/benchmarks/bench_analytics.py -o FILE [--add]
    .venv/bin/python tests/benchmarks/bench_analytics.py --table FILE

Each job runs as the command, with one core and 1 GiB for the driver of Spark. `seconds` is the time of the
job from its first access to files to its result; `command_seconds` includes the start of Python and Spark.
Memory (RSS) and CPU time are those of all its processes together, sampled ten times per second. CPU times are
the best comparison on a busy machine. The exit status is 1 if DuckDB has a different answer.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, process_time, sleep
from typing import Any

import analytics_duckdb
import bench_options
import psutil
from bench_child import in_child, log, peak_rss_mib, rss_mib
from bench_machine import describe

from analytics.times import time_text
from tercast.runtime.json_files import write_json

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Measure, or print the table of a result."""
    args = bench_options.of_analytics().parse_args()
    if args.table:
        print(table(json.loads(Path(args.table).read_text())))
        return 0
    rows = _kept(args.output) if args.add else []
    result = {"machine": describe(), "memory": args.memory, "rows": rows}
    for row in measure(args.events, args.jobs, args.memory, args.keep):
        rows[:] = [old for old in rows if (old["job"], old["events"]) != (row["job"], row["events"])]
        rows.append(row)
        log(json.dumps(row))
        if args.output != "-":
            write_json(args.output, result)  # so that an interrupted run leaves its results
    if args.output == "-":
        write_json("-", result)
    return 0 if all(row["agree"] for row in rows) else 1


def _kept(output: str) -> list[dict[str, Any]]:
    """Return the rows that were measured before."""
    path = Path(output)
    rows: list[dict[str, Any]] = json.loads(path.read_text())["rows"] if path.exists() else []
    return rows


def measure(sizes: list[int], jobs: list[str], memory: str, keep: str | None) -> Iterator[dict[str, Any]]:
    """Yield a row for each size and job as soon as it is measured."""
    with tempfile.TemporaryDirectory(prefix="tc-bench-") as folder:
        kept = Path(keep or folder)
        roots = {events: _generated(kept / str(events), events) for events in sizes}
        for job in jobs:  # all sizes of one job in sequence, so that the load of the machine is similar
            for events, root in roots.items():
                size = sum(path.stat().st_size for path in root.rglob("*.parquet")) / (1 << 20)
                found = measure_job(job, root, Path(folder), memory)
                yield {"events": events, "files_mib": round(size, 1), **found}


def _generated(root: Path, events: int) -> Path:
    """Return the folder of generated telemetry, which is generated if it does not exist."""
    if not root.exists():
        start = perf_counter()
        part = root.with_name(f".{root.name}")
        _python("analytics.generate", "--events", str(events), "--out", str(part))
        part.rename(root)
        log(f"{events} events, generated in {perf_counter() - start:.0f} s")
    return root


def measure_job(job: str, root: Path, out: Path, memory: str) -> dict[str, Any]:
    """Measure a job with Spark and with DuckDB, and compare the answers."""
    load = os.getloadavg()[0]
    start = perf_counter()
    where = ("--telemetry", str(root), "--out", str(out), "--memory", memory)
    peak, cpu = _watched(job, *where, "--subscriptions", str(root / "subscriptions.json"))
    command = perf_counter() - start
    meta = json.loads((out / f"{job}.meta.json").read_text())
    times = [datetime.fromisoformat(meta[name]) for name in ("started", "finished")]
    other = in_child(_duckdb, job, root)
    found = json.loads((out / f"{job}.json").read_text())
    return {
        "job": job,
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "load_average": round(load, 1),
        "spark": {
            "seconds": round((times[1] - times[0]).total_seconds(), 2),
            "command_seconds": round(command, 2),
            "cpu_seconds": round(cpu, 1),
            "peak_mib": round(peak),
        },
        "duckdb": {
            "seconds": round(other["seconds"], 2),
            "cpu_seconds": round(other["cpu_seconds"], 2),
            "peak_mib": round(other["peak_mib"]),
        },
        "result_rows": len(found),
        "agree": agree(found, json.loads(json.dumps(other["rows"], default=_plain))),
    }


def agree(a: Any, b: Any) -> bool:
    """Whether two answers are equal except for rounding."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(agree(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(agree, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return None not in {a, b} and math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6)
    return bool(a == b)


def table(result: dict[str, Any]) -> str:
    """Return a result as Markdown; growth is the CPU time relative to the next smaller size."""
    machine = result["machine"]
    lines = [
        f"Measured {machine['started']} on {machine['cores']} cores of {machine['cpu']}, "
        f"with {result['memory']} for Spark's driver.",
        "",
        "| job | events | Spark s | CPU s | growth | MiB | DuckDB s | CPU s | MiB | load | same answer |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    rows = sorted(result["rows"], key=lambda row: (bench_options.JOBS.index(row["job"]), row["events"]))
    for before, row in zip([None, *rows], rows, strict=False):
        spark, other = row["spark"], row["duckdb"]
        cells = [
            f"`{row['job']}`",
            f"{row['events']:,}",
            f"{spark['command_seconds']:.0f}",
            _seconds(spark.get("cpu_seconds"), 0),
            _growth(before, row),
            f"{spark['peak_mib']:,}",
            f"{other['seconds']:.1f}",
            _seconds(other.get("cpu_seconds"), 1),
            f"{other['peak_mib']:,}",
            f"{row['load_average']}",
            "yes" if row["agree"] else "**no**",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _growth(before: dict[str, Any] | None, row: dict[str, Any]) -> str:
    if before is None or before["job"] != row["job"]:
        return ""
    small, large = (each["spark"].get("cpu_seconds") for each in (before, row))
    return f"{large / small:.1f}" if small and large else "–"


def _seconds(value: float | None, digits: int) -> str:
    """Format seconds; a dash if a row was measured without CPU time."""
    return "–" if value is None else f"{value:.{digits}f}"


def _duckdb(job: str, root: Path) -> dict[str, Any]:
    before, start, used = rss_mib(), perf_counter(), process_time()
    rows = analytics_duckdb.answer(job, root)
    return {
        "rows": rows,
        "seconds": perf_counter() - start,
        "cpu_seconds": process_time() - used,
        "peak_mib": max(before, peak_rss_mib()),
    }


def _plain(value: Any) -> Any:
    return time_text(value) if isinstance(value, datetime) else float(value)


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}"}


def _python(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", *arguments], env=_environment(), check=True)


def _watched(*arguments: str) -> tuple[float, float]:
    """Run a job; return the highest memory of its processes together in MiB, and their CPU seconds."""
    command = [sys.executable, "-m", "analytics", *arguments, "--master", "local[1]"]
    child = psutil.Popen(command, env=_environment(), stderr=subprocess.DEVNULL)
    peak = 0.0
    cpu: dict[int, float] = {}
    while child.poll() is None:
        peak = max(peak, _look(child, cpu))
        sleep(0.1)
    if child.returncode:
        raise SystemExit(f"{' '.join(arguments)}: exit status {child.returncode}")
    return peak, sum(cpu.values())


def _look(child: psutil.Process, cpu: dict[int, float]) -> float:
    """Return the memory of a process and its children in MiB; store their CPU times in `cpu`."""
    total = 0
    try:
        for process in (child, *child.children(recursive=True)):
            total += process.memory_info().rss
            times = process.cpu_times()
            cpu[process.pid] = times.user + times.system
    except psutil.Error:
        pass  # it has just ended
    return total / (1 << 20)


if __name__ == "__main__":
    sys.exit(main())

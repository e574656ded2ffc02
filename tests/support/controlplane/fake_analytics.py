"""Replaces `python -m analytics` where Spark does not matter: its rows are those of new text files.

Files in the telemetry root cause faults: `wait` (it does not end, and neither do its children), `refuse` (the
text is the reason), `killed` (a signal that ends it).
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path


def option(name):
    return sys.argv[sys.argv.index(f"--{name}") + 1]


def main():
    job, root, out = sys.argv[1], Path(option("telemetry")), Path(option("out"))
    progress = Path(option("progress"))
    progress.write_text(json.dumps({"stage": "computing", "done": 1, "of": 4}))
    print("a line of the log", flush=True)
    if (root / "refuse").exists():
        detail = (root / "refuse").read_text()
        progress.write_text(json.dumps({"stage": "starting", "code": "refused", "detail": detail}))
        return 2
    if (root / "killed").exists():
        os.kill(os.getpid(), int((root / "killed").read_text()))
    if (root / "wait").exists():
        more = subprocess.Popen(["sleep", "1000"])
        (root / "pids").write_text(f"{os.getpid()} {more.pid}")
        time.sleep(1000)
    dataset = "published" if job == "event_samples" else "table_snapshots"
    known = json.loads(Path(option("known")).read_text())["files"].get(dataset, {})
    folder = root / dataset
    files, rows = {}, []
    for path in sorted(folder.rglob("*.parquet")):
        name = str(path.relative_to(folder))
        if name not in known:
            size = path.stat().st_size
            files[name] = {"size": size, "rows": 1, "future": None, "rejected": {}, "unreadable": None}
            rows += json.loads(path.read_text())
    spans = [[1 << 40, 1 << 60]] if rows else []
    increment = {"spans": spans, "new": {}, "there": {}, "kept": 0, "rejected": {}}
    increment["files"] = {dataset: files}
    (out / f"{job}.meta.json").write_text(json.dumps({"datasets": {}, "notes": {}, "increment": increment}))
    (out / f"{job}.json").write_text(json.dumps(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())

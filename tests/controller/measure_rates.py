"""How fast entries are installed, read back and removed on real Open vSwitch; prints one JSON object.

.venv/bin/python tests/controller/measure_rates.py --entries 5000
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1]), str(HERE.parents[1] / "platform")]

from controller_harness import Controller, dpid, key, many_entries, running  # noqa: E402

from mininet_labs.fabric import Fabric  # noqa: E402

TOPOLOGY: dict[str, Any] = {"switches": [{"id": "s1", "dpid": dpid(1)}], "links": [], "hosts": []}


def measure(controller: Controller, count: int) -> dict[str, Any]:
    entries = many_entries(count)
    controller.await_switches(dpid(1))
    add = timed(lambda: controller.change({"dpid": dpid(1), "add": entries}))
    at_switch = controller.lines()[-1]["seconds"]
    read = timed(lambda: controller.get(f"/v1/switches/{dpid(1)}/entries"))
    assert controller.entries(dpid(1)) == sorted(entries, key=lambda item: item["dst"])
    remove = timed(lambda: controller.change({"dpid": dpid(1), "remove": [key(item) for item in entries]}))
    assert controller.entries(dpid(1)) == []
    seconds = {"add": add, "add_confirmed_by_switch": at_switch, "read_back": read, "remove": remove}
    return {
        "entries": count,
        "seconds": {name: round(value, 3) for name, value in seconds.items()},
        "per_second": {name: round(count / value) for name, value in seconds.items()},
    }


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=5000)
    count = parser.parse_args().entries
    run_dir = Path(tempfile.mkdtemp(prefix="tc-", dir="/tmp"))
    try:
        with running(run_dir) as controller, Fabric(run_dir / "f", TOPOLOGY, [controller.target]):
            print(json.dumps(measure(controller, count)))
    finally:
        shutil.rmtree(run_dir, ignore_errors=True)


if __name__ == "__main__":
    main()

"""Measure an open page at rest and the transfer of the first visit; print one JSON object.

    python tests/benchmarks/bench_rest_page.py [--seconds 60] [--rounds 3] [-o FILE]

It starts the platform with its demo network and one event in ten seconds, and opens pages in Debian's
Chromium. For each page it reports the processor time in percent of one core: of the page's process in the
browser, of the browser's other processes, and of the web server. `closed` is the same without a page. The
difference of the web server's time is what the page costs there. Rounds alternate between the pages.
"""

import argparse
import os
import sys
import time
from pathlib import Path
from statistics import median
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]
sys.path += [str(ROOT / name) for name in ("tests", "tests/support/e2e", "tests/benchmarks")]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.config.settings")
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright has an event loop in this thread
package = ModuleType("tests")  # an installed package has the same name
package.__path__ = [str(ROOT / "tests")]
sys.modules["tests"] = package

import django  # noqa: E402

django.setup()

from bench_machine import describe, processor_time, write_result  # noqa: E402
from e2e_browser import chromium, watched  # noqa: E402
from e2e_running import RunningPlatform  # noqa: E402

PAGES = ("closed", "/network", "/topics", "/requests")
SETTLING_MS = 5_000
PARTS = {"--type=renderer": "page", "chromium": "browser", "uvicorn": "web"}
"""Parts of command lines, and what the process is; the first match counts."""


def processor_times() -> dict[int, tuple[str, float]]:
    """Return kind and processor seconds of the processes of browser and web server."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_text()
            seconds = processor_time(int(folder.name))
        except OSError:
            continue
        kind = next((kind for part, kind in PARTS.items() if part in command), None)
        if kind is not None:
            found[int(folder.name)] = kind, seconds
    return found


def shares(page, seconds):
    """Return the percentage of a core that each kind of process uses while no user acts on the page."""
    before, start = processor_times(), time.monotonic()
    page.wait_for_timeout(1000 * seconds)
    after, took = processor_times(), time.monotonic() - start
    used = dict.fromkeys(PARTS.values(), 0.0)
    for pid, (kind, spent) in after.items():
        if pid in before:
            used[kind] += spent - before[pid][1]
    return {kind: 100 * spent / took for kind, spent in used.items()}


def transfer(browser, watched_page, base, encoding):
    """Return the bytes of all files of a first visit, until the drawing is shown."""
    headers = {"Accept-Encoding": encoding} if encoding else {}
    state = watched_page.page.context.storage_state()
    context = browser.new_context(storage_state=state, extra_http_headers=headers)
    page, sizes = context.new_page(), []
    page.on(
        "requestfinished",
        lambda request: "/static/" in request.url and sizes.append(request.sizes()["responseBodySize"]),
    )
    page.goto(base + "/network")
    page.locator("[data-graph] canvas").first.wait_for()
    page.wait_for_load_state("networkidle")
    context.close()
    return sum(size for size in sizes if size > 0)


def measure(seconds, rounds):
    """Return the transfer of the first visit, and the median shares of each page."""
    platform = RunningPlatform("--rate", "0.1")
    try:
        platform.wait_until_ready()
        with chromium("chromium") as browser, watched(browser, platform.base) as one:
            one.open_as("admin", platform.password, "/account", {})
            one.until_live()
            bytes_of = {name: transfer(browser, one, platform.base, name) for name in ("br", "gzip")}
            found = {page: [] for page in PAGES}
            for path in PAGES * rounds:
                one.page.goto("about:blank" if path == "closed" else platform.base + path)
                one.page.wait_for_timeout(SETTLING_MS)
                found[path].append(shares(one.page, seconds))
    finally:
        platform.close()
    pages = {
        path: {kind: round(median(row[kind] for row in rows), 2) for kind in PARTS.values()}
        for path, rows in found.items()
    }
    return {"bytes": bytes_of, "seconds": seconds, "rounds": rounds, "percent_of_a_core": pages}


def main():
    """Read the options, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    result = measure(options.seconds, options.rounds)
    write_result({**result, "machine": describe()}, options.output)


if __name__ == "__main__":
    main()

"""Measure long lists in the browser: opened, turned, filtered, scrolled; print one JSON object.

    python tests/benchmarks/bench_pages.py [--subscriptions 200000] [--entries 50000] [--repeat 9]

It uses its own database (SQLite in a temporary folder) served by uvicorn, the latest build of the dashboard,
and Debian's Chromium with the size of a desktop. For each step it reports p50 and p95 in milliseconds, from
the click or the last key to the frame that shows the rows. `usable` is the time from the address to the first
rows, with an empty cache.
"""
# ruff: noqa: PLC0415 - modules of Django are imported after the environment names the database

import os
import platform
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [
    str(ROOT / "platform"),
    str(ROOT),
    str(ROOT / "tests"),
    str(ROOT / "tests/support/e2e"),
    str(ROOT / "tests/benchmarks"),
]

from bench_lists import fill, main  # noqa: E402
from bench_rest import opened  # noqa: E402

BUDGET_MS, USABLE_MS = 500, 2000
PASSWORD = "correct horse battery"
LIST = "/participants?tab=subscriptions"
TABLE = "/network?switch=s1"

STEP = """
async ({ label, click, type, scroll }) => {
  const table = () => document.querySelector(`table[aria-label="${label}"]`);
  const shown = () => [...(table()?.querySelectorAll("tbody tr[data-row]") ?? [])];
  const rows = () => shown().map((row) => row.dataset.row);
  const before = rows().join();
  const frame = () => new Promise(requestAnimationFrame);
  const start = performance.now();
  if (click) document.querySelector(`button[aria-label="${click}"]`).click();
  if (scroll) document.querySelector(`[role="region"][aria-label="${label}"]`).scrollTop = scroll;
  if (type !== undefined) {
    const labels = [...document.querySelectorAll("label")];
    const field = labels.find((one) => one.textContent === type.field).control;
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, type.text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  while (performance.now() - start < 20000) {
    await frame();
    const now = table();
    if (now?.getAttribute("aria-busy") === "false" && rows().length > 0 && rows().join() !== before)
      return performance.now() - start;
  }
  throw new Error(`no other rows in 20 s: ${JSON.stringify({ click, type, scroll })}`);
}
"""


def shares(took):
    """Return p50 and p95 of times in milliseconds."""
    took = sorted(took)
    p50, p95 = (round(took[min(len(took) - 1, int(len(took) * share))], 1) for share in (0.5, 0.95))
    return {"p50_ms": p50, "p95_ms": p95}


def steps(page, label, filters, repeat):
    """Measure turning, scrolling and filtering a table; `filters` returns (name, field, text) of a round."""
    took = {}

    def step(name, **what):
        took.setdefault(name, []).append(page.evaluate(STEP, {"label": label, **what}))

    for round_ in range(repeat):
        step("next page", click="Next page")
        step("last page", click="Last page")
        step("page before the last", click="Previous page")
        step("scroll to the end of a page", scroll=1_000_000)
        step("first page", click="First page")
        for name, field, text in filters(round_):
            step(name, type={"field": field, "text": text})
    return {name: shares(times) for name, times in took.items()}


def of_subscriptions(round_):
    """Yield filters of the list of subscriptions."""
    field = "Filter contains"
    yield "filter that many match", field, "AAPL"
    yield "filter that few match", field, f"{8000 + round_}.25"
    yield "no filter", field, ""


def of_entries(round_):
    """Yield filters of a switch's entries: dz of 32 bits, in groups of 256 with equal first 16 bits."""
    field = "Overlaps dz"
    yield "dz that many overlap", field, "0000000001"
    yield "dz that few overlap", field, f"{round_ + 1:016b}"
    yield "dz that one overlaps", field, f"{round_ + 1:016b}{round_ + 7:016b}"
    yield "no filter", field, ""


def usable(browser, base, repeat):
    """Measure from the address to the first rows, each time in a browser with an empty cache."""
    took = []
    for _ in range(repeat):
        page, session = logged_in(browser, base)
        page.close()
        page = session.new_page()
        page.goto(base + LIST, wait_until="commit")
        page.wait_for_selector("tr[data-row]", timeout=120_000)
        took.append(page.evaluate("performance.now()"))
        session.close()
    return shares(took)


def logged_in(browser, base):
    """Return a page of a new session, and the session."""
    session = browser.new_context(viewport={"width": 1366, "height": 900})
    page = session.new_page()
    page.goto(f"{base}/login/?next=/account")
    page.get_by_label("User name").fill("bench")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/account")
    return page, session


def measure(arguments):
    """Return the figures."""
    from e2e_browser import chromium
    from e2e_platform import free_port

    client = opened()
    from django.contrib.auth.models import User
    from django.db import connection

    user = User.objects.get(username="bench")
    user.set_password(PASSWORD)
    user.save()
    fill(client, SimpleNamespace(subscriptions=arguments.subscriptions, entries=arguments.entries))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    base = f"http://127.0.0.1:{(port := free_port())}"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}"}
    command = [sys.executable, "-m", "uvicorn", "controlplane.config.asgi:application", "--port", str(port)]
    server = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with chromium("chromium") as browser:
            await_server(base)
            first = usable(browser, base, min(arguments.repeat, 5))
            page, _ = logged_in(browser, base)
            found = {}
            for path, label, filters in (
                (LIST, "Subscriptions", of_subscriptions),
                (TABLE, "Entries of s1", of_entries),
            ):
                page.goto(base + path)
                page.wait_for_selector("tr[data-row]")
                figures = steps(page, label, filters, arguments.repeat)
                found |= {f"{label}: {name}": one for name, one in figures.items()}
    finally:
        server.terminate()
        server.wait()
    slow = {name: one["p95_ms"] for name, one in found.items() if one["p95_ms"] > BUDGET_MS}
    return {
        "subscriptions": arguments.subscriptions,
        "entries": arguments.entries,
        "repeat": arguments.repeat,
        "usable": first,
        "steps": found,
        "slow": slow | ({"usable": first["p95_ms"]} if first["p95_ms"] > USABLE_MS else {}),
        "machine": {"cpus": os.cpu_count(), "python": platform.python_version(), "load": os.getloadavg()},
    }


def await_server(base):
    """Wait until the log-in page answers."""
    import httpx

    from mininet_labs.demo.services import wait_until

    def up():
        try:
            return httpx.get(base + "/login/", trust_env=False).status_code == 200
        except httpx.TransportError:
            return False

    wait_until("the server", up, (), timeout=120)


if __name__ == "__main__":
    main(__doc__, measure)

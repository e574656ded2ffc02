"""The modules that docs/architecture.md names for the planning of a request do run when one is planned."""

import json
import re
import sys
from pathlib import Path

from tercast.offline.scenario import read_scenario
from tercast.planner.planner import Planner
from tercast.runtime.jit import use

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "platform" / "tercast"
BESIDE = {
    "aggregation/incremental/budget_enforcer",  # only where a table has a budget
    "controlplane/planning/table_prover",
    "platform/tercast",
    "requests/reader",
    "verification/verifier",
}


def named_modules() -> set[str]:
    """The modules in the page's section about the core."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = page.partition("**3. The core")[2].partition("**4. ")[0]
    return set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+)`", section))


def modules_that_run(planner: Planner, request: dict[str, object]) -> set[str]:
    """The modules of the core in which a function runs when a request is planned."""
    found: set[str] = set()

    def note(frame: object, event: str, _: object) -> None:
        if event == "call":
            found.add(frame.f_code.co_filename)  # type: ignore[attr-defined]

    sys.setprofile(note)
    try:
        outcome = planner.apply(request)
        planner.take_diff()
    finally:
        sys.setprofile(None)
    assert outcome.ok
    paths = [Path(name) for name in found]
    return {str(path.relative_to(CORE).with_suffix("")) for path in paths if path.is_relative_to(CORE)}


def test_each_named_module_runs_when_a_subscription_is_planned() -> None:
    use(False)
    try:
        written = json.loads((ROOT / "examples" / "scenario.json").read_text(encoding="utf-8"))
        scenario = read_scenario(written)
        beginning = scenario.beginning()
        planner = Planner(scenario.address, scenario.limits, beginning.topology, beginning.topics.values())
        for request in written["requests"]:
            assert request["op"] != "advertise" or planner.apply(request).ok
        planner.take_diff()
        subscription = next(request for request in written["requests"] if request["op"] == "subscribe")
        ran = modules_that_run(planner, {**subscription, "dz": ["0", "1"]})
    finally:
        use(None)
    assert named_modules() - BESIDE - ran == set()
    assert len(named_modules()) > 10

"""docs/architecture.md names the modules that run when a request is planned, and counts them."""

import ast
import json
import re
import sys
from pathlib import Path

import pytest

from tercast.offline.scenario import read_scenario
from tercast.planner.planner import Planner
from tercast.runtime.jit import use

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "platform" / "tercast"
ROOTS = {"platform/tercast", "platform/controlplane"}
MOST_OTHER_MODULES = 32
"""Modules of the core that run for a subscription, but that the page does not name: types and helpers."""

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


def test_the_page_counts_the_modules_that_it_names() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    walk = page.partition("## One request, from REST")[2]
    section, _, rest = walk.partition("\nThese are ")
    named = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+)`", section)) - ROOTS
    assert len(named) == int(rest.split()[0]) < 50


def test_the_page_names_functions_that_exist() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_]+(?:/[a-z_]+)+)`: `([\w.]+)`", page)
    assert len(named) > 5
    for module, function in named:
        places = (ROOT / "platform" / "controlplane", CORE, ROOT / "controller_app", ROOT / "platform", ROOT)
        file = next(path for place in places if (path := place / f"{module}.py").is_file())
        assert defines(ast.parse(file.read_text(encoding="utf-8")), function), (module, function)


def defines(scope: ast.Module | ast.ClassDef, name: str) -> bool:
    """Whether a module or class defines a function or class, or `Class.method`."""
    first, _, rest = name.partition(".")
    for node in scope.body:
        if isinstance(node, ast.ClassDef) and node.name == first:
            return not rest or defines(node, rest)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == first:
            return not rest
    return False


@pytest.mark.parametrize(
    ("heading", "folder", "others"),
    [
        ("core", "platform/tercast", {"compiled"}),
        ("control plane", "platform/controlplane", set()),
        ("controller", "controller_app", set()),
    ],
)
def test_the_page_lists_the_packages(heading: str, folder: str, others: set[str]) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = page.partition(f"## Packages of the {heading}, ")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert listed | others == {path.parent.name for path in (ROOT / folder).glob("*/__init__.py")}


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
    assert len(ran - named_modules()) <= MOST_OTHER_MODULES

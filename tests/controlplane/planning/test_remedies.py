"""What helps against a failed request: every reason that can be given has its words."""

import ast
from pathlib import Path

import pytest

from controlplane.deployment.request_states import problem
from controlplane.planning.remedies import BY_CODE, BY_KIND, OTHERWISE, remedy

PLATFORM = Path(__file__).parents[3] / "platform"
RAISES = {"Refused": 1, "SyntaxRefused": 1, "NumberRefused": 0, "error": 0}
"""The calls that create a reason, and which argument is its code; `error` is the filter parser's."""


def calls_in(path, names):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in names:
                yield name, node


def texts_of(argument):
    return {one.value for one in ast.walk(argument) if isinstance(one, ast.Constant) and one.value}


def modules_of_the_planner():
    """Files of the core library that the planner imports, and what they import."""
    found, waiting = set(), ["tercast.planner.planner"]
    while waiting:
        place = PLATFORM.joinpath(*waiting.pop().split("."))
        path = next((one for one in (place.with_suffix(".py"), place / "__init__.py") if one.exists()), None)
        if path is None or path in found:
            continue
        found.add(path)
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tercast"):
                waiting += [node.module, *(f"{node.module}.{name.name}" for name in node.names)]
    return sorted(found)


def test_every_code_that_the_planner_refuses_with_has_a_remedy():
    codes = {
        code: path.name
        for path in modules_of_the_planner()
        for name, call in calls_in(path, RAISES)
        if (name != "error" or path.parent.name == "filters") and len(call.args) > RAISES[name]
        for code in texts_of(call.args[RAISES[name]])
    }
    assert len(codes) > 40 and {"budget", "in_use", "filter_syntax", "missing_key"} <= codes.keys()
    without = {code: where for code, where in codes.items() if code not in BY_CODE}
    assert not without, "say in planning/remedies.py what helps against these"
    assert not BY_CODE.keys() - codes.keys(), "no code is refused with these any more"


def test_every_kind_of_problem_that_requests_are_given_has_a_remedy():
    kinds = {
        kind
        for path in sorted((PLATFORM / "controlplane").rglob("*.py"))
        if "problem" in path.read_text() and "deployment.request_states" in path.read_text()
        for _, call in calls_in(path, {"problem"})
        if call.args
        for kind in texts_of(call.args[0])
    }
    assert kinds == BY_KIND.keys()


@pytest.mark.parametrize("kind", sorted(BY_KIND))
def test_the_kind_of_a_problem_says_what_helps(kind):
    assert remedy(problem(kind, "", "", ["s1"])) == BY_KIND[kind]


def test_a_refusal_says_it_by_its_code_unless_it_is_about_room():
    def refused(code, *switches):
        return remedy(problem("refused", "", "", switches, [{"code": code}]))

    assert refused("in_use") == BY_CODE["in_use"]
    assert refused("budget", "s1") == BY_KIND["refused"]
    assert refused("from a later release") == OTHERWISE and remedy({}) == OTHERWISE

"""Kinds of requests have their names in one module."""

import ast

from tercast.requests import kinds as names
from tests.structure.source_tree import modules

NAMES = {value: name for name, value in vars(names).items() if name.isupper() and isinstance(value, str)}

HOME = "platform/tercast/requests/kinds.py"

OTHER_MEANINGS = {
    # the changes that a soak run makes and counts; its report has them as keys
    "mininet_labs/soak/changes.py": {"subscribe", "unsubscribe", "advertise", "unadvertise", "aggregate"},
    # the management command that works a run out
    "platform/controlplane/aggregation/process_starter.py": {"aggregate"},
    # a reason why nothing is delivered, and its meaning
    "platform/tercast/explain/reasons.py": {"switch_down"},
    "platform/controlplane/config/enum_meanings.py": {"switch_down"},
}
"""Strings that equal the name of a kind and are none."""


def test_kinds_are_literals_in_one_module_only() -> None:
    literals = {
        (one.path, node.value)
        for one in modules()
        if one.path != HOME
        for node in ast.walk(one.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in NAMES
    }
    allowed = {(path, name) for path, each in OTHER_MEANINGS.items() for name in each}
    assert literals - allowed == set(), "write the constant of tercast.requests.kinds instead"
    assert allowed - literals == set(), "this exception is no longer needed"

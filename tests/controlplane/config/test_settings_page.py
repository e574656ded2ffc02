"""docs/settings.md lists every setting once, with the default and the range that the code has."""

import ast
import re
from pathlib import Path

from controller_app.switch import datapath_proof
from controller_app.tls_files import VARIABLES
from tercast.runtime.log_format import FORMAT_VARIABLE

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
SOURCE = ROOT / "platform" / "controlplane" / "config" / "env.py"
ELSEWHERE = {*VARIABLES, datapath_proof.VARIABLE, FORMAT_VARIABLE}
"""Settings that other processes read, or that have their name in another module."""


def rows() -> list[tuple[list[str], list[str], str]]:
    """The names, the defaults and the meaning of each row."""
    found = re.findall(r"^\| (`TERCAST_[^|]+) \| ([^|]+) \| (.+) \|$", PAGE, re.MULTILINE)
    return [(re.findall(r"TERCAST_\w+", names), default.split(", "), text) for names, default, text in found]


def declared() -> dict[str, list[object]]:
    """The variables of `Environment`, each with its default and its range where these are numbers."""
    found: dict[str, list[object]] = {}
    for node in ast.walk(ast.parse(SOURCE.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_setting":
            name, *rest = node.args[1:]
            if isinstance(name, ast.Constant):
                found[name.value] = [
                    ast.literal_eval(one) for one in rest if isinstance(one, ast.Constant | ast.Tuple)
                ]
    return found


def number(text: str) -> float:
    return float(text.replace(",", ""))


def test_every_setting_is_listed_once():
    listed = [name for names, _, _ in rows() for name in names]
    assert len(set(listed)) == len(listed) > 40
    assert set(listed) == declared().keys() | ELSEWHERE


def test_defaults_and_ranges_are_those_of_the_code():
    wrong = []
    known = declared()
    for names, defaults, text in rows():
        for name, default in zip(names, defaults, strict=False):
            value, *limits = known.get(name) or [None]
            numeric = isinstance(value, int | float) and re.fullmatch(r"[\d,.]+", default)
            if numeric and number(default) != value:
                wrong.append((name, default, value))
            shown = re.search(r"([\d.,]*\d) to ([\d.,]*\d)", text)
            if limits and shown and tuple(map(number, shown.groups())) != limits[0]:
                wrong.append((name, shown[0], limits[0]))
    assert not wrong

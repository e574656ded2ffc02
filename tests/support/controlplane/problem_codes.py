"""The error codes of the REST API, the northbound and the core, read from the source code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
FOLDERS = ("platform", "controller_app")

CODE_POSITIONS = {
    "FieldError": 1,
    "HttpProblem": 1,
    "MalformedMessage": 0,
    "NumberRefused": 0,
    "OutageAnswer": 1,
    "Problem": 1,
    "Refused": 1,
    "RefusedValue": 0,
    "SwitchError": 0,
    "SyntaxRefused": 1,
    "_bad": 0,
    "_problem_json": 1,
    "_refused": 1,
    "add": 2,  # of a collector of errors
    "bad_parameter": 1,
    "conflict": 0,
    "error": 0,  # of the parser of filters
    "invalid": 1,
    "refuse": 0,  # of a field of a form
}
"""Functions and classes that receive an error code, and the position of this argument."""

_CODE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9{}]+)*").fullmatch
_CONSTANT = re.compile(r"_?[A-Z][A-Z_]*").fullmatch


def problem_codes() -> Iterator[str]:
    """Yield each error code that the source code names; `{kind}` is a part that varies."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in _files()]
    for tree in trees:
        constants = dict(_constants(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                for code in _code_arguments(node):
                    yield from filter(_CODE, _texts(code, constants))
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_CODES":
                yield from (one.value for one in ast.walk(node.value) if _is_text(one))


def _files() -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not {"static", "migrations"} & set(path.parts):
                yield path


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _CONSTANT(name):
                yield name, value


def _code_arguments(call: ast.Call) -> list[ast.expr]:
    name = ast.unparse(call.func).rpartition(".")[2]
    if name not in CODE_POSITIONS:
        return []
    position = CODE_POSITIONS[name]
    named = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
    return named or call.args[position : position + 1]


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _texts(code: ast.expr, constants: dict[str, ast.expr]) -> Iterator[str]:
    match code:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr():
            yield ast.unparse(code)[2:-1]
        case ast.IfExp(body=body, orelse=other):
            yield from (*_texts(body, constants), *_texts(other, constants))
        case ast.Name(id=name) if name in constants:
            yield from _texts(constants[name], {})

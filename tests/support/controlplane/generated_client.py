"""A client that a common generator makes from the schema; every answer must match its types."""

import importlib
import inspect
import json
import pkgutil
import subprocess
import sys
import typing
from collections.abc import Iterator
from datetime import datetime
from enum import EnumType
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

SCHEMA = Path(__file__).resolve().parents[3] / "docs" / "openapi.yaml"
PACKAGE = "tercast_generated"
GOOD = (200, 201, 202, 204)


def operation_ids() -> set[str]:
    """Return all operations of the schema."""
    paths = yaml.load(SCHEMA.read_text(), yaml.CSafeLoader)["paths"].values()
    return {operation["operationId"] for path in paths for operation in path.values()}


def generate(folder: Path) -> dict[str, ModuleType]:
    """Generate the client in `folder` and import it; return the module of each operation."""
    (folder / "config.yaml").write_text("post_hooks: []\n")
    command = [
        *(sys.executable, "-m", "openapi_python_client", "generate", "--path", str(SCHEMA), "--meta", "none"),
        *("--output-path", str(folder / PACKAGE), "--config", str(folder / "config.yaml")),
    ]
    subprocess.run(command, check=True, capture_output=True)
    sys.path.insert(0, str(folder))
    try:
        api = importlib.import_module(f"{PACKAGE}.api")
        found = pkgutil.walk_packages(api.__path__, f"{api.__name__}.")
        return {info.name.rsplit(".", 1)[1]: importlib.import_module(info.name) for info in found}
    finally:
        sys.path.remove(str(folder))


class Generated:
    """The client of one caller; `used` has the operations with successful answers."""

    def __init__(self, modules: dict[str, ModuleType], base: str, token: str, **headers: str) -> None:
        self.modules, self.base = modules, base
        make = importlib.import_module(f"{PACKAGE}.client").AuthenticatedClient
        self.client = make(
            base_url=base,
            token=token,
            raise_on_unexpected_status=True,
            timeout=120,
            headers=dict(headers),
            httpx_args={"trust_env": False},
        )
        self.used: set[str] = set()

    def of(self, token: str) -> "Generated":
        """Return the client for another caller."""
        return Generated(self.modules, self.base, token)

    def call(self, operation: str, *path: Any, expect: int | tuple[int, ...] = GOOD, **arguments: Any) -> Any:
        """Make a call and return its answer as JSON, after a lossless conversion to its types.

        `expect` is the expected status, or several permitted ones.
        """
        function = self.modules[operation].sync_detailed
        takes = inspect.signature(function).parameters
        if "prefer" in takes:
            arguments.setdefault("prefer", "wait=60")
        for name, value in arguments.items():
            arguments[name] = typed(typing.get_type_hints(function)[name], value)
        answer = function(*path, client=self.client, **arguments)
        text = answer.content.decode()
        good = (expect,) if isinstance(expect, int) else expect
        assert answer.status_code in good, f"{operation}: {answer.status_code} {text}"
        if answer.status_code < 300:
            self.used.add(operation)
        if not text:
            return None
        found = json.loads(text)
        assert answer.parsed is not None, f"{operation}: {text} is of no type"
        wrong = list(differences(as_json(answer.parsed), found))
        assert not wrong, f"{operation}: {wrong} in {text}"
        return found

    def rows(self, operation: str, *path: Any, **arguments: Any) -> list[dict[str, Any]]:
        """Return the rows on the first page of a list."""
        return self.call(operation, *path, **arguments)["results"]


def typed(wanted: Any, value: Any) -> Any:
    """Convert a body or a parameter to the type that a generated function expects."""
    kinds = [kind for kind in typing.get_args(wanted) or (wanted,) if kind.__name__ != "Unset"]
    if isinstance(value, list):
        (item,) = typing.get_args(next(kind for kind in kinds if typing.get_origin(kind) is list))
        return [item.from_dict(one) for one in value]
    if isinstance(value, dict):
        return next(kind for kind in kinds if hasattr(kind, "from_dict")).from_dict(value)
    if isinstance(value, str):
        kind = next((kind for kind in kinds if isinstance(kind, EnumType)), str)
        return kind(value)
    return value


def as_json(value: Any) -> Any:
    """Convert a generated value to JSON; a field that its type does not have is an error."""
    if isinstance(value, list):
        return [as_json(one) for one in value]
    if not hasattr(value, "to_dict"):
        return value
    assert not [*_unknown(value)], f"{type(value).__name__} has no {[*_unknown(value)]}"
    return value.to_dict()


def _unknown(value: Any) -> Iterator[str]:
    """Yield names of fields, at any depth, that the types do not have."""
    if isinstance(value, list):
        for one in value:
            yield from _unknown(one)
    elif hasattr(value, "__attrs_attrs__"):
        names = [attribute.name for attribute in value.__attrs_attrs__]
        if names != ["additional_properties"]:  # a type without others is an object by names
            yield from getattr(value, "additional_properties", ())
        for name in names:
            if name != "additional_properties":
                yield from _unknown(getattr(value, name))


def differences(a: Any, b: Any, where: str = "") -> Iterator[str]:
    """Yield differences of two JSON values, except in the format of times."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in a.keys() | b.keys():
            if key not in a or key not in b:
                yield f"{where}/{key}"
            else:
                yield from differences(a[key], b[key], f"{where}/{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for number, pair in enumerate(zip(a, b, strict=True)):
            yield from differences(*pair, f"{where}/{number}")
    elif a != b and _time(a) != _time(b):
        yield f"{where}: {a!r} is not {b!r}"


def _time(value: Any) -> Any:
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return value

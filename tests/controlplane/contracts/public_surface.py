"""The public and persisted names of Tercast, as lists that a test compares with the frozen ones."""

import argparse
import ast
import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.apps import apps
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand
from django.db.migrations.loader import MigrationLoader
from django.urls import URLPattern, URLResolver, get_resolver

from analytics import cli as analytics_cli
from analytics import generate
from analytics.jobs.job_table import JOBS
from controller_app import options as controller_options
from controller_app.northbound.routes import NorthboundApi
from controlplane.common.celery import app as celery_app
from controlplane.operations import metrics as control_plane_metrics
from mininet_labs import commands as labs
from tercast import client
from tercast.cli import main
from tercast.requests import reader
from tercast.telemetry import datasets
from tests.support.controlplane.problem_codes import problem_codes

ROOT = Path(__file__).resolve().parents[3]
PRODUCT = ("platform", "controller_app", "analytics", "mininet_labs", "deploy", "scripts")
_VARIABLE = re.compile(r"\bTERCAST_(?!TEST_)[A-Z_]+\b")
_IMPORT = re.compile(r"^from (tercast[\w.]*) import (\((?:[^)]*)\)|.*)$", re.M)
_KIND = re.compile(r"^\| `([a-z_]+)` \|", re.M)


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = yaml.load((ROOT / "docs" / "openapi.yaml").read_text(), yaml.CSafeLoader)
    return schema


def rest_operations() -> Iterator[str]:
    """Yield every operation of the API: method, path and operation id."""
    for path, item in _schema()["paths"].items():
        for method, operation in item.items():
            if isinstance(operation, dict) and "operationId" in operation:
                yield f"{method.upper()} {path} {operation['operationId']}"


def rest_properties() -> Iterator[str]:
    """Yield every property of the API's schemas, with its type."""
    for name, component in _schema()["components"]["schemas"].items():
        for key, shape in component.get("properties", {}).items():
            parts = shape.get("allOf", [shape])  # a reference with a description is in a list of its own
            reference = parts[0].get("$ref", "") if len(parts) == 1 else ""
            kind = shape.get("type") or reference.rpartition("/")[2] or "any"
            yield f"{name}.{key}: {kind}"


def rest_parameters() -> Iterator[str]:
    """Yield every parameter of an operation: where it is, its name, type and values."""
    for path, method, operation in _operations():
        for one in operation.get("parameters", ()):
            shape = one.get("schema", {})
            kind = shape.get("enum") or shape.get("type") or shape.get("$ref") or "any"
            need = " required" if one.get("required") and one["in"] != "path" else ""
            yield f"{method} {path} {one['in']} {one['name']}: {kind}{need}"


def rest_statuses() -> Iterator[str]:
    """Yield the statuses that the operations answer."""
    for path, method, operation in _operations():
        yield f"{method} {path}: {' '.join(sorted(operation['responses']))}"


def rest_values() -> Iterator[str]:
    """Yield the values of enumerations, and which properties are required or can be null."""
    for name, component in _schema()["components"]["schemas"].items():
        for value in component.get("enum", ()):
            yield f"{name} value {value}"
        for key in component.get("required", ()):
            yield f"{name}.{key} required"
        for key, shape in component.get("properties", {}).items():
            if shape.get("nullable"):
                yield f"{name}.{key} nullable"


def _operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in _schema()["paths"].items():
        for method, operation in item.items():
            if isinstance(operation, dict) and "operationId" in operation:
                yield path, method.upper(), operation


def addresses() -> Iterator[str]:
    """Yield the patterns of all addresses that the web process serves, pages included."""

    def walk(resolver: URLResolver, prefix: str) -> Iterator[str]:
        for pattern in resolver.url_patterns:
            text = prefix + str(pattern.pattern)
            if isinstance(pattern, URLPattern):
                yield text
            elif not text.startswith("admin/"):
                yield from walk(pattern, text)

    yield from walk(get_resolver(), "")


def northbound_routes() -> Iterator[str]:
    """Yield method and path of the controller's northbound."""
    northbound = object.__new__(NorthboundApi)
    for route in northbound._routes():
        yield f"{route.method} {route.path}"


def host_library() -> Iterator[str]:
    """Yield the names of the library for hosts, and those that pages and examples import."""
    yield from (f"tercast.client.{name}" for name in client.__all__)
    examples = (page for page in (ROOT / "examples").iterdir() if page.is_file())
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *examples]:
        for module, names in _IMPORT.findall(page.read_text(encoding="utf-8")):
            yield from (f"{module}.{name}" for name in re.findall(r"\w+", names))


def environment_variables() -> Iterator[str]:
    """Yield the environment variables that the product reads or sets, and the folders that do so.

    A text in a comment or a docstring does not count.
    """
    for folder in PRODUCT:
        for file in (ROOT / folder).rglob("*"):
            if file.is_file() and not {"static", "__pycache__"} & set(file.parts):
                text = file.read_text(errors="replace")
                found = _named_in_code(text) if file.suffix == ".py" else _VARIABLE.findall(text)
                yield from (f"{name} in {folder}" for name in found)


def _named_in_code(text: str) -> Iterator[str]:
    """Yield the variables that a module has as strings."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _VARIABLE.fullmatch(node.value):
            yield node.value


def django_columns() -> Iterator[str]:
    """Yield every column of the control plane's tables: app label, table, column and type."""
    for model in apps.get_models(include_auto_created=True):
        if model.__module__.startswith("controlplane."):
            for field in model._meta.local_concrete_fields:
                place = f"{model._meta.label} {model._meta.db_table}.{field.column}"
                yield f"{place}: {field.get_internal_type()}"


def django_migrations() -> Iterator[str]:
    """Yield the control plane's migrations: app label and name."""
    own = {config.label for config in apps.get_app_configs() if config.name.startswith("controlplane.")}
    for label, name in MigrationLoader(None).disk_migrations:
        if label in own:
            yield f"{label} {name}"


def celery_tasks() -> Iterator[str]:
    """Yield the names of the Celery tasks, and of the queues that they are sent to."""
    celery_app.loader.import_default_modules()
    for name in celery_app.tasks:
        if name.startswith("tercast."):
            queue = celery_app.amqp.router.route({}, name)["queue"].name
            yield f"{name} {queue}"


def management_commands() -> Iterator[str]:
    """Yield Tercast's own commands of `manage.py`, and their options and arguments."""
    common = {action.dest for action in BaseCommand().create_parser("manage.py", "")._actions}
    for name, app in get_commands().items():
        if str(app).startswith("controlplane."):
            yield name
            parser = load_command_class(app, name).create_parser("manage.py", name)
            parser._actions = [action for action in parser._actions if action.dest not in common]
            yield from _options(f"manage.py {name}", parser)


def command_lines() -> Iterator[str]:
    """Yield the commands, options and arguments of every program."""
    parsers = {
        "tercast": main.make_parser(),
        "python -m analytics": analytics_cli.make_parser(),
        "python -m controller_app": controller_options.make_parser(),
    }
    for program, parser in parsers.items():
        yield from _options(program, parser)
    for name, command in labs.COMMANDS.items():
        parser = argparse.ArgumentParser()
        importlib.import_module(command.options or command.module).add_arguments(parser)
        yield from _options(f"python -m mininet_labs {name}", parser)


def _options(program: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, sub in action.choices.items():
                yield f"{program} {name}"
                yield from _options(f"{program} {name}", sub)
        elif action.option_strings:
            yield f"{program} {'/'.join(action.option_strings)}"
        else:
            yield f"{program} <{action.metavar or action.dest}>"


def modules_with_main() -> Iterator[str]:
    """Yield what `python -m` runs."""
    for package in ("tercast", "controlplane", "controller_app", "analytics", "mininet_labs"):
        root = importlib.import_module(package)
        for found in pkgutil.walk_packages(root.__path__, f"{package}."):
            if found.name.endswith(".__main__"):
                yield found.name.removesuffix(".__main__")
    for name in (generate.__name__, "controlplane.aggregation.job"):
        if importlib.util.find_spec(name) is not None:
            yield name


def telemetry_columns() -> Iterator[str]:
    """Yield every column of the telemetry data sets, with its kind."""
    for dataset in datasets.DATASETS.values():
        for column in dataset.columns:
            yield f"{dataset.name}.{column.name}: {column.kind}"


def control_plane_metric_names() -> Iterator[str]:
    """Yield name, type and labels of each metric of the control plane. Needs a database."""
    yield from _metrics(control_plane_metrics.text().decode())


def control_plane_metric_labels() -> Iterator[str]:
    """Yield name and labels of each metric of the control plane."""
    for call in _calls(ROOT / "platform" / "controlplane" / "operations" / "metrics.py"):
        maker = ast.unparse(call.func)
        if maker in ("_counter", "_gauge"):
            yield " ".join(ast.unparse(one).strip("'") for one in (call.args[0], *call.args[2:]))
        elif maker == "HistogramMetricFamily":
            labels = [ast.unparse(key.value) for key in call.keywords if key.arg == "labels"]
            yield " ".join([maker, *labels])


def controller_metrics() -> Iterator[str]:
    """Yield how the controller declares each of its metrics: what makes it, its name and its labels."""
    for file in ("monitoring/metrics.py", "state_metrics.py"):
        for call in _calls(ROOT / "controller_app" / file):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            named = call.args and isinstance(call.args[0], ast.Constant | ast.JoinedStr)
            if named and (name in _METRIC_MAKERS or name.endswith("MetricFamily")):
                given = [*call.args[2:], *(key.value for key in call.keywords)]
                labels = [ast.unparse(one) for one in given if isinstance(one, ast.Constant | ast.List)]
                yield " ".join([name, ast.unparse(call.args[0]).strip("'"), *labels])


_METRIC_MAKERS = {"_counter", "_gauge", "_family", "Histogram", "Counter"}


def _calls(file: Path) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call):
            yield node


def emitted_event_kinds() -> Iterator[str]:
    """Yield the kinds of events that the control plane puts into the outbox."""
    for file in (ROOT / "platform" / "controlplane").rglob("*.py"):
        for call in _calls(file):
            first = call.args[0] if call.args else None
            if ast.unparse(call.func) in ("emit", "outbox.emit") and isinstance(first, ast.Constant):
                yield first.value


def _metrics(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            yield line.removeprefix("# TYPE ")


def live_event_kinds() -> Iterator[str]:
    """Yield the kinds of events of the live stream, from the table that clients read."""
    text = (ROOT / "docs" / "live-stream.md").read_text()
    yield from _KIND.findall(text.partition("## Kinds of events")[2].partition("\n## ")[0])


def request_kinds() -> Iterator[str]:
    """Yield the kinds of requests in the log."""
    yield from reader._READERS


def analytics_jobs() -> Iterator[str]:
    """Yield the names of the Spark jobs."""
    yield from analytics_cli.JOB_NAMES


def analytics_columns() -> Iterator[str]:
    """Yield the columns of the results of the Spark jobs."""
    for job in JOBS.values():
        yield from (f"{job.name}.{column}" for column in job.columns)


def systemd_units() -> Iterator[str]:
    """Yield each unit and the command that it runs."""
    for unit in (ROOT / "deploy" / "systemd").iterdir():
        yield unit.name
        for line in unit.read_text().splitlines():
            if line.startswith("ExecStart="):
                yield f"{unit.name} {line}"


SECTIONS: dict[str, Callable[[], Iterator[str]]] = {
    "addresses": addresses,
    "analytics columns": analytics_columns,
    "analytics jobs": analytics_jobs,
    "Celery tasks": celery_tasks,
    "command lines": command_lines,
    "Django columns": django_columns,
    "Django migrations": django_migrations,
    "environment variables": environment_variables,
    "host library": host_library,
    "live event kinds": live_event_kinds,
    "management commands": management_commands,
    "northbound routes": northbound_routes,
    "problem codes": problem_codes,
    "programs": modules_with_main,
    "request kinds": request_kinds,
    "labels of metrics of the control plane": control_plane_metric_labels,
    "metrics of the controller": controller_metrics,
    "REST operations": rest_operations,
    "REST parameters": rest_parameters,
    "REST statuses": rest_statuses,
    "REST values": rest_values,
    "REST properties": rest_properties,
    "systemd units": systemd_units,
    "telemetry columns": telemetry_columns,
}
"""What each section of `public_surface.json` is made by, without a database."""

FROM_DATABASE: dict[str, Callable[[], Iterator[str]]] = {
    "metrics of the control plane": control_plane_metric_names,
}
"""The sections that need one."""


def surface(section: str) -> list[str]:
    """Return the sorted, distinct lines of a section."""
    return sorted(set((SECTIONS | FROM_DATABASE)[section]()))

"""Times outside of the calendar in UTC: a 400 by name wherever the schema has a time, never a 500."""

from collections.abc import Iterator

import pytest
from drf_spectacular.generators import SchemaGenerator

from controlplane.accounts.models import Token

LATE, EARLY = "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00%2B14:00"
PREFIX = "/api/v1/"


@pytest.fixture(scope="module")
def schema():
    return SchemaGenerator().get_schema(request=None, public=True)


def operations(schema, *methods):
    for path, item in schema["paths"].items():
        for method in methods:
            if method in item:
                yield path, method, item[method]


def resolved(node, schema):
    if "$ref" in node:
        return schema["components"]["schemas"][node["$ref"].rsplit("/", 1)[1]]
    return node


def times_of(node, schema, path=()) -> Iterator[tuple]:
    """Yield the paths of all times in a body, with `0` for an item of a list."""
    node = resolved(node, schema)
    if node.get("format") == "date-time" and not node.get("readOnly"):
        yield path
    for part in (*node.get("allOf", ()), *node.get("oneOf", ()), *node.get("anyOf", ())):
        yield from times_of(part, schema, path)
    for name, part in node.get("properties", {}).items():
        yield from times_of(part, schema, (*path, name))
    if "items" in node:
        yield from times_of(node["items"], schema, (*path, 0))


def body_with(path, value):
    for step in reversed(path):
        value = [value] if step == 0 else {step: value}
    return value


@pytest.mark.parametrize("time", [LATE, EARLY])
def test_every_parameter_that_is_a_time_is_named(administrator, schema, error, time):
    walked = set()
    for path, _, operation in operations(schema, "get"):
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "query" and parameter["schema"].get("format") == "date-time":
                found = error(administrator.get(f"{path.replace('{id}', '1')}?{parameter['name']}={time}"))
                assert (found["parameter"], found["code"]) == (parameter["name"], "out_of_range"), path
                assert "9999" in found["detail"] and found["value"] == time.replace("%2B", "+")
                walked.add((path.removeprefix(PREFIX), parameter["name"]))
    assert {
        ("tokens/", "created_at__gte"),
        ("audit/actions/", "at__lte"),
        ("analytics/delay/", "until"),
    } <= walked
    assert len(walked) > 80


@pytest.mark.parametrize("time", [LATE, EARLY.replace("%2B", "+")])
def test_every_field_that_is_a_time_is_named(administrator, schema, problem, time):
    walked = set()
    for path, method, operation in operations(schema, "post", "patch"):
        content = operation.get("requestBody", {}).get("content", {})
        for where in set(times_of(content.get("application/json", {}).get("schema", {}), schema)):
            if where[:2] == ("rows", 0):
                continue  # a time of telemetry: its dataset defines the limits
            call = getattr(administrator, method)
            found = problem(call(path.replace("{id}", "1"), body_with(where, time)), 400)["errors"]
            pointer = "".join(f"/{step}" for step in where)
            (error,) = [each for each in found if each["pointer"] == pointer]
            assert error["code"] == "out_of_range" and error["value"] == time and "9999" in error["detail"]
            walked.add((path.removeprefix(PREFIX), pointer))
    assert walked >= {("tokens/", "/expires_at"), ("analytics/runs/", "/since")}, walked
    assert any(path == "traffic/" and pointer.endswith("/last_at") for path, pointer in walked), walked
    assert any(path == "telemetry/" and pointer.endswith("/told_at") for path, pointer in walked), walked


@pytest.mark.parametrize("time", [LATE, EARLY.replace("%2B", "+")])
def test_rows_of_telemetry_are_refused_by_column(operator, error, time):
    row = {"topic": "quotes", "publisher": "a1", "seq": 1, "host": "h1", "received_at": time}
    sent = {"id": "b1", "dataset": "delivered", "rows": [row]}
    assert error(operator.post("telemetry/", sent))["pointer"] == "/rows/0/received_at"


def test_the_ends_of_the_calendar_are_taken(operator):
    """Accepted times can be listed: the first and last moments in UTC."""
    for time in ("9999-12-31T23:59:59Z", "9999-12-31T09:59:59-14:00", "2090-01-01T00:00:00+14:00"):
        assert operator.post("tokens/", {"name": "x", "expires_at": time}).status_code == 201
    assert operator.get("tokens/?created_at__gte=0001-01-01T00:00:00Z").status_code == 200
    assert Token.objects.filter(expires_at__isnull=False).count() == 3

"""The OpenAPI schema: without warnings, stable, described, typed, true to the answers, browsable."""

from pathlib import Path

import pytest
import yaml
from django.core.management import call_command
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from jsonschema import Draft4Validator

from controlplane.network.models import FoundLink, InstalledEntry, Port, Switch, Tree
from controlplane.operations.demo.models import TestEvent
from controlplane.registry.models import Advertisement, Topic
from controlplane.registry.transitions.models import Move
from controlplane.requestlog import outbox
from controlplane.requestlog.models import Request
from controlplane.web.urls import router
from tests.support.controlplane.routes import LISTS

KEPT = Path(__file__).parents[3] / "docs" / "openapi.yaml"


@pytest.fixture(scope="module")
def schema():
    return SchemaGenerator().get_schema(request=None, public=True)


def test_it_is_made_without_a_warning(capsys):
    call_command("spectacular", "--validate", "--fail-on-warn")


def test_the_kept_copy_is_up_to_date(tmp_path):
    """`manage.py spectacular --file docs/openapi.yaml` updates it; its diff shows changes of the contract."""
    made = tmp_path / "openapi.yaml"
    call_command("spectacular", "--file", str(made))
    assert made.read_text() == KEPT.read_text()


def operations(schema):
    for path, item in schema["paths"].items():
        for method, operation in item.items():
            if method in ("get", "post", "put", "patch", "delete"):
                yield path, method, operation


def test_operation_ids_are_stable_and_plain(schema):
    ids = [operation["operationId"] for _, _, operation in operations(schema)]
    assert len(set(ids)) == len(ids)
    assert all(part.isalpha() for name in ids for part in name.split("_"))
    assert {"subscriptions_create", "subscriptions_list", "topics_update", "requests_read", "me"} <= set(ids)


def test_every_resource_is_in_it(schema):
    for prefix, _, _ in router.registry:
        assert f"/api/v1/{prefix}/" in schema["paths"]


def test_everything_is_described(schema):
    missing = []
    for path, method, operation in operations(schema):
        texts = (operation.get("summary"), operation.get("description"))
        parameters = [one["name"] for one in operation.get("parameters", ()) if not one.get("description")]
        missing += [f"{method} {path} {name}" for name in parameters] + (
            [] if all(texts) else [(method, path)]
        )
    for name, component in schema["components"]["schemas"].items():
        fields = component.get("properties", {}).items()
        missing += [f"{name}.{key}" for key, shape in fields if not shape.get("description")]
    assert missing == []


def nodes(node, where="#"):
    """Every schema object in the document."""
    if isinstance(node, dict):
        if "schema" in node:
            yield f"{where}/schema", node["schema"]
        for key, child in node.items():
            if key in ("properties", "schemas"):
                for name, inner in child.items():
                    yield f"{where}/{key}/{name}", inner
            elif key in ("items", "additionalProperties") and "type" in node:
                yield f"{where}/{key}", child
            if key in ("oneOf", "anyOf", "allOf"):
                for i, inner in enumerate(child):
                    yield f"{where}/{key}/{i}", inner
            if key not in ("example", "examples"):
                yield from nodes(child, f"{where}/{key}")
    elif isinstance(node, list):
        for i, child in enumerate(node):
            yield from nodes(child, f"{where}/{i}")


def test_nothing_in_it_is_of_any_type(schema):
    seen = 0
    for where, node in nodes(schema):
        seen += 1
        assert isinstance(node, dict) and node.keys() & {"type", "$ref", "oneOf", "anyOf", "allOf", "enum"}, (
            where
        )
        if node.get("type") == "object":
            members = node.get("additionalProperties")  # an object by names is typed by its members
            assert bool(node.get("properties")) != bool(members) and members is not True, where
        if node.get("type") == "array":
            assert node["items"], where
    assert seen > 300


def test_every_operation_shows_its_problems(schema):
    for path, method, operation in operations(schema):
        responses = operation["responses"]
        if path == "/api/schema/":
            continue
        assert {"400", "413", "414", "429", "431"} <= responses.keys(), (path, method)
        assert path == "/api/v1/health/" or {"401", "403"} <= responses.keys(), (path, method)
        assert list(responses["400"]["content"]) == ["application/problem+json"]
        assert ("404" in responses) == ("{" in path or path == "/api/v1/explain/"), (path, method)
        if method == "post":
            assert {"411", "415"} <= responses.keys()


def test_bulk_routes_take_an_object_or_a_list(schema):
    body = schema["paths"]["/api/v1/subscriptions/"]["post"]["requestBody"]["content"]["application/json"]
    single, many = body["schema"]["oneOf"]
    assert many["type"] == "array" and many["items"] == single and many["maxItems"] == 50_000


def test_main_routes_have_examples(schema):
    for prefix in (
        "topics",
        "publishers",
        "subscribers",
        "advertisements",
        "subscriptions",
        "switches",
        "hosts",
    ):
        body = schema["paths"][f"/api/v1/{prefix}/"]["post"]["requestBody"]["content"]["application/json"]
        assert body["examples"], prefix


# What the server answers has the shape that the schema promises.


def resolved(node, schema):
    """The node with `$ref` inlined and OpenAPI's `nullable` said as JSON schema says it; strict in keys."""
    if isinstance(node, list):
        return [resolved(child, schema) for child in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = schema
        for step in node["$ref"][2:].split("/"):
            target = target[step]
        return resolved(target, schema)
    out = {key: resolved(child, schema) for key, child in node.items() if key not in ("example", "nullable")}
    if out.get("type") == "object":
        out.setdefault("additionalProperties", False)
    return {"anyOf": [out, {"type": "null"}]} if node.get("nullable") else out


def check(schema, path, method, answer):
    responses = schema["paths"][path][method]["responses"]
    assert str(answer.status_code) in responses, (path, method, answer.status_code, answer.content[:500])
    content = responses[str(answer.status_code)].get("content")
    if content is None:
        assert not answer.content
        return
    media = answer.headers["Content-Type"].partition(";")[0]
    Draft4Validator(resolved(content[media]["schema"], schema)).validate(answer.json())


def test_answers_are_as_the_schema_says(world, schema, end):
    switch = Switch.objects.get(name="s1")
    Port.objects.create(switch=switch, number=1, name="eth0", mac="02:00:00:00:00:aa")
    actions = [{"set_dst": "h1"}, {"output": 3}, {"output": "in_port"}]
    InstalledEntry.objects.create(
        switch=switch, dst="ff0e::/32", priority=2, actions=actions, confirmed_at=timezone.now()
    )
    edges = [["s1", 1, "s2", 1]]
    Tree.objects.create(name="t1", topic=Topic.objects.get(), root=switch, dz=[""], edges=edges)
    subscribe = {"subscriber": "alice", "topic": "quotes", "filter": "low < 5"}
    calls = [
        ("topics/", {"name": "n", "attributes": [{"name": "a", "type": "int", "min": 0, "max": 2**60}]}),
        ("publishers/", {"name": "p", "host": "h1"}),
        ("publishers/", [{"name": "q", "host": "h1"}]),
        ("subscribers/", {"name": "p", "host": "h1"}),
        ("advertisements/", {"publisher": "p", "topic": "quotes", "filter": "true"}),
        ("subscriptions/", subscribe),
        ("subscriptions/", [subscribe, subscribe]),
        ("switches/", {"name": "s9", "dpid": "00000000000000a9"}),
        ("links/", {"a": "s1", "a_port": 5, "b": "s9", "b_port": 5}),
        ("audits/", {"switches": ["s1"], "repair": False}),
        ("hosts/", {"name": "h9", "switch": "s9", "port": 9, "ip": "fd00::9", "mac": "02:00:00:00:00:09"}),
        ("traffic/", {"reporter": "r", **dict.fromkeys(("published", "wanted", "delivered"), 1)}),
        (
            "traffic/",
            {
                "reporter": "r",
                **dict.fromkeys(("published", "wanted", "delivered", "lost", "doubled", "unwanted"), 1),
            },
        ),
    ]
    for path, body in calls:
        if path not in ("traffic/", "audits/"):
            check(schema, f"/api/v1/{path}", "post", world.post(f"{path}?dry_run=true", body))
        check(schema, f"/api/v1/{path}", "post", world.post(path, body))
        check(schema, f"/api/v1/{path}", "post", world.post(path, {"nonsense": [1]}))
    end()
    outbox.alarm("something is wrong")
    TestEvent.objects.create(advertisement=Advertisement.objects.earliest("pk"), values={"low": 1})
    Move.objects.create(
        topic=Topic.objects.get(name="quotes"),
        request=Request.objects.earliest("pk"),
        version=2,
        code=1,
        indexed=["low"],
    )
    for port in (91, 92):
        ends = {"a": switch, "a_port": port, "b": Switch.objects.get(name="s3"), "b_port": port}
        found = FoundLink.objects.create(**ends, reason="policy", detail="", seen_at=timezone.now())
    for action in ("reject", "approve", "approve"):
        path = f"/api/v1/found-links/{{id}}/{action}/"
        check(schema, path, "post", world.post(f"found-links/{found.pk}/{action}/"))
    path, file = "/api/v1/topology/import/", b"x y 1.5\n"
    for query in ("?dry_run=true", "", "?format=gml", "?nonsense=1"):
        check(schema, path, "post", world.raw("POST", path + query, file, content_type="text/plain"))
    check(schema, path, "post", world.raw("POST", path, file, content_type="image/png"))
    for prefix in LISTS:
        path = f"/api/v1/{prefix}/"
        page = world.get(f"{path}?count=true")
        check(schema, path, "get", page)
        check(schema, path, "get", world.get(f"{path}?nonsense=1"))
        if prefix == "test-events":
            continue  # no test has sent one
        one = f"{path}{page.json()['results'][0]['id']}/"
        check(schema, f"{path}{{id}}/", "get", world.get(one))
    for path in ("me/", "health/", "alarms/standing/", "telemetry/", "signalling/", "traffic/totals/"):
        check(schema, f"/api/v1/{path}", "get", world.get(path))
    check(schema, "/api/v1/tables/{id}/entries/", "get", world.get(f"tables/{switch.pk}/entries/"))
    operation = world.get("operations/").json()["results"][0]
    check(schema, "/api/v1/operations/{id}/results/", "get", world.get(operation["results"]))
    check(schema, "/api/v1/switches/{id}/", "patch", world.patch(f"switches/{switch.pk}/", {"label": "x"}))
    check(schema, "/api/v1/switches/{id}/", "patch", world.patch(f"switches/{switch.pk}/", {"up": False}))
    check(schema, "/api/v1/switches/{id}/", "delete", world.delete(f"switches/{switch.pk}/"))
    subscription = world.get("subscriptions/").json()["results"][0]
    check(schema, "/api/v1/subscriptions/{id}/", "delete", world.delete(subscription["url"]))


def test_the_schema_is_served(viewer, schema):
    served = yaml.load(viewer.get("/api/schema/").content, yaml.CSafeLoader)
    validate_schema(served)
    assert served["paths"].keys() == schema["paths"].keys()
    assert viewer.get("/api/schema/?format=json").status_code in (200, 400, 404)
    assert viewer.get("/api/schema/", HTTP_ACCEPT="application/json").json()["info"]["title"] == "Tercast"


# The browsable page.


def test_the_page_asks_for_log_in(anonymous):
    answer = anonymous.get("/api/docs/")
    assert answer.status_code == 302 and answer.headers["Location"] == "/login/?next=/api/docs/"


def test_the_page_is_of_local_files_alone(viewer):
    answer = viewer.get("/api/docs/")
    assert answer.status_code == 200 and "swagger" in answer.content.decode().lower()
    page = answer.content.decode() + viewer.get("/api/docs/?script=").content.decode()
    assert "http://" not in page and "https://" not in page and "//cdn" not in page
    assert "/api/schema/" in page

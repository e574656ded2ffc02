"""Every refusal is a problem document with a request id, also outside of the REST framework."""

import psycopg
import pytest
from django.db import OperationalError
from django.test import RequestFactory
from django.urls import resolve

from controlplane.common.problems import FieldError, Problem, invalid
from controlplane.rest import exception_handler
from controlplane.rest.strict_json import MAX_BULK_BYTES, MAX_BYTES


def test_an_unknown_address_is_a_problem(anonymous, problem):
    document = problem(anonymous.get("/api/v1/nothing/"), 404)
    assert "/api/v1/nothing/" in document["detail"]
    assert document["type"] == "urn:tercast:problem:not_found" and document["errors"] == []


def test_a_missing_slash_is_named(anonymous, problem):
    document = problem(anonymous.post("/api/v1/topics", {}), 404)
    assert "/api/v1/topics/" in document["detail"]


def test_an_unknown_object_is_named(operator, problem):
    detail = problem(operator.get("topics/7/"), 404)["detail"]
    assert detail == "There is no topic 7. It may have been removed. GET /api/v1/topics/ lists all topics."


@pytest.mark.parametrize(
    ("address", "listed"),
    [
        ("switches/7/", "GET /api/v1/switches/ lists all switches."),
        ("topics/7/space/", "GET /api/v1/topics/ lists all topics."),
        ("aggregation/runs/7/", "GET /api/v1/aggregation/runs/ lists all runs."),
        ("analytics/proposals/7/", "GET /api/v1/analytics/proposals/ lists all proposals."),
        ("found-links/7/", "GET /api/v1/found-links/ lists all found links."),
    ],
)
def test_the_list_of_objects_is_named(operator, problem, address, listed):
    assert problem(operator.get(address), 404)["detail"].endswith(f"It may have been removed. {listed}")


def test_the_wrong_method_gets_the_allowed_ones(operator, problem):
    answer = operator.put("topics/", {})
    assert "does not support the method PUT." in problem(answer, 405)["detail"]
    assert {"GET", "POST"} <= set(answer.headers["Allow"].split(", "))


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
def test_bodies_are_json(operator, problem, content_type):
    document = problem(operator.raw("POST", "topics/", '{"name": "a"}', content_type=content_type), 415)
    assert f'of the type "{content_type}"' in document["detail"]
    assert "application/json" in document["detail"]


def test_answers_are_json(operator, problem):
    assert "application/json" in problem(operator.get("topics/", HTTP_ACCEPT="text/xml"), 406)["detail"]


def test_a_format_parameter_is_no_way_around(operator, error):
    assert error(operator.get("topics/?format=api"))["parameter"] == "format"


@pytest.mark.parametrize("path, limit", [("topics/", MAX_BYTES), ("subscriptions/", MAX_BULK_BYTES)])
def test_a_large_body_is_refused_with_the_limit(operator, problem, path, limit):
    document = problem(operator.raw("POST", path, b" " * (limit + 1)), 413)
    assert str(limit) in document["detail"]


def test_a_body_of_unannounced_length_is_refused(operator, problem):
    answer = operator.generic("POST", "topics/", HTTP_TRANSFER_ENCODING="chunked")
    problem(answer, 411)


def test_a_bad_host_header_is_a_problem(anonymous, problem):
    problem(anonymous.get("/api/v1/health/", HTTP_HOST="evil.example"), 400)


def test_all_errors_come_at_once(operator, pointers):
    answer = operator.post("switches/", {"name": "a b", "dpid": 5, "tcam_budget": -1, "size": 3})
    assert sorted(pointers(answer)) == [
        (None, "/dpid", "wrong_type"),
        (None, "/name", "bad_name"),
        (None, "/size", "unknown_field"),
        (None, "/tcam_budget", "out_of_range"),
    ]


def test_an_error_names_value_rule_and_remedy(operator, error):
    found = error(operator.post("switches/", {"name": "s 1", "dpid": "00000000000000a1"}))
    assert found["value"] == "s 1"
    assert '"s 1" is not a valid name; use letters, digits' in found["detail"]


def test_a_fault_of_ours_is_a_problem_with_its_id():
    request = RequestFactory().get("/api/v1/topics/")
    request.request_id = "abcdefgh"
    answer = exception_handler.server_error(request)
    assert answer.status_code == 500 and answer.headers["Content-Type"] == "application/problem+json"
    assert b'"request_id": "abcdefgh"' in answer.content


def no_connection(*_args, **_more):
    raise OperationalError("too many clients already") from psycopg.OperationalError("too many clients")


def test_a_database_without_room_is_a_503_that_says_when_to_try_again(operator, problem, monkeypatch):
    monkeypatch.setattr("controlplane.web.registry.topic_views.TopicViewSet.get_queryset", no_connection)
    answer = operator.get("topics/")
    assert problem(answer, 503)["type"].endswith(":busy") and answer.headers["Retry-After"] == "1"
    try:
        no_connection()  # like reading a session before the REST framework has the call
    except OperationalError:
        request = RequestFactory().get("/api/v1/topics/")
        request.request_id = "abcdefgh"
        answer = exception_handler.server_error(request)
    assert answer.status_code == 503 and answer.headers["Retry-After"] == "1"
    assert exception_handler.as_problem(OperationalError("no such table: x")) is None


def test_pages_outside_the_api_keep_their_own_errors(anonymous):
    answer = anonymous.get("/no-such-page/")
    assert answer.status_code == 404 and "json" not in answer.headers["Content-Type"]


def test_a_request_id_is_taken_from_the_caller(operator):
    assert (
        operator.get("topics/", HTTP_X_REQUEST_ID="trace-0123456").headers["X-Request-ID"] == "trace-0123456"
    )


@pytest.mark.parametrize("given", ["short", "with blank 12345", "x" * 65, "line\nbreak1"])
def test_a_bad_request_id_is_replaced(operator, given):
    answer = operator.get("topics/", HTTP_X_REQUEST_ID=given)
    assert answer.headers["X-Request-ID"] != given and len(answer.headers["X-Request-ID"]) == 32


def test_answers_are_kept_out_of_caches_and_frames(operator):
    headers = operator.get("topics/").headers
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["X-Frame-Options"] == "DENY"


def test_the_handlers_are_in_place():
    match = resolve("/api/v1/topics/")
    assert match.func.cls.__name__ == "TopicViewSet"


def test_errors_beyond_the_limit_are_counted():
    found = invalid([FieldError("", "bad", "no")] * 10_001)
    assert isinstance(found, Problem)
    document = found.to_json("-")
    assert len(document["errors"]) == 10_000 and "10001" in document["detail"]

"""The running API with many clients, streams of rows, and all calls that the schema permits."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import hypothesis
import pytest
import schemathesis
from e2e_platform import ControlPlane
from hypothesis import HealthCheck, Phase
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.waiting import LIMIT_SECONDS

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
SLOW = {"what_if", "budget_curve"}
"""Operations that start a process."""

FAR = 1_000_000_000_007
"""The number of a token that does not exist, so that no test revokes its own token."""


@pytest.fixture(scope="module")
def platform():
    platform = ControlPlane()
    try:
        platform.prepare()
        platform.do("create_user", name="root", password="no matter what", group="administrator")
        token = platform.do("issue_token", user="root")
        platform.do("update", model="accounts.Token", where={"name": "test"}, id=FAR)
        platform.start()
        platform.client = httpx.Client(
            base_url=f"{platform.base}/api/v1/",
            headers={"Authorization": f"Bearer {token}"},
            timeout=LIMIT_SECONDS,
        )
        make_world(platform.client)
        yield platform
    finally:
        platform.close()


def make_world(client):
    attributes = [{"name": "low", "type": "int", "min": 0, "max": 1023}]
    host = {"name": "h1", "switch": "s1", "port": 10, "ip": "fd00::1", "mac": "02:00:00:00:00:01"}
    for resource, body in (
        ("switches", {"name": "s1", "dpid": "0000000000000001"}),
        ("hosts", host),
        ("topics", {"name": "quotes", "attributes": attributes}),
        ("publishers", {"name": "exchange", "host": "h1"}),
        ("subscribers", {"name": "alice", "host": "h1"}),
        ("advertisements", {"publisher": "exchange", "topic": "quotes", "filter": "true"}),
    ):
        answer = client.post(f"{resource}/", json=body)
        assert answer.status_code in (201, 202), answer.text


def test_twenty_identical_calls_at_once_make_one_object(platform):
    body = {"subscriber": "alice", "topic": "quotes", "filter": "low = 1023"}

    def send(_):
        for _ in range(100):
            answer = platform.client.post("subscriptions/", json=body, headers={"Idempotency-Key": "one"})
            if answer.status_code != 409:
                return answer
            assert answer.headers["Retry-After"]
        raise AssertionError(answer.text)

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(send, range(20)))
    assert {answer.status_code for answer in answers} == {202}, [answer.text for answer in answers]
    assert len({answer.json()["id"] for answer in answers}) == 1
    found = platform.client.get("subscriptions/", params={"q": "low = 1023", "count": "true"}).json()
    assert found["count"] == 1


def test_rows_stream(platform):
    body = [{"subscriber": "alice", "topic": "quotes", "filter": f"low < {n + 1}"} for n in range(1000)]
    assert platform.client.post("subscriptions/", json=body).status_code == 202
    with platform.client.stream("GET", "subscriptions/?format=csv") as answer:
        assert answer.status_code == 200 and "Content-Length" not in answer.headers
        lines = list(answer.iter_lines())
    assert len(lines) >= 1001 and lines[0].startswith("id,")
    assert "StreamingHttpResponse" not in platform.log()  # Django would log a warning with this name


def send(operation, settings, headers, checks):
    """Send calls that the schema of an operation permits, and check each answer."""

    @settings
    @hypothesis.given(case=operation.as_strategy())
    def sent(case):
        case.call_and_validate(headers=headers, checks=checks, timeout=LIMIT_SECONDS)

    sent()


def use(platform, examples, left_out):
    """Call every operation with as many examples; return the errors by operation."""
    headers = dict(platform.client.headers)
    url = f"{platform.base}/api/schema/"
    schema = schemathesis.openapi.from_url(url, headers={**headers, "Accept": "application/json"})
    settings = hypothesis.settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    wrong, seen = {}, 0
    for result in schema.get_all_operations():
        operation = result.ok()
        name = operation.definition.raw.get("operationId")
        if name in left_out:
            continue
        seen += 1
        checks = CHECKS[1:] if name == "health" else CHECKS  # without a worker its answer is 503

        try:
            send(operation, settings, headers, checks)
        except (Exception, BaseExceptionGroup) as error:  # all errors are reported together
            wrong[name] = f"{type(error).__name__}: {error} {getattr(error, 'exceptions', '')}"[:700]
    assert platform.client.get("me/").status_code == 200
    return seen, wrong


def test_no_answer_is_outside_the_schema(platform):
    seen, wrong = use(platform, 2, {*SLOW, "schema_retrieve"})
    assert seen > 90 and not wrong, "\n".join(f"{name}: {text}" for name, text in wrong.items())


@pytest.mark.full
def test_no_answer_is_outside_the_schema_however_long(platform):
    _, wrong = use(platform, 40, {"schema_retrieve"})
    assert not wrong, "\n".join(f"{name}: {text}" for name, text in wrong.items())

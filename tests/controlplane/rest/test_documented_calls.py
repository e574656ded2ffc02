"""The platform accepts each `curl` command of the API guide, and returns the fields shown there."""

import json
import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from controlplane.network.models import Switch
from controlplane.registry.models import Advertisement
from controlplane.requestlog.models import Operation, Request
from mininet_labs.demo.content import TOPIC
from tests.support.controlplane.api_fixtures import end

PAGE = (Path(__file__).parents[3] / "docs" / "api.md").read_text(encoding="utf-8")
COMMAND = re.compile(r"^curl .*(?:\n +\S.*)*", re.MULTILINE)
VARIABLES = {
    "$API/": "",
    "$AUTH": "auth",
    "$JSON": "Content-Type: application/json",
    "$NOW": datetime.now(UTC).isoformat(),
}

FILES = {
    "@subscriptions.json": '[{"subscriber": "bob", "topic": "quotes", "filter": "open > NUMBER"}]',
    "@one.json": '{"subscriber": "bob", "topic": "quotes", "filter": "open > NUMBER"}',
    "@subscriptions.csv": "subscriber,topic,filter\nbob,quotes,open > NUMBER\n",
}
"""Files that the commands name. NUMBER differs in each command, because equal filters are refused."""

REFUSED = {
    ("test-events/", ""): "no_demo",
    ("subscriptions/", "open <= 200 and open >= 100"): "duplicate",
    ("subscribers/", '"s 1"'): "invalid",
}
"""Types of the problems by path and a part of the body: two are examples of errors, one needs the demo."""

IN_THE_DEMO = {'"h-atl-2"': '"h2"', '"sea"': '"s1"', '"den"': '"s2"', "name=den": "name=s2"}
"""Objects of the demo, which the page uses, and the corresponding objects of the test."""

SLOW = re.compile(r"what-if/|switches/\d+/budget-curve/")
"""Questions that the platform answers in a process of its own."""


class Call(NamedTuple):
    """One command: its method, path, headers and body."""

    method: str
    path: str
    headers: dict[str, str]
    body: str


def calls(page: str) -> Iterator[Call]:
    for number, command in enumerate(COMMAND.findall(page)):
        for name, value in VARIABLES.items():
            command = command.replace(name, value)
        words = shlex.split(command.replace("\\\n", " "))[1:]
        method, body, path = "", "", ""
        headers = {}
        while words:
            word = words.pop(0)
            if word == "-X":
                method = words.pop(0)
            elif word == "-H":
                name, _, value = words.pop(0).partition(": ")
                headers[name] = value
            elif word in {"-d", "--data-binary"}:
                body = words.pop(0)
            elif word == "-o":
                words.pop(0)
            else:
                path = word
        text = FILES.get(body, body).replace("NUMBER", str(number))
        yield Call(method or ("POST" if body else "GET"), path, headers, text)


def test_the_commands_are_read():
    page = 'x\n```sh\ncurl -H "$JSON" "$API/a/" \\\n     -d \'{"b": 1}\'\ncurl "$API/c/?d=1" -o f\n```\n'
    post, get = calls(page)
    assert (post.method, post.path, json.loads(post.body)) == ("POST", "a/", {"b": 1})
    assert post.headers["Content-Type"] == "application/json"
    assert (get.method, get.path, get.body) == ("GET", "c/?d=1", "")


@pytest.fixture
def documented(network):
    """Commands, and the objects that they name."""
    for resource, body in (
        ("topics", TOPIC),
        ("publishers", {"name": "exchange", "host": "h1"}),
        ("subscribers", [{"name": "bob", "host": "h3"}]),
        ("advertisements", {"publisher": "exchange", "topic": "quotes", "filter": "true"}),
    ):
        answer = network.post(f"{resource}/", body)
        assert answer.status_code < 300, answer.content
    end()
    advertisement, switch = Advertisement.objects.get().pk, Switch.objects.get(name="s1").pk
    page = PAGE.replace("/advertisements/1/", f"/advertisements/{advertisement}/").replace(
        '"a1"', f'"a{advertisement}"'
    )
    for resource in ("switches", "tables"):
        page = page.replace(f"/{resource}/1/", f"/{resource}/{switch}/")
    for shown, own in IN_THE_DEMO.items():
        page = page.replace(shown, own)
    page = page.replace("$REQUEST/", f"requests/{Request.objects.first().pk}/")
    page = page.replace("/operations/1/", f"/operations/{Operation.objects.first().pk}/")
    return list(calls(page))


def refusals(caller, calls):
    """Send calls without waiting for their end; return the refused ones with their answers."""
    for call in calls:
        kind = call.headers.get("Content-Type", "")
        key = (
            {"HTTP_IDEMPOTENCY_KEY": call.headers["Idempotency-Key"]}
            if "Idempotency-Key" in call.headers
            else {}
        )
        answer = caller.generic(call.method, call.path, call.body, content_type=kind, **key)
        expected = [kind for (path, part), kind in REFUSED.items() if path == call.path and part in call.body]
        problem = answer.json()["type"].rpartition(":")[2] if answer.status_code >= 300 else None
        if problem != (expected[0] if expected else None):
            yield call.method, call.path, answer.status_code, answer.content[:300]


def test_the_platform_accepts_every_command(documented, administrator):
    quick = [call for call in documented if not SLOW.match(call.path)]
    assert len(quick) > 25
    assert list(refusals(administrator, quick)) == []


@pytest.mark.full
def test_the_platform_answers_every_question(documented, administrator):
    slow = [call for call in documented if SLOW.match(call.path)]
    assert len(slow) == 2
    assert list(refusals(administrator, slow)) == []

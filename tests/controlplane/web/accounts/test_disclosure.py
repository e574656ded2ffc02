"""No answer contains data that a token may not read. The test calls every operation of the schema.

All objects of others have `foreign` in their names, and their filters and budgets are 7391 or 739100.
"""

import re
from functools import cache
from pathlib import Path

import pytest
import yaml
from django.utils import timezone

from controlplane.accounts.callers import Client
from controlplane.accounts.models import Token
from controlplane.accounts.tokens import new_token
from controlplane.deployment.request_states import problem as stored
from controlplane.registry.disclosure import cost_for, reason_for_host, request_for
from controlplane.registry.models import Advertisement, Subscription
from controlplane.requestlog import outbox
from controlplane.requestlog.models import Request
from tests.support.controlplane.api_fixtures import Caller, issue, with_text
from tests.support.controlplane.routes import NEEDS

SCHEMA = Path(__file__).parents[4] / "docs" / "openapi.yaml"
IDS = {"requests": range(6, 15), "operations": range(1, 7)}
"""Numbers of own and foreign objects, where they are not 1, 2 and 4."""
pytestmark = pytest.mark.django_db(transaction=True, reset_sequences=True)  # names of objects contain ids

METHODS = ("get", "post", "patch", "delete")
TELLTALE = re.compile(r"foreign|(?<![\w.])7391(00)?(?!\w)", re.IGNORECASE)
"""A name or a whole number of others: random ids and fractions of seconds contain 7391 now and then."""
TOPIC = {"name": "quotes", "attributes": [{"name": "low", "type": "int", "min": 0, "max": 9999}]}
SWITCHES = [
    {"name": "s1", "dpid": f"{1:016x}"},
    {"name": "foreign-s2", "dpid": f"{2:016x}", "tcam_budget": 739100},
]
HOSTS = [
    {"name": "h1", "switch": "s1", "port": 10, "ip": "fd00::1", "mac": "02:00:00:00:00:01"},
    {"name": "foreign-h2", "switch": "foreign-s2", "port": 10, "ip": "fd00::2", "mac": "02:00:00:00:00:02"},
]
FOREIGN = "low in [7391, 7399]"
AD, SUB = {"topic": "quotes", "filter": "low > 5000"}, {"topic": "quotes", "filter": "low > 7000"}
VALUES = {"low": 1}
SUBSCRIBER = Client("subscriber", 1, "alice", 1, "h1")
REPORT = dict.fromkeys(("published", "wanted", "delivered", "lost", "doubled", "unwanted"), 1)


@cache
def schema():
    return yaml.load(SCHEMA.read_text(), yaml.CSafeLoader)


def operations():
    """Yield (address below the version, method, operation id, parameters) of the schema."""
    for path, item in schema()["paths"].items():
        for method in METHODS:
            if method in item:
                yield path.removeprefix("/api/v1/"), method, item[method]


def bodies(kind):
    """Return the bodies of a client by operation id: valid, invalid, and with ids of others' objects."""
    owner = {kind: "exchange" if kind == "publisher" else "alice"}
    announced = [
        {**owner, **(AD if kind == "publisher" else SUB), "filter": text}
        for text in ("low > 7000", "low > 5000", "low = 3", "low = x", "nothing = 3")
    ]
    announced.append({**announced[0], "topic": "absent"})
    row = {"publisher": "a2", "host": "h1", "seq": 1, "published_at": "2026-01-01T00:00:00Z"}
    return {
        f"{'advertisements' if kind == 'publisher' else 'subscriptions'}_create": [*announced, announced],
        "advertisements_lease": [{"holder": "x", "version": None}],
        "traffic_report": [
            {"reporter": owner[kind], **REPORT},
            {"reporter": owner[kind], **REPORT, "subscriptions": [{"subscription": "q2", "delivered": 1}]},
            {"reporter": "nobody", **REPORT},
        ],
        "samples_report": [{"publisher": name, "values": VALUES} for name in ("a1", "a2", "a99")],
        "telemetry_add": [{"id": "b", "dataset": name, "rows": [row]} for name in ("published", "delivered")],
    }


@pytest.fixture
def mixed(operator, make_user, end):
    """Two publishers and two subscribers at two hosts; one of each is foreign, and so is a full switch."""
    link = [{"a": "s1", "a_port": 1, "b": "foreign-s2", "b_port": 1}]
    people = [("publishers", "exchange", "h1"), ("publishers", "foreign-exchange", "foreign-h2")]
    people += [("subscribers", "alice", "h1"), ("subscribers", "foreign-alice", "foreign-h2")]
    for resource, body in (
        ("switches", SWITCHES),
        ("links", link),
        ("hosts", HOSTS),
        ("topics", TOPIC),
        *((resource, {"name": name, "host": host}) for resource, name, host in people),
        ("advertisements", {**AD, "publisher": "exchange"}),
        ("advertisements", {**AD, "publisher": "foreign-exchange", "filter": FOREIGN}),
        ("subscriptions", {**SUB, "subscriber": "alice"}),
        ("subscriptions", {**SUB, "subscriber": "foreign-alice", "filter": FOREIGN}),
    ):
        answer = operator.post(f"{resource}/", body)
        assert answer.status_code in (201, 202), answer.content
    end()
    for resource, own, foreign in (
        ("advertisements", {"publisher": "exchange"}, {"publisher": "foreign-exchange"}),
        ("subscriptions", {"subscriber": "alice"}, {"subscriber": "foreign-alice"}),
    ):
        many = [{**AD, **own, "filter": "low = 8"}, {**AD, **foreign, "filter": "low = 7391 and foreign"}]
        many.append({**AD, **foreign, "filter": "low = 7391"})
        assert operator.post(f"{resource}/?atomic=false", many).status_code == 202
    end()
    for model in (Advertisement, Subscription):
        model.objects.update(reach="none", unreachable=["foreign-alice"], unreachable_since=timezone.now())
    outbox.alarm("switch foreign-s2 is full")
    return operator


def client_token(caller, kind):
    name = "exchange" if kind == "publisher" else "alice"
    return with_text(issue(caller, **{kind: name})["token"])


def failed(kind, detail, errors=()):
    """Give all requests such a problem."""
    problem = stored(kind, f"{detail}!", detail, ["foreign-s2"], errors)
    merging = {"merged": 1, "unmerged": 0, "switches": ["foreign-s2"], "together": 1, "topics": ["quotes"]}
    merging |= {"events": 0, "unwanted": 0.0, "needless": 0.0, "unwanted_per_second": 0.0, "reason": ""}
    rows = Request.objects.filter(kind__in=("advertise", "subscribe"))
    rows.update(problem=problem, switches=["foreign-s2"], waits_for=["foreign-s2"], merging=merging)


def asked(caller, path, method, operation, sent):
    """Yield the answers of an operation to a client: lists, own objects, and objects of others."""
    options = {each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"}
    queries = [
        "",
        *("?dry_run=true" for _ in options & {"dry_run"}),
        *("?format=csv" for _ in options & {"format"}),
    ]
    queries += ["?q=foreign", "?q=7391"] if "q" in options else []
    queries += ["?dry_run=true&atomic=false"] if {"dry_run", "atomic"} <= options and method == "post" else []
    queries = ["?holder=x"] if "holder" in options else queries
    for pk in IDS.get(path.split("/")[0], (1, 2, 4)) if "{id}" in path else (0,):
        address = path.replace("{id}", str(pk)).replace("{entry}", "1")
        for query in queries[::-1]:  # queries that change something come last
            for body in sent:
                yield getattr(caller, method)(address + query, *(() if body is None else (body,)))


def content(answer):
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


@pytest.mark.parametrize("kind", ["publisher", "subscriber"])
def test_no_answer_to_a_client_token_names_what_is_of_others(mixed, kind):
    caller, answers = client_token(mixed, kind), bodies(kind)
    failed(
        "refused", "foreign-s2 holds 7391 entries", [{"code": "budget", "pointer": "/foreign", "value": 7391}]
    )
    used, good = set(), set()
    for path, method, operation in operations():
        name = operation["operationId"]
        if path.startswith("health"):
            continue  # open to all callers; a separate test checks it
        sent = answers.get(name, [None])
        for answer in asked(caller, path, method, operation, sent):
            if answer.status_code == 403 and name not in answers:
                break
            assert answer.status_code < 500, (name, answer.content)
            text = content(answer).decode()
            assert not TELLTALE.search(text), (name, text)
            used.add(name)
            good |= {name} if answer.status_code < 300 else set()
    posts = {each["operationId"] for _, method, each in operations() if method == "post"}
    assert posts & used <= answers.keys()
    own = f"{'advertisements' if kind == 'publisher' else 'subscriptions'}"
    expected = {"me", "topics_list", "hosts_read", "requests_read", "requests_list", "operations_refused"}
    assert expected | {"operations_results", "traffic_report", *(f"{own}_{end}" for end in ENDS)} <= good


ENDS = ("list", "read", "create", "delete")


@pytest.mark.parametrize(
    ("kind", "detail", "code"),
    [
        ("internal", "the proof of foreign-s2 failed", None),
        ("switch", "foreign-s2 refused 7391", "budget"),
        ("unreachable", "foreign-s2 does not answer", None),
        ("waiting", "foreign-s2 has yet to confirm", None),
        ("refused", "host foreign-h2 is in use", "port_in_use"),
        ("another", "foreign-s2", "in_use"),
    ],
)
def test_a_reason_that_names_others_is_reported_as_a_count(kind, detail, code):
    errors = (
        [] if code is None else [{"code": code, "pointer": "/foreign-s2", "detail": detail, "value": 7391}]
    )
    problem = stored(kind, f"{detail}!", detail, ["foreign-s2"], errors)
    row = {"problem": problem, "switches": ["foreign-s2"], "waits_for": ["foreign-s2"], "merging": {}}
    assert request_for(row, None) == row
    shown = request_for(row, SUBSCRIBER)
    assert not TELLTALE.search(str(shown)) and not TELLTALE.search(reason_for_host(problem))
    assert "1 switch" in shown["problem"]["detail"] or kind == "refused"
    assert (shown["switches"], shown["waits_for"], shown["merging"]) == ([], [], None)


def test_a_reason_that_names_only_what_the_client_sent_is_reported_whole():
    error = {
        "code": "unknown_attribute",
        "pointer": "/filter",
        "detail": "there is no attribute x",
        "value": "x",
    }
    problem = stored("refused", "Cannot be carried out", "filter: there is no attribute x", (), [error])
    row = {"problem": problem, "switches": [], "waits_for": [], "merging": None}
    assert request_for(row, SUBSCRIBER) == row and reason_for_host(problem) == problem["detail"]
    assert reason_for_host(None) and reason_for_host({"detail": "foreign-s2 is full"}).startswith(
        "The request was not"
    )


def test_a_dry_run_says_that_there_is_no_room_and_not_where():
    item = {"code": "budget", "detail": "foreign-s2 (7391) is full"}
    answer = {"entries": [{"switch": "foreign-s2"}], "budgets_exceeded": ["foreign-s2"], "results": [item]}
    answer["merging"] = {"switches": ["foreign-s2", "foreign-s3"]}
    shown = cost_for(answer, SUBSCRIBER)
    assert not TELLTALE.search(str(shown)) and "budgets" in shown["results"][0]["detail"]
    assert shown["withheld"] == [
        "1 switch whose number of entries changes",
        "1 switch whose budget would be exceeded",
        "2 switches whose merged entries change",
    ]
    assert cost_for(answer, None) == answer


def test_a_dry_run_counts_what_it_does_not_name(mixed):
    publisher, subscriber = client_token(mixed, "publisher"), client_token(mixed, "subscriber")
    gone = publisher.delete("advertisements/1/?dry_run=true").json()
    assert gone["affected"]["subscription_names"] == [] and gone["affected"]["host_names"] == ["h1"]
    assert gone["affected"]["subscriptions"] == 3 and gone["affected"]["entries_removed"] is None
    assert {"3 subscriptions of others", "1 host of others"} <= set(gone["withheld"])
    asked = {**SUB, "subscriber": "alice", "filter": "low > 1"}
    new = subscriber.post("subscriptions/?dry_run=true", asked).json()
    assert (new["entries"], new["withheld"]) == ([], ["1 switch whose number of entries changes"])
    own = subscriber.delete("subscriptions/1/?dry_run=true").json()
    assert own["affected"]["subscription_names"] == ["q1"] and own["affected"]["host_names"] == ["h1"]
    whole = mixed.delete("advertisements/1/?dry_run=true").json()
    assert "foreign-h2" in whole["affected"]["host_names"] and "withheld" not in whole


def test_a_call_by_others_shows_a_client_its_own_items_alone(mixed):
    caller = client_token(mixed, "subscriber")
    (own,) = (row for row in caller.get("requests/").json()["results"] if row["operation"])
    call = caller.get(own["operation"]).json()
    assert (call["items"], call["refused"], sum(call["states"].values())) == (1, 0, 1)
    assert caller.get(call["refused_items"]).json()["results"] == []
    made = caller.post(
        "subscriptions/?atomic=false", [{**SUB, "subscriber": "alice", "filter": f} for f in ("low = 3", "x")]
    )
    call = made.json()
    assert (call["items"], call["refused"]) == (2, 1)
    assert len(caller.get(call["refused_items"]).json()["results"]) == 1


@pytest.mark.full
def test_no_answer_to_a_viewer_names_other_users_and_tokens(mixed, viewer, make_user):
    """Users, tokens and the trail are for administrators. Viewers may read everything else."""
    user = make_user("hidden-user", "operator")
    caller = Caller()
    token = new_token(Token(user=user, name="hidden-token"))
    caller.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    for path, body in (
        ("audits/", {}),
        ("aggregation/runs/", {}),
        ("analytics/runs/", {"job": "delay"}),
        ("subscriptions/", [{**SUB, "subscriber": "alice", "filter": "low = 4"}]),
        ("traffic/", {"reporter": "demo", **REPORT}),
        ("test-events/", {"advertisement": "a1", "values": {"low": 6000}}),
        ("tokens/", {"name": "hidden-two", "user": "hidden-user"}),
    ):
        caller.post(path, body)
    asked_any = 0
    for path, method, operation in operations():
        if method != "get" or NEEDS.get(path.replace("{id}", "{id}"), {}).get("GET") == "admin":
            continue
        answer = viewer.get(path.replace("{id}", "1").replace("{entry}", "1"))
        text = content(answer).decode()
        assert "hidden-" not in text and token not in text, (operation["operationId"], text)
        asked_any += answer.status_code == 200
    assert asked_any > 40

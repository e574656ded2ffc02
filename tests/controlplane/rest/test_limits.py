"""The tables of docs/limits.md: a call beyond each limit of the API reports it, and each test exists."""

import re
from pathlib import Path

from controlplane.network.models import Switch

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "limits.md").read_text()
ROW = re.compile(r"^\| (.+?) \| (.+?) \| (.+?) \| \|$", re.MULTILINE)
ENUM = {"name": "e", "type": "enum"}


def rows(heading):
    """Return the rows of the table below a heading that name no test."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return [match.groups() for match in ROW.finditer(section)]


def topic(**changes):
    one = {"name": "n", "type": "bool"}
    return {"name": "t", "attributes": [one], **changes}


def subscription(text):
    return {"subscriber": "alice", "topic": "quotes", "filter": text}


def alternatives(count):
    """Return a filter whose normal form has very many terms."""
    return " and ".join(f"(low != {n} or high != {n})" for n in range(1, count + 1))


def deep(levels):
    return "[" * levels + "]" * levels


CASES = {
    "body of one object": ("raw", "topics/", " " * (1 << 20) + " "),
    "body of a list, of telemetry, a CSV file": ("raw", "subscribers/", " " * (32 << 20) + " "),
    "items of a list": ("raw", "subscribers/", "[" + "1," * 50_000 + "1]"),
    "nesting of JSON": ("raw", "topics/", '{"name":' + deep(40) + "}"),
    "one integer in JSON": ("raw", "topics/", '{"name":' + "9" * 1001 + "}"),
    "name of an object": ("post", "topics/", topic(name="x" * 129)),
    "`label` of a switch": ("post", "switches/", {"name": "s9", "dpid": "9" * 16, "label": "x" * 201}),
    "text of a filter": ("post", "subscriptions/", subscription(" " * 65_537)),
    "parentheses of a filter": ("post", "subscriptions/", subscription("(" * 65 + "low=1" + ")" * 65)),
    "number with a point or an exponent in a filter": ("post", "subscriptions/", subscription("low < 1e309")),
    "number in a filter that is not 0": ("post", "subscriptions/", subscription("low > 1e-1001")),
    "number in a filter": ("post", "subscriptions/", subscription("low = " + "9" * 1001)),
    "combinations of the `or`, `in` and `not` of a filter (terms of its disjunctive normal form)": (
        "post",
        "subscriptions/",
        subscription(alternatives(40)),
    ),
    "attributes of a topic": (
        "post",
        "topics/",
        topic(attributes=[{"name": f"a{n}", "type": "bool"} for n in range(65)]),
    ),
    "name of an attribute": ("post", "topics/", topic(attributes=[{"name": "x" * 129, "type": "bool"}])),
    "values of an enum": (
        "post",
        "topics/",
        topic(attributes=[{**ENUM, "values": [str(n) for n in range(65_537)]}]),
    ),
    "one value of an enum": ("post", "topics/", topic(attributes=[{**ENUM, "values": ["x" * 1025]}])),
    "standby attachments of a host": (
        "post",
        "hosts/",
        {
            "name": "h9",
            "switch": "s1",
            "port": 30,
            "ip": "fd00::9",
            "mac": "02:00:00:00:00:09",
            "standby": [{"switch": "s2", "port": n} for n in range(20, 29)],
        },
    ),
    "events of `what-if/`": ("raw", "what-if/", '{"traffic": [' + "1," * 20_000 + "1]}"),
    "points of a budget curve": ("get", None, None),
    "switches of an audit": ("post", "audits/", {"switches": [f"s{n}" for n in range(10_001)]}),
    "events of `traffic/samples/`": ("raw", "traffic/samples/", "[" + "1," * 50_000 + "1]"),
    "texts of an event, in samples and test events": ("post", "traffic/samples/", None),
    "objects in a report of traffic": (
        "post",
        "traffic/",
        {"reporter": "r", "subscriptions": [{"subscription": "q1"}] * 10_001},
    ),
    "rows of a batch of telemetry": (
        "raw",
        "telemetry/",
        '{"id": "b", "dataset": "delivered", "rows": [' + "1," * 50_000 + "1]}",
    ),
    "values of `explain/`": ("get", "explain/?publisher=exchange&values=" + "x" * 16_385, None),
    "text in a query": ("get", "topics/?q=" + "x" * 501, None),
    "values of `field__in`": ("get", "topics/?id__in=" + ",".join("1" * 101), None),
    "`limit` of a page": ("get", "topics/?limit=1001", None),
    "id": ("get", "topics/9223372036854775808/", None),
    "`Idempotency-Key`": (
        "post",
        "subscriptions/",
        subscription("low = 1"),
        {"HTTP_IDEMPOTENCY_KEY": "x" * 256},
    ),
    "password": ("post", "me/password/", {"current": "x" * 1001, "password": "y" * 20}),
    "name of a user": ("post", "users/", {"username": "x" * 151, "role": "viewer"}),
    "name of a token": ("post", "tokens/", {"name": "x" * 101}),
}


def send(caller, how, path, body, headers=None):
    if how == "raw":
        return caller.raw("POST", path, body, **(headers or {}))
    call = getattr(caller, how)
    return call(path, **(headers or {})) if body is None else call(path, body, **(headers or {}))


def test_each_bound_of_the_table_is_reported_by_name(world, administrator, end):
    wrong = []
    ad = world.post("advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "true"}).json()
    end()
    long = {"low": 1, "high": 1.0, "open": True, "side": "buy", "symbol": "x" * 1201}
    sample = {"publisher": f"a{ad['object']['id']}", "values": long}
    curve = f"switches/{Switch.objects.get(name='s1').pk}/budget-curve/?budgets={','.join('1' * 33)}"
    cases = CASES | {
        "texts of an event, in samples and test events": ("post", "traffic/samples/", sample),
        "points of a budget curve": ("get", curve, None),
    }
    table = {what: (most, stated) for what, most, stated in rows("Calls of the REST API")}
    assert table.keys() == CASES.keys()
    for what, (most, stated) in table.items():
        answer = send(administrator if cases[what][1] == "users/" else world, *cases[what])
        document = answer.json()
        errors = document.get("errors", [])
        codes = {each["code"] for each in errors} | {document.get("type", "").rsplit(":", 1)[-1]}
        text = " ".join([document.get("detail", ""), *(each["detail"] for each in errors)]).replace(",", "")
        status, code = stated.strip("`").split()
        number = re.search(r"\d[\d,]*(\.\d+e\d+)?", most)[0].replace(",", "")
        if answer.status_code != int(status) or code not in codes or number not in text:
            wrong.append((what, stated, number, answer.status_code, sorted(codes), text[:150]))
    assert not wrong, "\n".join(map(str, wrong))


def test_each_test_of_the_tables_is_there():
    named = re.findall(r"\| (tests/\S+\.py)::(\w+) \|$", PAGE, re.MULTILINE)
    assert len(named) > 40
    for file, name in named:
        assert re.search(rf"^(?:async )?def {name}\(", (ROOT / file).read_text(), re.MULTILINE), (file, name)

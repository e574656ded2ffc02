"""Source addresses of a topic's events, for viewers and for subscribers of the topic."""

import pytest

from controlplane.registry.models import Advertisement, Topic
from controlplane.requestlog.models import OutboxEvent
from tercast.client.event_origins import EventOrigin
from tercast.client.rest_api import ApiOrigins
from tercast.wire.errors import ApiError
from tercast.wire.packets import pack_ip
from tests.support.controlplane.api_fixtures import issue, with_text
from tests.support.controlplane.writer_reports import report

AD = {"publisher": "exchange", "topic": "quotes", "filter": "low < 512"}


@pytest.fixture
def path(world, end):
    assert world.post("advertisements/", [AD, {**AD, "filter": "low > 600"}]).status_code == 202
    end()
    return f"topics/{Topic.objects.get().pk}/sources/"


def test_sources_are_the_addresses_of_live_advertisements(path, world, viewer, end):
    first, second = Advertisement.objects.values_list("pk", flat=True)
    rows = viewer.get(path).json()["results"]
    here = {"ip": "fd00::1", "seal": "off", "keys": None}
    assert rows == [{"id": first, **here}, {"id": second, **here}]
    assert world.delete(f"advertisements/{first}/").status_code == 202
    end()
    assert [row["id"] for row in viewer.get(path).json()["results"]] == [second]
    assert viewer.get(path, {"id__in": f"{first},{second}"}).json()["results"] == rows[1:]


def test_a_subscribers_token_reads_them_while_it_subscribes(path, world, end, problem):
    alice = with_text(issue(world, subscriber="alice")["token"])
    problem(alice.get(path), 404)
    body = {"subscriber": "alice", "topic": "quotes", "filter": "low < 9"}
    pk = alice.post("subscriptions/", body).json()["id"]
    end()
    assert len(alice.get(path).json()["results"]) == 2
    own = alice.get("subscriptions/").json()["results"][0]["id"]
    assert alice.delete(f"subscriptions/{own}/").status_code == 202 and pk
    problem(alice.get(path), 404)


def test_the_library_reads_all_pages_and_single_ones(path, world):
    class Direct:
        """View of the library on the API, without a server."""

        def __init__(self):
            self.calls = []

        def one(self, path, **query):
            return self.rows(path, **query)[0]

        def rows(self, path, **query):
            self.calls.append(path)
            answer = world.get(f"/{path}", query)
            if answer.status_code != 200:
                raise ApiError(str(answer.json()), answer.status_code)
            return answer.json()["results"]

    first, second = (f"a{pk}" for pk in Advertisement.objects.values_list("pk", flat=True))
    origins = ApiOrigins(Direct())
    here = EventOrigin(pack_ip("fd00::1"))
    assert origins.fetch("quotes") == {first: here, second: here}
    forged = ["a0", "x", "a1,2", f"a{10**20}", "q1", "a99999"]
    assert origins.fetch("quotes", [second, *forged]) == {second: here}
    assert origins.fetch("quotes", ["nobody"]) == {}


def test_rejected_events_are_an_alarm_with_topic_host_and_number(operator):
    def rejected(count, host="h1"):
        row = {"host": host, "topic": "quotes", "reason": "other_address", "events": count}
        return operator.post("telemetry/", {"writer": report(rejected=[row])})

    def alarms():
        return [event.payload["text"] for event in OutboxEvent.objects.filter(kind="alarm")]

    operator.post("telemetry/", {"writer": report()})
    assert alarms() == []
    assert rejected(11).status_code == 201
    (text,) = alarms()
    assert text.startswith('host h1 rejected 11 events of topic "quotes" (wrong source address: 11). ')
    rejected(12)
    assert len(alarms()) == 1
    rejected(22)
    assert len(alarms()) == 2
    kept = operator.get("telemetry/").json()["writers"][0]["rejected"]
    assert kept == [{"host": "h1", "topic": "quotes", "reason": "other_address", "events": 22}]


def test_a_client_token_reports_what_its_own_host_rejected(world, problem):
    alice = with_text(issue(world, subscriber="alice")["token"])
    row = {"host": "h1", "topic": "quotes", "reason": "other_address", "events": 3}
    body = report(host="h2", rejected=[row])
    assert (
        problem(alice.post("telemetry/", {"writer": body}), 403)["errors"][0]["pointer"]
        == "/writer/rejected/0/host"
    )
    body["rejected"][0]["host"] = "h2"
    assert alice.post("telemetry/", {"writer": body}).status_code == 201

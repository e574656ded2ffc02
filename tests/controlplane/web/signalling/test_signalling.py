"""In-band signalling over the API: hosts, keys, the policy, and refused messages."""

import base64

import pytest

from controlplane.network.models import Host
from controlplane.requestlog import checkpoints
from controlplane.signalling import keys, refusals
from controlplane.signalling.handler import handle
from controlplane.signalling.host_datagram import HostDatagram
from controlplane.signalling.models import HostSignals
from controlplane.signalling.poll_loop import DROPPED
from tercast.signalling.codec import decode_answer, encode_message
from tercast.signalling.messages import CellsBody, ControlMessage, FilterText, MessageType, ReplyStatus


def signal(payload=b"x", **sender):
    own = {"dpid": f"{1:016x}", "port": 10, "mac": "02:00:00:00:00:01", "ip": "fd00::1", "udp_port": 7374}
    return HostDatagram(**{**own, **sender}, payload=payload)


def ask(body, type_=MessageType.SUBSCRIBE, number=1, **sender):
    return decode_answer(
        handle(signal(encode_message(ControlMessage(type_, number, body)), **sender))["payload"]
    ).answer


def host(world, name="h1"):
    return world.get(f"hosts/?name={name}").json()["results"][0]


def test_what_a_host_announced_in_band_is_shown_like_the_rest(world):
    assert ask(FilterText("quotes", "low < 9")).status is ReplyStatus.ACCEPTED
    assert ask(CellsBody("quotes", (0b101,)), MessageType.ADVERTISE, 2).status is ReplyStatus.ACCEPTED
    world.post("subscriptions/", {"subscriber": "alice", "topic": "quotes", "filter": "low < 9"})
    rows = world.get("subscriptions/").json()["results"]
    assert [(row["host"], row["origin"], row["filter"]) for row in rows] == [
        ("h1", "in-band", "low < 9"),
        ("h2", "api", "low < 9"),
    ]
    (row,) = world.get("advertisements/").json()["results"]
    assert (row["publisher"], row["origin"], row["filter"], row["dz"]) == ("h1", "in-band", None, ["01"])
    assert [row["origin"] for row in world.get("subscribers/").json()["results"]] == ["api", "api", "in-band"]
    assert world.delete(f"advertisements/{row['id']}/").status_code == 202


def test_a_host_shows_its_origin_and_last_message(world):
    assert [host(world)[key] for key in ("origin", "last_seen_at", "has_key")] == ["api", None, False]
    ask(FilterText("quotes", ""))
    assert host(world)["origin"] == "api" and host(world)["last_seen_at"] is not None
    ask(FilterText("quotes", ""), port=11, ip="fd00::77", mac="02:00:00:00:00:77")
    assert host(world, "host-020000000077")["origin"] == "in-band"


def test_hosts_are_listed_in_a_fixed_number_of_queries(world, django_assert_num_queries):
    ask(FilterText("quotes", ""))
    with django_assert_num_queries(4):
        world.get("hosts/")


def test_a_key_is_shown_once_and_never_again(world):
    answer = world.post(f"hosts/{host(world)['id']}/key/")
    assert answer.status_code == 201 and answer.json()["host"] == "h1"
    key = base64.b64decode(answer.json()["key"])
    row = HostSignals.objects.get()
    assert len(key) == 32 and keys.key_of(row) == key
    assert host(world)["has_key"] is True
    assert answer.json()["key"] not in world.get(f"hosts/{host(world)['id']}/").content.decode()
    stored = " ".join(str(value) for value in HostSignals.objects.values().get().values())
    assert answer.json()["key"] not in stored and key.hex() not in stored
    assert world.post(f"hosts/{host(world)['id']}/key/").json()["key"] != answer.json()["key"]


def test_a_key_is_taken_away(world, problem):
    address = f"hosts/{host(world)['id']}/key/"
    problem(world.delete(address), 404)
    world.post(address)
    assert world.delete(address).status_code == 204
    assert host(world)["has_key"] is False
    problem(world.post("hosts/999999999/key/"), 404)
    problem(world.get(address), 405)


@pytest.mark.parametrize("body", [{"self_registration": "yes"}, {"sealed": True}, [], {"sealed_only": None}])
def test_a_bad_change_is_refused(world, problem, body):
    problem(world.patch("signalling/", body), 400)
    assert world.get("signalling/").json()["self_registration"] is True


def test_what_hosts_may_do_is_changed(world):
    answer = world.patch("signalling/", {"self_registration": False})
    assert answer.status_code == 200 and answer.json()["self_registration"] is False
    assert answer.json()["sealed_only"] is False
    stranger = {"port": 11, "ip": "fd00::77", "mac": "02:00:00:00:00:77"}
    assert ask(FilterText("quotes", ""), **stranger).reason == "unknown_host"
    world.patch("signalling/", {"sealed_only": True})
    assert ask(FilterText("quotes", "")).reason == "key_needed"
    assert Host.objects.count() == 3


def test_refusals_are_counted_and_listed(world):
    for _ in range(3):
        handle(signal(b"nothing"))
    ask(FilterText("weather", ""))
    refusals.record_refusal(signal(), "forged", "the seal is wrong", "h1")
    checkpoints.store(DROPPED, {"taken": 12, "dropped": {"rate": 5, "truncated": 0}})
    body = world.get("signalling/").json()
    assert {row["reason"]: row["count"] for row in body["refused"]} == {
        "forged": 1,
        "not_ours": 3,
        "unknown_topic": 1,
    }
    assert body["taken"] == 12 and {"reason": "rate", "count": 5} in body["dropped"]
    (row,) = world.get("signalling/refusals/?reason=unknown_topic").json()["results"]
    assert (row["host"], row["port"], row["ip"]) == ("h1", 10, "fd00::1") and "weather" in row["detail"]
    rows = world.get("signalling/refusals/?reason__in=not_ours,forged&ordering=-id&count=true").json()
    assert (rows["count"], rows["results"][0]["reason"], rows["results"][1]["host"]) == (4, "forged", None)

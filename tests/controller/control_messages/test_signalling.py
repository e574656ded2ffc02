"""Control messages of hosts, from a strict switch to the northbound and back."""

from __future__ import annotations

import struct
from base64 import b64decode, b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller_app.control_messages.replies import parse_answers
from controller_app.openflow import control_packets
from tercast.errors import Refused
from tercast.signalling.messages import MAX_MESSAGE, PORT
from tercast.wire.packets import event_payload, pack_ip
from tests.support.controller.controller_harness import dpid, eventually
from tests.support.controller.host_frames import HOSTS, MAC, PUNT, frame
from tests.support.controller.scraped_metrics import scrape, value

A, B = 0xA1, 0xA2


class Reader:
    """Reads messages like the control plane."""

    def __init__(self, controller):
        self.controller = controller
        self.after = controller.get("/v1/signals")["newest"]
        self.page()  # messages of earlier tests are acknowledged

    def page(self, wait=0):
        page = self.controller.get(f"/v1/signals?after={self.after}&wait={wait}")
        assert not page["gap"]
        self.after = max([self.after, *(row["id"] for row in page["signals"])])
        return page["signals"]

    def dropped(self):
        return {why: n for why, n in self.controller.get("/v1/signals")["dropped"].items() if n}


@pytest.fixture
def reader(controller):
    return Reader(controller)


@pytest.fixture
def fake(network, controller):
    started = network.add(A)
    controller.await_switches(dpid(A))
    return started


@pytest.mark.parametrize("to", HOSTS)
def test_a_message_names_its_port_and_its_sender(fake, reader, controller, to):
    fake.packet_in(2, frame(b"a message", to), PUNT)
    (row,) = reader.page(wait=10)
    assert (row["dpid"], row["port"], row["udp_port"]) == (dpid(A), 2, 5000)
    assert (row["mac"], row["ip"]) == ("02:00:00:00:00:01", HOSTS[to])
    assert b64decode(row["payload"]) == b"a message"
    assert reader.page() == []


@pytest.mark.parametrize("to", HOSTS)
def test_an_answer_leaves_by_the_port_with_right_headers(network, fake, controller, to):
    sender = {"dpid": dpid(A), "port": 2, "mac": "02:00:00:00:00:01", "ip": HOSTS[to], "udp_port": 5000}
    answer = {**sender, "payload": b64encode(b"an answer").decode()}
    assert controller.call("POST", "/v1/signals/answers", {"answers": [answer]}) == (
        200,
        {"answers": [{"sent": True, "detail": None}]},
    )
    (sent,) = eventually(
        lambda: [f for port, f in list(network.sent) if port == (A, 2) and f.endswith(b"an answer")]
    )
    assert event_payload(sent, pack_ip(HOSTS[to]), 5000) == b"an answer"
    own = bytes((2, 0, 0, A, 0, 2))
    assert (sent[:6], sent[6:12]) == (MAC, own)
    source = sent[22:38] if ":" in HOSTS[to] else sent[26:30]
    assert source in (pack_ip("fe80::ff:fea1:2"), pack_ip("192.0.0.8"))
    assert struct.unpack_from("!H", sent, 54 if ":" in HOSTS[to] else 34) == (PORT,)


def test_an_answer_that_cannot_leave_is_reported(fake, controller):
    base = {"port": 2, "mac": "02:00:00:00:00:01", "ip": "fd00::1", "udp_port": 1, "payload": ""}
    rows = [{**base, "dpid": dpid(B)}, {**base, "dpid": dpid(A), "port": 77}]
    _, body = controller.call("POST", "/v1/signals/answers", {"answers": rows})
    assert [row["sent"] for row in body["answers"]] == [False, False]
    assert "not connected" in body["answers"][0]["detail"] and "gone" in body["answers"][1]["detail"]


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"dpid": "1"}, "/answers/0/dpid"),
        ({"port": 0}, "/answers/0/port"),
        ({"mac": "ff:ff:ff:ff:ff:ff"}, "/answers/0/mac"),
        ({"ip": "ff1e::25"}, "/answers/0/ip"),
        ({"udp_port": 65536}, "/answers/0/udp_port"),
        ({"payload": "?"}, "/answers/0/payload"),
        ({"payload": b64encode(bytes(MAX_MESSAGE + 1)).decode()}, "/answers/0/payload"),
    ],
)
def test_a_bad_answer_is_refused_by_its_place(controller, change, pointer):
    good = {
        "dpid": dpid(A),
        "port": 2,
        "mac": "02:00:00:00:00:01",
        "ip": "fd00::1",
        "udp_port": 1,
        "payload": "",
    }
    status, body = controller.call("POST", "/v1/signals/answers", {"answers": [{**good, **change}]})
    assert (status, body["errors"][0]["pointer"]) == (400, pointer)


def test_what_is_no_message_is_counted_by_reason(fake, reader):
    before = reader.dropped()
    good = frame()
    bad = {
        "other_port": frame(port=PORT - 1),
        "too_large": frame(bytes(MAX_MESSAGE + 1)),
        "bad_checksum": good[:-1] + b"x",
        "truncated": good[:-1],
        "other_address": good[:38] + bytes(16) + good[54:],
        "not_udp": good[:20] + b"\6" + good[21:],
    }
    for one in bad.values():
        fake.packet_in(1, one, PUNT)
    fake.packet_in(1, good, PUNT)
    assert len(reader.page(wait=10)) == 1
    after = reader.dropped()
    assert {why: after[why] - before.get(why, 0) for why in bad} == dict.fromkeys(bad, 1)


NOBODY = {
    "sender_mac": [{"mac": bytes.fromhex(mac)} for mac in ("ffffffffffff", "000000000000", "333300000001")],
    "sender_address": [
        *({"source": text} for text in ("::", "ff02::1")),
        *(
            {"source": text, "to": "225.0.0.37"}
            for text in ("0.0.0.0", "255.255.255.255", "224.1.1.1", "240.0.0.1")
        ),
    ],
    "sender_port": [{"udp_port": 0}],
}
"""Senders that no reply can reach, by the reason under which they are counted."""


@pytest.mark.parametrize("why", NOBODY)
def test_a_sender_whom_nobody_could_answer_is_dropped_by_reason(fake, reader, controller, why):
    before = reader.dropped().get(why, 0)
    for sender in NOBODY[why]:
        fake.packet_in(1, frame(**sender), PUNT)
    fake.packet_in(1, frame(b"of a host"), PUNT)
    (row,) = reader.page(wait=10)
    assert b64decode(row["payload"]) == b"of a host"
    assert reader.dropped()[why] - before == len(NOBODY[why])


@given(
    mac=st.binary(min_size=6, max_size=6) | st.sampled_from([bytes(6), b"\xff" * 6]),
    ip=st.ip_addresses() | st.ip_addresses(network="224.0.0.0/3") | st.ip_addresses(network="ff00::/8"),
    udp_port=st.integers(0, 0xFFFF),
)
def test_whoever_is_handed_on_can_be_answered(mac, ip, udp_port):
    to = "ff1e::25" if ip.version == 6 else "225.0.0.37"
    found = control_packets.parse(frame(to=to, source=str(ip), udp_port=udp_port, mac=mac))
    answer = {"dpid": dpid(A), "port": 1, "mac": mac.hex(":"), "ip": str(ip), "udp_port": udp_port}
    body = {"answers": [{**answer, "payload": ""}]}
    if isinstance(found, control_packets.Dropped):
        with pytest.raises(Refused):
            parse_answers(body)
    else:
        assert parse_answers(body)[0].to.mac == found.mac


def test_flood_is_limited_by_port_and_counted(fake, reader, controller):
    before = reader.dropped()
    for _ in range(300):
        fake.packet_in(3, frame(b"flood"), PUNT)
    fake.packet_in(4, frame(b"quiet"), PUNT)
    found = []
    assert eventually(lambda: found.extend(reader.page()) or any(row["port"] == 4 for row in found))
    flood = [row for row in found if row["port"] == 3]
    assert len(flood) <= 32
    after = {}

    def lost() -> int:
        after.update(reader.dropped())
        return sum(after.get(why, 0) - before.get(why, 0) for why in ("rate", "queue_full"))

    assert eventually(lambda: lost() + len(flood) == 300)  # packets dropped unread are counted each second
    assert "signalling_flood" in controller.alarm_names()
    samples = scrape(controller)
    assert value(samples, "signals_dropped_total", reason="rate") == after["rate"]
    assert (value(samples, "signals_total") or 0) >= len(found)


def test_a_gap_is_reported_and_nothing_that_waits_is_lost(fake, reader, controller):
    fake.packet_in(1, frame(b"first"), PUNT)
    assert eventually(lambda: controller.get("/v1/signals")["newest"] > reader.after)
    page = controller.get("/v1/signals?after=0&wait=5")
    assert page["gap"] and [b64decode(row["payload"]) for row in page["signals"]] == [b"first"]
    assert controller.get(f"/v1/signals?after={page['newest'] + 5}")["gap"]
    assert len(reader.page()) == 1


def test_ends_of_links_take_nothing_in(network, fake, reader, controller):
    other = network.add(B)
    controller.await_switches(dpid(B))
    assert len(fake.own(kind=3)) == 8
    network.join((A, 1), (B, 1))
    assert eventually(lambda: len(controller.get("/v1/links")) == 1)
    assert len(fake.own(kind=3)) == 8 == len(other.own(kind=3))  # the link is not confirmed
    link = [dpid(B), 1, dpid(A), 1]
    status, _ = controller.call("PUT", "/v1/topology", {"id": "one", "links": [link], "edges": []})
    assert status == 200
    assert eventually(lambda: len(fake.own(kind=3)) == 6 == len(other.own(kind=3)))
    before = reader.dropped().get("link_port", 0)
    fake.packet_in(1, frame(), PUNT)
    assert eventually(lambda: reader.dropped().get("link_port", 0) == before + 1)
    controller.call("PUT", "/v1/topology", {"id": "two", "links": [], "edges": []})
    assert eventually(lambda: len(fake.own(kind=3)) == 8 == len(other.own(kind=3)))
    controller.call("PUT", "/v1/topology", {"id": "one", "links": [link], "edges": []})
    assert eventually(lambda: len(fake.own(kind=3)) == 6 == len(other.own(kind=3)))
    network.part((A, 1))
    fake.port_status(1, up=False)
    assert eventually(lambda: len(fake.own(kind=3)) == 8 == len(other.own(kind=3)))


def test_a_port_that_comes_gets_its_punts_and_one_that_goes_leaves_none(fake):
    fake.port_status(9, up=True, reason=0)
    assert eventually(lambda: len(fake.own(kind=3)) == 10)
    fake.port_status(9, up=False, reason=1)
    assert eventually(lambda: len(fake.own(kind=3)) == 8)


def test_punts_that_are_gone_or_stale_are_put_right(network, controller, fake):
    taken = fake.own(kind=3)[0]
    fake.take(taken)
    (name,) = controller.get(f"/v1/switches/{dpid(A)}/entries")["missing"]
    assert "control messages of port" in name
    _, done = controller.call("POST", f"/v1/switches/{dpid(A)}/repair")
    assert done["restored"] == [name] and len(fake.own(kind=3)) == 8
    fake.stop()
    fake.insert(taken, {**taken.match, 0: (77, 0xFFFFFFFF)})
    fake.start()
    assert eventually(lambda: len(fake.own(kind=3)) == 8)

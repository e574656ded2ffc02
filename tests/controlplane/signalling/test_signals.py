"""What control messages of hosts do, and what they never do."""

import pytest
from django.utils import timezone

from controlplane.deployment import session
from controlplane.network.controller_client import ControllerClient, UnreachableError
from controlplane.network.models import Host, Link, Port, Switch
from controlplane.registry.models import Advertisement, Publisher, Subscription, Topic
from controlplane.registry.transitions.models import Encoding, Lease
from controlplane.requestlog.models import OutboxEvent, Request
from controlplane.signalling import actions, handler, keys, poll_loop, refusals, sender_lookup
from controlplane.signalling.host_datagram import HostDatagram
from controlplane.signalling.models import Done, HostSignals, Policy, Refusal, RefusedCount
from controlplane.signalling.poll_loop import PollLoop
from tercast.eventspace import dz
from tercast.signalling.codec import decode_answer, encode_message
from tercast.signalling.messages import (
    AddressBody,
    CellsBody,
    ControlMessage,
    FilterText,
    MessageType,
    NamedBody,
    ReplyStatus,
    RunningPublisher,
)
from tercast.signalling.seal import Seal
from tests.support.controlplane import network_world as world

WANTED = FilterText("quotes", "low < 512")


def sent(payload, n=1, **sender):
    own = {
        "dpid": world.dpid(n),
        "port": 3,
        "mac": f"02:00:00:00:00:0{n}",
        "ip": f"fd00::{n}",
        "udp_port": 7374,
    }
    return HostDatagram(**{**own, **sender}, payload=payload)


def message(body=WANTED, type_=MessageType.SUBSCRIBE, number=1, confirm=False):
    return ControlMessage(type_, number, body, confirm)


def ask(body=WANTED, type_=MessageType.SUBSCRIBE, number=1, seal=None, confirm=False, **sender):
    """The answer to a message of h1, or of another sender."""
    out = handler.handle(sent(encode_message(message(body, type_, number, confirm), seal), **sender))
    return decode_answer(out["payload"]).answer


def refused(*args, **kwargs):
    answer = ask(*args, **kwargs)
    assert answer.status is ReplyStatus.REFUSED and answer.detail
    return answer.reason


def everything():
    """All that a message could change, but for what is noted of refusals."""
    tables = (Request, Host, Publisher, Advertisement, Subscription, Done)
    counters = list(HostSignals.objects.order_by("host").values_list("host", "salt", "counter"))
    return [list(table.objects.order_by("pk").values()) for table in tables], counters


def reasons():
    return dict(RefusedCount.objects.values_list("reason", "count"))


@pytest.fixture
def key(network):
    """h1 has a key."""
    return keys.give(Host.objects.get(name="h1"))[1]


def test_a_message_is_done_once_however_often_it_comes(network):
    answers = [ask(confirm=True) for _ in range(3)]
    row = Subscription.objects.get()
    assert (row.filter, row.subscriber.host.name, row.subscriber.origin) == ("low < 512", "h1", "in-band")
    assert {(a.status, a.name, a.code) for a in answers} == {(ReplyStatus.ACCEPTED, f"q{row.pk}", 4)}
    session.run()
    answer = ask(confirm=True)
    assert (answer.status, answer.unmatched) == (ReplyStatus.DONE, True)
    assert Request.objects.filter(kind="subscribe").count() == 1


def test_the_same_words_again_name_what_is_there(network):
    first = ask(number=1)
    assert ask(number=2).name == first.name
    assert ask(FilterText(5, "low < 512"), number=3).name == first.name
    assert ask(FilterText("quotes", "low < 511"), number=4).name != first.name
    assert Subscription.objects.count() == 2


def test_dz_sets_come_in_by_code_and_go_by_what_they_say(network):
    cells = CellsBody(4, (dz.parse("00"), dz.parse("1011")))
    answer = ask(cells, MessageType.ADVERTISE)
    session.run()
    row = Advertisement.objects.get()
    assert (answer.name, row.dz, row.by_dz, row.filter) == (f"a{row.pk}", ["00", "1011"], True, "")
    assert row.request.state == "active" and row.request.payload["dz"] == ["00", "1011"]
    assert "filter" not in row.request.payload
    assert refused(CellsBody(4, (dz.parse("00"),)), MessageType.UNADVERTISE, 2) == "unknown_advertisement"
    assert ask(cells, MessageType.UNADVERTISE, 3).name == answer.name
    session.run()
    row.refresh_from_db()
    assert row.state == "withdrawn"


def test_what_was_withdrawn_can_be_announced_again(network):
    first = ask(number=1)
    session.run()
    ask(NamedBody(first.name), MessageType.UNSUBSCRIBE, 2)
    assert ask(NamedBody(first.name), MessageType.UNSUBSCRIBE, 3).name == first.name
    assert Request.objects.filter(kind="unsubscribe").count() == 1
    assert ask(number=4).name != first.name


def test_nobody_withdraws_what_is_another_host_s(network):
    mine = ask(n=1)
    theirs = world.subscribe("h1", ["0"])
    for name in (mine.name, theirs.planner_id, "q99", "a1", "q", "q" + "9" * 30):
        assert refused(NamedBody(name), MessageType.UNSUBSCRIBE, 7, n=2) == "unknown_subscription"
    assert refused(NamedBody(theirs.planner_id), MessageType.UNSUBSCRIBE, 8) == "unknown_subscription"
    assert not Request.objects.filter(kind="unsubscribe").exists()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (FilterText("nothing", ""), "unknown_topic"),
        (FilterText(77, ""), "unknown_topic"),
        (FilterText("quotes", "low >"), None),
        (FilterText("quotes", "high > 3"), None),
        (FilterText("quotes", "low > 2000"), None),
        (CellsBody("quotes", (1 << 112,)), "dz_too_long"),
    ],
)
def test_a_bad_announcement_is_refused_with_the_reason_and_changes_nothing(network, body, reason):
    before = everything()[0]
    detail = refused(body)
    assert detail == reason or reason is None
    assert everything()[0] == before and reasons() == {detail: 1}


def test_a_host_that_is_not_known_registers_itself(network):
    new = {"mac": "02:00:00:00:00:77", "ip": "fd00::77", "port": 5}
    assert ask(**new).status is ReplyStatus.ACCEPTED
    session.run()
    row = Host.objects.get(ip="fd00::77")
    assert (row.name, row.switch.name, row.port) == ("host-020000000077", "s1", 5)
    assert row.request.state == "active" and row.signals.in_band and row.signals.last_seen_at
    assert Subscription.objects.get().request.state == "active"
    packed = bytes.fromhex("fd00") + bytes(13) + b"\x77"
    answer = ask(AddressBody(packed), MessageType.ADDRESS, 2, **new)
    assert (answer.status, answer.name) == (ReplyStatus.DONE, row.name)
    assert refused(AddressBody(bytes(16)), MessageType.ADDRESS, 3, **new) == "other_address"


def test_who_may_not_register(network):
    new = {"mac": "02:00:00:00:00:77", "ip": "fd00::77", "port": 5}
    assert Link.objects.filter(a__name="s1", a_port=1).exists()
    assert refused(**{**new, "port": 1}) == "port_in_use"
    assert refused(**{**new, "ip": "10.0.0.1"}) == "wrong_family"
    assert refused(**{**new, "ip": "fe80::1"}) == "link_local"
    for nobody in ("::", "::1", "ff02::1", "0.0.0.0", "255.255.255.255", "224.1.1.1", "240.0.0.1"):
        assert refused(**{**new, "ip": nobody}) == "not_unicast"
    for nobody in ("ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00", "01:00:5e:00:00:01"):
        assert refused(**{**new, "mac": nobody}) == "not_unicast"
    assert refused(**{**new, "dpid": world.dpid(77)}) == "unknown_switch"
    assert refused(**{**new, "ip": "fd00::1"}) == "address_taken"
    assert refused(**{**new, "mac": "02:00:00:00:00:02"}) == "address_taken"
    assert refused(seal=Seal(bytes(32), 1), **new) == "no_key"
    Policy.objects.update_or_create(pk=1, defaults={"self_registration": False})
    assert refused(**new) == "unknown_host"
    assert Host.objects.count() == 3 and not Subscription.objects.exists()
    assert ask().status is ReplyStatus.ACCEPTED


def test_hosts_of_a_port_are_limited(network, monkeypatch):
    monkeypatch.setattr(sender_lookup, "MAX_HOSTS", 2)
    news = [{"mac": f"02:00:00:00:01:0{n}", "ip": f"fd00::1:{n}", "port": 5} for n in range(3)]
    assert [ask(number=n, **new).status for n, new in enumerate(news)][:2] == [ReplyStatus.ACCEPTED] * 2
    assert refused(number=9, **news[2]) == "too_many_hosts"


def test_announcements_of_a_host_are_limited(network, monkeypatch):
    monkeypatch.setattr(actions, "MAX_LIVE", 2)
    names = [ask(FilterText("quotes", f"low < {n + 1}"), number=n).name for n in range(3)]
    assert names[2] == "" and reasons() == {"too_many": 1}
    ask(NamedBody(names[0]), MessageType.UNSUBSCRIBE, 7)
    assert ask(FilterText("quotes", "low < 9"), number=8).status is ReplyStatus.ACCEPTED


def test_a_host_without_a_seal_follows_its_cable_only_when_the_old_port_is_down(network):
    switch = Switch.objects.get(name="s1")
    Switch.objects.filter(name="s1").update(connected=True)
    Port.objects.create(switch=switch, number=3, up=True)
    assert refused(dpid=world.dpid(2), port=6) == "host_elsewhere"
    Port.objects.update(up=False)
    assert ask(dpid=world.dpid(2), port=6).status is ReplyStatus.ACCEPTED
    session.run()
    row = Host.objects.get(name="h1")
    assert (row.switch.name, row.port) == ("s2", 6)


def test_a_seal_moves_a_host_and_a_replay_does_not(network, key):
    payload = encode_message(message(number=1), Seal(key, 5))
    handler.handle(sent(payload, dpid=world.dpid(2), port=6))
    session.run()
    row = Host.objects.get(name="h1")
    assert (row.switch.name, row.port) == ("s2", 6)
    assert refused(number=2, seal=Seal(key, 5), dpid=world.dpid(3), port=7) == "replayed"
    handler.handle(sent(payload, dpid=world.dpid(3), port=7))
    assert reasons() == {"replayed": 2}
    assert not Request.objects.filter(kind="host_move", state="queued").exists()


@pytest.fixture
def cable_out(network):
    """The port of h1 is down."""
    switch = Switch.objects.get(name="s1")
    Switch.objects.filter(name="s1").update(connected=True)
    Port.objects.create(switch=switch, number=3, up=False)


def test_a_replay_from_another_port_moves_no_host_that_has_a_key(cable_out, key):
    first = ask(seal=Seal(key, 5), confirm=True)
    session.run()
    HostSignals.objects.update(last_seen_at=timezone.now() - poll_loop.LONG_AGO)
    before, seen = everything(), list(HostSignals.objects.values_list("last_seen_at", flat=True))
    elsewhere = {"dpid": world.dpid(2), "port": 6, "udp_port": 40000}
    assert refused(seal=Seal(key, 5), confirm=True, **elsewhere) == "replayed"
    assert everything() == before
    assert list(HostSignals.objects.values_list("last_seen_at", flat=True)) == seen
    assert "host h1" in OutboxEvent.objects.filter(kind="alarm").latest("pk").payload["text"]
    # its own repetition is answered, and a counter that is new takes it along
    assert ask(seal=Seal(key, 5), confirm=True).name == first.name
    assert ask(seal=Seal(key, 6), confirm=True, **elsewhere).name == first.name
    session.run()
    row = Host.objects.get(name="h1")
    assert (row.switch.name, row.port) == ("s2", 6)


def test_a_message_that_comes_again_while_its_move_is_under_way_is_answered(network, key):
    there = {"dpid": world.dpid(2), "port": 6}
    first = ask(seal=Seal(key, 5), **there)
    for counter in (5, 6):
        assert ask(seal=Seal(key, counter), **there).name == first.name
    assert Request.objects.filter(kind="host_move").count() == 1
    assert refused(seal=Seal(key, 6), dpid=world.dpid(3), port=7) == "replayed"


def test_only_messages_with_the_key_s_seal_count(network, key):
    before = everything()
    assert refused() == "seal_needed"
    assert refused(seal=Seal(bytes(32), 7)) == "forged"
    assert everything() == before
    assert ask(seal=Seal(key, 7)).status is ReplyStatus.ACCEPTED
    assert refused(n=2, seal=Seal(key, 8)) == "no_key"
    alarms = OutboxEvent.objects.filter(kind="alarm").values_list("payload", flat=True)
    assert len([alarm for alarm in alarms if "host h1" in alarm["text"]]) == 1


def test_a_replayed_message_changes_nothing_also_one_that_was_refused_at_first(network, key):
    later = FilterText("weather", "")
    assert refused(later, number=1, seal=Seal(key, 10)) == "unknown_topic"
    world.add_topic("weather", 8)
    session.run()
    before = everything()
    assert refused(later, number=1, seal=Seal(key, 10)) == "replayed"
    assert refused(number=2, seal=Seal(key, 9)) == "replayed"
    assert everything() == before
    assert ask(number=3, seal=Seal(key, 11)).status is ReplyStatus.ACCEPTED


def test_a_repeated_sealed_message_is_answered_and_not_done_again(network, key):
    first = ask(seal=Seal(key, 10))
    before = Request.objects.count()
    for counter in (10, 11, 9):
        out = handler.handle(sent(encode_message(message(), Seal(key, counter))))
        answer = decode_answer(out["payload"])
        assert answer.answer == first
        assert answer.sealed.counter == counter and answer.sealed.fits(key)
    assert Request.objects.count() == before
    assert HostSignals.objects.get(salt__gt="").counter == 11
    other = FilterText("quotes", "low < 3")
    assert refused(other, number=1, seal=Seal(key, 12)) == "id_reused"


def lease(name, holder=7, version=0, number=100, type_=MessageType.LEASE, **sender):
    return ask(RunningPublisher(name, holder, version), type_, number, **sender)


def test_a_publisher_holds_a_lease_in_band_and_learns_a_new_encoding(network):
    name = ask(FilterText("quotes", ""), MessageType.ADVERTISE).name
    session.run()
    done = Done.objects.count()
    answer = lease(name)
    assert (answer.status, answer.code) == (ReplyStatus.DONE, 4)
    assert (answer.terms.version, answer.terms.indexed) == (1, (0,))
    assert 0 < answer.terms.poll_ms < answer.terms.expires_ms
    row = Lease.objects.get()
    assert (f"a{row.advertisement_id}", row.version) == (name, 1)
    Encoding.objects.update_or_create(
        topic=row.advertisement.topic, defaults={"version": 2, "code": 5, "indexed": ["low"]}
    )
    answer = lease(name, version=1, number=2)
    assert (answer.code, answer.terms.version) == (5, 2)
    assert Lease.objects.get().version == 1  # not confirmed yet: the old encoding is still waited for
    # a publisher that announces now gets the current code
    assert ask(FilterText("quotes", "low < 3"), number=3).code == 5
    assert lease(name, type_=MessageType.RELEASE, number=4).status is ReplyStatus.DONE
    assert not Lease.objects.exists() and Done.objects.count() == done + 1


def test_a_publisher_that_does_not_read_cuts_gets_no_lease_of_a_topic_with_cuts(network):
    """A publisher without the cuts would encode events wrongly, so it must stop."""
    name = ask(FilterText("quotes", ""), MessageType.ADVERTISE).name
    session.run()
    assert lease(name).status is ReplyStatus.DONE
    assert not Lease.objects.get().reads_cuts
    topic = Advertisement.objects.get().topic
    fields = {"version": 2, "code": 5, "indexed": ["low"], "cuts": [["low", 100], 1, 1]}
    Encoding.objects.update_or_create(topic=topic, defaults=fields)
    before = Lease.objects.get().expires_at
    assert lease(name, version=1, number=2).reason == "topic_with_cuts"
    assert (Lease.objects.get().version, Lease.objects.get().expires_at) == (1, before)
    assert lease(name, holder=8, number=3).reason == "topic_with_cuts"
    assert Lease.objects.count() == 1
    assert lease(name, type_=MessageType.RELEASE, number=4).status is ReplyStatus.DONE


def test_a_topic_with_cuts_takes_filters_in_band_but_no_dz_sets(network):
    """A dz set does not say with which cuts it was computed."""
    Topic.objects.update(cuts=[["low", 100], 1, 1])
    assert ask(CellsBody("quotes", (2,)), number=5).reason == "topic_with_cuts"
    for number, kind in ((6, MessageType.SUBSCRIBE), (7, MessageType.ADVERTISE)):
        assert ask(FilterText("quotes", "low < 100"), kind, number).status is ReplyStatus.ACCEPTED
    assert Advertisement.objects.get().dz == Subscription.objects.get().dz == ["0"]


def test_nobody_holds_a_lease_of_another_host_s_advertisement(network):
    name = ask(FilterText("quotes", ""), MessageType.ADVERTISE).name
    stranger = {"ip": "fd00::9", "mac": "02:00:00:00:00:99"}
    for bad, sender in ((name, {"n": 2}), ("a99", {}), ("q1", {}), (name, stranger)):
        assert lease(bad, number=9, **sender).reason == "unknown_advertisement"
    assert not Lease.objects.exists() and Host.objects.count() == 3


def test_every_changed_cut_or_grown_message_changes_nothing(network, key):
    good = encode_message(message(), Seal(key, 1))
    bad = [good[:at] + bytes((good[at] ^ 1 << at % 8,)) + good[at + 1 :] for at in range(len(good))]
    bad += [good[:at] for at in range(0, len(good), 3)] + [good + b"\0", good + bytes(1300), b"", b"T"]
    before = everything()
    for payload in bad:
        out = handler.handle(sent(payload))
        assert out is None or decode_answer(out["payload"]).answer.status is ReplyStatus.REFUSED
    assert everything() == before
    assert sum(reasons().values()) == len(bad) and reasons()["forged"] > len(good) // 2
    assert ask(seal=Seal(key, 1)).status is ReplyStatus.ACCEPTED


def test_a_new_key_ends_the_old_one_and_none_needs_no_seal(network, key):
    host = Host.objects.get(name="h1")
    other = keys.give(host)[1]
    assert other != key and refused(seal=Seal(key, 1)) == "forged"
    assert ask(seal=Seal(other, 2)).status is ReplyStatus.ACCEPTED
    assert keys.take_away(host) and not keys.take_away(host)
    assert refused(number=2, seal=Seal(other, 3)) == "no_key"
    assert ask(FilterText("quotes", "low < 9"), number=3).status is ReplyStatus.ACCEPTED
    Policy.objects.update_or_create(pk=1, defaults={"sealed_only": True})
    assert refused(number=4) == "key_needed"
    # a host that gets a key again keeps its counters
    again = keys.give(host)[1]
    assert refused(number=5, seal=Seal(again, 2)) == "replayed"


def test_a_kill_in_the_middle_leaves_nothing_and_the_message_is_done_later(network, key, monkeypatch):
    class Killed(BaseException):
        pass

    def die(*_):
        raise Killed

    before = everything()
    payload = encode_message(message(), Seal(key, 1))
    for place in ("_remember", "_keep_counter"):
        monkeypatch.setattr(handler, place, die)
        with pytest.raises(Killed):
            handler.handle(sent(payload))
        monkeypatch.undo()
        assert everything() == before
    assert decode_answer(handler.handle(sent(payload))["payload"]).answer.status is ReplyStatus.ACCEPTED


def test_stored_refusals_are_limited(network, monkeypatch):
    monkeypatch.setattr(refusals, "KEPT", 10)
    monkeypatch.setattr(refusals, "PRUNED_EVERY", 10)
    for _ in range(35):
        handler.handle(sent(b"nothing"))
    assert reasons() == {"not_ours": 35}
    assert 10 <= Refusal.objects.count() < 20


def test_remembered_messages_are_limited(network, monkeypatch):
    monkeypatch.setattr(handler, "KEPT_DONE", 10)
    monkeypatch.setattr(handler, "PRUNED_EVERY", 10)
    for n in range(35):
        ask(number=n, confirm=True)
    assert 10 <= Done.objects.count() < 20


def test_the_loop_answers_and_sends_the_result(network):
    own = PollLoop()
    network.signal(encode_message(message(number=1, confirm=True)))
    network.signal(encode_message(message(FilterText("x", ""), number=2, confirm=True)))
    network.signal(b"nothing")
    own._process_page()
    own._process_page()
    answers = [decode_answer(row["payload"]).answer for row in network.answers]
    assert [(answer.request_id, answer.status) for answer in answers] == [
        (1, ReplyStatus.ACCEPTED),
        (2, ReplyStatus.REFUSED),
    ]
    assert network.answers[0]["port"] == 3 and network.answers[0]["udp_port"] == 7374
    session.run()
    own._process_page()
    own._process_page()
    answers = [decode_answer(row["payload"]).answer for row in network.answers[2:]]
    assert [(answer.request_id, answer.status) for answer in answers] == [(1, ReplyStatus.DONE)]


def test_the_loop_hurries_for_those_who_asked_not_long_ago(network):
    assert poll_loop._pace() == (False, poll_loop.WAIT_SECONDS)
    ask(confirm=True)
    assert poll_loop._pace() == (True, 0)
    Done.objects.update(heard_at=timezone.now() - poll_loop.LONG_AGO)
    assert poll_loop._pace() == (False, poll_loop.SLOW_SECONDS)


def test_a_request_that_failed_is_reported_with_the_reason(network):
    own = PollLoop()
    network.signal(encode_message(message(confirm=True)))
    own._process_page()
    row = Request.objects.get(kind="subscribe")
    row.state, row.problem = "failed", {"detail": "no free entry at s2", "switches": ["s2"]}
    row.save()
    own._process_page()
    answer = decode_answer(network.answers[-1]["payload"]).answer
    assert (answer.status, answer.reason) == (ReplyStatus.FAILED, "failed")
    assert answer.detail == "The request was not carried out at 1 switch. Ask an operator for the reason."


NOBODY = {"mac": "ff:ff:ff:ff:ff:ff", "ip": "fd00::77", "port": 5}


def decoded(network):
    """Who was answered with what, in order."""
    return [(row["ip"], decode_answer(row["payload"]).answer.status) for row in network.answers]


def test_an_answer_that_the_controller_refuses_holds_nobody_up(network):
    own = PollLoop()
    network.signal(encode_message(message(number=1)), **NOBODY)
    network.signal(encode_message(message(number=2)), udp_port=0)
    network.signal(encode_message(message(number=3)))
    own._process_page()
    assert decoded(network) == [("fd00::1", ReplyStatus.ACCEPTED)]
    assert own._after == 3
    assert reasons() == {"not_unicast": 1, "answer_refused": 2}
    assert Refusal.objects.filter(reason="answer_refused").latest("pk").detail.count("udp_port")


def test_a_message_that_cannot_be_handled_is_passed_over(network, monkeypatch):
    own, handle = PollLoop(), handler.handle

    def fail(signal):
        if signal.payload == b"poison":
            raise ValueError("a mistake")
        return handle(signal)

    monkeypatch.setattr(handler, "handle", fail)
    network.signal(b"poison")
    network.signal(encode_message(message()))
    own._process_page()
    assert decoded(network) == [("fd00::1", ReplyStatus.ACCEPTED)]


def test_a_turn_that_breaks_off_goes_on_behind_the_message_at_hand(network, monkeypatch):
    own = PollLoop()
    for number in (1, 2, 3):
        network.signal(encode_message(message(number=number)))

    def gone(*_):
        raise UnreachableError("no answer within 10 s")

    with monkeypatch.context() as patch:
        patch.setattr(ControllerClient, "answer_signals", gone)
        with pytest.raises(UnreachableError):
            own._process_page()
    assert own._after == 1
    own._process_page()
    assert [decode_answer(row["payload"]).answer.request_id for row in network.answers] == [2, 3]


def test_a_long_page_does_not_keep_ends_from_their_hosts(network, monkeypatch):
    own = PollLoop()
    ask(number=9, confirm=True)
    session.run()
    for number in (1, 2):
        network.signal(encode_message(message(number=number)))
    monkeypatch.setattr(poll_loop, "TURN_SECONDS", -1)
    own._process_page()
    own._process_page()
    assert [decode_answer(row["payload"]).answer.request_id for row in network.answers] == [1, 9, 2]


def test_a_host_that_cannot_be_answered_and_is_there_already_holds_nobody_up(network):
    own = PollLoop()
    for n in (1, 2, 3):
        ask(FilterText("quotes", f"low < {n}"), number=n, confirm=True, n=n)
    Host.objects.filter(name="h2").update(mac=NOBODY["mac"])
    row = Done.objects.get(host__name="h2")
    Done.objects.filter(pk=row.pk).update(reply={**row.reply, "mac": NOBODY["mac"]})
    session.run()
    network.signal(encode_message(message(number=7)), **sent(b"", n=2, mac=NOBODY["mac"]).reply)
    network.signal(encode_message(message(number=8)))
    own._process_page()
    own._process_page()
    assert sorted(
        (row["ip"], decode_answer(row["payload"]).answer.request_id) for row in network.answers
    ) == [
        ("fd00::1", 1),
        ("fd00::1", 8),
        ("fd00::3", 3),
    ]
    assert not Done.objects.filter(waits=True).exists()
    assert reasons() == {"not_unicast": 1, "answer_refused": 2}

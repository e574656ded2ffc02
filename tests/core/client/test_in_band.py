"""Asking in band: repetition, seals, and the error without an answer."""

import os
import stat
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from tercast.client import inband
from tercast.client.host_key import HostKey
from tercast.client.inband import MOST_SKIPS, Signaller
from tercast.client.inband_lease import InBandLeaseSource
from tercast.client.lease import PublisherLease
from tercast.eventspace import dz
from tercast.eventspace.topic import Topic
from tercast.signalling.codec import decode_message, encode_answer
from tercast.signalling.messages import (
    AddressBody,
    CellsBody,
    ControlReply,
    FilterText,
    MessageType,
    NamedBody,
    ReplyStatus,
    TermsBody,
)
from tercast.signalling.seal import MAX_COUNTER, Seal, last_counter, replayed_detail
from tercast.wire.errors import ApiError, KeyFileError, NoAnswer, NotTaken
from tests.support.queued_transport import QueuedTransport

ROOT = Path(__file__).resolve().parents[3]
KEY = bytes(range(32))
TOPIC = Topic.from_json(
    {
        "name": "quotes",
        "code": 4,
        "attributes": [{"name": name, "type": "int", "min": 0, "max": 9} for name in ("low", "high")],
    }
)


class Platform(QueuedTransport):
    """Gives, for each message that is sent, the answers that `reply` makes of it; nothing waits."""

    def __init__(self, reply):
        super().__init__()
        self.reply, self.sent = reply, []

    def send(self, dst_ip, payload):
        self.sent.append((dst_ip, payload))
        self.waiting += self.reply(decode_message(payload), len(self.sent))


def answer(received, status=ReplyStatus.DONE, seal=None, **fields):
    return encode_answer(ControlReply(status, received.message.request_id, **fields), seal)


@pytest.fixture(autouse=True)
def hurried(monkeypatch):
    """Shorten the waits; the number of requests shows that the waits grow."""
    monkeypatch.setattr(inband, "FIRST_WAIT", 0.01)
    monkeypatch.setattr(inband, "LONGEST_WAIT", 0.16)


def key_file(folder, key=KEY, mode=0o600):
    path = folder / "key"
    path.write_text(b64encode(key).decode() + "\n")
    path.chmod(mode)
    return path


def test_a_message_is_sent_again_with_its_id_until_the_result_arrives():
    def reply(received, n):
        return {
            1: [],
            2: [answer(received, ReplyStatus.ACCEPTED)],
            3: [],
            4: [answer(received, name="q1", code=4)],
        }[n]

    platform = Platform(reply)
    terms = Signaller(platform, "fd00::1").subscribe("quotes", "low < 3")
    assert (terms.name, terms.code, terms.status) == ("q1", 4, ReplyStatus.DONE)
    messages = [decode_message(payload).message for _, payload in platform.sent]
    assert len(messages) == 4 and len(set(messages)) == 1
    assert messages[0].body == FilterText("quotes", "low < 3") and messages[0].confirm
    assert {ip for ip, _ in platform.sent} == {"ff1e::25"}


def test_all_that_can_be_asked():
    platform = Platform(lambda received, n: [answer(received, name="a1")])
    asks = Signaller(platform, "10.0.0.1")
    cells = (dz.parse("00"), dz.parse("11"))
    asks.advertise(4, cells)
    asks.withdraw("a1")
    asks.withdraw("q1")
    asks.announce_address()
    said = [decode_message(payload).message for _, payload in platform.sent]
    assert [(each.type, each.body) for each in said] == [
        (MessageType.ADVERTISE, CellsBody(4, cells)),
        (MessageType.UNADVERTISE, NamedBody("a1")),
        (MessageType.UNSUBSCRIBE, NamedBody("q1")),
        (MessageType.ADDRESS, AddressBody(bytes((10, 0, 0, 1)))),
    ]
    assert len({each.request_id for each in said}) == 4
    assert {ip for ip, _ in platform.sent} == {"225.0.0.37"}


def test_a_refusal_has_its_reason_and_busy_is_retried():
    def reply(received, n):
        if n == 1:
            return [answer(received, ReplyStatus.BUSY, reason="busy", detail="later")]
        return [answer(received, ReplyStatus.REFUSED, reason="unknown_topic", detail="no such topic")]

    with pytest.raises(NotTaken) as info:
        Signaller(Platform(reply), "fd00::1").subscribe("quotes", "")
    assert info.value.reason == "unknown_topic" and str(info.value) == "unknown_topic: no such topic"


def test_what_is_no_answer_to_this_message_counts_for_nothing():
    def reply(received, n):
        other = encode_answer(ControlReply(ReplyStatus.DONE, received.message.request_id ^ 1))
        good = answer(received, name="q1")
        return [b"", b"T", other, good[:-1], received.message.request_id.to_bytes(8, "big"), good]

    assert Signaller(Platform(reply), "fd00::1").subscribe("quotes", "").name == "q1"


def test_silence_ends_with_a_remedy_and_waits_grow():
    platform = Platform(lambda received, n: [])
    with pytest.raises(NoAnswer) as info:
        Signaller(platform, "fd00::1").subscribe("quotes", "", patience=0.5)
    assert "no answer within 0.5 s" in str(info.value) and "worker" in str(info.value)
    accepted = Platform(lambda received, n: [answer(received, ReplyStatus.ACCEPTED)])
    with pytest.raises(NoAnswer) as info:
        Signaller(accepted, "fd00::1").subscribe("quotes", "", patience=0.1)
    assert "not confirmed" in str(info.value)


def test_with_a_key_only_answers_under_its_seal_count(tmp_path):
    path = key_file(tmp_path)

    def reply(received, n):
        counter = received.sealed.counter
        assert received.sealed.fits(KEY)
        return [
            answer(received, ReplyStatus.REFUSED, reason="forged", detail="wrong key"),
            answer(received, ReplyStatus.REFUSED, Seal(bytes(32), counter), reason="x", detail="y"),
            answer(received, ReplyStatus.REFUSED, Seal(KEY, counter - 1), reason="x", detail="y"),
            *([answer(received, ReplyStatus.DONE, Seal(KEY, counter), name="q1")] if n == 3 else []),
        ]

    platform = Platform(reply)
    assert Signaller(platform, "fd00::1", HostKey(path)).subscribe("quotes", "").name == "q1"
    counters = [decode_message(payload).sealed.counter for _, payload in platform.sent]
    assert counters == sorted(set(counters)) and len(counters) == 3


def test_counters_that_the_platform_skipped_are_passed(tmp_path):
    """After a restore the last counter is ahead of the host's clock; only a sealed refusal moves the host."""
    path, last = key_file(tmp_path), 5_000_000

    def reply(received, n):
        counter = received.sealed.counter
        if counter > last:
            return [answer(received, ReplyStatus.DONE, Seal(KEY, counter), name="q1")]
        forged = replayed_detail(counter, 1 << 62)
        detail = replayed_detail(counter, last)
        return [
            answer(received, ReplyStatus.REFUSED, reason="replayed", detail=forged),
            answer(received, ReplyStatus.REFUSED, Seal(KEY, counter), reason="replayed", detail=detail),
        ]

    platform = Platform(reply)
    key = HostKey(path, lambda: 1000)
    assert Signaller(platform, "fd00::1", key).subscribe("quotes", "").name == "q1"
    counters = [decode_message(payload).sealed.counter for _, payload in platform.sent]
    assert len(counters) == 2 and last < counters[1] < last + 10


def test_a_platform_that_refuses_every_counter_is_reported(tmp_path):
    def reply(received, n):
        counter = received.sealed.counter
        detail = replayed_detail(counter, counter + 1)
        return [answer(received, ReplyStatus.REFUSED, Seal(KEY, counter), reason="replayed", detail=detail)]

    platform = Platform(reply)
    with pytest.raises(NotTaken) as info:
        Signaller(platform, "fd00::1", HostKey(key_file(tmp_path))).subscribe("quotes", "")
    assert info.value.reason == "replayed" and len(platform.sent) == MOST_SKIPS + 1


@pytest.mark.parametrize("last", [0, 7, MAX_COUNTER])
def test_the_detail_of_a_replay_names_the_last_counter(last):
    assert last_counter(replayed_detail(0, last)) == last
    assert last_counter(f"counter 1 is above {last}") is None


def test_a_wrong_key_shows(tmp_path):
    platform = Platform(
        lambda received, n: [answer(received, ReplyStatus.REFUSED, reason="forged", detail="not ours")]
    )
    with pytest.raises(NoAnswer) as info:
        Signaller(platform, "fd00::1", HostKey(key_file(tmp_path))).subscribe("quotes", "", patience=0.1)
    assert "not ours" in str(info.value) and "check the key" in str(info.value)


def test_counters_grow_over_restarts_also_when_the_clock_goes_back(tmp_path):
    path = key_file(tmp_path)
    now = iter([1000, 5, 5])
    first = HostKey(path, lambda: next(now))
    assert (first.seal().counter, first.seal().counter) == (1000, 1001)
    assert HostKey(path, lambda: 5).seal().counter == 1002
    assert HostKey(path, lambda: 5000).seal().counter == 5000
    assert stat.S_IMODE((tmp_path / "key.counter").stat().st_mode) == 0o600


TAKE = """
import sys
from tercast.client.host_key import HostKey
key = HostKey(sys.argv[1], lambda: 0)
for _ in range(200):
    print(key.seal().counter)
"""


def test_processes_that_share_a_key_never_share_a_counter(tmp_path):
    path = key_file(tmp_path)
    command = [sys.executable, "-c", TAKE, str(path)]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "platform")}
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, env=env) for _ in range(2)]
    found = [line for worker in workers for line in worker.communicate(timeout=120)[0].split()]
    assert len(found) == 400 == len(set(found))


def test_a_counter_is_on_the_disk_before_it_is_used(tmp_path, monkeypatch):
    """A kill at any moment leaves a counter that is at least the one used."""
    path = key_file(tmp_path)
    key = HostKey(path, lambda: 7)

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(KeyFileError, match="No space left"):
        key.seal()
    monkeypatch.undo()
    assert key.seal().counter >= 7


@pytest.mark.parametrize(
    ("text", "mode", "said"),
    [
        (b64encode(KEY), 0o644, "chmod 600"),
        (b64encode(KEY[:31]), 0o600, "does not contain a key"),
        (b"not base64!", 0o600, "does not contain a key"),
        (b"\xff", 0o600, "not ASCII"),
        (b"", 0o600, "does not contain a key"),
    ],
)
def test_a_bad_key_file_is_refused_with_the_remedy(tmp_path, text, mode, said):
    path = tmp_path / "key"
    path.write_bytes(text)
    path.chmod(mode)
    with pytest.raises(KeyFileError, match=said):
        HostKey(path)


def test_a_missing_key_file_and_a_bad_counter_are_refused(tmp_path):
    with pytest.raises(KeyFileError, match="No such file"):
        HostKey(tmp_path / "nowhere")
    path = key_file(tmp_path)
    (tmp_path / "key.counter").write_text("12")
    with pytest.raises(KeyFileError, match="does not contain a counter"):
        HostKey(path).seal()


def test_a_lease_in_band_is_a_lease():
    terms = iter([(1, 4, (1,)), (1, 4, (1,)), (2, 5, (0,)), (2, 5, (0,))])
    asked = []

    def reply(received, n):
        asked.append((received.message.type, received.message.body))
        if received.message.type is MessageType.RELEASE:
            return [answer(received)]
        version, code, indexed = next(terms)
        return [answer(received, code=code, terms=TermsBody(version, 60_000, 1000, indexed))]

    followed = []

    class Follower:
        topic = TOPIC

        def follow(self, topic):
            followed.append((topic.code, topic.indexed))

    source = InBandLeaseSource(Signaller(Platform(reply), "fd00::1"), TOPIC)
    with PublisherLease(source, "a1") as lease:
        assert lease.begin(TOPIC).code == 4
        lease.check()
        assert lease.renew(Follower()) == 1.0
        lease.renew(Follower())
    assert [(body.name, body.version) for _, body in asked] == [("a1", v) for v in (0, 1, 1, 2, 0)]
    assert len({body.holder for _, body in asked}) == 1 and asked[-1][0] is MessageType.RELEASE
    assert followed == [(5, ("low",))]


NO_TERMS = [
    {},
    {"code": 4},
    {"terms": TermsBody(1, 1, 1, ())},
    {"code": 4, "terms": TermsBody(1, 1, 1, (9,))},
]


@pytest.mark.parametrize("fields", NO_TERMS)
def test_an_answer_without_good_terms_is_no_lease(fields):
    platform = Platform(lambda received, n: [answer(received, **fields)])
    source = InBandLeaseSource(Signaller(platform, "fd00::1"), TOPIC)
    with pytest.raises(ApiError):
        source.lease("a1", "me", None)

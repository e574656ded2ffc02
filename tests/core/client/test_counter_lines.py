"""The last line of `tercast listen` has words for each reason of a rejection and of an ignored frame."""

from types import SimpleNamespace

from tercast.client import listen_command
from tercast.client.arrivals import Counters
from tercast.client.event_origins import RejectionReason
from tercast.wire.packets import Ignored


def line(counters, rejections=(), ignored=()):
    host = SimpleNamespace(counters=counters, rejections=dict(rejections))
    return listen_command._counters_text(host, dict(ignored))


def test_counters_of_problems_are_shown_only_above_0():
    assert line(Counters(received=2, wanted=1, unwanted=1)) == (
        "received 2, expected 1, false positives 1, duplicates 0, delivered 2"
    )
    assert line(Counters(received=6, malformed=1, unknown=2, held=3)) == (
        "received 6, expected 0, false positives 0, duplicates 0, delivered 0, "
        "malformed 1, unknown topics 2, held 3"
    )


def test_rejections_and_ignored_frames_have_their_reasons():
    rejections = {("weather", RejectionReason.OTHER_ADDRESS): 3, ("quotes", RejectionReason.NO_SEAL): 1}
    text = line(Counters(received=4, rejected=4), rejections, {Ignored.NOT_UDP: 12, Ignored.TRUNCATED: 1})
    assert text.endswith(
        "delivered 0, rejected 4 (topic quotes, no seal: 1; topic weather, wrong source address: 3); "
        "ignored frames: 12 (not UDP), 1 (truncated)"
    )


def test_every_reason_has_words():
    rejections = {("quotes", reason): 1 for reason in RejectionReason}
    text = line(Counters(rejected=len(rejections)), rejections, dict.fromkeys(Ignored, 1))
    assert "_" not in text

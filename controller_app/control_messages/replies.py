"""Replies to hosts, as the northbound accepts them."""

from __future__ import annotations

import binascii
from base64 import b64decode
from typing import NamedTuple

from controller_app.control_messages.queue import PAGE, PortId
from controller_app.openflow.control_packets import Datagram
from controller_app.openflow.dpid import parse_dpid
from controller_app.openflow.flow_entry import MAX_PORT, parse_address, parse_mac
from tercast.errors import Path, Refused, shown
from tercast.runtime.strict_json import expect_integer, expect_keys, expect_list, expect_text
from tercast.signalling.messages import MAX_MESSAGE

_KEYS = ("dpid", "port", "mac", "ip", "udp_port", "payload")


class AnswerOut(NamedTuple):
    """A reply to send: the port that it leaves by, its receiver and its payload."""

    end: PortId
    to: Datagram


def parse_answers(body: object) -> list[AnswerOut]:
    """Return the replies of a northbound body, at most a page.

    Raises:
        Refused: A value breaks a rule; the error contains its path.
    """
    items = expect_list(expect_keys(body, (), ("answers",))["answers"], ("answers",))
    if len(items) > PAGE:
        rule = f"received {len(items)} answers; send at most {PAGE} in a request"
        raise Refused(("answers",), "too_many", rule, len(items))
    return [_parse_answer(item, ("answers", n)) for n, item in enumerate(items)]


def _parse_answer(item: object, path: Path) -> AnswerOut:
    fields = expect_keys(item, path, _KEYS)
    end = (
        parse_dpid(fields["dpid"], (*path, "dpid")),
        expect_integer(fields["port"], (*path, "port"), 1, MAX_PORT),
    )
    to = Datagram(
        parse_mac(fields["mac"], (*path, "mac")),
        parse_address(fields["ip"], (*path, "ip")),
        expect_integer(fields["udp_port"], (*path, "udp_port"), 1, 0xFFFF),
        _parse_payload(fields["payload"], (*path, "payload")),
    )
    return AnswerOut(end, to)


def _parse_payload(value: object, path: Path) -> bytes:
    try:
        payload = b64decode(expect_text(value, path), validate=True)
    except (binascii.Error, ValueError):
        raise Refused(
            path, "not_base64", f"received {shown(value)}, which is not base64; encode the payload", value
        ) from None
    if len(payload) > MAX_MESSAGE:
        rule = f"received {len(payload)} bytes; an answer has at most {MAX_MESSAGE} bytes"
        raise Refused(path, "too_large", rule, len(payload))
    return payload

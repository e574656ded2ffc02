"""The published vectors of control messages, read by the library and by code from the page alone."""

import hashlib
import json
from pathlib import Path

import pytest

from tercast.eventspace import dz
from tercast.signalling.codec import decode_answer, decode_message, encode_answer, encode_message
from tercast.signalling.errors import MalformedMessage
from tercast.signalling.messages import (
    AddressBody,
    CellsBody,
    ControlMessage,
    ControlReply,
    FilterText,
    MessageType,
    NamedBody,
    ReplyStatus,
    RunningPublisher,
    TermsBody,
)
from tercast.signalling.seal import Seal

FILE = Path(__file__).parents[2] / "support" / "vectors" / "signalling.json"
VECTORS = json.loads(FILE.read_text(encoding="utf-8"))
KEY = bytes.fromhex(VECTORS["key"])


def varint(number):
    groups = [number & 127]
    while number := number >> 7:
        groups.append(number & 127)
    return bytes(group | 128 for group in groups[:-1]) + bytes(groups[-1:])


def counted(text, size):
    return len(text.encode()).to_bytes(size, "big") + text.encode()


def cell(text):
    size = (len(text) + 7) // 8
    return bytes([len(text)]) + int(text.ljust(8 * size, "0") or "0", 2).to_bytes(size, "big")


def by_hand(head, body, counter):
    data = head + body
    if counter is None:
        return data
    data += counter.to_bytes(8, "big")
    inner = hashlib.sha256(bytes(b ^ 0x36 for b in KEY.ljust(64, b"\0")) + data).digest()
    return data + hashlib.sha256(bytes(b ^ 0x5C for b in KEY.ljust(64, b"\0")) + inner).digest()


def held(said):
    return counted(said["name"], 1) + bytes.fromhex(said["holder"]) + said["version"].to_bytes(4, "big")


def message_by_hand(row):
    flags = (row["counter"] is not None) + 2 * row["confirm"]
    head = bytes([0x54, 0x12, row["type"], flags]) + bytes.fromhex(row["request_id"])
    said = row["body"]
    topic = said.get("topic")
    ref = counted(topic, 1) if isinstance(topic, str) else b"\0" + varint(topic or 0)
    body = {
        "dz": lambda: b"\0" + ref + bytes([len(said["dz"])]) + b"".join(map(cell, said["dz"])),
        "filter": lambda: b"\1" + ref + counted(said["filter"], 2),
        "name": lambda: b"\2" + counted(said["name"], 1),
        "address": lambda: b"\3" + bytes([len(said["address"]) // 2]) + bytes.fromhex(said["address"]),
        "holding": lambda: b"\4" + held(said),
    }[said["form"]]()
    return by_hand(head, body, row["counter"])


def answer_by_hand(row):
    has_code = row["code"] is not None
    terms = row["terms"]
    flags = (row["counter"] is not None) + 2 * has_code + 4 * row["unmatched"] + 8 * (terms is not None)
    head = bytes([0x54, 0x13, row["status"], flags]) + bytes.fromhex(row["request_id"])
    code = varint(row["code"]) if has_code else b""
    if terms is not None:
        code += b"".join(terms[key].to_bytes(4, "big") for key in ("version", "expires_ms", "poll_ms"))
        code += bytes([len(terms["indexed"]), *terms["indexed"]])
    body = counted(row["name"], 1) + code + counted(row["reason"], 1) + counted(row["detail"], 2)
    return by_hand(head, body, row["counter"])


def value(row):
    said = row["body"]
    body = {
        "dz": lambda: CellsBody(said["topic"], tuple(map(dz.parse, said["dz"]))),
        "filter": lambda: FilterText(said["topic"], said["filter"]),
        "name": lambda: NamedBody(said["name"]),
        "address": lambda: AddressBody(bytes.fromhex(said["address"])),
        "holding": lambda: RunningPublisher(said["name"], int(said["holder"], 16), said["version"]),
    }[said["form"]]()
    return ControlMessage(MessageType(row["type"]), int(row["request_id"], 16), body, row["confirm"])


def seal(row):
    return None if row["counter"] is None else Seal(KEY, row["counter"])


@pytest.mark.parametrize("row", VECTORS["messages"], ids=lambda row: row["hex"][:24])
def test_messages(row):
    data = bytes.fromhex(row["hex"])
    assert message_by_hand(row) == data == encode_message(value(row), seal(row))
    received = decode_message(data)
    assert received.message == value(row)
    assert received.sealed is None or received.sealed.fits(KEY)


@pytest.mark.parametrize("row", VECTORS["answers"], ids=lambda row: row["hex"][:24])
def test_answers(row):
    data = bytes.fromhex(row["hex"])
    given = (row["name"], row["code"], row["unmatched"], row["reason"], row["detail"])
    terms = row["terms"] and TermsBody(**{**row["terms"], "indexed": tuple(row["terms"]["indexed"])})
    answer = ControlReply(ReplyStatus(row["status"]), int(row["request_id"], 16), *given, terms)
    assert answer_by_hand(row) == data == encode_answer(answer, seal(row))
    received = decode_answer(data)
    assert received.answer == answer
    assert received.sealed is None or received.sealed.fits(KEY)


@pytest.mark.parametrize("row", VECTORS["refused"], ids=lambda row: row["code"])
def test_refused(row):
    with pytest.raises(MalformedMessage) as info:
        decode_message(bytes.fromhex(row["hex"]))
    assert (info.value.code, info.value.position) == (row["code"], row["offset"])

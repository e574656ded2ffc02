"""The published vectors of control messages, read by the library and by code from the page alone."""

import hashlib
import json
import struct
from pathlib import Path

import pytest

from tercast.eventspace import dz
from tercast.eventspace.attribute_reader import parse_attribute
from tercast.eventspace.cut_tree import CutTree
from tercast.signalling.codec import decode_answer, decode_message, encode_answer, encode_message
from tercast.signalling.cut_bytes import read_cuts, write_cuts
from tercast.signalling.errors import MalformedMessage
from tercast.signalling.messages import (
    AddressBody,
    CellsBody,
    ControlMessage,
    ControlReply,
    CutReader,
    CutsPart,
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
        "reading": lambda: b"\5" + held(said) + said["position"].to_bytes(4, "big"),
    }[said["form"]]()
    return by_hand(head, body, row["counter"])


def answer_by_hand(row):
    has_code = row["code"] is not None
    terms = row["terms"]
    part = row.get("cuts")
    flags = (row["counter"] is not None) + 2 * has_code + 4 * row["unmatched"] + 8 * (terms is not None)
    flags += 16 * (part is not None)
    head = bytes([0x54, 0x13, row["status"], flags]) + bytes.fromhex(row["request_id"])
    code = varint(row["code"]) if has_code else b""
    if terms is not None:
        code += b"".join(terms[key].to_bytes(4, "big") for key in ("version", "expires_ms", "poll_ms"))
        code += bytes([len(terms["indexed"]), *terms["indexed"]])
    if part is not None:
        data = bytes.fromhex(part["data"])
        code += part["size"].to_bytes(4, "big") + part["position"].to_bytes(4, "big")
        code += len(data).to_bytes(2, "big") + data
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
        "reading": lambda: CutReader(
            said["name"], int(said["holder"], 16), said["version"], said["position"]
        ),
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
    part = row.get("cuts")
    part = part and CutsPart(part["size"], part["position"], bytes.fromhex(part["data"]))
    answer = ControlReply(ReplyStatus(row["status"]), int(row["request_id"], 16), *given, terms, part)
    assert answer_by_hand(row) == data == encode_answer(answer, seal(row))
    received = decode_answer(data)
    assert received.answer == answer
    assert received.sealed is None or received.sealed.fits(KEY)


def cuts_by_hand(row):
    """Write nodes as the page says: 0 and a weight, or an attribute's number from 1 and its value."""
    kinds = {attribute["name"]: (n, attribute) for n, attribute in enumerate(row["attributes"], 1)}

    def value_bytes(attribute, value):
        match attribute["type"]:
            case "int":
                return varint(2 * int(value) if int(value) >= 0 else -2 * int(value) - 1)
            case "float":
                return struct.pack(">d", value)
            case "bool":
                return bytes([value])
            case "enum":
                return varint(attribute["values"].index(value))
            case _:
                return varint(len(value.encode())) + value.encode()

    out = b""
    for node in row["cuts"]:
        if isinstance(node, int):
            out += b"\0" + varint(node)
        else:
            number, attribute = kinds[node[0]]
            out += bytes([number]) + value_bytes(attribute, node[1])
    return out


@pytest.mark.parametrize("row", VECTORS["cuts"], ids=lambda row: row["hex"][:24])
def test_cuts(row):
    attributes = tuple(map(parse_attribute, row["attributes"]))
    data = bytes.fromhex(row["hex"])
    tree = CutTree.from_json(row["cuts"], attributes)
    assert cuts_by_hand(row) == data == write_cuts(tree, attributes)
    assert read_cuts(data, attributes) == tree


@pytest.mark.parametrize("row", VECTORS["refused"], ids=lambda row: row["code"])
def test_refused(row):
    with pytest.raises(MalformedMessage) as info:
        decode_message(bytes.fromhex(row["hex"]))
    assert (info.value.code, info.value.position) == (row["code"], row["offset"])

"""Cuts of a topic as bytes; an answer contains a part of them (docs/signalling.md)."""

from __future__ import annotations

from collections.abc import Sequence

from tercast.errors import Refused
from tercast.eventspace.attribute import Attribute
from tercast.eventspace.cut_tree import CutNode, CutTree
from tercast.runtime.strict_json import value_json
from tercast.signalling.errors import MalformedMessage
from tercast.wire import varint
from tercast.wire.errors import WireError
from tercast.wire.field_codecs import field

_LEAF = 0
_ATTRIBUTE_BYTES = 1  # a topic has at most 64 attributes
_WEIGHT_BYTES = 5  # 31 bits


def write_cuts(cuts: CutTree, attributes: Sequence[Attribute]) -> bytes:
    """Encode the nodes of a cut tree, depth first; no bytes without cuts."""
    codecs = [field(attribute) for attribute in attributes]
    return b"".join(
        varint.encode(node.attribute + 1) + codecs[node.attribute].write(node.value)
        if isinstance(node, CutNode)
        else bytes((_LEAF,)) + varint.encode(node.weight)
        for node in cuts.nodes
    )


def read_cuts(data: bytes, attributes: Sequence[Attribute]) -> CutTree:
    """Read the bytes of `write_cuts`.

    Raises:
        MalformedMessage: The bytes are not cuts of a topic with these attributes.
    """
    codecs = [field(attribute) for attribute in attributes]
    nodes: list[object] = []
    position = 0
    try:
        while position < len(data):
            start = position
            kind, position = varint.decode(data, position, _ATTRIBUTE_BYTES)
            if kind == _LEAF:
                weight, position = varint.decode(data, position, _WEIGHT_BYTES)
                nodes.append(weight)
                continue
            if kind > len(codecs):
                raise _malformed(start, f"the topic has {len(codecs)} attributes, and the cut names {kind}")
            value, position = codecs[kind - 1].read(data, position)
            nodes.append([attributes[kind - 1].name, value_json(value)])
        return CutTree.from_json(nodes, attributes)
    except WireError as error:
        raise _malformed(error.position, error.rule) from None
    except Refused as refused:
        raise _malformed(position, refused.detail) from None


def _malformed(position: int, rule: str) -> MalformedMessage:
    return MalformedMessage("bad_cuts", position, rule)

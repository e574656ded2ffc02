"""Access to the compiled encoders, if they are in use and can encode a filter."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from tercast.eventspace.dz import DzSet
from tercast.runtime import jit

if TYPE_CHECKING:
    from tercast.encoding.grid_boxes import Part, Side
    from tercast.encoding.kernels.box_encoder import BoxEncoder
    from tercast.encoding.kernels.cut_encoder import CutEncoder
    from tercast.encoding.kernels.part_encoder import PartEncoder
    from tercast.encoding.term_reader import TermReader
    from tercast.eventspace.cut_space import CutSpace
    from tercast.eventspace.interleaving import BitSchedule
    from tercast.eventspace.topic import Topic
    from tercast.filters.place_terms import PlaceTerm


def dz_of_text(text: str, topic: Topic, schedule: BitSchedule, limit: int) -> DzSet | None:
    """The dz set of a filter's text; None if plain Python must encode it, or report its error."""
    encoder = _encoder(topic, schedule, limit)
    return encoder.of_text(text, limit) if encoder else None


def dz_of_mixed_text(text: str, topic: Topic, schedule: BitSchedule, limit: int) -> DzSet | None:
    """The dz set of a text with few tests; None if plain Python must encode it.

    `dz_of_text` must have returned None for this text.
    """
    sides = sides_of_text(text, topic, schedule)
    if sides is None:
        return None
    if len(sides) == 1 and all(len(side) == 2 for side in sides[0]):
        encoder: BoxEncoder = schedule.box_encoder
        return encoder.of_codes(sides[0], limit)
    found = dz_of_parts(sides, schedule, limit)
    return None if found is None else found[0]


def sides_of_text(text: str, topic: Topic, schedule: BitSchedule) -> list[tuple[Side, ...]] | None:
    """The sides of the terms of a valid filter; None if the parser must read its text."""
    encoder: BoxEncoder | None = schedule.box_encoder or None
    if topic.cuts.nodes or encoder is None or not jit.uses_twins():
        return None
    if schedule.term_reader is None:
        twin = jit.load_twin("tercast.encoding.term_reader")
        schedule.term_reader = twin.TermReader(topic, schedule, encoder)
    reader: TermReader = schedule.term_reader
    return reader.sides(text)


def dz_of_texts(texts: Sequence[str], topic: Topic, schedule: BitSchedule, limit: int) -> list[DzSet | None]:
    """Return the dz sets of many filters; None for those that plain Python must encode."""
    encoder = _encoder(topic, schedule, limit * len(texts))
    return encoder.of_texts(texts, limit) if encoder and texts else [None] * len(texts)


def dz_of_box(box: Part, topic: Topic, schedule: BitSchedule, limit: int) -> DzSet | None:
    """The dz set of a box (see `single_box.box_of`); None if plain Python must encode it."""
    encoder = _encoder(topic, schedule, limit)
    return encoder.of_sides(box[0], box[1], box[3], limit) if encoder else None


def dz_of_parts(
    parts: Sequence[tuple[Side, ...]], schedule: BitSchedule, limit: int
) -> tuple[DzSet, int] | None:
    """The dz set of parts and its volume; None if plain Python must encode them."""
    if not jit.uses_twins(limit):
        return None
    if schedule.part_encoder is None:
        schedule.part_encoder = _make_part_encoder(schedule) or False
    encoder: PartEncoder | None = schedule.part_encoder or None
    return encoder.of_sides(parts, limit) if encoder else None


def dz_of_terms(
    terms: Sequence[PlaceTerm], space: CutSpace, limit: int, shares: bool
) -> tuple[DzSet, Fraction] | None:
    """The dz set of terms in a space with cuts; None if plain Python must encode them.

    Its share of the space is 0 without `shares`, which take time.
    """
    if not jit.uses_twins(limit):
        return None
    if space.encoder is None:
        space.encoder = _make_cut_encoder(space) or False
    encoder: CutEncoder | None = space.encoder or None
    return encoder.of_terms(terms, limit, shares) if encoder else None


def _encoder(topic: Topic, schedule: BitSchedule, limit: int) -> BoxEncoder | None:
    if topic.cuts.nodes or not jit.uses_twins(limit):
        return None
    if schedule.box_encoder is None:
        schedule.box_encoder = _make(topic, schedule) or False
    return schedule.box_encoder or None


def _make(topic: Topic, schedule: BitSchedule) -> BoxEncoder | None:
    twin = jit.load_twin("tercast.encoding.kernels.box_encoder")
    if twin is None or not twin.BoxEncoder.serves(schedule):
        return None
    encoder: BoxEncoder = twin.BoxEncoder(topic, schedule)
    return encoder


def _make_part_encoder(schedule: BitSchedule) -> PartEncoder | None:
    twin = jit.load_twin("tercast.encoding.kernels.part_encoder")
    if twin is None or not twin.PartEncoder.serves(schedule):
        return None
    encoder: PartEncoder = twin.PartEncoder(schedule)
    return encoder


def _make_cut_encoder(space: CutSpace) -> CutEncoder | None:
    twin = jit.load_twin("tercast.encoding.kernels.cut_encoder")
    if twin is None or not twin.CutEncoder.serves(space):
        return None
    encoder: CutEncoder = twin.CutEncoder(space)
    return encoder

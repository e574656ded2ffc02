"""Answer of a preview: errors or normal form, cells and volumes, matches, and cost."""

from typing import Any

from controlplane.common.address_plan import MAX_DZ_PER_FILTER, max_dz_length
from controlplane.common.problems import Problem, pointer
from controlplane.explain.call_cost import Encodings, ItemEncoding, Patience, cost
from controlplane.explain.filter_preview.overlap import Overlap, overlap
from controlplane.explain.filter_preview.question import PreviewQuestion
from controlplane.planning.planner_state import PlannerBehind, reading
from controlplane.registry.announcement_kinds import ADVERTISEMENT, SUBSCRIPTION, AnnouncementDraft
from controlplane.registry.announcements import draft_payloads
from controlplane.registry.duplicates import CODE, duplicate
from controlplane.registry.encoding import EncodedAnnouncement, core_topic
from controlplane.registry.filter_digests import digest_of_filter
from controlplane.registry.missing_path_text import explained, owners_of
from tercast.encoding.encoder import EncodedFilter, encode
from tercast.errors import Misread, Refused
from tercast.eventspace import dz
from tercast.filters.filter import Filter
from tercast.requests.reach import Reach
from tercast.requests.registry import ADVERTISEMENT as ADVERTISEMENTS
from tercast.requests.registry import SUBSCRIPTION as SUBSCRIPTIONS

PATIENCE = Patience(seconds=1.0, waiting=200)
_BUSY = (
    "The planner is busy with other requests, so matches and cost are unknown. Try again in a few seconds."
)


def answer(asked: PreviewQuestion) -> dict[str, Any]:
    """Return the answer for a filter, correct or not."""
    try:
        filter_ = Filter.parse(asked.text, core_topic(asked.topic), ("filter",))
    except Refused as refused:
        return {**_NOTHING, "errors": [_mistake(refused)]}
    encoding = encode(filter_, max_dz_length(), MAX_DZ_PER_FILTER)
    return {**_NOTHING, **_meaning(filter_, encoding, asked.limit), **_network(asked, filter_, encoding)}


_NOTHING: dict[str, Any] = {
    "valid": False,
    "errors": [],
    "canonical": None,
    "dz": [],
    "dz_cells": None,
    "more": 0,
    "volume": None,
    "volume_error": None,
    "covered": None,
    "excess": None,
    "overlap": None,
    "reach": None,
    "unreachable": None,
    "cost": None,
    "unknown": None,
}


def _mistake(refused: Refused) -> dict[str, Any]:
    at = refused if isinstance(refused, Misread) else None
    return {
        "pointer": pointer(refused.path),
        "code": refused.code,
        "detail": refused.detail,
        "offset": at and at.offset,
        "length": at and at.length,
        "expected": at and at.expected,
    }


def _meaning(filter_: Filter, encoding: EncodedFilter, limit: int) -> dict[str, Any]:
    return {
        "valid": True,
        "canonical": str(filter_),
        "dz": [dz.text(cell) for cell in encoding.dz[:limit]],
        "dz_cells": len(encoding.dz),
        "more": max(0, len(encoding.dz) - limit),
        "volume": encoding.volume,
        "volume_error": encoding.volume_error,
        "covered": encoding.covered,
        "excess": encoding.excess,
    }


def _network(asked: PreviewQuestion, filter_: Filter, encoding: EncodedFilter) -> dict[str, Any]:
    """Return matches and cost of the filter; neither if the planner is not available in time."""
    other = SUBSCRIPTIONS if asked.kind is ADVERTISEMENT else ADVERTISEMENTS
    fields: dict[str, Any] = {}
    try:
        with reading(PATIENCE.seconds) as planner:
            host = None if asked.owner is None else asked.owner.host.name
            found = overlap(planner, filter_, encoding.dz, other, host)
        fields |= {"overlap": found.summary, "reach": found.reach, "unreachable": _unreachable(asked, found)}
        if asked.owner is not None:
            fields["cost"] = _cost(asked, filter_, encoding)
    except PlannerBehind:
        fields["unknown"] = _BUSY
    except Problem as problem:
        fields["unknown"] = problem.detail
    return fields


def _unreachable(asked: PreviewQuestion, found: Overlap) -> dict[str, Any] | None:
    """Return matching announcements that an announcement at the host could not reach."""
    if asked.owner is None or found.reach is None or found.reach is Reach.FULL:
        return None
    subscribes = asked.kind is SUBSCRIPTION
    names = owners_of(found.missed)
    return explained(found.reach, subscribes, asked.owner.host.name, names, found.more)


def _cost(asked: PreviewQuestion, filter_: Filter, encoding: EncodedFilter) -> dict[str, Any]:
    """Return the cost of announcing the filter. A duplicate costs nothing, and is not accepted."""
    digest = digest_of_filter(filter_)
    texts = [dz.text(cell) for cell in encoding.dz]
    encoded = EncodedAnnouncement(texts, encoding.excess, digest, encoding.volume_error)
    draft = AnnouncementDraft(asked.owner, asked.topic, asked.text, encoded)
    detail = None if asked.owner.pk is None else duplicate(asked.kind, draft)
    if detail is not None:
        refused = {"accepted": False, "matched": None, "code": CODE, "detail": detail}
        return {**refused, "change": 0, "entries": [], "budgets_exceeded": []}
    payloads = draft_payloads(asked.kind, [draft])
    item = ItemEncoding(len(encoding.dz), encoding.excess, encoding.volume_error)
    found = cost(payloads, Encodings([item]), 1, PATIENCE)
    (result,) = found["results"]
    return {
        **{name: result[name] for name in ("accepted", "matched", "code", "detail")},
        "change": sum(entry["after"] - entry["before"] for entry in found["entries"]),
        "entries": found["entries"],
        "budgets_exceeded": found["budgets_exceeded"],
        "merging": found["merging"],
    }

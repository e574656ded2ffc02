"""Duplicates: announcements of one owner in one topic with equivalent filters.

Two rows are duplicates if publisher or subscriber, topic and digest are equal, and neither is withdrawn,
being withdrawn, or failed. A unique index over these rows decides between parallel calls. The check in this
module names the first row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from django.db.models import Q

from controlplane.common.problems import FieldError, Problem, conflict
from controlplane.requestlog.models import State
from controlplane.rest.base_views import url
from controlplane.rest.request_body import Body, Errors
from tercast.errors import shown

if TYPE_CHECKING:
    from controlplane.registry.announcement_kinds import AnnouncementDraft, AnnouncementKind

CODE = "duplicate"
LASTING = ~Q(state__in=(State.FAILED, State.WITHDRAWN)) & (
    Q(withdrawal=None) | Q(withdrawal__state=State.FAILED)
)
"""Rows that another row can duplicate. The state of a row is that of its request, so no join is needed."""

_QUERIED = 500
"""Maximum digests in a query: SQLite limits the number of parameters."""

AnnouncementKey = tuple[int, int, str]
"""Owner, topic and digest."""


def lasting(kind: AnnouncementKind, keys: Iterable[AnnouncementKey]) -> dict[AnnouncementKey, int]:
    """Return the id of the oldest row of each key that has one; one query for 500 keys."""
    wanted = set(keys)
    found: dict[AnnouncementKey, int] = {}
    digests = sorted({digest for _, _, digest in wanted})
    for start in range(0, len(digests), _QUERIED):
        part = digests[start : start + _QUERIED]
        rows = kind.model._default_manager.filter(LASTING, digest__in=part).order_by("-id")
        for owner, topic, digest, pk in rows.values_list(kind.owner, "topic", "digest", "pk"):
            if (owner, topic, digest) in wanted:
                found[owner, topic, digest] = pk
    return found


def without_duplicates(
    kind: AnnouncementKind, drafts: list[AnnouncementDraft], body: Body | None
) -> list[AnnouncementDraft]:
    """Return the drafts that duplicate neither a row nor an earlier draft.

    Args:
        kind: Advertisements or subscriptions.
        drafts: One for each item of the body.
        body: The call. If it accepts valid items without the others, duplicates are removed from it.

    Raises:
        Problem: 409 with an error for each duplicate, if the call accepts all items or none.
    """
    errors = Errors() if body is None else body.errors
    _collect(kind, drafts, errors)
    if not errors.found:
        return drafts
    if body is None or not body.partly or len(errors.bad) == len(drafts):
        raise _conflict(errors.found if body is None else body.located())
    good = [draft for at, draft in enumerate(drafts) if at not in errors.bad]
    body.leave_out()
    return good


def duplicate(kind: AnnouncementKind, draft: AnnouncementDraft) -> str | None:
    """Return which row a draft duplicates and what to do; None if it duplicates no row."""
    key = key_of(draft)
    pk = lasting(kind, [key]).get(key)
    return None if pk is None else _detail(kind, draft, pk)


def key_of(draft: AnnouncementDraft) -> AnnouncementKey:
    """Return the key that a draft has in common with its duplicates."""
    return draft.owner.pk, draft.topic.pk, draft.encoded.digest


def _detail(kind: AnnouncementKind, draft: AnnouncementDraft, pk: int) -> str:
    return (
        f"{shown(draft.filter) if not draft.by_dz else 'This cell set'} is equivalent to {kind.noun} {pk} of "
        f"{kind.owner} {draft.owner.name} in topic {draft.topic.name}. Use that {kind.noun}, or withdraw it "
        f"first. If another program has the same filter, register a second {kind.owner} for it at the host."
    )


def _collect(kind: AnnouncementKind, drafts: Sequence[AnnouncementDraft], errors: Errors) -> None:
    """Add an error for each draft that is a duplicate."""
    there = lasting(kind, map(key_of, drafts))
    first: dict[AnnouncementKey, int] = {}
    for at, draft in enumerate(drafts):
        key = key_of(draft)
        pk = there.get(key)
        if pk is not None:
            detail, existing = _detail(kind, draft, pk), url(f"{kind.noun}s", pk)
        elif key in first:
            detail = f"{shown(draft.filter)} is equivalent to the filter of item {first[key]}. Remove one."
            existing = None
        else:
            first[key] = at
            continue
        errors.add(at, ("filter",), CODE, detail, draft.filter, existing)


def _conflict(errors: Sequence[FieldError]) -> Problem:
    detail = errors[0].detail if len(errors) == 1 else f"{len(errors)} items are duplicates; see `errors`."
    return conflict(CODE, detail, errors)

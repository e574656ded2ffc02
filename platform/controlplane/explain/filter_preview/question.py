"""The question of a preview: a topic, a text, and who would announce it where."""

from dataclasses import dataclass
from typing import Any, Self

from controlplane.network.availability import LEAVING
from controlplane.network.models import Host
from controlplane.registry.announcement_kinds import ADVERTISEMENT, SUBSCRIPTION, AnnouncementKind
from controlplane.registry.models import Publisher, Subscriber, Topic
from controlplane.requestlog.models import State
from controlplane.rest.request_body import Body
from tercast.errors import shown

DEFAULT_CELLS = 64
"""How many dz cells an answer lists unless the caller says otherwise."""

_WHO = ("host", "publisher", "subscriber")


@dataclass(frozen=True, slots=True)
class PreviewQuestion:
    """A question; `owner` may be a publisher or subscriber that is not stored, None where nobody is named."""

    topic: Topic
    text: str
    kind: AnnouncementKind
    owner: Any
    limit: int

    @classmethod
    def read(cls, body: Body) -> Self:
        """From a body; raises `Problem` with all that is wrong around the filter."""
        item, errors = body.items[0], body.errors
        topic = _find(body, "topic", _topics())
        kind = _kind(body)
        owner = _owner(body, kind)
        errors.check()
        assert topic is not None
        return cls(topic, item["filter"], kind, owner, item.get("limit", DEFAULT_CELLS))


def _topics() -> Any:
    failed = {"request__state": State.FAILED}
    return Topic.objects.exclude(LEAVING).exclude(**failed).select_related("request", "reindexing")


def _kind(body: Body) -> AnnouncementKind:
    """By what is said, or by who is named; adds an error where both do not fit."""
    item = body.items[0]
    said = item.get("kind", "advertisement" if "publisher" in item else "subscription")
    kind = ADVERTISEMENT if said == "advertisement" else SUBSCRIPTION
    wrong = "subscriber" if kind is ADVERTISEMENT else "publisher"
    if wrong in item:
        detail = f"A {wrong} has no {kind.noun}s. Name a {kind.owner}, or a host."
        body.errors.add(0, (wrong,), "does_not_fit", detail, item[wrong])
    elif sum(name in item for name in _WHO) > 1:
        detail = f"host and {kind.owner} are both given. Leave one out: a {kind.owner} is at a host."
        body.errors.add(0, ("host",), "does_not_fit", detail, item.get("host"))
    return kind


def _owner(body: Body, kind: AnnouncementKind) -> Publisher | Subscriber | None:
    item = body.items[0]
    if kind.owner in item:
        found: Any = _find(body, kind.owner, kind.owners._default_manager.select_related("host"))
        return found  # type: ignore[no-any-return]
    if "host" not in item:
        return None
    host = _find(body, "host", Host.objects.all())
    stand_in: Any = None if host is None else kind.owners(name="", host=host)
    return stand_in  # type: ignore[no-any-return]


def _find(body: Body, name: str, rows: Any) -> Any:
    """The row that the field `name` names; adds an error where there is none."""
    wanted = body.items[0].get(name)
    if wanted is None:
        return None
    row = rows.filter(name=wanted).first()
    if row is None:
        detail = f"There is no {name} {shown(wanted)}. Register it first."
        body.errors.add(0, (name,), f"unknown_{name}", detail, wanted)
    return row

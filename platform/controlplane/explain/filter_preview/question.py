"""Question of a preview: a topic, a filter text, and its possible owner."""

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
"""Default number of dz cells in an answer."""

_WHO = ("host", "publisher", "subscriber")


@dataclass(frozen=True, slots=True)
class PreviewQuestion:
    """Question of a preview. `owner` can be an unsaved publisher or subscriber; None: not given."""

    topic: Topic
    text: str
    kind: AnnouncementKind
    owner: Any
    limit: int

    @classmethod
    def read(cls, body: Body) -> Self:
        """Read a question from a body; raise `Problem` with all errors except those of the filter."""
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
    """Return the kind by the field `kind` or by the owner; add an error if they contradict."""
    item = body.items[0]
    said = item.get("kind", "advertisement" if "publisher" in item else "subscription")
    kind = ADVERTISEMENT if said == "advertisement" else SUBSCRIPTION
    wrong = "subscriber" if kind is ADVERTISEMENT else "publisher"
    if wrong in item:
        detail = f"A {wrong} has no {kind.noun}s. Give a {kind.owner} or a host instead."
        body.errors.add(0, (wrong,), "does_not_fit", detail, item[wrong])
    elif sum(name in item for name in _WHO) > 1:
        detail = f"host and {kind.owner} are both given. Omit one, because a {kind.owner} has a host."
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
    """Return the row that the field `name` names; add an error if there is none."""
    wanted = body.items[0].get(name)
    if wanted is None:
        return None
    row = rows.filter(name=wanted).first()
    if row is None:
        detail = f"There is no {name} {shown(wanted)}. Register it first."
        body.errors.add(0, (name,), f"unknown_{name}", detail, wanted)
    return row

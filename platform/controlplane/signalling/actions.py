"""Actions of control messages: the same rows and log entries as calls of the API."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from controlplane.common.address_plan import max_dz_length
from controlplane.network.availability import LEAVING
from controlplane.network.models import Host
from controlplane.registry import announcement_kinds, announcements
from controlplane.registry.announcement_kinds import ADVERTISEMENT, SUBSCRIPTION, AnnouncementKind
from controlplane.registry.announcements import LIVE
from controlplane.registry.encoding import EncodedAnnouncement, core_topic
from controlplane.registry.filter_digests import digest_of_dz, digest_of_filter
from controlplane.registry.models import Origin, Topic
from controlplane.registry.transitions import leases
from controlplane.requestlog.models import FINAL_STATES, Request, State
from controlplane.rest.request_body import Body, Errors
from controlplane.signalling.cuts import cuts_part
from controlplane.signalling.errors import Refusing
from tercast.errors import shown
from tercast.eventspace import dz
from tercast.filters.filter import Filter
from tercast.signalling.messages import (
    AddressBody,
    CellsBody,
    ControlMessage,
    CutReader,
    CutsPart,
    FilterText,
    MessageType,
    NamedBody,
    RunningPublisher,
    TermsBody,
    TopicRef,
)
from tercast.wire.packets import pack_ip

MAX_LIVE = 1000
"""Largest number of advertisements, and of subscriptions, of a host in band at one time."""

KINDS = {
    MessageType.ADVERTISE: ADVERTISEMENT,
    MessageType.UNADVERTISE: ADVERTISEMENT,
    MessageType.SUBSCRIBE: SUBSCRIPTION,
    MessageType.UNSUBSCRIBE: SUBSCRIPTION,
}
UNKEPT = (MessageType.LEASE, MessageType.RELEASE)
"""Messages that may be repeated without harm and arrive every second; they are not remembered."""

_RELATED = ("topic", "request", "withdrawal")
_STANDS = LIVE & (Q(withdrawal=None) | Q(withdrawal__state=State.FAILED))


@dataclass(frozen=True, slots=True)
class ActionResult:
    """Result of a message: the name that the host may use, the topic's code, and the request."""

    name: str
    code: int | None
    request: Request | None
    terms: TermsBody | None = None
    cuts: CutsPart | None = None


def do(host: Host, message: ControlMessage) -> ActionResult:
    """Execute a message of the host.

    Raises:
        Refusing, Problem: The message is refused.
    """
    if message.type is MessageType.ADDRESS:
        return _address(host, message)
    if message.type in UNKEPT:
        return _lease(host, message)
    kind = KINDS[message.type]
    if message.type.withdraws:
        return _withdraw(kind, host, message)
    topic = _topic(message.body.topic)  # type: ignore[union-attr] # the codec has checked the form
    _check_open(topic)
    same = _find_standing_row(kind, host, topic, message.body)
    if same is not None:
        return ActionResult(f"{kind.prefix}{same.pk}", _code(topic), same.request)
    return _announce(kind, host, topic, message.body)


def _address(host: Host, message: ControlMessage) -> ActionResult:
    assert isinstance(message.body, AddressBody)
    if message.body.packed != pack_ip(host.ip):
        raise Refusing(
            "other_address",
            f"the message names an IP address that is not its source address ({host.ip}); a host may report "
            "only its own address",
        )
    return ActionResult(host.name, None, host.request)


def _lease(host: Host, message: ControlMessage) -> ActionResult:
    """Answer a publisher that asks for its encoding, or release its lease; nothing else changes."""
    body = message.body
    assert isinstance(body, RunningPublisher | CutReader)
    row = _numbered(ADVERTISEMENT, body.name).filter(publisher__host=host).first()
    if row is None:
        raise Refusing("unknown_advertisement", f"host {host.name} has no advertisement {shown(body.name)}")
    holder = f"{body.holder:016x}"
    if message.type is MessageType.RELEASE:
        leases.release(row.pk, holder)
        return ActionResult(body.name, None, None)
    _check_open(row.topic)
    reader = body if isinstance(body, CutReader) else None
    lease = leases.hold(row.pk, holder, body.version or None, f"host:{host.pk}", reader is not None)
    if reader is None:
        _check_no_cuts(row.topic, lease["cuts"])
    names = [attribute["name"] for attribute in row.topic.attributes]
    indexed = tuple(names.index(name) for name in lease["indexed"])
    expires, poll = round(1000 * lease["expires_in"]), round(1000 * lease["poll_in"])
    terms = TermsBody(lease["version"], expires, poll, indexed)
    part = None if reader is None else cuts_part(row.topic, lease, reader)
    return ActionResult(body.name, lease["code"], None, terms, part)


def _check_open(topic: Topic) -> None:
    """Raise Refusing for a sealed topic, because its keys are available only over HTTPS."""
    if topic.seal:
        detail = (
            f"the events of topic {topic.name} are sealed, and in-band hosts get no keys; use the REST API"
        )
        raise Refusing("sealed_topic", detail)


def _check_no_cuts(topic: Topic, cuts: list[Any]) -> None:
    """Raise Refusing for cuts, because the publisher has not asked for them.

    An event that is encoded without the cuts would not reach its subscribers. The refusal takes back the
    lease.
    """
    if cuts:
        detail = (
            f"topic {topic.name} has {len(cuts) // 2} cuts, and this publisher does not read cuts; update "
            "its client library, advertise over the REST API, or remove the cuts of the topic"
        )
        raise Refusing("topic_with_cuts", detail)


def _code(topic: Topic) -> int:
    """Return the code that the topic's events use now."""
    return leases.current(topic).code


def _announce(kind: AnnouncementKind, host: Host, topic: Topic, body: Any) -> ActionResult:
    _check_room(kind, host)
    owner = _owner(kind, host)
    if isinstance(body, CellsBody):
        drafts = [
            announcement_kinds.AnnouncementDraft(owner, topic, "", _encoded(topic, body.dz), by_dz=True)
        ]
    else:
        item = {kind.owner: owner.name, "topic": topic.name, "filter": body.text}
        drafts = announcements.draft(kind, Body([item], Errors(), False))
    logged = announcements.add(kind, drafts, None)
    assert isinstance(logged, Request)
    return ActionResult(logged.payload["id"], leases.newest(topic).code, logged)


def _encoded(topic: Topic, cells: dz.DzSet) -> EncodedAnnouncement:
    change = topic.reindexing
    if change is not None and change.state not in FINAL_STATES:
        detail = f"topic {topic.name} changes its encoding; send a filter instead of a dz, or try again later"
        raise Refusing("topic_changing", detail)
    if topic.cuts:
        detail = (
            f"topic {topic.name} has cuts, and a dz set does not say which; send a filter instead of a dz set"
        )
        raise Refusing("topic_with_cuts", detail)
    room = max_dz_length()
    for cell in cells:
        if dz.length(cell) > room:
            raise Refusing("dz_too_long", f"a dz has {dz.length(cell)} bits; use at most {room}")
    texts = [dz.text(cell) for cell in cells]
    return EncodedAnnouncement(texts, digest=digest_of_dz(texts))


def _check_room(kind: AnnouncementKind, host: Host) -> None:
    live = _own(kind, host).filter(_STANDS).count()
    if live >= MAX_LIVE:
        detail = f"host {host.name} has {live} in-band {kind.noun}s, which is the limit; withdraw some first"
        raise Refusing("too_many", detail)


def _owner(kind: AnnouncementKind, host: Host) -> Any:
    """Return the publisher or subscriber of the host's own messages; create it if necessary."""
    rows = kind.owners._default_manager
    row = rows.filter(host=host, origin=Origin.IN_BAND).order_by("id").first()
    if row is not None:
        return row
    base = host.name[:80]
    for name in (base, f"{base}.in-band", f"{base}.{host.pk}"):
        if not rows.filter(name=name).exists():
            return rows.create(name=name, host=host, origin=Origin.IN_BAND)
    raise Refusing(
        "no_name",
        f"the platform found no unused name for the {kind.owner} of host {host.name}; remove the "
        f"{kind.owner} {base}",
    )


def _topic(ref: TopicRef) -> Topic:
    """Return the topic by name, or by either of its two codes."""
    rows = Topic.objects.exclude(LEAVING).select_related("request", "reindexing")
    row = rows.filter(**({"name": ref} if isinstance(ref, str) else {"code": ref & ~1})).first()
    if row is None and isinstance(ref, int):
        row = rows.filter(code=ref).first()
    if row is None:
        raise Refusing("unknown_topic", f"There is no topic {shown(ref)}.")
    return row


def _own(kind: AnnouncementKind, host: Host) -> Any:
    return kind.model._default_manager.select_related(*_RELATED).filter(**_owned(kind, host))


def _owned(kind: AnnouncementKind, host: Host) -> dict[str, Any]:
    return {f"{kind.owner}__host": host, f"{kind.owner}__origin": Origin.IN_BAND}


def _numbered(kind: AnnouncementKind, name: str) -> Any:
    """Return a query for the announcement of that name."""
    number = name.removeprefix(kind.prefix)
    pk = int(number) if number.isascii() and number.isdigit() and len(number) < 19 else -1
    return kind.model._default_manager.select_related(*_RELATED).filter(pk=pk)


def _find_standing_row(kind: AnnouncementKind, host: Host, topic: Topic, body: Any) -> Any:
    """Return the host's equal or equivalent announcement in band, or None."""
    rows = _own(kind, host).filter(_STANDS, topic=topic)
    if isinstance(body, FilterText):
        digest = digest_of_filter(Filter.parse(body.text, core_topic(topic), ("filter",)))
    else:
        digest = digest_of_dz(map(dz.text, body.dz))
    return rows.filter(digest=digest).order_by("id").first()


def _withdraw(kind: AnnouncementKind, host: Host, message: ControlMessage) -> ActionResult:
    row = _named(kind, host, message.body)
    name = f"{kind.prefix}{row.pk}"
    if row.withdrawal is not None and row.withdrawal.state != State.FAILED:
        return ActionResult(name, _code(row.topic), row.withdrawal)
    return ActionResult(name, _code(row.topic), announcements.withdraw(kind, row.pk, None))


def _named(kind: AnnouncementKind, host: Host, body: Any) -> Any:
    """Return the announcement that a withdrawal refers to, by name or by content."""
    if not isinstance(body, NamedBody):
        topic = _topic(body.topic)
        row = _find_standing_row(kind, host, topic, body)
        if row is None:
            raise Refusing(
                "unknown_" + kind.noun,
                f"host {host.name} has no in-band {kind.noun} with this topic and filter; check both",
            )
        return row
    row = _numbered(kind, body.name).filter(**_owned(kind, host)).first()
    if row is None:
        raise Refusing(
            "unknown_" + kind.noun,
            f"host {host.name} has no in-band {kind.noun} {shown(body.name)}; perhaps another program "
            "announced it",
        )
    return row

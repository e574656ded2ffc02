"""Processing of a control message, from the check of its sender to its answer."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.db import DatabaseError, transaction
from django.utils import timezone

from controlplane.common.problems import Problem
from controlplane.network.models import Host
from controlplane.registry.disclosure import reason_for_host
from controlplane.requestlog.models import FINAL_STATES, Request, State
from controlplane.signalling import actions, keys, refusals, seals, sender_lookup
from controlplane.signalling.errors import Refusing, of_problem, of_refused
from controlplane.signalling.host_datagram import HostDatagram, digest, hex_id
from controlplane.signalling.models import Done, HostSignals
from tercast.errors import Refused
from tercast.signalling import codec
from tercast.signalling.codec import Received
from tercast.signalling.errors import MalformedMessage
from tercast.signalling.messages import ControlReply, ReplyStatus
from tercast.signalling.seal import Seal

KEPT_DONE = 4096
"""Number of remembered messages of each host; an older message that is repeated counts as new."""

PRUNED_EVERY = 64

logger = logging.getLogger(__name__)

OutgoingReply = dict[str, Any]
"""An answer in the northbound's form, but with the payload as bytes."""


@dataclass(slots=True)
class _Case:
    """A message and the findings about it.

    `signals` are those of a host with a valid seal, or without a key. `counter` is a counter that was not
    used before this message.
    """

    datagram: HostDatagram
    received: Received
    host: Host | None = None
    signals: HostSignals | None = None
    counter: int | None = None

    @property
    def seal(self) -> Seal | None:
        """The seal of the answer, with the host's key and the message's counter."""
        if self.signals is None or not self.signals.has_key or self.received.sealed is None:
            return None
        return Seal(keys.key_of(self.signals), self.received.sealed.counter)


def handle(datagram: HostDatagram) -> OutgoingReply | None:
    """Execute or refuse a message and return the answer; None for a malformed message."""
    try:
        received = datagram.read()
    except MalformedMessage as malformed:
        refusals.record_refusal(datagram, malformed.code, str(malformed))
        return None
    case = _Case(datagram, received)
    request_id = received.message.request_id
    try:
        answer = _process_message(case)
    except Refusing as refusing:
        name = case.host.name if case.host else ""
        refusals.record_refusal(datagram, refusing.reason, refusing.detail, name)
        answer = ControlReply(ReplyStatus.REFUSED, request_id, reason=refusing.reason, detail=refusing.detail)
    except DatabaseError as error:
        logger.warning("a control message cannot be processed now: %s", error)
        detail = "the database is busy; send the message again"
        answer = ControlReply(ReplyStatus.BUSY, request_id, reason="busy", detail=detail)
    except Exception:
        logger.exception("a control message could not be processed")
        detail = "the platform had an internal error, see its log; send the message again"
        answer = ControlReply(ReplyStatus.BUSY, request_id, reason="internal", detail=detail)
    return {**datagram.reply, "payload": codec.encode_answer(answer, case.seal)}


def _process_message(case: _Case) -> ControlReply:
    """Process a message in one transaction; a refusal stores only the counter of its seal."""
    with transaction.atomic():
        try:
            with transaction.atomic():
                return _carry_out(case)
        except Refusing as error:
            refusing = error
        except Problem as problem:
            refusing = of_problem(problem)
        except Refused as refused:
            refusing = of_refused(refused)
        _keep_counter(case)
    raise refusing


def _carry_out(case: _Case) -> ControlReply:
    message = case.received.message
    case.host = sender_lookup.find(case.datagram)
    known = None
    if case.host is None:
        seals.check_stranger(case.received)
        case.host = sender_lookup.register(case.datagram)
    else:
        known = _known(case, case.host)
    HostSignals.objects.filter(host=case.host).update(last_seen_at=timezone.now())
    _keep_counter(case)
    if known is not None:
        _again(case, known)
        return answer_of(known)
    result = actions.do(case.host, message)
    if message.type in actions.UNKEPT:
        reply = ControlReply(ReplyStatus.DONE, message.request_id, result.name, result.code)
        return replace(reply, terms=result.terms, cuts=result.cuts)
    return answer_of(_remember(case, case.host, result))


def _known(case: _Case, host: Host) -> Done | None:
    """Return the result of the host's message if it was processed before; None for a new one.

    Raises:
        Refusing: The message is refused.
    """
    signals = HostSignals.objects.get(host=host)
    seals.check_tag(signals, case.received)
    case.signals = signals
    known = (
        Done.objects.select_related("request")
        .filter(host=host, message_id=hex_id(case.received.message.request_id))
        .first()
    )
    if known is not None and known.digest != digest(case.received):
        raise Refusing(
            "id_reused",
            "an earlier message of this host with other content had the same request id; use a new id",
        )
    at_home = sender_lookup.is_at(host, case.datagram)
    if known is None or not at_home or not seals.is_old(signals, case.received):
        case.counter = seals.check_counter(signals, case.received)
    if not at_home:
        sender_lookup.move_host(host, case.datagram, proven=signals.has_key)
    return known


def _remember(case: _Case, host: Host, result: actions.ActionResult) -> Done:
    message = case.received.message
    done = Done.objects.create(
        host=host,
        message_id=hex_id(message.request_id),
        digest=digest(case.received),
        name=result.name,
        code=result.code,
        request=result.request,
        counter=case.counter,
        reply=case.datagram.reply,
        waits=message.confirm and not _ended(result.request),
    )
    if done.pk % PRUNED_EVERY == 0:
        _prune(host)
    return done


def _again(case: _Case, done: Done) -> None:
    """Update the return path of a repeated message to its present source."""
    sealed = case.received.sealed
    done.reply, done.counter = case.datagram.reply, sealed.counter if sealed else None
    done.waits = case.received.message.confirm and not _ended(done.request)
    done.save(update_fields=("reply", "counter", "waits"))


def _keep_counter(case: _Case) -> None:
    if case.counter is not None and case.host is not None:
        HostSignals.objects.filter(host=case.host, counter__lt=case.counter).update(counter=case.counter)


def _prune(host: Host) -> None:
    rows = Done.objects.filter(host=host).order_by("-id").values_list("id", flat=True)
    oldest = next(iter(rows[KEPT_DONE - 1 : KEPT_DONE]), None)
    if oldest is not None:
        Done.objects.filter(host=host, id__lt=oldest).delete()


def _ended(request: Request | None) -> bool:
    return request is None or request.state in FINAL_STATES


def answer_of(done: Done) -> ControlReply:
    """Return the present answer to the host's message."""
    request = done.request
    request_id, name, code = int(done.message_id, 16), done.name, done.code
    if request is not None and request.state == State.FAILED:
        detail = reason_for_host(request.problem)
        return ControlReply(ReplyStatus.FAILED, request_id, name, code, reason="failed", detail=detail)
    status = ReplyStatus.DONE if _ended(request) else ReplyStatus.ACCEPTED
    unmatched = request is not None and request.matched is False
    return ControlReply(status, request_id, name, code, unmatched)


def ends(limit: int = 500) -> list[tuple[Done, OutgoingReply]]:
    """Return completed messages whose hosts wait for the result, with the answers."""
    rows = Done.objects.select_related("request", "host__signals").filter(waits=True)
    found = []
    for done in rows.filter(request__state__in=FINAL_STATES).order_by("id")[:limit]:
        try:
            found.append((done, _out(done)))
        except Exception:
            logger.exception(
                "cannot send the result of control message %s to host %s", done.message_id, done.host_id
            )
            mark_sent([done])  # otherwise every turn would try it again; the host asks again
    return found


def _out(done: Done) -> OutgoingReply:
    return {**done.reply, "payload": codec.encode_answer(answer_of(done), _seal_of(done))}


def mark_sent(rows: Iterable[Done]) -> None:
    """Record that these hosts were informed; one that received nothing asks again."""
    Done.objects.filter(pk__in=[done.pk for done in rows]).update(waits=False)


def _seal_of(done: Done) -> Seal | None:
    signals = done.host.signals
    if done.counter is None or not signals.has_key:
        return None
    return Seal(keys.key_of(signals), done.counter)

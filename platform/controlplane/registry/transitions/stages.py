"""Stages of moves: install new tables, move publishers, remove old tables, end requests.

All state is in the database, and each step is a separate transaction. So any process can continue after a
kill. The steps run in the planner session, under the planner's lock.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from controlplane.common import fault_injection
from controlplane.periodic import task_failures
from controlplane.registry.models import Topic
from controlplane.registry.transitions import leases
from controlplane.registry.transitions.leases import PublishedEncoding
from controlplane.registry.transitions.models import OPEN, UNFINISHED, Encoding, Move, Stage
from controlplane.requestlog import outbox
from controlplane.requestlog.append import LogEntry, submit
from controlplane.requestlog.kinds import CHANGES_TOPOLOGY, TAKES_DOWN
from controlplane.requestlog.models import FINAL_STATES, Request, State, SwitchSync
from tercast.eventspace.topic import Topic as EventTopic
from tercast.planner.planner import Planner
from tercast.requests.kinds import (
    AGGREGATE,
    FINISH_MOVE,
    SET_INDEXED,
)
from tercast.runtime.wording import quantity

PATIENCE = 3
"""Number of times that a switch may refuse new entries of a move before the old ones are removed first."""


def begin(moved: Mapping[int, Sequence[str]], planner: Planner) -> None:
    """Store the moves that requests cause, by request id. The caller has a transaction.

    From now on the planner plans both encodings.
    """
    Move.objects.bulk_create(_moves(moved, planner, Stage.MAKING))


def note_in_place(changed: Mapping[int, Sequence[str]], planner: Planner) -> None:
    """Store the changes in place by requests, by request id. The caller has a transaction.

    Such a change is complete with its request.
    """
    Move.objects.bulk_create(_moves(changed, planner, Stage.DONE))


def _moves(moved: Mapping[int, Sequence[str]], planner: Planner, stage: Stage) -> list[Move]:
    if not moved:
        return []
    topics = {row.name: row for row in Topic.objects.filter(name__in={*_flat(moved.values())})}
    return [
        Move(
            topic=topics[name],
            request_id=pk,
            version=planner.version(name),
            code=planner.topics[name].code,
            indexed=list(planner.topics[name].indexed),
            cuts=_cuts(planner.topics[name]),
            stage=stage,
            in_place=stage == Stage.DONE,
        )
        for pk, names in moved.items()
        for name in names
        if name in topics
    ]


def _cuts(topic: EventTopic) -> list[object]:
    return topic.cuts.to_json(topic.attributes)


def advance(planner: Planner, refused: Callable[[str], bool] = lambda switch: False) -> bool:
    """Advance every move as far as possible, and return whether any has advanced.

    `refused` returns whether the last answer of a switch was a refusal.
    """
    _publish_in_place(planner)
    now = timezone.now()
    went_on = False
    with task_failures.skipping("moves of topics") as skips:
        for move in list(_unfinished().select_related("topic", "request", "finish")):
            with skips.attempt(f"the migration of topic {move.topic.name}"):
                while _step(move, now) or _given_up(move, now, refused):
                    went_on = True
                    fault_injection.point(f"move:{move.stage}")
    return went_on


def awaits() -> bool:
    """Whether a move can advance with time alone. A worker must then check it periodically."""
    return Move.objects.filter(stage__in=(Stage.TELLING, Stage.SETTLING)).exists()


def with_open_moves() -> set[int]:
    """Return the ids of requests that end only with their moves."""
    return set(_unfinished().values_list("request", flat=True))


def held_back() -> Q | None:
    """Return the condition for queued requests that must wait for moves; None if none must.

    Requests that encode filters again, or could move a topic again, wait while publishers change. After a
    failure in the network they do not wait: a failure is urgent, and later requests must not overtake it.
    """
    unfinished = Q(stage=Stage.BREAKING, finish__state__in=(State.QUEUED, State.PLANNING))
    rows = Move.objects.filter(Q(stage__in=OPEN) | unfinished)
    moves = list(rows.values_list("topic__name", "stage"))
    if not moves:
        return None
    held = Q(kind=SET_INDEXED, payload__topic__in=[name for name, _ in moves]) | Q(kind=AGGREGATE)
    if any(stage != Stage.MAKING for _, stage in moves) and not _something_failed():
        held |= Q(kind__in=CHANGES_TOPOLOGY)
    return held


def using_new_tables(kind: str) -> list[str]:
    """Return topics that use their new tables while a request of this kind is planned."""
    if kind not in CHANGES_TOPOLOGY:
        return []
    rows = Move.objects.filter(stage__in=(Stage.TELLING, Stage.SETTLING))
    return list(rows.values_list("topic__name", flat=True))


def describe_moves(row: Request, now: datetime) -> str:
    """Return a text about the moves that a request waits for."""
    parts = []
    for move in row.moves.filter(stage__in=UNFINISHED).select_related("topic"):
        what = f"migration of topic {move.topic.name} to version {move.version} of its encoding"
        text = f"{what}: {move.get_stage_display()}"
        if move.stage == Stage.TELLING:
            text += f" (not changed yet: {quantity(leases.waited_for(move, now), 'publisher')})"
        parts.append(text)
    return "; ".join(parts)


def _unfinished() -> QuerySet[Move]:
    """Return the moves in progress. The index of stages finds them."""
    return Move.objects.filter(stage__in=UNFINISHED)


def _flat(names: Iterable[Sequence[str]]) -> Iterable[str]:
    return (name for each in names for name in each)


def _something_failed() -> bool:
    rows = Request.objects.filter(state=State.QUEUED, kind__in=TAKES_DOWN)
    return any(not payload.get("planned") for payload in rows.values_list("payload", flat=True))


def _publish_in_place(planner: Planner) -> None:
    """Publish encodings that changed without a move. The tables already use them."""
    if not planner.versions:
        return
    moving = set(Move.objects.filter(stage__in=OPEN).values_list("topic__name", flat=True))
    known = dict(Encoding.objects.values_list("topic__name", "version"))
    behind = [
        name
        for name, version in planner.versions.items()
        if name not in moving and known.get(name, 1) < version and name in planner.topics
    ]
    for topic in Topic.objects.filter(name__in=behind):
        space = planner.topics[topic.name]
        version = planner.version(topic.name)
        _publish(topic, PublishedEncoding(topic.name, version, space.code, list(space.indexed), _cuts(space)))


@transaction.atomic
def _publish(topic: Topic, encoding: PublishedEncoding) -> None:
    """Publish an encoding; the short live event has only the number of cuts."""
    Topic.objects.select_for_update(no_key=True).get(pk=topic.pk)
    fields = {"version": encoding.version, "code": encoding.code, "indexed": encoding.indexed}
    Encoding.objects.update_or_create(topic=topic, defaults={**fields, "cuts": encoding.cuts})
    outbox.emit("encoding", {"topic": topic.name, **fields, "cuts": len(encoding.cuts) // 2})


def _step(move: Move, now: datetime) -> bool:
    """Enter the next stage if the present one is over; return whether it was."""
    match move.stage:
        case Stage.MAKING:
            return _try_leave_making(move, now)
        case Stage.TELLING:
            return _try_leave_telling(move, now)
        case Stage.SETTLING:
            return _try_leave_settling(move, now)
        case Stage.BREAKING:
            return _try_leave_breaking(move)
    return False


@transaction.atomic
def _try_leave_making(move: Move, now: datetime) -> bool:
    move.request.refresh_from_db()
    if move.request.waits_for or move.request.state != State.DEPLOYING:
        return False
    _publish(move.topic, leases.goal(move))
    _enter(move, Stage.TELLING, told_at=now)
    return True


@transaction.atomic
def _given_up(move: Move, now: datetime, refused: Callable[[str], bool]) -> bool:
    """Remove the old entries first if a switch has no space for the new ones in addition.

    That is assumed after the switch has refused the new entries `PATIENCE` times.
    """
    waits = move.request.waits_for
    if move.stage != Stage.MAKING or not any(map(refused, waits)):
        return False
    if not SwitchSync.objects.filter(switch__in=waits, attempts__gte=PATIENCE).exists():
        return False
    _publish(move.topic, leases.goal(move))
    finish = _finish(move)
    _enter(move, Stage.BREAKING, told_at=now, finish=finish, in_place=True)
    outbox.alarm(
        f"topic {move.topic.name} changes without a transition, because {', '.join(waits)} refused new "
        "entries in addition to the old ones. Its events may be lost until publishers and switches use the "
        "new encoding"
    )
    return True


def _finish(move: Move) -> Request:
    payload = {"op": FINISH_MOVE, "topic": move.topic.name, "version": move.version}
    (finish,) = submit([LogEntry(payload)])
    return finish


@transaction.atomic
def _try_leave_telling(move: Move, now: datetime) -> bool:
    if move.told_at is None or move.told_at > now:  # the clock was set back: restart the wait
        move.told_at = now
        move.save(update_fields=("told_at",))
    if leases.waited_for(move, now):
        return False
    leases.prune(now)
    _enter(move, Stage.SETTLING, followed_at=now)
    return True


@transaction.atomic
def _try_leave_settling(move: Move, now: datetime) -> bool:
    assert move.followed_at is not None
    if now < move.followed_at + timedelta(seconds=settings.ENV.settling_seconds):
        return False
    _enter(move, Stage.BREAKING, finish=_finish(move))
    return True


@transaction.atomic
def _try_leave_breaking(move: Move) -> bool:
    assert move.finish is not None
    move.finish.refresh_from_db()
    if move.finish.state not in FINAL_STATES:
        return False
    if move.finish.state == State.FAILED:
        outbox.alarm(
            f"the old entries of topic {move.topic.name} remain on the switches, because request "
            f"{move.finish_id} failed"
        )
    _enter(move, Stage.DONE)
    return True


def _enter(move: Move, stage: Stage, **fields: object) -> None:
    move.stage = stage
    for name, value in fields.items():
        setattr(move, name, value)
    move.save(update_fields=("stage", *fields))
    outbox.emit("move", {"topic": move.topic.name, "version": move.version, "stage": str(stage)})

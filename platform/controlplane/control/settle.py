"""Writing down what switches have confirmed, and finishing the requests that waited for it.

Every function runs in its caller's transaction.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from django.utils import timezone

from controlplane.control import installed, outbox, progress, sync, tell
from controlplane.control.batches import write
from controlplane.control.deploy import Result
from controlplane.control.hot import Hot
from controlplane.control.models import Request, State
from controlplane.control.progress import problem
from controlplane.control.stakes import stakes
from controlplane.moves import stages
from tercast.tables import Entry, SwitchDiff, Table


def pushed(hot: Hot, results: Sequence[Result]) -> None:
    """After a change that was planned: the confirmed part of it, and who lags now."""
    now = timezone.now()
    for result in results:
        installed.change(result.switch, result.done, now)
        hot.count(result.switch, len(result.done.added) - len(result.done.removed))
        if result.debt is None:
            hot.lag.settle(result.switch.name)
        else:
            hot.lag.add(result.switch.name, result.debt)
            _owes(result)
    sync.confirmed(result.switch.name for result in results if result.debt is None)
    _tell_counts(hot, [result.switch.name for result in results if len(result.done)])


def repaired(hot: Hot, result: Result, found: Iterable[Entry]) -> None:
    """After a switch that held `found` was brought closer to the plan, or all the way."""
    name = result.switch.name
    table = _after(found, result.done)
    installed.become(result.switch, table, timezone.now())
    hot.counts[name] = len({entry.key for entry in table})
    if result.debt is None:
        hot.lag.settle(name)
        sync.confirmed([name])
        sync.met(result.switch)
        sync.hasten(hot.lag.held_up())
    else:
        hot.lag.put(name, result.debt)
        _owes(result)
    _tell_counts(hot, [name])


def unreachable(hot: Hot, silent: Mapping[str, str]) -> None:
    """Switches that could not be asked, with the reasons: of their entries nothing is known anew."""
    for name, reason in silent.items():
        hot.lag.lose(name, reason)
        sync.failed(name, problem("unreachable", "A switch is not reachable", reason, [name]))


def finish(hot: Hot) -> None:
    """End the requests that wait for no switch any more; the others learn what they wait for."""
    _forget_removed(hot)
    rows = list(Request.objects.filter(state=State.DEPLOYING).order_by("position"))
    if not rows:
        return
    held_up = [row for row in rows if any(name in hot.lag for name in row.waits_for)]
    needs = stakes(held_up, hot.state.planner) if held_up else {}
    moving = stages.with_open_moves(rows)
    done, waiting, following, behind = [], [], [], []
    removals: list[Request] = []
    owed = {row.pk: len(row.waits_for) for row in rows}
    for row in rows:
        waits = needs[row.pk].waits(hot.lag, row.waits_for) if row.pk in needs else []
        if not waits and row.pk in moving:
            row.waits_for = []
            following.append(row)
        elif not waits and row.kind == "remove_switch" and removals:
            row.waits_for = []
            behind.append(row)
        elif not waits:
            done.append(row)
            continue
        elif waits != row.waits_for or row.problem is None:
            row.waits_for = waits
            waiting.append(row)
        if row.kind in _REMOVALS:
            removals.append(row)
    progress.confirm(done)
    progress.keep_waiting(waiting, {name: hot.lag.reason(name) for name in hot.lag})
    _follow_publishers(following)
    _stay_behind(behind, removals)
    nearer = [row for row in (*waiting, *following, *behind) if len(row.waits_for) < owed[row.pk]]
    tell.settled(done, nearer)


_REMOVALS = frozenset({"remove_link", "remove_host", "remove_switch"})


def behind(rows: Sequence[Request], moving: Collection[int]) -> set[int]:
    """Of requests that are being decided, the removals of switches that others have to end before, by id.

    A switch's row goes when its removal is active, and cannot go before those of its links and hosts.
    """
    if not any(row.kind == "remove_switch" for row in rows):
        return set()
    found: set[int] = set()
    held = Request.objects.filter(state=State.DEPLOYING, kind__in=_REMOVALS).exists()
    for row in rows:
        if held and row.kind == "remove_switch":
            found.add(row.pk)
        held = held or (row.kind in _REMOVALS and (bool(row.waits_for) or row.pk in moving))
    return found


def _stay_behind(rows: Sequence[Request], removals: Sequence[Request]) -> None:
    """Removals of switches whose links or hosts are to go before them, and have not ended yet."""
    for row in rows:
        first = next(other for other in removals if other.pk != row.pk)
        detail = f"request {first.pk} ({first.kind}) has to end before it"
        row.problem = problem("waiting", "Waiting for another removal", detail)
    write(rows, ("waits_for", "problem"))


def _follow_publishers(rows: Sequence[Request]) -> None:
    """Requests whose entries are all there, and which wait for publishers to use them."""
    now = timezone.now()
    for row in rows:
        row.problem = problem("waiting", "Waiting for publishers", stages.note(row, now))
    write(rows, ("waits_for", "problem"))


def _forget_removed(hot: Hot) -> None:
    """A switch that is out of the plan owes nothing."""
    for name in hot.lag:
        if name not in hot.state.planner.topology.switches:
            hot.lag.settle(name)


def _after(found: Iterable[Entry], done: SwitchDiff) -> Table:
    """What a switch that held `found` holds now; entries differ by priority too, the plan's come last."""
    gone = {(entry.key, entry.priority) for entry in (*done.removed, *done.modified)}
    kept = tuple(entry for entry in found if (entry.key, entry.priority) not in gone)
    return (*kept, *done.installs)


def _owes(result: Result) -> None:
    assert result.debt is not None
    name = result.switch.name
    errors = [
        {"pointer": "", "code": "refused", "detail": error.text, "value": error.dst}
        for error in result.errors
    ]
    found = problem("switch", "A switch has not confirmed", result.debt.reason, [name], errors)
    sync.failed(name, found, again=not result.debt.missing)  # it has only to let go of something


def _tell_counts(hot: Hot, names: Sequence[str]) -> None:
    if names:
        outbox.emit("tables", {name: hot.counts[name] for name in names})

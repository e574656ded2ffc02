"""API calls and the worker lock rows of PostgreSQL in one order, so that the database aborts neither."""

import threading

import psycopg.errors
import pytest
from django.db import OperationalError, connection, transaction

from controlplane.deployment import lock_order, session
from controlplane.deployment.watcher import watch
from controlplane.network import ports
from controlplane.network.models import Switch
from controlplane.requestlog import outbox
from controlplane.requestlog.models import Request, State, SwitchSync
from tests.support.controlplane import network_world as world
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

only_postgresql = pytest.mark.skipif(
    "connection.vendor != 'postgresql'", reason="SQLite has one writer at a time and no row locks"
)


def waits_for_a_lock() -> None:
    """Until some other connection waits for a lock."""
    wait_until("another connection waits for a lock", waiting_connections)


def waiting_connections() -> int:
    """The number of connections that wait for a lock."""
    found = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(f"SELECT count(*) {found}")
        return cursor.fetchone()[0]


class Beside:
    """`act` in a thread with a connection of its own; `end` gives its error, or None."""

    def __init__(self, act):
        self.error = None
        self.thread = threading.Thread(target=self._run, args=(act,))
        self.thread.start()

    def _run(self, act):
        try:
            act()
        except Exception as error:
            self.error = error
        finally:
            connection.close()

    def end(self):
        self.thread.join(60)
        assert not self.thread.is_alive()
        return self.error


@pytest.fixture
def tried_once(monkeypatch):
    """The order of the locks must be enough."""
    monkeypatch.setattr(lock_order, "TRIES", 1)


@only_postgresql
def test_the_worker_locks_switches_in_the_order_of_the_api(network, tried_once):
    for name in ("s3", "s2", "s1"):
        world.log({"op": "set_budget", "switch": name, "tcam_budget": 50})
    with transaction.atomic():
        ports.lock_switches(["s1"])
        worker = Beside(session.run)
        waits_for_a_lock()
        ports.lock_switches(["s1", "s2", "s3"])  # what one statement does, row by row
        world.add_host(7, "s3", 7)
    assert worker.end() is None
    session.run()
    assert set(Switch.objects.values_list("tcam_budget", flat=True)) == {50}
    assert not Request.objects.exclude(state=State.ACTIVE).exists()


@only_postgresql
def test_the_watcher_has_its_rows_before_it_reports_any(network, tried_once):
    rows = [{"dpid": world.dpid(n), "epoch": 99, "address": "::1"} for n in (1, 2, 3)]
    with transaction.atomic():
        ports.lock_switches(["s2"])
        watcher = Beside(lambda: watch.see_switches(rows))
        waits_for_a_lock()
        outbox.emit("switch", {"name": "s2"})
    assert watcher.end() is None
    assert set(Switch.objects.values_list("epoch", flat=True)) == {99}


@only_postgresql
def test_what_refers_to_a_switch_does_not_wait_for_calls_about_it(network):
    with transaction.atomic():
        ports.lock_switches(["s1", "s2", "s3"])
        assert Beside(lambda: world.add_host(7, "s3", 7)).end() is None


@only_postgresql
def test_an_interrupted_worker_starts_again(network, monkeypatch):
    """What locks in another order, here by hand, costs the worker a try and no more."""
    monkeypatch.setattr(lock_order, "_lock", lambda *rest: None)
    for name in ("s3", "s1"):
        world.log({"op": "set_budget", "switch": name, "tcam_budget": 50})
    with connection.cursor() as cursor:
        cursor.execute("SET deadlock_timeout = '30s'")  # the worker detects the deadlock first and is aborted
    with transaction.atomic():
        ports.lock_switches(["s1"])
        worker = Beside(session.run)
        waits_for_a_lock()
        ports.lock_switches(["s1", "s3"])
    assert worker.end() is None
    assert set(Switch.objects.exclude(name="s2").values_list("tcam_budget", flat=True)) == {50}
    assert not SwitchSync.objects.filter(dirty=True).exists()


def broken_off():
    error = OperationalError("deadlock detected")
    error.__cause__ = psycopg.errors.DeadlockDetected("deadlock detected")
    return error


def test_the_maximum_attempts_of_a_transaction():
    begun = []

    def act():
        begun.append(1)
        if len(begun) < lock_order.TRIES:
            raise broken_off()
        return "done"

    assert lock_order.retry_aborted(act) == "done" and len(begun) == lock_order.TRIES

    def never():
        begun.append(1)
        raise broken_off()

    begun.clear()
    with pytest.raises(OperationalError):
        lock_order.retry_aborted(never)
    assert len(begun) == lock_order.TRIES

    def otherwise():
        begun.append(1)
        raise OperationalError("the server went away")

    begun.clear()
    with pytest.raises(OperationalError):
        lock_order.retry_aborted(otherwise)
    assert len(begun) == 1

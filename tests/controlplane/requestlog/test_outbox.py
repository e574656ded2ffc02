"""Outbox of events for live pages."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from controlplane.requestlog import outbox
from controlplane.requestlog.models import OutboxEvent


def test_an_event_of_a_transaction_that_fails_is_not_there(transactional_db):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        outbox.emit("switch", {"name": "s1"})
        raise ZeroDivisionError
    assert not OutboxEvent.objects.exists()


def test_ids_are_given_in_the_order_of_commits(transactional_db):
    """The second transaction must not get its id while the first one, which has an id, is open."""
    first_has_id, second_began = threading.Event(), threading.Event()
    order = []

    def second():
        second_began.set()
        first_has_id.wait()
        with transaction.atomic():
            event = outbox.emit("second", {})
            order.append(("second", event.pk))
        connection.close()

    thread = threading.Thread(target=second)
    thread.start()
    second_began.wait()
    with transaction.atomic():
        event = outbox.emit("first", {})
        first_has_id.set()
        thread.join(0.3)  # it cannot continue while this transaction is open
        order.append(("first", event.pk))
    thread.join()
    assert [name for name, _ in order] == ["first", "second"]
    assert order[0][1] < order[1][1]


def test_old_events_are_pruned(db):
    old, new = outbox.emit("old", {}), outbox.emit("new", {})
    OutboxEvent.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(hours=25))
    assert outbox.prune() == 1
    assert list(OutboxEvent.objects.values_list("pk", flat=True)) == [new.pk]


def test_more_events_than_are_retained_are_pruned_in_parts(db, monkeypatch):
    monkeypatch.setattr(outbox, "RETAINED_ROWS", 10)
    monkeypatch.setattr(outbox, "_CHUNK", 4)
    last = [outbox.emit("event", {}) for _ in range(25)][-1].pk
    assert outbox.prune() == 15
    assert OutboxEvent.objects.order_by("id").first().pk == last - 9


def test_ids_are_never_given_again(db):
    first = outbox.emit("event", {})
    OutboxEvent.objects.all().delete()
    assert outbox.emit("event", {}).pk > first.pk

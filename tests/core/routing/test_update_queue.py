"""The queue between switches: additions come first, and cancelled updates have no effect."""

from typing import Any

from tercast.routing.update_queue import UpdateQueue


class CallRecorder:
    """A replacement for a trie that records its updates."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *what: self.calls.append((name, *what))


def settled(*steps: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    queue, trie = UpdateQueue(), CallRecorder()
    for name, *what in steps:
        getattr(queue, name)(trie, *what)
    queue.propagate()
    return trie.calls


def test_additions_come_before_removals() -> None:
    calls = settled(
        ("remove_subscriber", 1, 1),
        ("remove_advertiser", 2, 1),
        ("add_subscriber", 3, 1),
        ("add_advertiser", 4, 1, "t"),
    )
    assert [name for name, *_ in calls] == [
        "add_subscriber",
        "add_advertiser",
        "remove_subscriber",
        "remove_advertiser",
    ]


def test_opposite_changes_cancel() -> None:
    assert settled(("add_subscriber", 1, 1), ("remove_subscriber", 1, 1)) == []
    assert settled(("remove_subscriber", 1, 1), ("add_subscriber", 1, 1)) == []
    assert settled(("add_advertiser", 1, 1, "t"), ("remove_advertiser", 1, 1)) == []
    assert settled(("remove_advertiser", 1, 1), ("add_advertiser", 1, 1, "t")) == []
    assert settled(("add_subscriber", 1, 1), ("remove_subscriber", 1, 2)) == [
        ("add_subscriber", 1, 1),
        ("remove_subscriber", 1, 2),
    ]

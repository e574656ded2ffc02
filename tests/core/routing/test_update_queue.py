"""The queue between switches: additions first, and what is taken back in time never happens."""

from typing import Any

from tercast.routing.update_queue import UpdateQueue


class Told:
    """Stands for a trie; notes what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *what: self.told.append((name, *what))


def settled(*steps: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    queue, trie = UpdateQueue(), Told()
    for name, *what in steps:
        getattr(queue, name)(trie, *what)
    queue.settle()
    return trie.told


def test_additions_come_before_removals() -> None:
    told = settled(
        ("unsubscribe", 1, 1), ("unadvertise", 2, 1), ("subscribe", 3, 1), ("advertise", 4, 1, "t")
    )
    assert [name for name, *_ in told] == ["subscribe", "advertise", "unsubscribe", "unadvertise"]


def test_opposite_changes_cancel() -> None:
    assert settled(("subscribe", 1, 1), ("unsubscribe", 1, 1)) == []
    assert settled(("unsubscribe", 1, 1), ("subscribe", 1, 1)) == []
    assert settled(("advertise", 1, 1, "t"), ("unadvertise", 1, 1)) == []
    assert settled(("unadvertise", 1, 1), ("advertise", 1, 1, "t")) == []
    assert settled(("subscribe", 1, 1), ("unsubscribe", 1, 2)) == [("subscribe", 1, 1), ("unsubscribe", 1, 2)]

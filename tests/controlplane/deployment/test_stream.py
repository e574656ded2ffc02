"""Events flow over real links while all kinds of requests are applied: none is lost or duplicated."""

import dataclasses
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from controlplane.deployment import replay_check
from controlplane.network.models import Host, Link
from controlplane.registry.models import Advertisement, Subscription, Topic
from controlplane.registry.transitions.models import Move
from controlplane.requestlog.models import OutboxEvent, Request
from tests.support.controlplane import network_world as world
from tests.support.controlplane import stream_world
from tests.support.controlplane.stream_world import BRIDGES, HOMES, RING, SIZE, Stage, Stream, announce

pytestmark = pytest.mark.fabric


@pytest.fixture
def stage(transactional_db, settings) -> Iterator[Stage]:
    folder = Path(tempfile.mkdtemp(prefix="tc-", dir="/tmp"))
    running = Stage(folder)
    settings.NORTHBOUND_URL = running.url
    settings.ENV = dataclasses.replace(settings.ENV, settling_seconds=0.5)
    try:
        running.start()
        running.build()
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)


def held(stream: Stream) -> None:
    """Check that no event is lost or duplicated, and that the log results in the tables of the switches."""
    lost, doubled = stream.lost(), stream.doubled()
    assert not lost, "\n".join(stream.under_way(lost))
    assert (doubled[:10], len(doubled)) == ([], 0)
    assert list(replay_check.differences()) == []
    alarms = OutboxEvent.objects.filter(kind="alarm").values_list("payload__text", flat=True)
    assert [text for text in alarms if "without a transition" in text] == []


CUTS = ([], [["y", 2], 1, ["x", 4], 3, ["y", 6], 5, 0], [["x", 4], ["y", 6], 9, 1, ["x", 5], 0, 2])


def reindex(*names: str, **cuts: Any) -> Request:
    return world.log({"op": "set_indexed", "topic": "points", "indexed": list(names), **cuts})


def test_other_indexed_attributes_and_cuts_under_events(stage):
    stream = Stream(stage, 1)
    with stream.flowing():
        for names, cuts in ((["x"], None), (["y"], CUTS[1]), (["x", "y"], CUTS[2]), (["x", "y"], [])):
            time.sleep(0.5)
            row = reindex(*names, **({} if cuts is None else {"cuts": cuts}))
            stage.settled("indexing")
            row.refresh_from_db()
            assert row.state == "active"
        time.sleep(0.5)
    assert set(stream.codes) == {4, 5} and len(stream.sent) > 60
    held(stream)


def test_parts_that_meet_and_part_on_purpose_under_events(stage):
    stream = Stream(stage, 2)
    (a, a_port, *_) = ends = BRIDGES[0]
    with stream.flowing():
        time.sleep(0.5)
        world.add_link(*ends)
        stage.settled("the link")
        down = {"op": "link_down", "switch": a, "port": a_port, "planned": True}
        for payload in (down, {"op": "link_up", "switch": a, "port": a_port}):
            time.sleep(0.5)
            world.log(payload)
            stage.settled(payload["op"])
        time.sleep(0.5)
    assert Move.objects.filter(stage="done").count() == 3
    assert any(stream.got["h6"][f"a{n}", seq] for n in (1, 2) for _, seq, _ in stream.sent)
    held(stream)


class Asker:
    """Random requests of all kinds, as far as they leave what is stable alone."""

    def __init__(self, seed: int, moves: float) -> None:
        self.random, self.moves = Random(seed), moves
        self.live: list[Advertisement | Subscription] = []
        self.asked = 0
        self.out: set[Any] = set()

    def ask(self) -> None:
        """One request."""
        self.asked += 1
        chance = self.random.random()
        if chance < self.moves:
            self.random.choice([self._reindex, self._bridge, self._ring])()
        elif chance < self.moves + 0.05:
            self._budget()
        elif chance < self.moves + 0.08:
            self._aggregation()
        elif chance < self.moves + 0.10:
            self._host()
        elif self.live and self.random.random() < 0.45:
            row = self.live.pop(self.random.randrange(len(self.live)))
            world.withdraw(row)
        else:
            self._announce()

    def _announce(self) -> None:
        hosts = list(Host.objects.values_list("name", flat=True))
        (left, right), (low, high) = (sorted(self.random.choices(range(SIZE), k=2)) for _ in "xy")
        wanted = f"x in [{left}, {right}] and y in [{low}, {high}]"
        op = "advertise" if self.random.random() < 0.25 else "subscribe"
        self.live.append(announce(op, self.random.choice(hosts), wanted))

    def _reindex(self) -> None:
        row = Topic.objects.select_related("reindexing").get(name="points")
        if row.reindexing is None or row.reindexing.state in ("active", "failed"):
            names = self.random.choice([["x"], ["y"], ["x", "y"]])
            cuts = {"cuts": self.random.choice(CUTS)} if self.random.random() < 0.6 else {}
            Topic.objects.update(reindexing=reindex(*names, **cuts))

    def _bridge(self) -> None:
        ends = self.random.choice(BRIDGES)
        self._toggle(ends)

    def _ring(self) -> None:
        """At most one link of the ring at a time is out of service: no part comes off."""
        out = [ends for ends in RING if ends in self.out]
        self._toggle(out[0] if out else self.random.choice(RING))

    def _toggle(self, ends: Any) -> None:
        place = {"switch": ends[0], "port": ends[1]}
        if not Link.objects.filter(a__name=ends[0], a_port=ends[1]).exists():
            world.add_link(*ends)
        elif ends in self.out:
            self.out.remove(ends)
            world.log({"op": "link_up", **place})
        else:
            self.out.add(ends)
            world.log({"op": "link_down", **place, "planned": True})

    def _budget(self) -> None:
        switch = f"s{self.random.choice(stream_world.SWITCHES)}"
        budget = self.random.choice([None, 400, 600])
        world.log({"op": "set_budget", "switch": switch, "tcam_budget": budget})

    def _aggregation(self) -> None:
        """LA merges from now on, or an operator merges; or neither."""
        if self.random.random() < 0.5:
            world.log({"op": "set_aggregation", "method": self.random.choice(["none", "la"])})
            return
        switch = f"s{self.random.choice(stream_world.SWITCHES)}"
        cover = {"dz": self.random.choice(["", "0", "1", "01", "10"]), "kept": []}
        covers = {switch: {"points": {"plain": [cover] if self.random.random() < 0.7 else []}}}
        world.log({"op": "aggregate", "method": "optimal", "covers": covers})

    def _host(self) -> None:
        missing = [n for n in HOMES if not Host.objects.filter(name=f"h{n}").exists()]
        if missing:
            n = missing[0]
            world.add_host(n, f"s{HOMES[n]}", 20 + n)


def random_requests(stage: Stage, stream: Stream, asker: Asker, requests: int) -> None:
    """Apply them in bursts, while events flow."""
    while asker.asked < requests:
        for _ in range(asker.random.randint(1, 8)):
            asker.ask()
        stage.work()
        if asker.random.random() < 0.3:
            time.sleep(asker.random.random() * 0.2)
    stage.settled("everything")


@pytest.mark.parametrize(
    ("requests", "seed", "moves"),
    [
        (300, 11, 0.04),
        pytest.param(1000, 12, 0.04, marks=pytest.mark.full),
        pytest.param(1000, 13, 0.12, marks=pytest.mark.full),
    ],
)
def test_random_requests_under_events(stage, requests, seed, moves):
    stream, asker = Stream(stage, seed), Asker(seed, moves)
    with stream.flowing():
        random_requests(stage, stream, asker, requests)
        time.sleep(0.5)
    assert Move.objects.filter(stage="done").count() >= 3
    states = set(Request.objects.values_list("state", flat=True))
    assert states <= {"active", "failed"}
    held(stream)

"""Reference implementation of hosts that are out of reach."""

from collections import defaultdict
from typing import Any

from tercast.planner.planner import Planner
from tercast.planner.reachability import OutOfReach
from tercast.planner.reachability_watch import ReachWatch
from tercast.requests.reach import Reach
from tests.support.judge import World, _overlap
from tests.support.networks import DEPTH, TOPICS, planner_for

Scene = tuple[dict[str, Any], list[dict[str, Any]]]


def expected(world: World) -> dict[str, OutOfReach]:
    """Find by definition every overlapping pair, and whether a path joins it."""
    apart = world.unreachable()
    missed, matched = defaultdict(list), defaultdict(int)
    for ad, (_, topic, brought) in world.ads.items():
        for sub, (_, other, wanted) in world.subs.items():
            if topic == other and _overlap(brought, wanted):
                for one, its in ((ad, sub), (sub, ad)):
                    matched[one] += 1
                    if (ad, sub) in apart:
                        missed[one].append(its)
    return {
        name: OutOfReach(Reach.NONE if len(its) == matched[name] else Reach.PARTIAL, tuple(its), False)
        for name, its in missed.items()
    }


def judge(planner: Planner, world: World) -> None:
    order = {name: registration.seq for name, registration in planner.registry.live.items()}
    wanted = {
        name: OutOfReach(one.reach, tuple(sorted(one.names, key=order.__getitem__)), one.more)
        for name, one in expected(world).items()
    }
    assert planner.out_of_reach() == wanted


def check(scene: Scene, max_trees: int, every: int) -> int:
    """Check after every few requests; return how often something was out of reach."""
    topology, requests = scene
    planner = planner_for(topology, max_trees)
    world = World.of("ipv6", 16, DEPTH, topology, TOPICS)
    seen = 0
    watch, batch, known = ReachWatch(), [], {}
    for i, request in enumerate(requests):
        outcome = planner.apply(request)
        batch.append(request)
        if not outcome.ok:
            continue
        world.follow(request, request.get("dz"))
        if request["op"] == "subscribe":
            missed = expected(world).get(request["id"])
            whole = Reach.FULL if outcome.matched else None
            assert outcome.reach == (missed.reach if missed else whole)
            assert outcome.matched == (request["id"] not in world.pending())
        if i % every == 0:
            judge(planner, world)
            assert watch.update(planner, batch) == (known != planner.out_of_reach() or not i)
            known, batch = planner.out_of_reach(), []
            assert watch.found == known
            seen += bool(planner.out_of_reach())
    judge(planner, world)
    return seen

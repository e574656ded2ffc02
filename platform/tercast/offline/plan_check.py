"""Check of a plan against its scenario: encodings, trees, pending requests and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from tercast.eventspace.dz import Dz, DzSet, canonical, difference, intersection, set_overlaps
from tercast.offline.plan_file import PlanFile, PlanTree
from tercast.offline.scenario import Scenario
from tercast.planner.reachability import unreachable_pairs, waiting
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION, Registration
from tercast.routing.cell_keys import Order
from tercast.runtime.wording import quantity
from tercast.verification.encoding_check import missing
from tercast.verification.forwarding import ForwardingModel
from tercast.verification.verifier import verify
from tercast.verification.violations import Findings, Violation

Item = TypeVar("Item")


def check_plan(scenario: Scenario, plan: PlanFile) -> list[Violation]:
    """Return all errors in a plan for a scenario; empty if the plan is valid."""
    found = Findings()
    live = _check_live(scenario, plan, found)
    world = ForwardingModel(scenario.final.topology)
    _check_waiting(scenario, plan, live, world, found)
    _TreeChecks(scenario, plan, live, world, found).check()
    tables = verify(
        scenario.final.topology,
        scenario.final.topics.values(),
        [reg for reg in live if reg.kind == ADVERTISEMENT],
        [reg for reg in live if reg.kind == SUBSCRIPTION],
        plan.flows,
        address=scenario.address,
        exact=scenario.aggregation.method == "none",
    )
    return [*found.violations(), *tables]


def proof_summary(name: str, scenario: Scenario, plan: PlanFile, *, strict: bool) -> str:
    """Summarise in one line which properties of a valid plan are proven.

    Args:
        name: Name of the plan in the line, for example its file.
        scenario: The scenario of the plan.
        plan: A plan for which `check_plan` returns no violation.
        strict: Whether redundant copies and entries count as violations.
    """
    failed = {failure.id for failure in plan.failed}
    kinds = [one.kind for one in scenario.final.live.values() if one.id not in failed]
    parts = [
        quantity(kinds.count(ADVERTISEMENT), "advertisement"),
        quantity(kinds.count(SUBSCRIPTION), "subscription"),
        quantity(len(plan.trees), "tree"),
        f"{quantity(sum(map(len, plan.flows.values())), 'entry', 'entries')} on "
        f"{quantity(sum(map(bool, plan.flows.values())), 'switch', 'switches')}",
    ]
    left = [("pending", plan.pending), ("unreachable", plan.unreachable), ("failed", plan.failed)]
    parts += [f"{len(some)} {kind}" for kind, some in left if some]
    proven = "no event is lost, duplicated or caught in a loop"
    if scenario.aggregation.method == "none":
        proven += "; hosts receive only events in the cells of their subscriptions"
    if strict:
        proven += ", no copy and no entry is redundant"
    return f"{name} is valid: {', '.join(parts)}; {proven}"


def _check_live(scenario: Scenario, plan: PlanFile, found: Findings) -> list[Registration]:
    """The live requests, except those listed as failed, with the encodings of the plan."""
    registered = scenario.final.live
    failed = {failure.id for failure in plan.failed}
    switches = scenario.final.topology.switches
    bounded = {name for name, switch in switches.items() if switch.tcam_budget is not None}
    for failure in plan.failed:
        if failure.id not in registered:
            found.add(
                "failed",
                f"{failure.id} is listed as failed, but is not registered after the last request",
            )
        elif not failure.switches or not bounded.issuperset(failure.switches):
            found.add(
                "failed",
                f"{failure.id} is listed as failed, but its list of switches is empty or names a switch "
                "without a budget",
            )
    for name in plan.encodings:
        if name not in registered:
            found.add("encoding", f"{name} has an encoding, but is not registered after the last request")
    live: list[Registration] = []
    for name, registration in registered.items():
        if name in failed:
            continue
        cells = plan.encodings.get(name)
        if cells is None:
            found.add(
                "encoding",
                f"{name} is registered after the last request, but has no encoding",
            )
            cells = ()
        _check_encoding(scenario, name, cells, found)
        live.append(registration.encoded(canonical(cells)))
    return live


def _check_encoding(scenario: Scenario, name: str, cells: tuple[Dz, ...], found: Findings) -> None:
    """Check that an encoding is canonical, within limits, and contains all events of a filter."""
    registration, filter_ = scenario.final.live[name], scenario.filters[name]
    joined = canonical(cells)
    if len(joined) != len(cells) or set(joined) != set(cells):
        detail = (
            f"{name}: its encoding is not in normal form: remove repeated and covered dz, and join the two "
            "halves of a cell"
        )
        found.add("encoding", detail, topic=registration.topic, region=cells)
    limit = scenario.limits.max_dz_per_filter
    if len(cells) > limit:
        found.add("encoding", f"{name}: {quantity(len(cells), 'cell')}, but the limit is {limit}")
    longest = max((dz.bit_length() - 1 for dz in cells), default=0)
    if longest > scenario.depth:
        found.add(
            "encoding", f"{name}: a dz has {quantity(longest, 'bit')}, but the limit is {scenario.depth}"
        )
    lost = tuple(missing(filter_, joined))
    if lost:
        found.add(
            "encoding",
            f"{name}: events that match its filter are outside its encoding",
            topic=registration.topic,
            region=lost,
        )


def _check_waiting(
    scenario: Scenario, plan: PlanFile, live: list[Registration], world: ForwardingModel, found: Findings
) -> None:
    """Check `pending` and `unreachable` against the encodings and the network."""
    order = Order(scenario.address.dz_room)
    pending: list[str] = []
    pairs: list[tuple[str, str]] = []
    for topic in scenario.final.topics:
        mine = [registration for registration in live if registration.topic == topic]
        advertised = canonical(dz for reg in mine if reg.kind == ADVERTISEMENT for dz in reg.dz)
        subscriptions = [reg for reg in mine if reg.kind == SUBSCRIPTION]
        pending += waiting(subscriptions, lambda dz, ads=advertised: set_overlaps(ads, dz))  # type: ignore[misc]
        pairs += unreachable_pairs(mine, order, lambda host: component_of_host(world, host))
    for name in _apart(pending, plan.pending):
        if name in set(pending):
            detail = f"no advertisement overlaps {name}, but the plan does not list it as pending"
        else:
            detail = f"an advertisement overlaps {name}, but the plan lists it as pending"
        found.add("pending", detail)
    for pair in _apart(pairs, plan.unreachable):
        if pair in set(pairs):
            what = "no path exists between {} and {}, but the plan does not list them as unreachable"
        else:
            what = "a path exists between {} and {}, but the plan lists them as unreachable"
        found.add("unreachable", what.format(*pair))


def component_of_host(world: ForwardingModel, host: str) -> int | None:
    """Return the connected part of a host; None while its switch or port is down."""
    place = world.place.get(host)
    return None if place is None else world.components[place[0]]


def _apart(a: Iterable[Item], b: Iterable[Item]) -> list[Item]:
    """The items that are in exactly one of two collections."""
    left, right = dict.fromkeys(a), dict.fromkeys(b)
    return [*(item for item in left if item not in right), *(item for item in right if item not in left)]


class _TreeChecks:
    """Checks of a plan's trees: valid links, no cycles, no overlaps, and no superfluous trees."""

    def __init__(
        self,
        scenario: Scenario,
        plan: PlanFile,
        live: list[Registration],
        world: ForwardingModel,
        found: Findings,
    ) -> None:
        self._scenario = scenario
        self._trees = plan.trees
        self._world = world
        self._found = found
        self._advertised: dict[tuple[str, int | None], DzSet] = {}
        cells: dict[tuple[str, int | None], list[Dz]] = {}
        for registration in live:
            if registration.kind == ADVERTISEMENT and registration.host in world.place:
                key = registration.topic, component_of_host(world, registration.host)
                cells.setdefault(key, []).extend(registration.dz)
        self._advertised = {key: canonical(dz) for key, dz in cells.items()}

    def check(self) -> None:
        """Record all errors in the trees."""
        groups: dict[tuple[str, int | None], list[PlanTree]] = {key: [] for key in self._advertised}
        names: set[str] = set()
        for tree in self._trees:
            if tree.id in names:
                self._add_finding(tree, "has the same id as another tree")
            names.add(tree.id)
            if tree.topic not in self._scenario.final.topics:
                self._add_finding(tree, f"has the unknown topic {tree.topic}")
            elif tree.root not in self._world.components:
                self._add_finding(tree, f"has its root at {tree.root}, which is not a switch that is up")
            else:
                self._check_links(tree)
                groups.setdefault((tree.topic, self._world.components[tree.root]), []).append(tree)
        for key, trees in groups.items():
            self._check_apart(trees)
            self._check_needed(key[0], trees, self._advertised.get(key, ()))

    def _check_links(self, tree: PlanTree) -> None:
        """Check that every edge is a link that is up, and that the edges have no cycle."""
        group: dict[str, str] = {}

        def leader(switch: str) -> str:
            while group.setdefault(switch, switch) != switch:
                switch = group[switch]
            return switch

        for a, a_port, b, b_port in tree.edges:
            if self._world.far.get((a, a_port)) != (b, b_port):
                self._add_finding(
                    tree, f"has the edge {a}:{a_port} to {b}:{b_port}, which is not a link that is up"
                )
            elif leader(a) == leader(b):
                self._add_finding(tree, f"has a cycle that contains the edge {a}:{a_port} to {b}:{b_port}")
            else:
                group[leader(a)] = leader(b)

    def _check_apart(self, trees: list[PlanTree]) -> None:
        for first, second in _pairs_that_overlap(trees):
            common = intersection(canonical(first.dz), canonical(second.dz))
            self._found.add(
                "tree", f"trees {first.id} and {second.id} overlap", topic=first.topic, region=common
            )

    def _check_needed(self, topic: str, trees: list[PlanTree], advertised: DzSet) -> None:
        for tree in trees:
            if not set_overlaps(canonical(tree.dz), advertised):
                self._add_finding(tree, "serves no active advertisement")
        missing = difference(advertised, canonical(dz for tree in trees for dz in tree.dz))
        if missing:
            self._found.add("tree", "a region is advertised, but is in no tree", topic=topic, region=missing)

    def _add_finding(self, tree: PlanTree, what: str) -> None:
        self._found.add("tree", f"tree {tree.id} {what}")


def _pairs_that_overlap(trees: list[PlanTree]) -> Iterator[tuple[PlanTree, PlanTree]]:
    cells = sorted(
        ((bin(dz)[3:], i) for i, tree in enumerate(trees) for dz in canonical(tree.dz)),
    )
    seen: set[tuple[int, int]] = set()
    open_cells: list[tuple[str, int]] = []
    for cell, i in cells:
        while open_cells and not cell.startswith(open_cells[-1][0]):
            open_cells.pop()
        for _, j in open_cells:
            pair = min(i, j), max(i, j)
            if i != j and pair not in seen:
                seen.add(pair)
                yield trees[pair[0]], trees[pair[1]]
        open_cells.append((cell, i))

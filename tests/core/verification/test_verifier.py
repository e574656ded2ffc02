"""The verifier reports nothing for correct tables, and reports every kind of damage."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.eventspace.dz import canonical
from tercast.planner.planner import Planner
from tercast.tables.entries import IN_PORT, Action, Diff, Entry, Output, SetDst, Table, difference
from tercast.verification.verifier import Verifier, verify
from tercast.verification.violations import Violation
from tests.property_profiles import examples
from tests.support.judge import Judge, World
from tests.support.networks import (
    DEPTH,
    TOPICS,
    advertise,
    host,
    link,
    planner_for,
    scenes,
    subscribe,
    topology,
)

Scene = tuple[dict[str, Any], list[dict[str, Any]]]
Tables = dict[str, list[Entry]]


def judged(planner: Planner, tables: Any) -> list[Violation]:
    registry = planner.registry
    return verify(
        planner.topology,
        planner.topics.values(),
        registry.advertisements(),
        registry.subscriptions(),
        tables,
        address=planner.address,
    )


def triangle() -> Planner:
    """Three switches in a ring; p publishes at s1 and subscribes, h at s2 and g at s3 subscribe."""
    links = [link("s1", 1, "s2", 2), link("s2", 1, "s3", 2), link("s3", 1, "s1", 2)]
    hosts = [host("p", "s1", 9, 1), host("h", "s2", 9, 2), host("g", "s3", 9, 3), host("i", "s3", 8, 4)]
    planner = planner_for(topology(3, links, hosts))
    planner.apply_all(
        [
            advertise("a", "p", "0"),
            advertise("b", "g", "1"),
            subscribe("q", "h", "0"),
            subscribe("q2", "g", "01"),
            subscribe("q3", "p", "00"),
            subscribe("q4", "i", "011"),
        ]
    )
    return planner


def tables_of(planner: Planner) -> Tables:
    return {switch: list(table) for switch, table in planner.tables().items()}


def find(tables: Tables, switch: str, dst: str, in_port: int | None = None) -> int:
    return next(i for i, entry in enumerate(tables[switch]) if entry.key == (dst, in_port))


def replaced(entry: Entry, **changes: Any) -> Entry:
    fields = {
        "dst": entry.dst,
        "in_port": entry.in_port,
        "priority": entry.priority,
        "actions": entry.actions,
    }
    return Entry(**{**fields, **changes})


def change(tables: Tables, switch: str, dst: str, in_port: int | None = None, **changes: Any) -> None:
    i = find(tables, switch, dst, in_port)
    tables[switch][i] = replaced(tables[switch][i], **changes)


def more(tables: Tables, switch: str, dst: str, *actions: Action) -> None:
    i = find(tables, switch, dst)
    entry = tables[switch][i]
    tables[switch][i] = replaced(entry, actions=(*actions, *entry.actions))


ALL_OF_0, HALF_01, PART_011, ALL_OF_1 = (
    "ff0e:4::/33",
    "ff0e:4:4000::/34",
    "ff0e:4:6000::/35",
    "ff0e:4:8000::/33",
)
Damage = Callable[[Tables], None]
DAMAGE: dict[str, tuple[Damage, str, str]] = {
    "entry dropped": (lambda t: t["s2"].clear(), "lost", "h"),
    "output dropped": (lambda t: change(t, "s3", PART_011, actions=(SetDst("g"), Output(9))), "lost", "i"),
    "output added": (lambda t: more(t, "s2", ALL_OF_0, Output(1)), "needless", "s3"),
    "delivery added": (lambda t: more(t, "s3", HALF_01, SetDst("i"), Output(8)), "unwanted", "i"),
    "copy added": (lambda t: more(t, "s2", ALL_OF_0, SetDst("h"), Output(9)), "doubled", "h"),
    "loop made": (
        lambda t: (
            t["s3"].append(Entry(ALL_OF_0, None, 19, (Output(1), Output(2))))
            or t["s1"].append(Entry(ALL_OF_0, None, 19, (Output(1),)))
            or more(t, "s2", ALL_OF_0, Output(1))
        ),
        "loop",
        "s1",
    ),
    "rewritten to another host": (
        lambda t: change(t, "s2", ALL_OF_0, actions=(SetDst("g"), Output(9))),
        "output",
        "g",
    ),
    "rewritten before a switch": (
        lambda t: change(t, "s1", HALF_01, actions=(Output(1), SetDst("g"), Output(2))),
        "output",
        "switch s3",
    ),
    "not rewritten": (lambda t: change(t, "s2", ALL_OF_0, actions=(Output(9),)), "output", "does not set"),
    "a port that is not there": (lambda t: more(t, "s2", ALL_OF_0, Output(44)), "output", "44"),
    "a host that is not there": (
        lambda t: change(t, "s2", ALL_OF_0, actions=(SetDst("nobody"), Output(9))),
        "output",
        "nobody",
    ),
    "longer prefix loses": (lambda t: change(t, "s3", PART_011, priority=5), "priority", PART_011),
    "in_port loses": (
        lambda t: t["s1"].append(Entry("ff0e:4::/35", None, 1021, (Output(1),))),
        "priority",
        "port 9",
    ),
    "priority too high": (lambda t: change(t, "s3", PART_011, priority=60001), "priority", "60001"),
    "priority too low": (lambda t: change(t, "s2", ALL_OF_0, priority=1), "priority", "has priority 1"),
    "same priority": (
        lambda t: change(t, "s3", PART_011, priority=t["s3"][find(t, "s3", HALF_01)].priority),
        "ambiguous",
        PART_011,
    ),
    "same entry twice": (lambda t: t["s2"].append(t["s2"][0]), "ambiguous", ALL_OF_0),
    "an entry that says the same": (
        lambda t: t["s2"].append(
            Entry("ff0e:4:2000::/35", None, 21, t["s2"][find(t, "s2", ALL_OF_0)].actions)
        ),
        "redundant",
        "ff0e:4:2000::/35",
    ),
    "an in_port that says the same": (
        lambda t: t["s2"].append(Entry(ALL_OF_0, 2, 1019, t["s2"][find(t, "s2", ALL_OF_0)].actions)),
        "redundant",
        "port 2",
    ),
    "a drop of what comes nowhere": (
        lambda t: t["s2"].append(Entry(ALL_OF_1, None, 19, ())),
        "redundant",
        ALL_OF_1,
    ),
    "an entry that no event reaches": (
        lambda t: t["s2"].append(Entry(ALL_OF_1, None, 19, (SetDst("h"), Output(9)))),
        "idle",
        ALL_OF_1,
    ),
    "a copy twice where nothing comes": (
        lambda t: t["s2"].append(Entry(ALL_OF_1, None, 19, (SetDst("h"), Output(9), Output(9)))),
        "doubled",
        "port 9 as h more than once",
    ),
    "a copy over a link twice where nothing comes": (
        lambda t: t["s2"].append(Entry(ALL_OF_1, None, 19, (Output(1), Output(1)))),
        "doubled",
        "port 1 more than once",
    ),
    "an in_port that is not there": (
        lambda t: t["s2"].append(Entry(ALL_OF_0, 33, 1019, (Output(IN_PORT),))),
        "stray",
        "33",
    ),
    "another range": (
        lambda t: t["s2"].append(Entry("ff05::/20", None, 9, (Output(1),))),
        "stray",
        "ff05::/20",
    ),
    "no prefix": (lambda t: t["s2"].append(Entry("here", None, 9, (Output(1),))), "stray", "here"),
    "all topics": (lambda t: t["s2"].append(Entry("ff0e::/20", None, 9, ())), "stray", "ff0e::/20"),
    "a code of no topic": (lambda t: t["s2"].append(Entry("ff0e:99::/32", None, 9, ())), "stray", "153"),
    "an unknown switch": (lambda t: t.update(s9=[Entry(ALL_OF_0, None, 9, ())]), "stray", "s9"),
    "sent back over a link": (lambda t: more(t, "s2", ALL_OF_0, Output(IN_PORT)), "doubled", "g"),
}


def test_tables_as_planned_hold() -> None:
    planner = triangle()
    assert judged(planner, planner.tables()) == []


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_found_and_named(name: str) -> None:
    planner = triangle()
    tables = tables_of(planner)
    damage, kind, needle = DAMAGE[name]
    damage(tables)
    found = judged(planner, tables)
    lines = [str(violation) for violation in found if violation.kind == kind]
    assert any(needle in line for line in lines), [str(violation) for violation in found]
    assert not any("\n" in line for line in lines)


def test_a_violation_names_publisher_region_and_host() -> None:
    planner = triangle()
    tables = tables_of(planner)
    change(tables, "s3", PART_011, actions=(SetDst("g"), Output(9)))
    (found,) = [violation for violation in judged(planner, tables) if violation.kind == "lost"]
    assert (found.kind, found.topic, found.publisher, found.host) == ("lost", "a", "a", "i")
    assert str(found) == 'lost: topic a, dz "011", events of a: host i subscribes to them but receives none'


def test_budgets_are_checked() -> None:
    planner = triangle()
    planner.enforce_budgets = False
    planner.apply({"op": "set_budget", "switch": "s3", "tcam_budget": 1})
    assert [str(violation) for violation in judged(planner, planner.tables())] == [
        f"budget: s3 has {planner.counts()['s3']} entries, but its budget is 1"
    ]


def test_too_much_is_allowed_where_tables_are_aggregated_but_never_too_little() -> None:
    planner = triangle()
    registry = planner.registry

    def loosely(tables: Tables) -> set[str]:
        found = verify(
            planner.topology,
            planner.topics.values(),
            registry.advertisements(),
            registry.subscriptions(),
            tables,
            address=planner.address,
            exact=False,
        )
        return {violation.kind for violation in found}

    tables = tables_of(planner)
    tables["s3"] = [replaced(tables["s3"][0], actions=(SetDst("i"), Output(8), SetDst("g"), Output(9)))]
    tables["s1"].append(Entry("ff0e:4::/34", None, 20, (Output(1), Output(2))))
    assert loosely(tables) == set()
    more(tables, "s2", ALL_OF_0, Output(1))
    more(tables, "s3", HALF_01, Output(1))
    assert loosely(tables) == {"loop", "doubled"}
    tables["s2"].clear()
    assert "lost" in loosely(tables)


actions = st.lists(
    st.integers(1, 9).map(Output) | st.just(Output(IN_PORT)) | st.sampled_from(["h1", "h2"]).map(SetDst),
    max_size=3,
).map(tuple)


@st.composite
def damaged(draw: st.DrawFn, tables: dict[str, Table], switches: list[str]) -> Tables:
    """Tables with one or two entries changed, removed or added, if there are any."""
    out = {switch: list(table) for switch, table in tables.items()}
    entries = [(switch, entry) for switch, table in tables.items() for entry in table]
    for _ in range(draw(st.integers(1, 2)) if entries else 0):
        switch, entry = draw(st.sampled_from(entries))
        kind = draw(st.sampled_from(["drop", "actions", "priority", "move", "add"]))
        if kind != "add" and entry in out[switch]:
            out[switch].remove(entry)
        if kind == "actions":
            out[switch].append(replaced(entry, actions=draw(actions)))
        elif kind == "priority":
            out[switch].append(replaced(entry, priority=draw(st.integers(1, 40))))
        elif kind in ("move", "add"):
            out.setdefault(draw(st.sampled_from(switches)), []).append(entry)
    return out


@examples(250)
@given(scenes(most=16), st.data())
def test_the_verifier_agrees_with_walking_packets(scene: Scene, data: st.DataObject) -> None:
    network, requests = scene
    planner = planner_for(network, max_trees=2)
    world = World.of("ipv6", 16, DEPTH, network, TOPICS)
    for request in requests:
        if planner.apply(request).ok:
            world.follow(request, request.get("dz"))
    assert judged(planner, planner.tables()) == []
    tables = data.draw(damaged(planner.tables(), sorted(world.switches)))
    flows = {switch: [entry.to_json() for entry in table] for switch, table in tables.items()}
    problems = Judge(world, flows).problems()
    found = judged(planner, tables)
    if problems:
        assert found
    else:  # packets show no fault; the verifier may still report a redundant entry
        assert {violation.kind for violation in found} <= {"redundant"}


@examples(150)
@given(scenes(most=20), st.integers(1, 4))
def test_checking_what_changed_is_as_good_as_checking_all(scene: Scene, batch: int) -> None:
    network, requests = scene
    planner = planner_for(network)
    verifier = Verifier.of(planner.registry, planner.tables())
    for i, request in enumerate(requests):
        planner.apply(request)
        if i % batch == 0:
            assert verifier.step(planner.registry, planner.take_diff()) == []
    assert verifier.step(planner.registry, planner.take_diff()) == []
    assert verifier.check() == judged(planner, planner.tables()) == []


@examples(150)
@given(scenes(most=16, events=False), st.data())
def test_a_fault_in_a_diff_is_found_at_its_place(scene: Scene, data: st.DataObject) -> None:
    network, requests = scene
    planner = planner_for(network)
    planner.apply_all(requests)
    before = planner.tables()
    verifier = Verifier.of(planner.registry, before)
    after = data.draw(damaged(before, sorted(planner.topology.switches)))
    after = {switch: list({entry.key: entry for entry in table}.values()) for switch, table in after.items()}
    changes = (difference(name, before.get(name, ()), table) for name, table in after.items())
    touched = verifier.apply(Diff(tuple(change_ for change_ in changes if len(change_))))
    found = verifier.check({topic: canonical(cells) for topic, cells in touched.items()})
    assert bool(found) == bool(verifier.check()) == bool(judged(planner, after))


def test_a_cell_about_which_nothing_is_known_any_more_is_checked_all_the_same() -> None:
    planner = triangle()
    tables = tables_of(planner)
    verifier = Verifier.of(planner.registry, tables)
    i = find(tables, "s2", ALL_OF_0)
    narrow = Entry("ff0e:4:1000::/36", None, 22, ())
    verifier.apply(Diff((difference("s2", tables["s2"], [*tables["s2"], narrow]),)))
    assert [violation.kind for violation in verifier.check({"a": (0b10001,)})] == ["lost", "needless"]
    gone = verifier.apply(Diff((difference("s2", [*tables["s2"], narrow], [narrow]),)))
    assert set(gone["a"]) == {0b10}
    assert tables["s2"][i].dst == ALL_OF_0
    verifier.apply(Diff((difference("s2", [narrow], []),)))
    assert [violation.kind for violation in verifier.check({"a": (0b10001,)})] == ["lost", "needless"]


def test_an_entry_for_a_port_is_looked_at_again_once_the_port_is_there() -> None:
    planner = triangle()
    early = Entry(ALL_OF_0, 7, 1019, (Output(IN_PORT),))
    planner.take_diff()
    tables = tables_of(planner)
    tables["s2"].append(early)
    verifier = Verifier.of(planner.registry, tables)
    assert [violation.kind for violation in verifier.check()] == ["stray"]
    assert planner.apply({"op": "add_host", "host": host("late", "s2", 7, 9)}).ok
    found = verifier.step(planner.registry, planner.take_diff())
    assert [violation.kind for violation in found] == ["idle"]

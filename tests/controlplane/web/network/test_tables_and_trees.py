"""Tables as the switches confirmed them, and trees as the planner has them."""

from django.utils import timezone

from controlplane.network.entry_match import meaning
from controlplane.network.models import InstalledEntry, Switch, Tree
from controlplane.registry.models import Topic


def install(switch, dst, **fields):
    fields = {"priority": 24, "actions": [], "confirmed_at": timezone.now(), **fields}
    code, dz = meaning(dst)
    at = {"switch": Switch.objects.get(name=switch), "dst": dst, "code": code, "dz": dz}
    return InstalledEntry.objects.create(**at, **fields)


def test_tables_show_how_full_they_are(world):
    install("s1", "ff0e:0:1400::/38")
    install("s1", "ff0e:0:1800::/40")
    tables = {row["switch"]: row for row in world.get("tables/").json()["results"]}
    pk = Switch.objects.get(name="s1").pk
    assert tables["s1"] == {
        "id": pk,
        "url": f"/api/v1/tables/{pk}/",
        "switch": "s1",
        "switch_url": f"/api/v1/switches/{pk}/",
        "tcam_budget": 100,
        "entries": 2,
        "entries_url": f"/api/v1/tables/{pk}/entries/",
    }
    assert tables["s2"]["entries"] == 0 and tables["s2"]["tcam_budget"] is None
    assert world.get(tables["s1"]["url"]).json() == tables["s1"]
    assert [row["switch"] for row in world.get("tables/?switch=s3").json()["results"]] == ["s3"]


def test_entries_show_their_topic_and_dz(world):
    actions = [{"output": 1}, {"output": "in_port"}, {"set_dst": "h2"}]
    row = install("s1", "ff0e:0:1400::/38", actions=actions, in_port=7)
    pk = row.switch_id
    (shown,) = world.get(f"tables/{pk}/entries/").json()["results"]
    assert (shown["dst"], shown["in_port"], shown["priority"]) == ("ff0e:0:1400::/38", 7, 24)
    assert (shown["topic"], shown["dz"]) == ("quotes", "000101")
    assert shown["actions"] == [
        {"output": 1, "set_dst": None},
        {"output": "in_port", "set_dst": None},
        {"output": None, "set_dst": "h2"},
    ]


def test_the_odd_code_is_the_topics_too(world):
    row = install("s1", "ff0e:1::/32")
    (shown,) = world.get(f"tables/{row.switch_id}/entries/").json()["results"]
    assert (shown["topic"], shown["dz"]) == ("quotes", "")


def test_an_entry_of_no_topic_is_shown_all_the_same(world):
    row = install("s1", "ff0e:77::/32")
    install("s1", "ff1e::25/128")
    unknown, foreign = world.get(f"tables/{row.switch_id}/entries/").json()["results"]
    assert (unknown["topic"], unknown["dz"]) == (None, "")
    assert (foreign["topic"], foreign["dz"]) == (None, None)


def test_entries_come_in_pages_and_by_filter(world):
    rows = [install("s1", f"ff0e:0:{n:x}00::/40", priority=n) for n in range(1, 8)]
    install("s2", "ff0e::/32")
    url = f"tables/{rows[0].switch_id}/entries/"
    page = world.get(f"{url}?limit=5&count=true").json()
    assert page["count"] == 7 and len(world.get(page["next"]).json()["results"]) == 2
    assert [r["priority"] for r in world.get(f"{url}?priority__gte=6").json()["results"]] == [6, 7]


def test_a_table_of_no_switch_is_not_there(world, problem):
    problem(world.get("tables/999999/"), 404)
    problem(world.get("tables/999999/entries/"), 404)


def test_trees_are_read(world):
    topic, root = Topic.objects.get(), Switch.objects.get(name="s1")
    tree = Tree.objects.create(name="t1", topic=topic, root=root, dz=["0", "11"], edges=[["s1", 1, "s2", 1]])
    (shown,) = world.get("trees/?topic=quotes&root=s1").json()["results"]
    assert shown == {
        "id": tree.pk,
        "url": f"/api/v1/trees/{tree.pk}/",
        "name": "t1",
        "topic": "quotes",
        "root": "s1",
        "dz": ["0", "11"],
        "edges": [{"a": "s1", "a_port": 1, "b": "s2", "b_port": 1}],
    }
    assert world.get(shown["url"]).json() == shown


def test_tables_and_trees_are_read_only(world, problem):
    for path in ("tables/", "trees/", "requests/", "operations/"):
        problem(world.post(path, {}), 405)
        problem(world.delete(f"{path}1/"), 405)

"""`q=` finds a row by the texts that users see in it."""

from controlplane.network.models import Tree
from controlplane.registry.models import Advertisement, Subscription, Topic
from controlplane.signalling.models import Refusal

FOUND = [
    ("subscriptions", "ALIC", "alice"),
    ("subscriptions", "h3", "bob"),
    ("subscriptions", "quot", "alice bob"),
    ("subscriptions", "low < 6", "bob"),
    ("advertisements", "exch", "exchange"),
    ("advertisements", "h1", "exchange"),
    ("advertisements", "quot", "exchange"),
    ("publishers", "h1", "exchange"),
    ("subscribers", "h3", "bob"),
    ("hosts", "s2", "h2"),
    ("hosts", "fd00::3", "h3"),
    ("hosts", "00:03", "h3"),
    ("switches", "000002", "s2"),
    ("links", "s3", "s2"),
    ("links", "s1", "s1"),
    ("trees", "quot", "t1"),
    ("trees", "s2", "t1"),
    ("topics", "quot", "quotes"),
    ("signalling/refusals", "02:09", "h9"),
    ("signalling/refusals", "forg", "h9"),
]
SHOWN = {
    "subscriptions": "subscriber",
    "advertisements": "publisher",
    "links": "a",
    "signalling/refusals": "host",
}


def announced(world):
    for who, name, text in (
        ("subscriber", "alice", "low < 5"),
        ("subscriber", "bob", "low < 6"),
        ("publisher", "exchange", "true"),
    ):
        kind = "subscriptions" if who == "subscriber" else "advertisements"
        assert world.post(f"{kind}/", {who: name, "topic": "quotes", "filter": text}).status_code == 202
    row = Topic.objects.get()
    root = world.get("switches/?name=s2").json()["results"][0]["id"]
    Tree.objects.create(name="t1", topic=row, root_id=root, dz=[""], edges=[])
    Refusal.objects.create(
        reason="forged", detail="d", dpid="1", port=3, mac="02:09", ip="fd00::9", host="h9"
    )


def names(world, resource, text):
    rows = world.get(f"{resource}/", {"q": text}).json()["results"]
    return sorted(row[SHOWN.get(resource, "name")] for row in rows)


def test_rows_are_found_by_what_they_show(world):
    announced(world)
    for resource, text, expected in FOUND:
        assert names(world, resource, text) == expected.split(), (resource, text)
    for resource in {resource for resource, *_ in FOUND}:
        assert names(world, resource, "no such name") == []


def test_announcements_are_found_by_the_id_they_show(world):
    announced(world)
    row = Subscription.objects.get(subscriber__name="bob")
    assert names(world, "subscriptions", f"q{row.pk}") == ["bob"]
    assert names(world, "subscriptions", f"a{row.pk}") == names(world, "subscriptions", "q" + "9" * 30) == []
    assert names(world, "advertisements", f"a{Advertisement.objects.get().pk}") == ["exchange"]

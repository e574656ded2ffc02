"""`topology/`: the network in one answer, with stable positions."""

from datetime import timedelta

import pytest
from django.utils import timezone

from controlplane.network.map import placement
from controlplane.network.models import InstalledEntry, Link, Switch
from controlplane.requestlog import outbox
from controlplane.requestlog.models import OutboxEvent


@pytest.fixture
def places(network):
    def read():
        return {row["name"]: (row["x"], row["y"]) for row in network.get("topology/").json()["switches"]}

    return read


def test_the_network_in_one_answer(network, viewer, django_assert_max_num_queries):
    row = Switch.objects.get(name="s1")
    for n in range(3):
        InstalledEntry.objects.create(
            switch=row, dst=f"ff0e:{n}::/32", priority=2, actions=[], confirmed_at=row.created_at
        )
    Switch.objects.filter(pk=row.pk).update(capacity=40)
    viewer.get("topology/")
    with django_assert_max_num_queries(8):
        body = viewer.get("topology/").json()
    first = body["switches"][0]
    assert (first["name"], first["entries"], first["budget"], first["connected"]) == ("s1", 3, 40, False)
    ids = {switch["name"]: switch["id"] for switch in body["switches"]}
    assert [(link["a"], link["b"], link["load"]) for link in body["links"]] == [
        (ids["s1"], ids["s2"], None),
        (ids["s2"], ids["s3"], None),
    ]
    assert body["hosts"][0] == {**body["hosts"][0], "name": "h1", "switch": ids["s1"], "port": 10}
    assert viewer.get(f"switches/{row.pk}/").json()["x"] == first["x"] is not None


def test_it_is_not_sent_again_unchanged(network):
    tag = network.get("topology/").headers["ETag"]
    again = network.get("topology/", HTTP_IF_NONE_MATCH=tag)
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    Switch.objects.filter(name="s1").update(connected=True)
    assert network.get("topology/", HTTP_IF_NONE_MATCH=tag).status_code == 200


def test_positions_stay_while_switches_come_and_go(network, places):
    before = places()
    assert all(x is not None for x, _ in before.values())
    network.post("switches/", {"name": "s4", "dpid": "00000000000000d4"})
    assert places() == {**before, "s4": (None, None)}  # its link may follow
    network.post("links/", {"a": "s4", "a_port": 1, "b": "s3", "b_port": 7})
    after = places()
    assert {name: after[name] for name in before} == before and after["s4"] != (None, None)


def test_a_switch_without_a_link_does_not_wait_for_ever(network, places):
    network.post("switches/", {"name": "s4", "dpid": "00000000000000d4"})
    Switch.objects.filter(name="s4").update(
        created_at=timezone.now() - placement.ALONE - timedelta(seconds=1)
    )
    assert places()["s4"] != (None, None)


def test_an_operator_moves_a_switch(network, viewer, places, pointers):
    before = places()
    pk = Switch.objects.get(name="s2").pk
    answer = network.patch(f"switches/{pk}/", {"x": 7.5, "y": -3})
    assert answer.status_code == 200 and (answer.json()["x"], answer.json()["y"]) == (7.5, -3)
    event = OutboxEvent.objects.latest("id")
    assert event.kind == "switch" and (event.payload["name"], event.payload["x"]) == ("s2", 7.5)
    assert places() == {**before, "s2": (7.5, -3)}
    assert pointers(network.patch(f"switches/{pk}/", {"x": 1})) == [(None, "/y", "required")]
    assert network.patch(f"switches/{pk}/", {"x": 1e9, "y": 0}).status_code == 400
    assert viewer.patch(f"switches/{pk}/", {"x": 1, "y": 1}).status_code == 403
    assert network.post("topology/layout/", {}).json() == {"placed": 2}
    assert places()["s2"] == (7.5, -3)
    assert network.post("topology/layout/", {"moved_too": True}).json() == {"placed": 3}
    assert places()["s2"] != (7.5, -3)


def test_the_load_of_links_is_a_rate(network):
    link = Link.objects.earliest("id")
    now = timezone.now()
    for age, packets, octets in ((4, 100, 5000), (2, 150, 9000)):
        links = {str(link.pk): {"packets": packets, "bytes": octets}}
        outbox.emit("load", {"links": links, "at": (now - timedelta(seconds=age)).isoformat()})
    first, other = network.get("topology/").json()["links"]
    assert first["load"] == {"packets_per_s": 25.0, "bytes_per_s": 2000.0} and other["load"] is None
    assert network.get("topology/?load=false").json()["links"][0]["load"] is None

"""Found links over the API: reading, approval, rejection, and conflicts."""

import pytest
from django.utils import timezone

from controlplane.network.models import FoundLink, Link, Switch
from controlplane.requestlog.models import Request


@pytest.fixture
def waiting(network):
    ends = {"a": Switch.objects.get(name="s1"), "a_port": 5, "b": Switch.objects.get(name="s3"), "b_port": 6}
    return FoundLink.objects.create(**ends, reason="policy", detail="why", seen_at=timezone.now())


def test_they_are_listed_with_state_and_reason(network, viewer, waiting):
    (row,) = viewer.get("found-links/?state=waiting&reason=policy").json()["results"]
    assert {key: row[key] for key in ("a", "a_port", "b", "b_port", "state", "reason", "detail")} == {
        **{"a": "s1", "a_port": 5, "b": "s3", "b_port": 6},
        **{"state": "waiting", "reason": "policy", "detail": "why"},
    }
    assert viewer.get(f"found-links/{waiting.pk}/").json()["id"] == waiting.pk
    assert viewer.get("found-links/?state=rejected").json()["results"] == []


def test_an_operator_approves_one_and_it_is_a_link(network, waiting):
    answer = network.post(f"found-links/{waiting.pk}/approve/")
    assert answer.status_code == 202
    link = {"a": "s1", "a_port": 5, "b": "s3", "b_port": 6, "cost": 1}
    assert Request.objects.latest("id").payload == {"op": "add_link", "link": link}
    shown = network.get(answer.json()["object"]["url"]).json()
    assert {key: shown[key] for key in link} == link
    assert network.post(f"found-links/{waiting.pk}/approve/").status_code == 404


def test_one_is_rejected_once_and_can_be_approved_after_all(network, waiting):
    first = network.post(f"found-links/{waiting.pk}/reject/").json()
    assert (first["state"], first["decided_by"]) == ("rejected", "olga")
    assert network.post(f"found-links/{waiting.pk}/reject/").json() == first
    assert network.post(f"found-links/{waiting.pk}/approve/").status_code == 202


def test_a_viewer_decides_nothing(network, viewer, waiting):
    for action in ("approve", "reject"):
        assert viewer.post(f"found-links/{waiting.pk}/{action}/").status_code == 403
    assert FoundLink.objects.get().state == "waiting" and not Link.objects.filter(a_port=5).exists()


@pytest.mark.parametrize(("field", "port", "user"), [("a_port", 10, "host h1"), ("b_port", 1, "link")])
def test_a_port_in_use_is_named(network, waiting, field, port, user):
    FoundLink.objects.update(**{field: port})
    answer = network.post(f"found-links/{waiting.pk}/approve/")
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:tercast:problem:port_in_use")
    assert user in answer.json()["detail"] and FoundLink.objects.exists()


def test_waiting_links_are_a_standing_alarm(network, waiting):
    (alarm,) = [
        one for one in network.get("alarms/standing/").json()["alarms"] if one["source"] == "discovery"
    ]
    assert alarm["alarm"] == "links_waiting" and "s1:5 to s3:6" in alarm["detail"]

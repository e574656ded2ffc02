"""`ETag`, `If-None-Match` and `If-Match`, and deprecated addresses."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Group, User, update_last_login
from drf_spectacular.generators import SchemaGenerator

from controlplane.accounts import users
from controlplane.network.models import InstalledEntry, Switch
from controlplane.registry.models import Topic
from controlplane.registry.transitions.models import Lease
from controlplane.requestlog import checkpoints
from controlplane.rest import rate_limits
from controlplane.rest.deprecation import Deprecated
from controlplane.signalling.poll_loop import DROPPED
from controlplane.web.registry.topic_views import TopicViewSet
from tests.support.controlplane.api_fixtures import Caller


def switch_url():
    return f"switches/{Switch.objects.get(name='s1').pk}/"


def tag(caller, path):
    return caller.get(path).headers["ETag"]


def test_what_has_not_changed_is_not_sent_again(world):
    path = switch_url()
    known = tag(world, path)
    answer = world.get(path, HTTP_IF_NONE_MATCH=f'"x", W/{known}')
    assert answer.status_code == 304 and not answer.content and answer.headers["ETag"] == known
    world.patch(path, {"label": "x"})
    answer = world.get(path, HTTP_IF_NONE_MATCH=known)
    assert answer.status_code == 200 and answer.headers["ETag"] != known


def test_an_edit_of_what_was_changed_meanwhile_is_refused(world, problem):
    path = switch_url()
    seen = tag(world, path)
    assert world.patch(path, {"label": "mine"}, HTTP_IF_MATCH=seen).status_code == 200
    answer = world.patch(path, {"label": "theirs"}, HTTP_IF_MATCH=seen)
    assert problem(answer, 412)["type"].endswith("changed_meanwhile")
    assert answer.headers["ETag"] == tag(world, path)
    assert world.get(path).json()["label"] == "mine"
    assert world.patch(path, {"label": "theirs"}, HTTP_IF_MATCH=answer.headers["ETag"]).status_code == 200


def test_a_change_that_is_logged_raises_the_version_too(world, problem):
    path = switch_url()
    seen = tag(world, path)
    assert world.patch(path, {"tcam_budget": 7}, HTTP_IF_MATCH=seen).status_code == 202
    problem(world.patch(path, {"tcam_budget": 8}, HTTP_IF_MATCH=seen), 412)
    assert world.patch(path, {"tcam_budget": 8}, HTTP_IF_MATCH="*").status_code == 202


def test_what_the_network_does_refuses_no_edit(world):
    path = switch_url()
    seen = tag(world, path)
    Switch.objects.filter(name="s1").update(connected=True)
    assert tag(world, path) != seen
    assert world.patch(path, {"label": "x"}, HTTP_IF_MATCH=seen).status_code == 200


def test_a_dry_run_raises_no_version(world):
    path = switch_url()
    seen = tag(world, path)
    assert world.patch(f"{path}?dry_run=true", {"tcam_budget": 7}).status_code == 200
    assert tag(world, path) == seen


def test_deletions_match_too(world, problem):
    topic = f"topics/{Topic.objects.get().pk}/"
    seen = tag(world, topic)
    world.patch(topic, {"automatic_indexing": True})
    problem(world.delete(topic, HTTP_IF_MATCH=seen), 412)
    assert world.delete(topic, HTTP_IF_MATCH=tag(world, topic)).status_code == 204
    problem(world.delete(topic, HTTP_IF_MATCH=seen), 404)
    problem(world.delete("topics/x/", HTTP_IF_MATCH=seen), 400)


def test_a_refused_edit_raises_no_version(world, problem):
    path = switch_url()
    seen = tag(world, path)
    problem(world.patch(path, {"label": 7}), 400)
    assert tag(world, path) == seen


def test_every_edit_of_a_user_raises_its_version_and_a_log_in_does_not(administrator, problem):
    own = administrator.get("users/").json()["results"][0]["url"]
    seen = tag(administrator, own)
    assert administrator.patch(own, {"role": "administrator"}, HTTP_IF_MATCH=seen).status_code == 200
    made = administrator.post("users/", {"username": "nora", "role": "viewer"}).json()["url"]
    nora = User.objects.get(username="nora")

    def by_command():
        nora.set_password("another one, by hand")
        nora.save()

    edits = [
        lambda: administrator.patch(made, {"password": "a quite long passphrase"}),
        lambda: [administrator.patch(made, {"role": role}) for role in ("operator", "viewer")],
        by_command,
        nora.groups.clear,  # like the admin pages
        lambda: Group.objects.get(name="viewer").user_set.add(nora),
        lambda: users.set_own_password(nora, "yet another passphrase"),
    ]
    for edit in edits:
        seen = tag(administrator, made)
        edit()
        problem(administrator.patch(made, {"active": True}, HTTP_IF_MATCH=seen), 412)
    seen = tag(administrator, made)
    update_last_login(None, nora)
    assert tag(administrator, made) != seen
    assert administrator.patch(made, {"active": False}, HTTP_IF_MATCH=seen).status_code == 200


def test_the_use_of_a_token_is_no_edit_of_it(viewer, problem):
    made = viewer.post("tokens/", {"name": "x"}).json()
    seen = tag(viewer, made["url"])
    user = Caller()
    user.credentials(HTTP_AUTHORIZATION=f"Bearer {made['token']}")
    assert user.get("me/").status_code == 200
    assert viewer.get(made["url"]).json()["last_used_at"] is not None
    assert viewer.delete(made["url"], HTTP_IF_MATCH=seen).status_code == 204
    problem(viewer.delete(made["url"], HTTP_IF_MATCH=seen), 412)


POLICIES = [
    ("aggregation/", ({"gain": 0.2}, {"gain": 0.1}), {"period": 600}, {"method": "la"}),
    ("signalling/", ({"sealed_only": True}, {"sealed_only": False}), {"self_registration": False}, {}),
]


@pytest.mark.parametrize("path, there_and_back, mine, more", POLICIES)
def test_policies_have_versions_too(operator, problem, path, there_and_back, mine, more):
    seen = tag(operator, path)
    assert operator.get(path, HTTP_IF_NONE_MATCH=seen).status_code == 304
    problem(operator.patch(path, mine, HTTP_IF_MATCH='"nope"'), 412)
    problem(operator.patch(path, mine, HTTP_IF_MATCH="nope"), 412)
    for values in there_and_back:
        assert operator.patch(path, values).status_code == 200
    answer = operator.patch(path, mine, HTTP_IF_MATCH=seen)
    assert problem(answer, 412) and answer.headers["ETag"] == tag(operator, path)
    assert operator.patch(path, mine, HTTP_IF_MATCH=f'"x", {answer.headers["ETag"]}').status_code == 200
    assert operator.patch(path, more, HTTP_IF_MATCH="*").status_code in (200, 202)


def test_what_hosts_do_in_band_refuses_no_edit_of_the_policy(operator):
    seen = tag(operator, "signalling/")
    checkpoints.store(DROPPED, {"taken": 7})
    assert tag(operator, "signalling/") != seen
    assert operator.patch("signalling/", {"sealed_only": True}, HTTP_IF_MATCH=seen).status_code == 200


def test_weak_tags_never_match_an_edit(world, problem):
    path = switch_url()
    seen = tag(world, path)
    problem(world.patch(path, {"label": "x"}, HTTP_IF_MATCH=f"W/{seen}"), 412)
    assert world.patch(path, {"label": "x"}, HTTP_IF_MATCH=f"W/{seen}, {seen}").status_code == 200


def test_leases_are_no_rows_of_the_address(world, end):
    made = world.post(
        "advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "true"}
    ).json()
    end()
    path = f"{made['object']['url']}lease/"
    world.post(path, {"holder": "x", "version": None})
    before = list(Lease.objects.values())
    assert world.delete(f"{path}?holder=y").status_code == 204
    assert list(Lease.objects.values()) == before


def test_lists_have_no_tag(world):
    assert "ETag" not in world.get("switches/").headers
    assert not InstalledEntry.objects.exists()


def test_an_address_that_is_to_go_says_so(viewer, monkeypatch):
    assert "Deprecation" not in viewer.get("topics/").headers
    plan = Deprecated(datetime(2030, 1, 1, tzinfo=UTC), datetime(2031, 1, 1, tzinfo=UTC), "/api/docs/#topics")
    monkeypatch.setattr(TopicViewSet, "deprecated", plan)
    for answer in (viewer.get("topics/"), viewer.get("topics/x/"), viewer.post("topics/", {})):
        assert answer.headers["Deprecation"] == "@1893456000"
        assert answer.headers["Sunset"] == "Wed, 01 Jan 2031 00:00:00 GMT"
        assert answer.headers["Link"] == '</api/docs/#topics>; rel="deprecation"'
    schema = SchemaGenerator().get_schema(request=None, public=True)
    assert schema["paths"]["/api/v1/topics/"]["get"]["deprecated"] is True
    assert "deprecated" not in schema["paths"]["/api/v1/hosts/"]["get"]


@pytest.fixture
def limit(monkeypatch, settings):
    """Limit to five calls per minute, with a new count, at one fixed time."""
    rate_limits.reset()
    settings.ENV = replace(settings.ENV, rate_limit=5)
    monkeypatch.setattr(rate_limits.time, "time", lambda: 1_000_000_020.0)
    yield
    rate_limits.reset()


def test_rate_limit_reports_retry_after(limit, viewer, operator, anonymous, problem):
    for _ in range(5):
        assert viewer.get("me/").status_code == 200
    answer = viewer.get("me/")
    assert "5 calls" in problem(answer, 429)["detail"] and answer.headers["Retry-After"] == "60"
    assert operator.get("me/").status_code == 200
    assert problem(anonymous.get("me/"), 401)
    problem(anonymous.get("me/"), 429)
    problem(anonymous.get("health/?only=database"), 429)


def test_the_schema_and_its_page_count_as_calls(limit, viewer, problem):
    for path in ("/api/schema/", "/api/docs/", "/api/schema/", "/api/docs/", "/api/docs/"):
        assert viewer.get(path).status_code == 200
    for path in ("/api/schema/", "/api/docs/"):
        assert "5 calls" in problem(viewer.get(path), 429)["detail"]


def test_the_next_minute_is_a_new_one(limit, viewer, monkeypatch):
    for _ in range(6):
        last = viewer.get("me/")
    assert last.status_code == 429
    monkeypatch.setattr(rate_limits.time, "time", lambda: 1_000_000_080.0)
    assert viewer.get("me/").status_code == 200


def test_a_cache_that_is_gone_keeps_nobody_out(limit, viewer, monkeypatch):
    def gone(*args, **kwargs):
        raise ConnectionError("no cache")

    monkeypatch.setattr(rate_limits.cache, "add", gone)
    for _ in range(7):
        assert viewer.get("me/").status_code == 200

"""Tables that cannot be proved reach no switch, and stop no other requests."""

import pytest

from controlplane.deployment import replay_check, session
from controlplane.network.models import Host
from controlplane.requestlog.models import OutboxEvent, Request
from tercast.planner.planner import Planner
from tercast.requests.model import Subscribe
from tercast.tables.entries import Diff
from tests.support.controlplane import network_world as world

CULPRIT = "q3"


def loses_entries(monkeypatch) -> None:
    """A planner that forgets what the culprit needs at its own switch."""
    real = Planner.take_diff

    def take_diff(self):
        diff = real(self)
        if self.registry.live and list(self.registry.live)[-1] == CULPRIT:
            return Diff(tuple(one for one in diff.switches if one.switch != "s3"))
        return diff

    monkeypatch.setattr(Planner, "take_diff", take_diff)


def breaks_down(monkeypatch) -> None:
    """A planner with an unexpected error."""
    real = Planner._apply

    def apply(self, request):
        if isinstance(request, Subscribe) and request.id == CULPRIT:
            raise ZeroDivisionError("division by zero")
        return real(self, request)

    monkeypatch.setattr(Planner, "_apply", apply)


@pytest.mark.parametrize("fault", [loses_entries, breaks_down])
def test_only_the_request_that_leads_there_fails(network, monkeypatch, fault):
    fault(monkeypatch)
    world.advertise("h1", [""])
    rows = [world.subscribe("h3", [f"{n:03b}"]) for n in range(7)]
    session.run()
    states = {}
    for row in rows:
        row.refresh_from_db()
        states[row.planner_id] = row.state
    assert states == {f"q{n}": "failed" if f"q{n}" == CULPRIT else "active" for n in range(1, 8)}
    request = rows[2].request
    request.refresh_from_db()
    assert request.problem["type"].endswith("internal")
    assert (request.added, request.switches) == (0, [])
    installed = {row[0] for row in world.installed()["s3"]}
    assert installed == {key[0] for key in network.tables()[world.dpid(3)]}
    assert not any(dst.startswith("ff0e:4:4000") for dst in installed)
    alarms = OutboxEvent.objects.filter(kind="alarm").values_list("payload", flat=True)
    assert [f"request {request.pk} " in alarm["text"] for alarm in alarms] == [True]


@pytest.mark.parametrize("fault", [loses_entries, breaks_down])
def test_it_stays_failed_when_the_log_is_replayed(network, monkeypatch, fault):
    with monkeypatch.context() as patch:
        fault(patch)
        world.advertise("h1", [""])
        for n in range(4):
            world.subscribe("h3", [f"{n:03b}"])
        session.run()
    assert list(replay_check.differences()) == []
    world.subscribe("h3", ["111"])
    session.run()
    assert Request.objects.filter(state="failed").count() == 1
    assert list(replay_check.differences()) == []


def test_a_budget_that_is_exceeded_already_is_no_fault_of_later_requests(network):
    world.advertise("h1", [""])
    world.subscribe("h3", ["000"])
    world.subscribe("h3", ["010"])
    home = Host.objects.get(name="h3")
    world.log({"op": "host_move", "host": "h3", "switch": "s2", "port": 30})
    world.log({"op": "set_budget", "switch": "s3", "tcam_budget": 1})
    world.log({"op": "host_move", "host": "h3", "switch": home.switch.name, "port": home.port})
    session.run()
    later = world.subscribe("h2", ["000"])
    session.run()
    later.refresh_from_db()
    assert later.state == "active"
    assert not Request.objects.filter(state="failed").exists()

"""The outcome of steps with and without a kill."""

from collections.abc import Callable

from django.core.management import call_command
from django.test import override_settings

from controlplane.deployment import replay_check, session, session_cache
from controlplane.planning import planner_state
from controlplane.requestlog.models import Request
from tests.support.controlplane import network_world as world
from tests.support.controlplane.fake_northbound import running


def outcome(controller) -> dict[str, object]:
    rows = Request.objects.order_by("id")
    return {
        "requests": [(row.position, row.kind, row.state, row.matched) for row in rows],
        "changes": [(row.switches, row.added, row.removed, row.modified) for row in rows],
        "switches": controller.tables(),
        "installed": world.installed(),
        "trees": world.trees(),
    }


def without_a_kill(token: str, *steps: Callable[[], object]) -> dict[str, object]:
    """The outcome of the steps without a kill, over a controller of their own, which is then removed."""
    with running(token) as fake, override_settings(NORTHBOUND_URL=fake.url):
        for n in range(1, 10):
            fake.connect(world.dpid(n))
        for step in steps:
            step()
            session.run()
        assert list(replay_check.differences()) == []
        found = outcome(fake)
    call_command("flush", interactive=False, verbosity=0)
    session_cache._kept = planner_state._reader = None
    return found

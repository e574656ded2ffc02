"""Faults on real switches, and the entries of others."""

from controlplane.deployment import replay_check
from controlplane.network.models import Switch
from controlplane.planning import planner_state
from controlplane.requestlog.models import Request, SwitchSync
from tests.support.controlplane import network_world as world

OWN = "cookie=0x7ec0a57e00000001"


FOREIGN = "cookie=0x99,priority=77,ipv6,ipv6_dst=ff0e:4:fff0::/44,actions=output:3"


def done(platform, what: str) -> None:
    final = ("active", "failed")
    platform.until(lambda: not Request.objects.exclude(state__in=final).exists(), what)


def settled(platform) -> None:
    """Nothing is unconfirmed; the plan, what is kept and what switches hold, actions included, are one."""
    platform.until(lambda: not SwitchSync.objects.filter(dirty=True).exists(), "the repair")
    assert list(replay_check.differences()) == []
    planner = planner_state.load().planner
    for switch in Switch.objects.all():
        planned = {(entry.dst, entry.in_port, entry.priority) for entry in planner.table(switch.name)}
        assert {row[:3] for row in world.installed().get(switch.name, [])} == planned, switch.name
        assert entries(platform, switch.name) == len(planned), switch.name


def entries(platform, switch: str) -> int:
    return platform.fabric.ofctl(switch, "dump-flows", f"{OWN}/-1").count("cookie=")

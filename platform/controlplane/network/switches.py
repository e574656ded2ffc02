"""Switches: checks of bodies, and requests for the planner."""

from typing import Any

from controlplane.common.problems import FieldError, invalid
from controlplane.network.availability import LEAVING
from controlplane.network.models import Switch
from controlplane.network.ports import standby_hosts
from controlplane.network.services import ObjectKind, counted
from controlplane.requestlog.logged_rows import Payload
from controlplane.rest.request_body import Body
from tercast.requests.kinds import ADD_SWITCH, REMOVE_SWITCH, SET_BUDGET, SWITCH_DOWN, SWITCH_UP

SHOWN_FIELDS = ("label", "latitude", "longitude")
"""Fields that change no tables, so that they are saved without a request for the planner."""


def draft(body: Body) -> list[Switch]:
    """Return the new switches of a body; names and datapath ids are free."""
    for field, what in (("name", "name"), ("dpid", "dpid")):
        values = list(body.values(field))
        taken = Switch.objects.filter(**{f"{field}__in": values}).values_list(field, "name")
        body.add_if_free(field, {value: f"switch {name}" for value, name in taken}, what)
    body.errors.check()
    return [Switch(**item) for item in body.items]


def payload(row: Switch) -> Payload:
    """Return the request that adds the switch."""
    return {
        "op": ADD_SWITCH,
        "switch": {"id": row.name, "dpid": row.dpid, "tcam_budget": row.tcam_budget},
    }


def removal(row: Switch) -> Payload:
    """Return the request that removes the switch."""
    return {"op": REMOVE_SWITCH, "switch": row.name}


def users(row: Switch) -> list[str]:
    """Return what prevents the removal of the switch."""
    links = row.links_a.exclude(LEAVING).count() + row.links_b.exclude(LEAVING).count()
    hosts = row.hosts.exclude(LEAVING).count()
    return (
        counted(links, "link")
        + counted(hosts, "host")
        + counted(standby_hosts(row.name), "host on standby", "hosts on standby")
    )


KIND = ObjectKind(Switch, "switch", draft, payload, removal, users)


def change_payload(row: Switch, values: dict[str, Any]) -> Payload | None:
    """Return the request that a change of budget or of `up` needs; None if it needs none."""
    if "tcam_budget" in values and "up" in values:
        detail = "tcam_budget and up are two changes of the network. Send them in two calls."
        raise invalid([FieldError("/up", "one_at_a_time", detail, values["up"])])
    if "tcam_budget" in values:
        return {"op": SET_BUDGET, "switch": row.name, "tcam_budget": values["tcam_budget"]}
    if "up" in values:
        if values["up"]:
            return {"op": SWITCH_UP, "switch": row.name}
        working = {"planned": True} if row.connected else {}
        return {"op": SWITCH_DOWN, "switch": row.name, **working}
    return None

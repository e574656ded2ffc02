"""What-if: read strictly, answered beside this process."""

from typing import Any

from rest_framework.request import Request

from controlplane.aggregation import beside
from controlplane.aggregation.models import Policy
from controlplane.aggregation.past import EVENTS, traffic
from controlplane.aggregation.serializers import WhatIfSerializer
from controlplane.api.bodies import read_body
from controlplane.network.models import Switch
from tercast.errors import shown


def what_if(request: Request) -> dict[str, Any]:
    """The answer to the body of a call; raises `Problem` with all that is wrong with it."""
    body = read_body(request, WhatIfSerializer())
    item = body.items[0]
    budgets = item.get("budgets") or {}
    known = set(Switch.objects.values_list("name", flat=True))
    for name in budgets:
        if name not in known:
            detail = f"There is no switch {shown(name)}. Look into /api/v1/switches/."
            body.errors.add(0, ("budgets", name), "unknown_switch", detail, name)
    body.errors.check()
    every = dict.fromkeys(known, item["budget"]) if "budget" in item else {}
    policy = Policy.current()
    return ask(
        item.get("method", policy.method), item.get("sampling", policy.sampling), every | budgets, item
    )


def ask(method: str, sampling: float, budgets: dict[str, int | None], item: dict[str, Any]) -> dict[str, Any]:
    """The answer, with the samples that are kept where the caller brings no traffic."""
    events = item.get("traffic")
    if events is None:
        from controlplane.control.planner_state import reading  # noqa: PLC0415 - questions alone need a planner

        with reading() as planner:
            events = traffic(planner)
    answer: dict[str, Any] = beside.ask(
        "what_if", method=method, sampling=sampling, budgets=budgets, events=events[-EVENTS:]
    )
    return answer

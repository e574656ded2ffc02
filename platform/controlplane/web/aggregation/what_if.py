"""Questions about other budgets: strict reading of the call, answer from another process."""

from collections.abc import Mapping
from typing import Any

from rest_framework.request import Request

from controlplane.aggregation import process_client
from controlplane.aggregation.models import Policy
from controlplane.aggregation.past_traffic import PastTraffic, traffic
from controlplane.aggregation.policy import RUNNING_METHODS
from controlplane.common.problems import bad_parameter, no_such
from controlplane.network.models import Switch
from controlplane.planning.planner_state import reading
from controlplane.rest.query_parameters import choice, read_integer
from controlplane.rest.request_body import read_body
from controlplane.web.aggregation.serializers import WhatIfSerializer
from controlplane.web.network.serializers import MAX_BUDGET
from tercast.errors import shown

MAX_POINTS = 32


def what_if(request: Request) -> dict[str, Any]:
    """Answer the question in the body of a call; raise `Problem` with all its errors."""
    body = read_body(request, WhatIfSerializer())
    item = body.items[0]
    budgets = item.get("budgets") or {}
    known = set(Switch.objects.values_list("name", flat=True))
    for name in budgets:
        if name not in known:
            detail = f"There is no switch {shown(name)}. GET /api/v1/switches/ lists all switches."
            body.errors.add(0, ("budgets", name), "unknown_switch", detail, name)
    body.errors.check()
    every = dict.fromkeys(known, item["budget"]) if "budget" in item else {}
    policy = Policy.current()
    return answer_question(
        item.get("method", policy.method), item.get("sampling", policy.sampling), every | budgets, item
    )


def answer_question(
    method: str, sampling: float, budgets: dict[str, int | None], item: dict[str, Any]
) -> dict[str, Any]:
    """Return the answer. Without traffic in the call, it uses the stored samples."""
    given = item.get("traffic")
    past: dict[str, Any] = {"events": given, "numbers": None, "loads": {}}
    if given is None:
        kept = _recorded_traffic()
        past = {"events": kept.events, "numbers": kept.numbers, "loads": kept.loads}
    answer: dict[str, Any] = process_client.query_process(
        "what_if", method=method, sampling=sampling, budgets=budgets, **past
    )
    return answer


def budget_curve(pk: int, query: Mapping[str, str]) -> dict[str, Any]:
    """Answer a question about the switch with this id; raise `Problem` if it is invalid."""
    switch = Switch.objects.filter(pk=pk).first()
    if switch is None:
        raise no_such("switch", pk)
    own = Policy.current().method
    default = own if own in RUNNING_METHODS else RUNNING_METHODS[-1]
    method = choice(*RUNNING_METHODS).read("method", query.get("method", default))
    budgets = _budgets(query["budgets"]) if "budgets" in query else None
    kept = _recorded_traffic()
    past = {"events": kept.events, "loads": kept.loads}
    points = process_client.query_process("curve", switch=switch.name, method=method, budgets=budgets, **past)
    return {"switch": switch.name, "method": method, "events": len(kept), "points": points}


def _budgets(text: str) -> list[int]:
    parts = text.split(",")
    if len(parts) > MAX_POINTS:
        detail = f"budgets lists {len(parts)} numbers; at most {MAX_POINTS} are allowed. Split the call."
        raise bad_parameter("budgets", "too_many", detail)
    return [read_integer("budgets", part, 0, MAX_BUDGET) for part in parts]


def _recorded_traffic() -> PastTraffic:

    with reading() as planner:
        return traffic(planner)

"""Answers for client tokens, in which numbers replace the names of other objects.

A client token may read topics, its own publisher or subscriber, its host, and its own announcements. It may
not read switches, table entries, or anything of others. But an answer about its own request can depend on all
of these. Each function takes an answer for an operator, and returns the part that the client may read.
"""

from collections.abc import Sequence
from typing import Any

from controlplane.accounts.callers import SUBSCRIBER, Client
from controlplane.common.problems import TYPE_PREFIX
from controlplane.registry.models import Subscription
from tercast.runtime.wording import quantity

OWN_INPUT = frozenset(
    {
        "bad_count",
        "dz_too_long",
        "filter_syntax",
        "matches_nothing",
        "missing_attribute",
        "missing_key",
        "not_a_dz",
        "number_too_large",
        "number_too_long",
        "number_too_small",
        "out_of_domain",
        "too_complex",
        "too_deep",
        "too_long",
        "unknown_attribute",
        "unknown_key",
        "unknown_topic",
        "unknown_value",
        "wrong_type",
    }
)
"""Codes of errors whose texts contain only input of the caller and names of topics."""

NO_ROOM = "The budgets of the switches are too small for the entries that the request needs."
ASK = "Ask an operator for the reason."

_TITLES = {
    "refused": "The platform refused the request",
    "internal": "An internal error of the platform",
    "switch": "A switch has not confirmed",
    "unreachable": "A switch is not reachable",
    "waiting": "Waiting for the network",
}


def request_for(row: dict[str, Any], client: Client | None) -> dict[str, Any]:
    """Return a rendered request without switches, merged entries, and reasons that name others."""
    if client is None:
        return row
    hidden: dict[str, Any] = {"switches": [], "waits_for": [], "merging": None}
    return {**row, **hidden, "problem": _problem(row["problem"], len(row["waits_for"]))}


def reason_for_host(stored: dict[str, Any] | None) -> str:
    """Return the reason of a stored problem for the host that sent an in-band message."""
    if stored is None:
        return "the platform could not carry out the request"
    found = _problem({"type": "", "title": "", "detail": "", "switches": [], "errors": [], **stored}, 0)
    return str(found["detail"]) if found else ""


def cost_for(answer: dict[str, Any], client: Client | None) -> dict[str, Any]:
    """Return a dry run's answer without tables and budgets, and with numbers for other objects.

    `withheld` lists what is left out.
    """
    if client is None:
        return answer
    withheld = [
        f"{quantity(count, 'switch', 'switches')} {what}"
        for count, what in (
            (len(answer["entries"]), "whose number of entries changes"),
            (len(answer["budgets_exceeded"]), "whose budget would be exceeded"),
            (len((answer["merging"] or {}).get("switches", ())), "whose merged entries change"),
        )
        if count
    ]
    results = [{**item, "detail": _detail(item["code"], item["detail"])} for item in answer["results"]]
    shown = {**answer, "entries": [], "budgets_exceeded": [], "merging": None, "results": results}
    if "affected" in answer:
        shown["affected"], more = _affected(answer["affected"], client)
        withheld += more
    return {**shown, "withheld": withheld}


def _affected(affected: dict[str, Any], client: Client) -> tuple[dict[str, Any], list[str]]:
    """Return the effects with the client's own names, and a list of what is left out."""
    mine = _own_subscriptions(affected["subscription_names"], client)
    hosts = [name for name in affected["host_names"] if name == client.host]
    shown = {**affected, "subscription_names": mine, "host_names": hosts, "entries_removed": None}
    counts = (
        (affected["subscriptions"] - len(mine), "subscription"),
        (affected["hosts"] - len(hosts), "host"),
    )
    return shown, [f"{quantity(count, noun)} of others" for count, noun in counts if count > 0]


def _own_subscriptions(names: Sequence[str], client: Client) -> list[str]:
    if client.kind != SUBSCRIBER:
        return []
    ids = [int(name[1:]) for name in names]
    own = set(Subscription.objects.filter(pk__in=ids, subscriber=client.pk).values_list("pk", flat=True))
    return [name for name, pk in zip(names, ids, strict=True) if pk in own]


def _detail(code: str | None, detail: str | None) -> str | None:
    if code is None or code in OWN_INPUT:
        return detail
    return NO_ROOM if code == "budget" else f"The platform refused the request ({code}). {ASK}"


def _error(error: dict[str, Any]) -> dict[str, Any]:
    """Return an error of a problem; without place, text and value unless the client sent them."""
    code = str(error.get("code", ""))
    if code in OWN_INPUT:
        return error
    return {**error, "pointer": "", "detail": _detail(code, ""), "value": None}


def _problem(problem: dict[str, Any] | None, waits_for: int) -> dict[str, Any] | None:
    """Return a problem of a request, unchanged if it concerns only input of the client."""
    if problem is None:
        return None
    codes = [str(error.get("code", "")) for error in problem["errors"]]
    kind = str(problem["type"]).removeprefix(TYPE_PREFIX)
    if kind == "refused" and codes and not problem["switches"] and OWN_INPUT.issuperset(codes):
        return problem
    count = len(problem["switches"]) or waits_for
    some = quantity(count, "switch", "switches")
    if kind == "refused":
        detail = NO_ROOM if count or "budget" in codes else f"The platform refused the request. {ASK}"
    elif kind == "waiting":
        detail = f"The request waits for {some if count else 'the network'}."
    else:
        detail = f"The request was not carried out{f' at {some}' if count else ''}. {ASK}"
    errors = [_error(error) for error in problem["errors"]]
    return {**problem, "title": _TITLES.get(kind, "The request failed"), "detail": detail} | {
        "switches": [],
        "errors": errors,
    }

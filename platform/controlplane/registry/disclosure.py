"""What answers computed from others' objects say to a client token: counts in place of foreign names.

A client token reads topics, its own publisher or subscriber, its host and what it announced, no switches, no
table entries and nothing of others. An answer about its own request may depend on all of these. Each function
takes an answer as an operator gets it, and returns what the client may read of it.
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
"""Codes of errors whose texts name only what the caller sent, and topics."""

NO_ROOM = "The network has no room for it within the TCAM budgets of its switches."
ASK = "An operator can read the reason."

_TITLES = {
    "refused": "The network refused it",
    "internal": "An error of the planner",
    "switch": "A switch has not confirmed",
    "unreachable": "A switch is not reachable",
    "waiting": "Waiting for the network",
}


def request_for(told: dict[str, Any], client: Client | None) -> dict[str, Any]:
    """Return a rendered request without switches, merged entries and the reasons that name others."""
    if client is None:
        return told
    hidden: dict[str, Any] = {"switches": [], "waits_for": [], "merging": None}
    return {**told, **hidden, "problem": _problem(told["problem"], len(told["waits_for"]))}


def reason_for_host(stored: dict[str, Any] | None) -> str:
    """Return what the host that asked in band reads about a stored problem."""
    if stored is None:
        return "the network could not do it"
    found = _problem({"type": "", "title": "", "detail": "", "switches": [], "errors": [], **stored}, 0)
    return str(found["detail"]) if found else ""


def cost_for(told: dict[str, Any], client: Client | None) -> dict[str, Any]:
    """Return a dry run's answer without tables and budgets, and with counts of others.

    `withheld` says what is left out.
    """
    if client is None:
        return told
    withheld = [
        f"{quantity(count, 'switch', 'switches')} {what}"
        for count, what in (
            (len(told["entries"]), "whose number of entries changes"),
            (len(told["budgets_exceeded"]), "whose budget would not hold"),
            (len((told["merging"] or {}).get("switches", ())), "where merged entries change"),
        )
        if count
    ]
    results = [{**item, "detail": _detail(item["code"], item["detail"])} for item in told["results"]]
    shown = {**told, "entries": [], "budgets_exceeded": [], "merging": None, "results": results}
    if "affected" in told:
        shown["affected"], more = _affected(told["affected"], client)
        withheld += more
    return {**shown, "withheld": withheld}


def _affected(told: dict[str, Any], client: Client) -> tuple[dict[str, Any], list[str]]:
    """The answer with the client's own names, and what it leaves out."""
    mine = _own_subscriptions(told["subscription_names"], client)
    hosts = [name for name in told["host_names"] if name == client.host]
    shown = {**told, "subscription_names": mine, "host_names": hosts, "entries_removed": None}
    counts = ((told["subscriptions"] - len(mine), "subscription"), (told["hosts"] - len(hosts), "host"))
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
    return NO_ROOM if code == "budget" else f"It is refused ({code}). {ASK}"


def _error(told: dict[str, Any]) -> dict[str, Any]:
    """An error of a problem, without place, text and value unless the client sent them."""
    code = str(told.get("code", ""))
    if code in OWN_INPUT:
        return told
    return {**told, "pointer": "", "detail": _detail(code, ""), "value": None}


def _problem(told: dict[str, Any] | None, waits_for: int) -> dict[str, Any] | None:
    """A problem of a request; whole where it concerns only what the client sent."""
    if told is None:
        return None
    codes = [str(error.get("code", "")) for error in told["errors"]]
    kind = str(told["type"]).removeprefix(TYPE_PREFIX)
    if kind == "refused" and codes and not told["switches"] and OWN_INPUT.issuperset(codes):
        return told
    count = len(told["switches"]) or waits_for
    some = quantity(count, "switch", "switches")
    if kind == "refused":
        detail = NO_ROOM if count or "budget" in codes else f"It was refused. {ASK}"
    elif kind == "waiting":
        detail = f"It waits for {some if count else 'the network'}."
    else:
        detail = f"It was not carried out{f' at {some}' if count else ''}. {ASK}"
    errors = [_error(error) for error in told["errors"]]
    return {**told, "title": _TITLES.get(kind, "The request failed"), "detail": detail} | {
        "switches": [],
        "errors": errors,
    }

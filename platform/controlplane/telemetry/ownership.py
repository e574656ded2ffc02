"""What client tokens may report: their own events, or what came to their own host."""

from collections.abc import Sequence
from typing import Any

from controlplane.accounts.callers import PUBLISHER, Client
from controlplane.common.problems import FieldError, Problem, pointer
from controlplane.registry.models import Advertisement

DATASETS = {"published": "publisher", "delivered": "host"}
"""The column of a dataset that says whose a row is."""


def check_samples(client: Client, items: Sequence[dict[str, Any]], bulk: bool) -> None:
    """Raise `Problem` (403) for an event of another publisher's advertisement."""
    mine = _advertisements(client)
    _refuse(
        client,
        [
            FieldError("/publisher", "forbidden", _rule(client), item["publisher"], index if bulk else None)
            for index, item in enumerate(items)
            if "publisher" in item and item["publisher"] not in mine
        ],
    )


def check_rows(client: Client, dataset: str, rows: Sequence[Any]) -> None:
    """Raise `Problem` (403) for a row that is none of the client's own."""
    wanted = "published" if client.kind == PUBLISHER else "delivered"
    if dataset != wanted:
        detail = f"{_rule(client)} It takes rows of {wanted}."
        _refuse(client, [FieldError("/dataset", "forbidden", detail, dataset)])
    column = DATASETS[dataset]
    mine = _advertisements(client) if column == PUBLISHER else {client.host}
    _refuse(
        client,
        [
            FieldError(pointer(("rows", index, column)), "forbidden", _rule(client), row[column])
            for index, row in enumerate(rows)
            if isinstance(row, dict) and column in row and row[column] not in mine
        ],
    )


def check_name(client: Client, field: str, value: str, mine: str) -> None:
    """Raise `Problem` (403) unless a report is under the client's own name."""
    if value != mine:
        detail = f"{_rule(client)} It reports as {mine}."
        _refuse(client, [FieldError(f"/{field}", "forbidden", detail, value)])


def _advertisements(client: Client) -> set[str]:
    """Planner ids of what the publisher announced; a subscriber has none."""
    if client.kind != PUBLISHER:
        return set()
    return {f"a{pk}" for pk in Advertisement.objects.filter(publisher=client.pk).values_list("pk", flat=True)}


def _rule(client: Client) -> str:
    return f"Your token is good for {client.kind} {client.name} at host {client.host} alone."


def _refuse(client: Client, errors: list[FieldError]) -> None:
    if errors:
        detail = errors[0].detail if len(errors) == 1 else _rule(client)
        raise Problem(403, "forbidden", detail, tuple(errors))

"""Check that client tokens report only their own events or deliveries to their own host."""

from collections.abc import Sequence
from typing import Any

from controlplane.accounts.callers import PUBLISHER, Client
from controlplane.common.problems import FieldError, Problem, pointer
from controlplane.registry.models import Advertisement

DATASETS = {"published": "publisher", "delivered": "host"}
"""Column that identifies the owner of a row, by dataset."""


def check_samples(client: Client, items: Sequence[dict[str, Any]], bulk: bool) -> None:
    """Raise `Problem` (403) if an event belongs to an advertisement of another publisher."""
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
    """Raise `Problem` (403) if the dataset or a row does not belong to the client."""
    wanted = "published" if client.kind == PUBLISHER else "delivered"
    if dataset != wanted:
        detail = f"{_rule(client)} Send only rows of {wanted}."
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
    """Raise `Problem` (403) if a report has a name that differs from the client's name `mine`."""
    if value != mine:
        detail = f"{_rule(client)} Report as {mine}."
        _refuse(client, [FieldError(f"/{field}", "forbidden", detail, value)])


def _advertisements(client: Client) -> set[str]:
    """Return the ids in plans of a publisher's advertisements; empty for a subscriber."""
    if client.kind != PUBLISHER:
        return set()
    return {f"a{pk}" for pk in Advertisement.objects.filter(publisher=client.pk).values_list("pk", flat=True)}


def _rule(client: Client) -> str:
    return f"Your token is valid only for {client.kind} {client.name} at host {client.host}."


def _refuse(client: Client, errors: list[FieldError]) -> None:
    if errors:
        detail = errors[0].detail if len(errors) == 1 else _rule(client)
        raise Problem(403, "forbidden", detail, tuple(errors))

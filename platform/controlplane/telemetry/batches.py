"""Acceptance of telemetry batches from hosts: check of the rows, files, and unique ids."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from controlplane.common.problems import FieldError, Problem, from_refused, invalid
from controlplane.telemetry import storage
from controlplane.telemetry.models import TelemetryBatch
from tercast.errors import Path, Refused, RefusedMany
from tercast.telemetry import DELIVERED, PUBLISHED, Dataset
from tercast.telemetry.rows import Row
from tercast.telemetry.writer import by_date, rows_table, write_file

MAX_ROWS = 50_000
TAKEN = {dataset.name: dataset for dataset in (PUBLISHED, DELIVERED)}
"""Datasets that hosts may send. The control plane writes the others: tables and requests."""

MOST_AHEAD = timedelta(days=1)
MOST_ERRORS = 100
"""Maximum errors in the answer to a batch that is accepted in part."""

ReadRow = Callable[[Any, Dataset, Path], Row]


@dataclass(frozen=True, slots=True)
class SentBatch:
    """Batch as received; `digest` is the hash of its content."""

    id: str
    dataset: Dataset
    rows: list[Any]
    digest: str


@dataclass(frozen=True, slots=True)
class AcceptedBatch:
    """Result of a batch; `replayed` is true if the batch was accepted before."""

    id: str | None
    dataset: str | None
    accepted: int
    rejected: int
    replayed: bool = False
    errors: list[FieldError] = field(default_factory=list)


def write_batch(
    sent: SentBatch, actor: Any, read: ReadRow, partly: bool = False, client: str = ""
) -> AcceptedBatch:
    """Write the rows of a batch, unless the batch was accepted before.

    Args:
        sent: the batch.
        actor: the user. Ids of batches are unique per user, and per `client` with a client token.
        read: the function that reads and checks a row.
        partly: write the valid rows even if others are invalid.
        client: kind and id of the owner of a client token; empty without one.

    Raises:
        Problem: 400 with every error by row and column, 422 if the id belongs to a batch with other content,
            507 if the file cannot be written.
    """
    earlier = _earlier(sent, actor, client)
    if earlier is not None:
        return _again(earlier, sent)
    rows, errors = check(sent, read)
    rejected = len(sent.rows) - len(rows)
    if errors and not partly:
        raise invalid(errors)
    files = _write(rows, sent, client or str(actor.pk))
    values = {"digest": sent.digest, "dataset": sent.dataset.name, "accepted": len(rows)}
    try:
        with transaction.atomic():
            row = TelemetryBatch(actor=actor, client=client, batch=sent.id, rejected=rejected, **values)
            row.save(force_insert=True)
    except IntegrityError:
        earlier = TelemetryBatch.objects.get(actor=actor, client=client, batch=sent.id)
        if earlier.digest != sent.digest:
            for path in files:
                path.unlink(missing_ok=True)
        return _again(earlier, sent)
    return AcceptedBatch(sent.id, sent.dataset.name, len(rows), rejected, False, errors[:MOST_ERRORS])


def _earlier(sent: SentBatch, actor: Any, client: str) -> TelemetryBatch | None:
    """Return the accepted batch with the id of `sent`; None if there is none.

    Earlier releases stored the batches of a client without `client`. Such a batch is found if its content
    is equal.
    """
    rows = TelemetryBatch.objects.filter(actor=actor, batch=sent.id)
    found = rows.filter(client=client).first()
    if found is None and client:
        found = rows.filter(client="", digest=sent.digest).first()
    return found


def check(sent: SentBatch, read: ReadRow) -> tuple[list[Row], list[FieldError]]:
    """Return the valid rows, and every error of the other rows, by row and column."""
    good: list[Row] = []
    errors: list[FieldError] = []
    latest = timezone.now() + MOST_AHEAD
    first = datetime.combine(storage.oldest(), time(), tzinfo=UTC)
    for number, document in enumerate(sent.rows):
        try:
            row = read(document, sent.dataset, ("rows", number))
            _check_time(row, sent.dataset, first, latest, number)
        except (Refused, RefusedMany) as refused:
            errors += from_refused(refused)
        else:
            good.append(row)
    return good, errors


def _check_time(row: Row, dataset: Dataset, first: datetime, latest: datetime, number: int) -> None:
    at, path = row[dataset.time], ("rows", number, dataset.time)
    if at > latest:
        detail = f"{at.isoformat()} is more than a day in the future. Correct the clock."
        raise Refused(path, "future", detail, at.isoformat())
    if at < first:
        detail = f"{at.isoformat()} is before {first.date()}, the first day that is kept. Omit such rows."
        raise Refused(path, "too_old", detail, at.isoformat())


def _write(rows: list[Row], sent: SentBatch, owner: str) -> list[Any]:
    """Write the rows of a batch and return the paths of the files.

    Owner, id and content determine the file names. A batch that is written again after a kill replaces
    its own files.

    Raises:
        Problem: A file cannot be written (507).
    """
    known = hashlib.sha256(f"{owner}\n{sent.id}\n{sent.digest}".encode()).hexdigest()[:32]
    files = []
    try:
        with storage.writing("a batch of a host"):
            for day, part in by_date(rows, sent.dataset).items():
                folder = storage.root() / sent.dataset.name / f"date={day}"
                files.append(write_file(folder, rows_table(part, sent.dataset), f"api-{known}"))
    except storage.NotWritten as why:
        detail = f"Telemetry cannot be stored now: {why}. Send the upload again later with the same id."
        raise Problem(507, "not_stored", detail, headers={"Retry-After": "10"}) from None
    return files


def _again(earlier: TelemetryBatch, sent: SentBatch) -> AcceptedBatch:
    if earlier.digest != sent.digest:
        detail = f"An earlier upload with the id {sent.id} has other rows. Give each upload its own id."
        raise Problem(422, "batch_id_reused", detail, (FieldError("/id", "reused", detail, sent.id),))
    return AcceptedBatch(sent.id, earlier.dataset, earlier.accepted, earlier.rejected, True)


def digest(dataset: Dataset, parts: Iterable[bytes]) -> str:
    """Return the SHA-256 hash, in hex, of a dataset's name and the content of a batch."""
    found = hashlib.sha256(dataset.name.encode())
    for part in parts:
        found.update(part)
    return found.hexdigest()

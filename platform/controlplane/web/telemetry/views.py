"""Views of `/api/v1/telemetry/`."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, ClassVar

from django.conf import settings
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from controlplane.accounts.callers import PUBLISHER, SUBSCRIBER, caller_of
from controlplane.common.problems import FieldError, bad_parameter, invalid, too_large
from controlplane.rest.base_views import StrictView
from controlplane.rest.exception_handler import CONTENT_TYPE
from controlplane.rest.permissions import Clients
from controlplane.rest.query_parameters import choice, read_flag
from controlplane.rest.request_body import read_one
from controlplane.rest.serializers import ProblemSerializer
from controlplane.rest.strict_json import MAX_BULK_BYTES, StrictJSONParser
from controlplane.telemetry import batches, ownership, parquet_bodies, storage, writer_watch
from controlplane.telemetry.batches import MAX_ROWS, TAKEN, AcceptedBatch, SentBatch
from controlplane.telemetry.parquet_bodies import MEDIA_TYPE, ParquetParser
from controlplane.web.telemetry.serializers import (
    TelemetryCreateSerializer,
    TelemetrySerializer,
    TelemetryTakenSerializer,
)
from tercast.telemetry.rows import check_whole_row, read_row

MAX_WRITERS = 100

ATOMIC = OpenApiParameter(
    "atomic",
    bool,
    OpenApiParameter.QUERY,
    description="false: accept the valid rows and report the others; the default is all or none",
)
DATASET = OpenApiParameter(
    "dataset", str, OpenApiParameter.QUERY, enum=tuple(TAKEN), description="dataset of a Parquet body"
)
BATCH = OpenApiParameter(
    "batch", str, OpenApiParameter.QUERY, description="id of the upload, for a Parquet body"
)


class TelemetryViewSet(StrictView, ViewSet):
    """Telemetry: its state, and batches from hosts without access to the telemetry folder."""

    audited = keyed = False
    parser_classes = (StrictJSONParser, ParquetParser)
    bulk_bytes: ClassVar[bool] = True
    clients: ClassVar[Clients] = {PUBLISHER: frozenset({"POST"}), SUBSCRIBER: frozenset({"POST"})}

    def known_parameters(self) -> Iterable[str]:
        """Return the parameters of a batch, none for reading, all if the method is not allowed."""
        if self.action is None:
            return self.request.query_params.keys()
        return (ATOMIC.name, DATASET.name, BATCH.name) if self.action == "create" else ()

    @extend_schema(operation_id="telemetry_read", tags=["telemetry"], responses=TelemetrySerializer)
    def list(self, request: Request) -> Response:
        """Return stored datasets, losses and writers."""
        fields = {
            "root": str(storage.root()),
            "retention_days": settings.ENV.telemetry_days,
            "problem": storage.problem(),
            "most_rows": MAX_ROWS,
            "most_bytes": MAX_BULK_BYTES,
            "datasets": storage.contents(),
            **writer_watch.totals(),
            "writers": writer_watch.newest(MAX_WRITERS),
        }
        return Response(TelemetrySerializer(fields).data)

    @extend_schema(
        operation_id="telemetry_add",
        tags=["telemetry"],
        request={"application/json": TelemetryCreateSerializer, MEDIA_TYPE: OpenApiTypes.BINARY},
        responses={
            201: TelemetryTakenSerializer,
            (422, CONTENT_TYPE): OpenApiResponse(
                ProblemSerializer, "The id belongs to an earlier upload with other rows."
            ),
            (507, CONTENT_TYPE): OpenApiResponse(
                ProblemSerializer, "The upload cannot be stored on the disk. Send it again later."
            ),
        },
        parameters=[ATOMIC, DATASET, BATCH],
    )
    def create(self, request: Request) -> Response:
        """Store uploaded rows, all or with `atomic=false` only the valid ones, and a report."""
        partly = not read_flag(ATOMIC.name, request.query_params.get(ATOMIC.name, "true"))
        if isinstance(request.data, bytes):
            sent = _from_parquet(request)
            _check_own(request, sent)
            client = str(caller_of(request).client or "")
            taken = batches.take(sent, request.user, check_whole_row, partly, client)
        else:
            taken = _take_json(request, partly)
        errors = [error.to_json() for error in taken.errors]
        return Response({**asdict(taken), "errors": errors}, 201)


def _take_json(request: Request, partly: bool) -> AcceptedBatch:
    body = read_one(request, TelemetryCreateSerializer())
    client = caller_of(request).client
    if client is not None and "writer" in body:
        ownership.check_name(client, "writer/host", body["writer"]["host"], client.host)
        for index, one in enumerate(body["writer"].get("rejected") or ()):
            ownership.check_name(client, f"writer/rejected/{index}/host", one["host"], client.host)
    parts = [name for name in ("id", "dataset", "rows") if name in body]
    missing = {"id", "dataset", "rows"} - set(parts)
    if missing and (parts or "writer" not in body):
        detail = (
            "This field is missing. An upload of rows needs id, dataset and rows. A report without rows "
            "needs only writer."
        )
        raise invalid([FieldError(f"/{name}", "required", detail) for name in sorted(missing)])
    taken = AcceptedBatch(None, None, 0, 0)
    if parts:
        if len(body["rows"]) > MAX_ROWS:
            raise too_large(
                f"The upload has {len(body['rows'])} rows; at most {MAX_ROWS} are allowed. Split it."
            )
        dataset = TAKEN[body["dataset"]]
        content = (json.dumps(row, sort_keys=True).encode() + b"\n" for row in body["rows"])
        sent = SentBatch(body["id"], dataset, body["rows"], batches.digest(dataset, content))
        _check_own(request, sent)
        taken = batches.take(sent, request.user, read_row, partly, str(client or ""))
    if "writer" in body:
        writer_watch.note(body["writer"], writer_watch.API)
    return taken


def _check_own(request: Request, sent: SentBatch) -> None:
    client = caller_of(request).client
    if client is not None:
        ownership.check_rows(client, sent.dataset.name, sent.rows)


def _from_parquet(request: Request) -> SentBatch:
    query = request.query_params
    for name in (DATASET.name, BATCH.name):
        if not query.get(name):
            detail = f"{name} is missing. Send a Parquet body with ?dataset=NAME&batch=ID."
            raise bad_parameter(name, "required", detail)
    dataset = TAKEN[choice(*TAKEN).read(DATASET.name, query[DATASET.name])]
    batch = query[BATCH.name]
    if len(batch) > 200 or "\0" in batch:
        detail = f"{BATCH.name} is not a valid id; use 1 to 200 characters without U+0000."
        raise bad_parameter(BATCH.name, "too_long", detail, batch)
    content: Any = request.data
    rows = parquet_bodies.read_rows(content, dataset)
    return SentBatch(batch, dataset, rows, batches.digest(dataset, [content]))

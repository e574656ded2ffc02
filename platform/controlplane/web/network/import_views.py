"""View of `/api/v1/topology/import/`."""

from collections.abc import Iterable
from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from controlplane.network import topology_import
from controlplane.network.uploads import FILE_PARSERS, check_length, uploaded
from controlplane.rest.base_views import WRITE_PARAMETERS, StrictView, WriteOptions
from controlplane.rest.exception_handler import CONTENT_TYPE
from controlplane.rest.openapi import WRITE
from controlplane.rest.query_parameters import choice, read_integer
from controlplane.rest.serializers import ProblemSerializer
from controlplane.web.network.import_bodies import read_parts
from controlplane.web.network.import_serializers import (
    ImportCostSerializer,
    ImportOperationSerializer,
    TopologyFileSerializer,
)
from controlplane.web.requests.accepted_responses import accepted, cost_answer
from tercast.topology.importers import FORMATS, MOST_HOSTS_A_SWITCH, Imported

FORMAT = OpenApiParameter(
    "format",
    str,
    OpenApiParameter.QUERY,
    enum=FORMATS,
    description="format of the file; required if the content does not show it",
)
HOSTS = OpenApiParameter(
    "hosts",
    {"type": "integer", "minimum": 0, "maximum": MOST_HOSTS_A_SWITCH, "default": 0},
    OpenApiParameter.QUERY,
    description="number of hosts to attach to every switch, in addition to those in the file",
)
_FILE = OpenApiTypes.BINARY

MAX_REPAIRS = 1000


class TopologyImportViewSet(StrictView, ViewSet):
    """Topology files of other tools."""

    parser_classes = FILE_PARSERS
    max_bytes: ClassVar[int] = topology_import.MAX_BYTES

    def known_parameters(self) -> Iterable[str]:
        """Return the parameters of the import, or all if the method is not allowed: 405 follows."""
        if self.action is None:
            return self.request.query_params.keys()
        return WRITE_PARAMETERS | {FORMAT.name, HOSTS.name}

    @extend_schema(
        operation_id="topology_import",
        tags=["topology"],
        request={
            "application/octet-stream": _FILE,
            "application/xml": _FILE,
            "application/json": _FILE,
            "text/plain": _FILE,
            "multipart/form-data": TopologyFileSerializer,
        },
        responses={
            202: OpenApiResponse(ImportOperationSerializer, "Logged; `Location` is the operation's address."),
            200: ImportCostSerializer,
            (415, CONTENT_TYPE): OpenApiResponse(
                ProblemSerializer, "The media type of the body is not one of a topology file."
            ),
        },
        parameters=[FORMAT, HOSTS, *WRITE],
    )
    def create(self, request: Request) -> Response:
        """Add the switches, links and hosts of a topology file, all or none."""
        options = WriteOptions.read(request)
        query = request.query_params
        form = choice(*FORMATS).read("format", query["format"]) if "format" in query else None
        hosts = read_integer("hosts", query.get("hosts", "0"), 0, MOST_HOSTS_A_SWITCH)
        check_length(request, self.max_bytes)
        imported = topology_import.read(uploaded(request, self.max_bytes), form, hosts)
        parts = read_parts(imported.topology)
        if options.dry_run:
            answer = cost_answer(topology_import.draft(parts).payloads())
            answer.data |= _summary(imported)
            return answer
        return accepted(options.wait, topology_import.add(parts, request.user)).plus(_summary(imported))


def _summary(imported: Imported) -> dict[str, Any]:
    """Return the answer's fields about the file."""
    repairs = list(imported.repairs[:MAX_REPAIRS])
    more = len(imported.repairs) - len(repairs)
    if more:
        repairs.append(f"and {more} more; run `tercast import` to see all of them")
    return {"format": imported.format, "counts": imported.counts, "repairs": repairs}

"""What the OpenAPI schema says beyond what views and serializers say by themselves."""

from typing import Any, Literal

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from controlplane.rest.csv_export import FORMATS
from controlplane.rest.exception_handler import CONTENT_TYPE
from controlplane.rest.list_bodies import CSV_TYPE
from controlplane.rest.prefer_header import MAX_WAIT
from controlplane.rest.request_body import MAX_ITEMS
from controlplane.rest.serializers import ProblemSerializer

DRY_RUN = OpenApiParameter(
    "dry_run", bool, OpenApiParameter.QUERY, description="check and tell the cost, and change nothing"
)
ATOMIC = OpenApiParameter(
    "atomic",
    bool,
    OpenApiParameter.QUERY,
    enum=[True],
    description="all items or none; the only way so far",
)
PREFER = OpenApiParameter(
    "Prefer",
    str,
    OpenApiParameter.HEADER,
    description=f"`wait=N` holds the answer until an end state, up to N seconds (at most {MAX_WAIT})",
)
PARTLY = OpenApiParameter(
    "atomic",
    bool,
    OpenApiParameter.QUERY,
    description="false: take the good items of a list, and tell of the others; by default all or none",
)
BULK_WRITE = (DRY_RUN, PARTLY, PREFER)
WRITE = (DRY_RUN, ATOMIC, PREFER)

_REASONS = {
    "400": "The input is refused; all errors are in `errors`.",
    "401": "Nobody is logged in.",
    "403": "The caller's role does not suffice.",
    "404": "There is no such object.",
    "406": "The answer cannot be in an accepted type.",
    "409": "It does not go with what is there, or the first call with the key is in flight.",
    "411": "The body's length is not announced.",
    "412": "The object is not what `If-Match` says any more.",
    "413": "A limit on items or bytes is exceeded.",
    "414": "The address with its query is too long.",
    "415": "The body is not JSON.",
    "422": "The key came with another call.",
    "429": "Too many calls; `Retry-After` says when to go on.",
    "431": "The headers are too large.",
    "503": "The database is busy; try again.",
}
_ANY_REASONS = ("400", "406", "413", "414", "429", "431", "503")
_BODY_REASONS = ("409", "411", "415")


def _header(name: str, description: str) -> dict[str, Any]:
    return {"in": "header", "name": name, "schema": {"type": "string"}, "description": description}


_FORMAT = {
    "in": "query",
    "name": "format",
    "schema": {"type": "string", "enum": list(FORMATS)},
    "description": "csv: all rows as a file, without pages; `Accept: text/csv` does the same",
}
_KEY = _header("Idempotency-Key", "the call is carried out once, however often it is sent with this key")
_IF_MATCH = _header("If-Match", "`ETag` of the object as the caller saw it; 412 when it was changed since")
_IF_NONE_MATCH = _header("If-None-Match", "`ETag` of an earlier answer; 304 when nothing has changed")


class TercastSchema(AutoSchema):
    """Adds bulk bodies and the problem answers."""

    def _get_request_for_media_type(self, serializer: Any, direction: str = "request") -> Any:
        schema, required = super()._get_request_for_media_type(serializer, direction)  # type: ignore[no-untyped-call]
        if getattr(self.view, "bulk", False) and self.method == "POST" and direction == "request" and schema:
            items = {"type": "array", "items": schema, "minItems": 1, "maxItems": MAX_ITEMS}
            schema = {"oneOf": [schema, items]}
        return schema, required

    def _is_list_view(self, serializer: Any = None) -> bool:
        """Addresses of one object are read by an action `list`, too, and have no pages."""
        if getattr(self.view, "action", None) == "list" and not getattr(self.view, "lists", bool)():
            return False
        return bool(super()._is_list_view(serializer))

    def is_deprecated(self) -> bool:
        """Whether the view says so."""
        return getattr(self.view, "deprecated", None) is not None or bool(super().is_deprecated())

    def _get_parameters(self) -> Any:
        parameters = super()._get_parameters()
        if self._takes_key():
            parameters.append(_KEY)
        if self._edits():
            parameters.append(_IF_MATCH)
        if self._in_csv():
            parameters.append(_FORMAT)
        if self._is_single():
            parameters.append(_IF_NONE_MATCH)
        return parameters

    def _takes_key(self) -> bool:
        return self.method != "GET" and getattr(self.view, "keyed", False)

    def _edits(self) -> bool:
        view = self.view
        named = "{id}" in self.path or getattr(view, "single", False)
        return self.method in ("PATCH", "DELETE") and named and getattr(view, "versioned", False)

    def _in_csv(self) -> bool:
        return self.method == "GET" and getattr(self.view, "exports", lambda: False)()

    def _get_request_body(self, direction: Literal["request", "response"] = "request") -> Any:
        body = super()._get_request_body(direction)  # type: ignore[no-untyped-call]
        if body and CSV_TYPE in body["content"]:
            body["content"][CSV_TYPE] = {"schema": {"type": "string"}}
        return body

    def _is_single(self) -> bool:
        single = getattr(self.view, "single", False) or getattr(self.view, "action", None) == "retrieve"
        return self.method == "GET" and single

    def _get_response_bodies(self, direction: Literal["request", "response"] = "response") -> Any:
        responses = super()._get_response_bodies(direction)
        if self._is_single():
            responses["304"] = {"description": "It is as `If-None-Match` has it."}
        if self._in_csv():
            responses["200"]["content"][CSV_TYPE] = {"schema": {"type": "string"}}
        for code in self._problem_codes():
            if code not in responses:
                problem = self._get_response_for_code(  # type: ignore[no-untyped-call]
                    ProblemSerializer, code, [CONTENT_TYPE], direction
                )
                responses[code] = {**problem, "description": _REASONS[code]}
        return responses

    def _problem_codes(self) -> list[str]:
        codes = {*_ANY_REASONS, *getattr(self.view, "problems", ())}
        if self._takes_key():
            codes.add("422")
        if self._edits():
            codes.add("412")
        if not getattr(self.view, "open", False):
            codes |= {"401", "403"}
        if "{" in self.path:
            codes.add("404")
        if self.method != "GET":
            codes.update(_BODY_REASONS)
        return sorted(codes)

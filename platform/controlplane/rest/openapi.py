"""OpenAPI texts and responses that views and serializers do not declare themselves."""

from typing import Any, Literal

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from controlplane.rest.csv_export import FORMATS
from controlplane.rest.exception_handler import CONTENT_TYPE
from controlplane.rest.list_bodies import CSV_TYPE
from controlplane.rest.prefer_header import MAX_WAIT
from controlplane.rest.request_body import MAX_ITEMS
from controlplane.rest.serializers import ProblemSerializer, field_text

DRY_RUN = OpenApiParameter(
    "dry_run",
    bool,
    OpenApiParameter.QUERY,
    description="true: check the call and return its cost, without changing anything",
)
ATOMIC = OpenApiParameter(
    "atomic",
    bool,
    OpenApiParameter.QUERY,
    enum=[True],
    description="all items or none; the only supported value is true",
)
PREFER = OpenApiParameter(
    "Prefer",
    str,
    OpenApiParameter.HEADER,
    description=f"`wait=N` delays the answer until an end state, for at most N seconds (maximum {MAX_WAIT})",
)
PARTLY = OpenApiParameter(
    "atomic",
    bool,
    OpenApiParameter.QUERY,
    description="false: accept the valid items of a list and report the others; the default is all or none",
)
BULK_WRITE = (DRY_RUN, PARTLY, PREFER)
WRITE = (DRY_RUN, ATOMIC, PREFER)

_REASONS = {
    "400": "The input is invalid. `errors` contains all errors.",
    "401": "The caller is not authenticated.",
    "403": "The caller does not have the required role or scope.",
    "404": "The object does not exist.",
    "406": "The answer is not available in an accepted media type.",
    "409": "The call conflicts with existing objects, or the first call with the key is still running.",
    "411": "The call has a body but no Content-Length header.",
    "412": "The object has changed since the version in `If-Match`.",
    "413": "The body exceeds a limit on items or bytes.",
    "414": "The address with its query is too long.",
    "415": "The body is not JSON.",
    "422": "The key belongs to another call.",
    "429": "Too many calls. `Retry-After` contains the seconds until the next call is allowed.",
    "431": "The headers are too large.",
    "503": "The database is busy. Send the call again.",
}
_ANY_REASONS = ("400", "406", "413", "414", "429", "431", "503")
_BODY_REASONS = ("409", "411", "415")


def _header(name: str, description: str) -> dict[str, Any]:
    return {"in": "header", "name": name, "schema": {"type": "string"}, "description": description}


_FORMAT = {
    "in": "query",
    "name": "format",
    "schema": {"type": "string", "enum": list(FORMATS)},
    "description": "csv: all rows as a file, without pages; `Accept: text/csv` has the same effect",
}
_KEY = _header("Idempotency-Key", "unique key of the call; repeated calls with the key run only once")
_IF_MATCH = _header("If-Match", "`ETag` of the version that the caller read; 412 if the object has changed")
_IF_NONE_MATCH = _header("If-None-Match", "`ETag` of an earlier answer; 304 if nothing has changed")


PATH_PARAMETERS = {"id": "id of the object", "entry": "id of the entry"}

SHARED_ACTIONS = "controlplane.rest.base_views"
"""Module of the actions that many views inherit."""


class TercastSchema(AutoSchema):
    """Schema of one operation, with bulk bodies and problem answers."""

    def _get_request_for_media_type(self, serializer: Any, direction: str = "request") -> Any:
        schema, required = super()._get_request_for_media_type(serializer, direction)  # type: ignore[no-untyped-call]
        if getattr(self.view, "bulk", False) and self.method == "POST" and direction == "request" and schema:
            items = {"type": "array", "items": schema, "minItems": 1, "maxItems": MAX_ITEMS}
            schema = {"oneOf": [schema, items]}
        return schema, required

    def _is_list_view(self, serializer: Any = None) -> bool:
        """Return False for an action `list` that returns one object without pages."""
        if getattr(self.view, "action", None) == "list" and not getattr(self.view, "lists", bool)():
            return False
        return bool(super()._is_list_view(serializer))

    def get_summary(self) -> str:
        """Return a summary by name for shared actions, else the first sentence of the description."""
        view: Any = self.view
        if self._is_shared():
            resource = self.path.rstrip("/").rsplit("/", 1)[-1].replace("-", " ")
            return f"List {resource}" if view.action == "list" else f"Read one {view.noun}"
        return " ".join(self.get_description().split("\n\n")[0].split()).split(". ")[0].removesuffix(".")

    def get_description(self) -> str:  # type: ignore[override] # as drf-spectacular has it
        """Return the docstring of the action; for shared actions after that of the view."""
        text = super().get_description()
        return f"{type(self.view).__doc__}\n\n{text}" if self._is_shared() else text

    def _is_shared(self) -> bool:
        action = getattr(self.view, getattr(self.view, "action", None) or "", None)
        return getattr(action, "__module__", "") == SHARED_ACTIONS

    def _get_serializer_field_meta(self, field: Any, direction: Literal["request", "response"]) -> Any:
        meta = super()._get_serializer_field_meta(field, direction)  # type: ignore[no-untyped-call]
        if "description" not in meta and (text := field_text(field)) is not None:
            return {**meta, "description": text}
        return meta

    def is_deprecated(self) -> bool:
        """Whether the view or its annotation marks the operation as deprecated."""
        return getattr(self.view, "deprecated", None) is not None or bool(super().is_deprecated())

    def _get_parameters(self) -> Any:
        parameters = super()._get_parameters()
        for one in parameters:
            if one["in"] == "path" and not one.get("description"):
                one["description"] = PATH_PARAMETERS[one["name"]]
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
            responses["304"] = {
                "description": "The object has not changed since the version in `If-None-Match`."
            }
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

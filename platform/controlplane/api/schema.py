"""What the OpenAPI schema says beyond what views and serializers say by themselves."""

from typing import Any, Literal

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from controlplane.api.bodies import MAX_ITEMS
from controlplane.api.handler import CONTENT_TYPE
from controlplane.api.prefer import MAX_WAIT
from controlplane.api.serializers import ProblemSerializer

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
WRITE = (DRY_RUN, ATOMIC, PREFER)

_REASONS = {
    "400": "The input is refused; all errors are in `errors`.",
    "401": "Nobody is logged in.",
    "403": "The caller's role does not suffice.",
    "404": "There is no such object.",
    "406": "The answer cannot be in an accepted type.",
    "409": "It does not go with what is there.",
    "411": "The body's length is not announced.",
    "413": "A limit on items or bytes is exceeded.",
    "415": "The body is not JSON.",
    "503": "The database is busy; try again.",
}
_BODY_REASONS = ("409", "411", "413", "415", "503")


class TercastSchema(AutoSchema):
    """Adds bulk bodies and the problem answers."""

    def _get_request_for_media_type(self, serializer: Any, direction: str = "request") -> Any:
        schema, required = super()._get_request_for_media_type(serializer, direction)  # type: ignore[no-untyped-call]
        if getattr(self.view, "bulk", False) and self.method == "POST" and direction == "request" and schema:
            items = {"type": "array", "items": schema, "minItems": 1, "maxItems": MAX_ITEMS}
            schema = {"oneOf": [schema, items]}
        return schema, required

    def _get_response_bodies(self, direction: Literal["request", "response"] = "response") -> Any:
        responses = super()._get_response_bodies(direction)
        for code in self._problem_codes():
            if code not in responses:
                problem = self._get_response_for_code(  # type: ignore[no-untyped-call]
                    ProblemSerializer, code, [CONTENT_TYPE], direction
                )
                responses[code] = {**problem, "description": _REASONS[code]}
        return responses

    def _problem_codes(self) -> list[str]:
        codes = {"400", "406"}
        if not getattr(self.view, "open", False):
            codes |= {"401", "403"}
        if "{" in self.path:
            codes.add("404")
        if self.method != "GET":
            codes.update(_BODY_REASONS)
        return sorted(codes)

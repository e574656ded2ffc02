"""A file as the body of a call: its bytes, or a form with the field `file`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request

from controlplane.common.problems import FieldError, Problem, invalid, pointer, too_large
from controlplane.rest.size_limits import FORM_OVERHEAD
from tercast.errors import shown

FIELD = "file"
_TOKEN = "csrfmiddlewaretoken"  # noqa: S105 - a field's name
_TYPES = ("application", "text")


class FileParser(BaseParser):
    """Parser that returns the body as bytes, for any `application/` or `text/` type."""

    media_type = "*/*"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        """Return all bytes, up to one more than the view's `max_bytes`."""
        kind = (media_type or "application/octet-stream").partition("/")[0].strip().lower()
        if kind not in _TYPES:
            detail = (
                f"{shown(media_type)} is not the type of a topology file. Send its bytes as "
                "application/octet-stream, or a multipart/form-data form with the field file."
            )
            raise Problem(415, "unsupported_media_type", detail)
        view = (parser_context or {})["view"]
        return stream.read(view.max_bytes + 1)


FILE_PARSERS = (MultiPartParser, FileParser)


def check_length(request: Request, limit: int) -> None:
    """Refuse a body whose declared length is beyond the limit, before reading it."""
    announced = request.META.get("CONTENT_LENGTH") or "0"
    if announced.isdigit() and int(announced) > limit + FORM_OVERHEAD:
        raise _beyond(limit)


def uploaded(request: Request, limit: int) -> bytes:
    """Return the file of a call.

    Raises:
        Problem: There is no file, more than one, or it is too large.
    """
    data: Any = request.data
    content = data if isinstance(data, bytes) else _from_form(data, request.FILES, limit)
    if len(content) > limit:
        raise _beyond(limit)
    if not content:
        raise _refused("", "empty", "The body is empty. Send a topology file.")
    return content


def _from_form(data: Mapping[str, Any], files: MultiValueDict[str, UploadedFile[bytes]], limit: int) -> bytes:
    if not data:
        return b""
    unknown = [name for name in data if name not in (FIELD, _TOKEN)]
    if unknown:
        raise _refused(
            pointer((unknown[0],)),
            "unknown_field",
            f"There is no field {shown(unknown[0])}; use the field file.",
        )
    found = files.getlist(FIELD)
    if len(found) != 1:
        rule = f"The form has {len(found)} files in the field file. Send one (curl: -F file=@NAME)."
        raise _refused(f"/{FIELD}", "required", rule)
    content: bytes = found[0].read(limit + 1)
    return content


def _refused(where: str, code: str, detail: str) -> Problem:
    return invalid([FieldError(where, code, detail)])


def _beyond(limit: int) -> Problem:
    return too_large(f"A topology file has at most {limit} bytes ({limit >> 20} MiB); this one has more.")

"""`ETag`, `If-None-Match` and `If-Match` of single objects.

A tag is `"VERSION.DIGEST"`. Every edit increments the row's version. The digest covers the rendered object,
and so it also changes when the network changes. `If-None-Match` compares the whole tag. `If-Match` compares
only the version, so that a changed counter does not block an edit. Objects without a version have only the
digest. Weak tags (`W/"..."`) are valid for `If-None-Match`. In `If-Match` they never match (RFC 9110, section
8.8.3.2).
"""

import hashlib
import re
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.common.problems import Problem

_TAG = re.compile(r'(W/)?"([\x21\x23-\x7e]*)"')


def has_version(model: Any) -> bool:
    """Whether rows of the model have a version number that counts their edits."""
    try:
        model._meta.get_field("version")
    except FieldDoesNotExist:
        return False
    return True


def tag_of(row: Any, data: Any) -> str:
    """Return the tag of an object as rendered, without quotes."""
    digest = hashlib.sha256(JSONRenderer().render(data)).hexdigest()[:16]
    version = getattr(row, "version", None)
    return digest if version is None else f"{version}.{digest}"


def tagged(request: Request, row: Any, response: Response) -> Response:
    """Return the answer with its tag, or 304 without a body if the caller has this version."""
    tag = tag_of(row, response.data)
    known = request.headers.get("If-None-Match", "")
    headers = {"ETag": f'"{tag}"', "Cache-Control": "private, no-cache"}
    if known.strip() == "*" or tag in (each for _, each in _TAG.findall(known)):
        return Response(status=304, headers=headers)
    for name, value in headers.items():
        response[name] = value
    return response


def check_match(view: Any, request: Request) -> None:
    """Lock the object and compare it with `If-Match`.

    Raises:
        Problem: 412 if the object has another version, 404 if it does not exist.
    """
    wanted = request.headers.get("If-Match")
    if wanted is None:
        return
    model = view.get_queryset().model
    model._default_manager.select_for_update(no_key=True).filter(pk=view.row_id()).first()
    row = view.find()
    tags = [tag for weak, tag in _TAG.findall(wanted) if not weak]
    if wanted.strip() == "*":
        return
    current = tag_of(row, view.rendered(row))
    if not any(_same(tag, current) for tag in tags):
        detail = (
            f'If-Match {wanted[:100]} does not match: the object has changed, its tag is now "{current}". '
            "Read it again, then repeat the change."
        )
        raise Problem(412, "changed_meanwhile", detail, headers={"ETag": f'"{current}"'})


def _same(tag: str, current: str) -> bool:
    """Whether both tags have the same version, or the same digest for objects without versions."""
    return tag.split(".", maxsplit=1)[0] == current.split(".", maxsplit=1)[0]

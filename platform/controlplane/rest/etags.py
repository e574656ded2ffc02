"""`ETag`, `If-None-Match` and `If-Match` of single objects.

A tag is `"VERSION.DIGEST"`: the row's version, which every edit raises, and a digest of what is shown, which
also changes when the network does. `If-None-Match` is about all of it, `If-Match` about the version, so that
an edit is not refused because a counter went on. Objects without a version have the digest alone. Weak tags
(`W/"..."`) are good for `If-None-Match`, and never match in `If-Match` (RFC 9110, section 8.8.3.2).
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
    """Whether rows of the model count their edits."""
    try:
        model._meta.get_field("version")
    except FieldDoesNotExist:
        return False
    return True


def tag_of(row: Any, data: Any) -> str:
    """The tag of an object as it is shown, without its quotes."""
    digest = hashlib.sha256(JSONRenderer().render(data)).hexdigest()[:16]
    version = getattr(row, "version", None)
    return digest if version is None else f"{version}.{digest}"


def tagged(request: Request, row: Any, response: Response) -> Response:
    """The answer with its tag; 304 without a body when the caller has it already."""
    tag = tag_of(row, response.data)
    known = request.headers.get("If-None-Match", "")
    headers = {"ETag": f'"{tag}"', "Cache-Control": "private, no-cache"}
    if known.strip() == "*" or tag in (each for _, each in _TAG.findall(known)):
        return Response(status=304, headers=headers)
    for name, value in headers.items():
        response[name] = value
    return response


def check_match(view: Any, request: Request) -> None:
    """Lock the object; raise `Problem` (412) unless it is what `If-Match` says, 404 where there is none."""
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
        detail = f'If-Match {wanted[:100]}: it was changed meanwhile, and is "{current}" now. Read it again.'
        raise Problem(412, "changed_meanwhile", detail, headers={"ETag": f'"{current}"'})


def _same(tag: str, current: str) -> bool:
    """Whether both are of one version, or of one digest where there are no versions."""
    return tag.split(".", maxsplit=1)[0] == current.split(".", maxsplit=1)[0]

"""Conversion of errors to answers, inside the REST framework and outside of it."""

import logging
import sys
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.template import loader
from django.views import defaults
from rest_framework import exceptions
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from controlplane.common.problems import Problem, from_refused, invalid, pointer
from controlplane.common.request_id import request_id
from controlplane.rest.outages import OutageAnswer, outage_of
from tercast.errors import Refused, RefusedMany

CONTENT_TYPE = "application/problem+json"
PREFIX = "/api/"
logger = logging.getLogger(__name__)

NOT_FOUND = (
    "There is no object at this address. It may have been removed. Check the path and the id in the address."
)
NO_PERMISSION = (
    "Your role or your token does not permit this call. Ask an administrator for the role or scope that it "
    "needs."
)
TOO_LARGE = "The body is larger than the server accepts. Split the list and send it in several calls."
UNREADABLE = (
    "The server cannot read the request: its Host header names an unknown server, or its body is "
    "incomplete. Check both, then send the request again."
)

_CODES = {
    HTTPStatus.BAD_REQUEST: "bad_request",
    HTTPStatus.UNAUTHORIZED: "not_authenticated",
    HTTPStatus.FORBIDDEN: "forbidden",
    HTTPStatus.NOT_FOUND: "not_found",
    HTTPStatus.METHOD_NOT_ALLOWED: "method_not_allowed",
    HTTPStatus.NOT_ACCEPTABLE: "not_acceptable",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "unsupported_media_type",
    HTTPStatus.TOO_MANY_REQUESTS: "too_many_requests",
}
_SENTENCES = {
    exceptions.NotAuthenticated: (
        "The call is not authenticated. Log in, or send `Authorization: Bearer TOKEN`."
    ),
    exceptions.MethodNotAllowed: (
        "This address does not support the method {}. The header Allow lists the supported methods."
    ),
    exceptions.NotAcceptable: (
        "The header Accept names no media type that this address can return. Add application/json to it."
    ),
    exceptions.UnsupportedMediaType: (
        'The API cannot read a body of the type "{}". Send the body as `Content-Type: application/json`.'
    ),
}
"""Sentences that replace those of the REST framework, for the text that it quotes."""


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the problem answer; None for an internal fault, which `server_error` answers."""
    problem = as_problem(error)
    if problem is None:
        return None
    request = context["request"]
    renderer = JSONRenderer()  # replaces the renderer that was negotiated for the good answer
    request.accepted_renderer, request.accepted_media_type = renderer, renderer.media_type
    document = problem.to_json(request_id(request))
    return Response(document, problem.status, headers=dict(problem.headers), content_type=CONTENT_TYPE)


def as_problem(error: Exception) -> Problem | None:
    """Return the problem for `error`; None if neither the caller nor an outage causes it."""
    match error:
        case Problem():
            return error
        case Refused() | RefusedMany():
            return invalid(from_refused(error))
        case Http404():
            return Problem(HTTPStatus.NOT_FOUND, "not_found", NOT_FOUND)
        case PermissionDenied():
            return Problem(HTTPStatus.FORBIDDEN, "forbidden", NO_PERMISSION)
        case exceptions.APIException():
            return _from_framework(error)
        case RequestDataTooBig():
            return Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", TOO_LARGE)
        case SuspiciousOperation() | UnreadablePostError():
            return Problem(HTTPStatus.BAD_REQUEST, "bad_request", UNREADABLE)
        case _:
            outage = outage_of(error)
            return None if outage is None else outage.problem()


def _from_framework(error: exceptions.APIException) -> Problem:
    status = HTTPStatus(error.status_code)
    headers = {}
    for attribute, header in (("auth_header", "WWW-Authenticate"), ("wait", "Retry-After")):
        value = getattr(error, attribute, None)
        if value:
            headers[header] = str(value)
    said = str(error.detail) if isinstance(error.detail, str) else "The server refused the request."
    quoted = said.partition('"')[2].rpartition('"')[0]
    detail = _SENTENCES[type(error)].format(quoted) if type(error) in _SENTENCES else said
    return Problem(status, _CODES.get(status, pointer((error.default_code,))[1:]), detail, headers=headers)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400 for errors outside the REST framework, such as a forbidden Host header."""
    if not request.path.startswith(PREFIX):
        return defaults.bad_request(request, exception)
    problem = Problem(HTTPStatus.BAD_REQUEST, "bad_request", UNREADABLE)
    return _problem_response(request, as_problem(exception) or problem)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 403 for errors outside the REST framework."""
    if not request.path.startswith(PREFIX):
        return defaults.permission_denied(request, exception)
    return _problem_response(request, Problem(HTTPStatus.FORBIDDEN, "forbidden", NO_PERMISSION))


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404 for errors outside the REST framework."""
    if not request.path.startswith(PREFIX):
        return defaults.page_not_found(request, exception)
    return _problem_response(request, Problem(HTTPStatus.NOT_FOUND, "not_found", NOT_FOUND))


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500; the log contains the traceback with the same request id.

    For an outage (a full disk, a locked database) the answer names the cause and the remedy. Outside of the
    API it is a page.
    """
    error = sys.exc_info()[1]
    if not request.path.startswith(PREFIX):
        outage = None if error is None else outage_of(error)
        return defaults.server_error(request) if outage is None else _outage_page(request, outage)
    if isinstance(error, Exception) and (problem := as_problem(error)) is not None:
        return _problem_response(
            request, problem
        )  # the error occurred before the REST framework had the call
    logger.error("request %s failed: %s %s", request_id(request), request.method, request.path)
    detail = "The server failed because of an internal error. Search the server's log for this request_id."
    return _problem_response(request, Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "server_error", detail))


def _outage_page(request: HttpRequest, outage: OutageAnswer) -> HttpResponse:
    """Return a page with cause, remedy and retry time. It reads nothing from the database."""
    context = {"outage": outage, "request_id": request_id(request)}
    text = loader.get_template("outage.html").render(context)
    return HttpResponse(text, status=outage.status, headers={"Retry-After": str(outage.retry_seconds)})


def _problem_response(request: HttpRequest, problem: Problem) -> JsonResponse:
    return JsonResponse(
        problem.to_json(request_id(request)),
        status=problem.status,
        content_type=CONTENT_TYPE,
        headers=dict(problem.headers),
    )

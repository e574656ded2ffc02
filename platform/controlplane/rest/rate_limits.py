"""Limit of calls per minute and principal. With Redis the count includes all processes."""

import logging
import time
from math import ceil

from django.conf import settings
from django.core.cache import cache
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from controlplane.accounts.callers import address_of, principal
from controlplane.common.problems import Problem
from tercast.runtime.wording import quantity

MINUTE = 60
ANONYMOUS_SHARE = 10
"""An unauthenticated address may make a tenth of the calls of a principal."""

logger = logging.getLogger(__name__)


def check(request: Request, open_view: bool) -> None:
    """Count the call.

    Raises:
        Problem: 429 if the principal made too many calls in this minute.
        AuthenticationFailed: if the credentials are invalid.
    """
    limit = settings.ENV.rate_limit
    if not limit:
        return
    who, failed = _who(request, open_view)
    if who.startswith("address:"):
        limit = max(1, limit // ANONYMOUS_SHARE)
    now = time.time()
    if _count(f"rate:{who}:{int(now // MINUTE)}") > limit:
        wait = max(1, ceil(MINUTE - now % MINUTE))
        detail = (
            f"The limit is {quantity(limit, 'call')} per minute, and this caller has exceeded it. Retry in "
            f"{quantity(wait, 'second')}. To need fewer calls, send lists of items."
        )
        raise Problem(429, "too_many_requests", detail, headers={"Retry-After": str(wait)})
    if failed is not None:
        raise failed  # the framework authenticates only once and would lose the reason


def _who(request: Request, open_view: bool) -> tuple[str, AuthenticationFailed | None]:
    """Return the principal and the error of its credentials; open views make no database query."""
    if open_view:
        return f"address:{address_of(request)}", None
    try:
        _ = request.user  # authenticates the call
    except AuthenticationFailed as error:
        return f"address:{address_of(request)}", error
    return principal(request), None


def _count(key: str) -> int:
    """Count this call and return the number of calls; 0 if counting fails: no call is refused."""
    try:
        cache.add(key, 0, timeout=2 * MINUTE)
        return int(cache.incr(key))
    except ValueError:  # the cache dropped the key between the two calls
        return 1
    except Exception as error:
        logger.warning("the cache cannot count calls, so no rate limit applies: %s", error)
        return 0


def reset() -> None:
    """Delete all counts."""
    cache.clear()

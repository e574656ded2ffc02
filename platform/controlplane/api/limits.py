"""How many calls a principal may make in a minute; counted over all processes where there is Redis."""

import logging
import time
from math import ceil

from django.conf import settings
from django.core.cache import cache
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from controlplane.accounts.callers import address_of, principal
from controlplane.api.problems import Problem

MINUTE = 60
ANONYMOUS_SHARE = 10
"""Without log-in an address may make a tenth of the calls of a principal."""

logger = logging.getLogger(__name__)


def check(request: Request, open_view: bool) -> None:
    """Count the call; raises `Problem` (429) when there were too many in this minute."""
    limit = settings.ENV.rate_limit
    if not limit:
        return
    who = _who(request, open_view)
    if who.startswith("address:"):
        limit = max(1, limit // ANONYMOUS_SHARE)
    now = time.time()
    if _count(f"rate:{who}:{int(now // MINUTE)}") > limit:
        wait = max(1, ceil(MINUTE - now % MINUTE))
        detail = (
            f"More than {limit} calls in a minute. Go on in {wait} seconds, with fewer calls or larger ones."
        )
        raise Problem(429, "too_many_requests", detail, headers={"Retry-After": str(wait)})


def _who(request: Request, open_view: bool) -> str:
    """Who is asking; what is open to all asks no database."""
    if open_view:
        return f"address:{address_of(request)}"
    try:
        _ = request.user  # looks at the log-in
    except AuthenticationFailed:
        return f"address:{address_of(request)}"
    return principal(request)


def _count(key: str) -> int:
    """How many calls with this one; 0 when nobody can count, so that nobody is kept out."""
    try:
        cache.add(key, 0, timeout=2 * MINUTE)
        return int(cache.incr(key))
    except ValueError:  # dropped between the two
        return 1
    except Exception as error:
        logger.warning("calls cannot be counted: %s", error)
        return 0


def reset() -> None:
    """Forget all counts."""
    cache.clear()

"""How many calls a principal may make in a minute; counted over all processes where there is Redis."""

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
"""Without log-in an address may make a tenth of the calls of a principal."""

logger = logging.getLogger(__name__)


def check(request: Request, open_view: bool) -> None:
    """Count the call; raises `Problem` (429) for too many in a minute, else what is wrong with the log-in."""
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
            f"More than {limit} calls in a minute. Go on in {quantity(wait, 'second')}, with fewer calls "
            "or larger ones."
        )
        raise Problem(429, "too_many_requests", detail, headers={"Retry-After": str(wait)})
    if failed is not None:
        raise failed  # the framework would ask once only, and forget why


def _who(request: Request, open_view: bool) -> tuple[str, AuthenticationFailed | None]:
    """Who is asking, and what is wrong with the log-in; what is open to all asks no database."""
    if open_view:
        return f"address:{address_of(request)}", None
    try:
        _ = request.user  # looks at the log-in
    except AuthenticationFailed as error:
        return f"address:{address_of(request)}", error
    return principal(request), None


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

"""Creation, look-up and revocation of access tokens."""

import hashlib
import logging
import secrets
import time
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import Error as DatabaseError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from controlplane.accounts.callers import PUBLISHER, SUBSCRIBER
from controlplane.accounts.models import Token
from controlplane.accounts.scopes import ALL
from controlplane.common.database_patience import waiting_at_most

PREFIX = "tercast_"
USE_RESOLUTION = timedelta(minutes=1)
USE_WAIT_MS = 200
"""Longest wait for a lock to record a use. The call itself waits for nothing."""

RETRY_SECONDS = 10.0
"""Pause after a use that could not be recorded, so that a locked database does not slow every read."""

_next_attempt = {"at": float("-inf")}
logger = logging.getLogger(__name__)


def issue_token(user: User, name: str, expires_at: datetime | None = None) -> str:
    """Create a token of `user` and return its text, which cannot be shown again."""
    return new_token(Token(user=user, name=name, expires_at=expires_at))


def new_token(token: Token, scopes: Iterable[str] = ALL) -> str:
    """Store `token` with a new text and return the text, which cannot be shown again."""
    text = PREFIX + secrets.token_urlsafe(32)
    token.digest, token.scopes = digest(text), list(scopes)
    token.save(force_insert=True)
    return text


def find_token(text: str) -> Token | None:
    """Return the token with this text, valid or not, with its user and client loaded.

    Most tokens have no client, so a second query for the others costs less than joins for all.
    """
    token = next(iter(Token.objects.select_related("user").filter(digest=digest(text)).order_by()), None)
    if token is None:
        return None
    for kind in (PUBLISHER, SUBSCRIBER):
        pk = getattr(token, f"{kind}_id")
        if pk is not None:
            clients: Any = Token._meta.get_field(kind).related_model
            client = clients.objects.select_related("host").filter(pk=pk).first()
            if client is None:  # deleted since the first query, with its token
                return None
            setattr(token, kind, client)
    return token


def revoke_token(token: Token) -> None:
    """Revoke the token permanently."""
    Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


def note_use(token: Token) -> None:
    """Record that the token was used, with at most one write per minute and token.

    If the database cannot write now (full, read-only, locked), the call still succeeds. The use is not
    recorded, and this process tries again after `RETRY_SECONDS`.
    """
    now = timezone.now()
    if token.last_used_at is not None and token.last_used_at >= now - USE_RESOLUTION:
        return
    if time.monotonic() < _next_attempt["at"]:
        return
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - USE_RESOLUTION)
    try:
        with waiting_at_most(USE_WAIT_MS), transaction.atomic():
            Token.objects.filter(stale, pk=token.pk).update(last_used_at=now)
    except DatabaseError as error:
        _next_attempt["at"] = time.monotonic() + RETRY_SECONDS
        logger.warning("the database cannot record the last use of tokens: %s", error)


def digest(text: str) -> str:
    """Return the stored digest of a token. 256 random bits need no slow hash."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

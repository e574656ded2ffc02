"""Log-ins and log-outs in the audit trail, recorded from Django's signals."""

from typing import Any

from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver

from controlplane.accounts.login import MARK
from controlplane.accounts.trail import writer

LOG_IN, LOG_OUT = "login", "logout"


@receiver(user_logged_in)
def logged_in(request: Any, user: Any, **_: Any) -> None:
    """Record a log-in."""
    _record_event(request, LOG_IN, 200, user.get_username())


@receiver(user_logged_out)
def logged_out(request: Any, user: Any, **_: Any) -> None:
    """Record a log-out."""
    if user is not None:
        _record_event(request, LOG_OUT, 200, user.get_username())


@receiver(user_login_failed)
def failed(request: Any = None, credentials: dict[str, Any] | None = None, **_: Any) -> None:
    """Record a failed log-in, or one that was throttled before the password was checked."""
    name = str((credentials or {}).get("username") or "")
    if getattr(request, MARK, 0):
        writer.record_throttled(request, LOG_IN, name)
    else:
        _record_event(request, LOG_IN, 401, name, "wrong name or password")


def _record_event(request: Any, what: str, status: int, name: str, detail: str = "") -> None:
    if request is not None and getattr(request, "method", None):
        writer.record_action(request, what, status, detail, actor=name[:150], object=what)

"""Log-in by password, with a limit for failures from one address."""

from collections.abc import Callable
from datetime import timedelta
from math import ceil
from typing import Any

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.core.exceptions import PermissionDenied, ValidationError
from django.forms import CharField, PasswordInput
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from controlplane.accounts.callers import address_of
from controlplane.accounts.models import FailedLogIn
from controlplane.common.problems import Problem
from tercast.runtime.wording import quantity

WINDOW = timedelta(minutes=5)
"""Time that a failure counts."""

USERS = 10
"""Factor of the limit for an address over all users, compared with that for one user."""

MARK = "log_in_retry_after"

MAX_PASSWORD = 1000
"""Maximum characters of a password. Longer ones would keep the server busy with hashing."""

_PASSWORD_FIELD = {"autocomplete": "current-password"}


def wait_for(username: str, address: str) -> int:
    """Return the seconds until `username` may try again from `address`; 0 if it may try now."""
    most = settings.ENV.log_in_failures
    now = timezone.now()
    failed = FailedLogIn.objects.filter(address=address, at__gt=now - WINDOW).order_by("-at")
    ends = [
        times[limit - 1] + WINDOW
        for limit, rows in ((most, failed.filter(username=username[:150])), (most * USERS, failed))
        if len(times := list(rows.values_list("at", flat=True)[:limit])) == limit
    ]
    return max((ceil((end - now).total_seconds()) for end in ends), default=0)


def note_failure(username: str, address: str) -> None:
    """Count a failure, and delete those that no longer count."""
    FailedLogIn.objects.filter(at__lt=timezone.now() - WINDOW).delete()
    FailedLogIn.objects.create(username=username[:150], address=address)


def forget_failures(username: str, address: str) -> None:
    """Delete the failures of this name and address, after a correct password."""
    FailedLogIn.objects.filter(username=username[:150], address=address).delete()


class ThrottledBackend(ModelBackend):
    """Django's users, with a limit: after too many failures no password is checked.

    It applies to every page with a log-in. Calls without a request (from a shell) are not counted.
    """

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **other: Any,
    ) -> Any:
        """Return the user, None for a wrong name or password; raise `PermissionDenied` at the limit."""
        name = username or ""
        if request is None:
            return super().authenticate(request, username, password, **other)
        address = address_of(request)
        wait = wait_for(name, address)
        if wait:
            setattr(request, MARK, wait)
            raise PermissionDenied
        user = super().authenticate(request, username, password, **other)
        if user is None:
            note_failure(name, address)
        else:
            forget_failures(name, address)
        return user


def check_password(request: Any, password: str) -> bool:
    """Whether this is the caller's password; raise `Problem` (429) after too many wrong ones."""
    name, address = request.user.get_username(), address_of(request)
    wait = wait_for(name, address)
    if wait:
        raise Problem(429, "too_many_requests", throttled(wait), headers={"Retry-After": str(wait)})
    good: bool = request.user.check_password(password)
    (forget_failures if good else note_failure)(name, address)
    return good


def throttled(wait: int) -> str:
    """Return the message for a caller that must wait."""
    return f"Too many wrong passwords from your address. Try again in {quantity(wait, 'second')}."


class LogInForm(AuthenticationForm):
    """Log-in form that shows when the next attempt is possible."""

    password = CharField(
        label="Password", strip=False, max_length=MAX_PASSWORD, widget=PasswordInput(_PASSWORD_FIELD)
    )

    def get_invalid_login_error(self) -> ValidationError:
        """Return the error of the form."""
        wait = getattr(self.request, MARK, 0)
        return ValidationError(throttled(wait), "throttled") if wait else super().get_invalid_login_error()


class LogIn(LoginView):
    """Log-in page."""

    template_name = "live/login.html"
    redirect_authenticated_user = True
    authentication_form = LogInForm


class ThrottledStatus:
    """Middleware that answers a throttled log-in on any page with 429 and `Retry-After`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Return the page with the status code for programs."""
        response = self.get_response(request)
        wait = getattr(request, MARK, 0)
        if wait:
            response.status_code = 429
            response.headers["Retry-After"] = str(wait)
        return response

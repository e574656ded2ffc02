"""Models of access tokens (only a digest is stored), edits of users, and failed log-ins."""

from typing import Any

from django.conf import settings
from django.db import models

from controlplane.accounts.scopes import ALL


def all_scopes() -> list[str]:
    """Return the default scopes of a token: all."""
    return list(ALL)


class Token(models.Model):
    """Access token of a user. Its text is shown once, when it is created.

    With a `publisher` or `subscriber` it is a client token, valid only for this client and deleted with it.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="access_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, in hexadecimal")
    scopes = models.JSONField(default=all_scopes)
    publisher = models.ForeignKey(
        "registry.Publisher", null=True, on_delete=models.CASCADE, related_name="tokens"
    )
    subscriber = models.ForeignKey(
        "registry.Subscriber", null=True, on_delete=models.CASCADE, related_name="tokens"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, help_text="last use, to the minute")
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    version = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(
                condition=models.Q(publisher=None) | models.Q(subscriber=None), name="one_client_a_token"
            ),
        )

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"

    @property
    def client(self) -> Any:
        """Return the publisher or subscriber of a client token; None for a user's token."""
        return self.publisher or self.subscriber


class UserEdits(models.Model):
    """Number of edits of a user; 0 without a row."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="edits")
    count = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name_plural = "user edits"


class FailedLogIn(models.Model):
    """Log-in with a wrong name or password. It is stored while it counts."""

    username = models.CharField(max_length=150)
    address = models.CharField(max_length=45)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("address", "at"), name="failed_log_in"),)

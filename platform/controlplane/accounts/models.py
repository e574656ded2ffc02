"""Access tokens, of which only a digest is kept; how often users were edited; and failed log-ins."""

from typing import Any

from django.conf import settings
from django.db import models

from controlplane.accounts.scopes import ALL


def all_scopes() -> list[str]:
    """What a token may do whose scopes nobody narrowed."""
    return list(ALL)


class Token(models.Model):
    """A token of a user; the text itself is shown once, when it is issued.

    With a `publisher` or `subscriber` it is a client token, good for that one alone, and goes with it.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="access_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, in hex")
    scopes = models.JSONField(default=all_scopes)
    publisher = models.ForeignKey(
        "registry.Publisher", null=True, on_delete=models.CASCADE, related_name="tokens"
    )
    subscriber = models.ForeignKey(
        "registry.Subscriber", null=True, on_delete=models.CASCADE, related_name="tokens"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, help_text="to the minute or so")
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
        """The publisher or subscriber that it is good for; None for a token of a user's."""
        return self.publisher or self.subscriber


class UserEdits(models.Model):
    """How often a user was edited; none while there is no row."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="edits")
    count = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name_plural = "user edits"


class FailedLogIn(models.Model):
    """A log-in with a wrong name or password, kept for as long as it counts against the next ones."""

    username = models.CharField(max_length=150)
    address = models.CharField(max_length=45)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("address", "at"), name="failed_log_in"),)

"""Answers that are kept for who asks again."""

from django.apps import AppConfig


class RepliesConfig(AppConfig):
    """Calls with an `Idempotency-Key`, each carried out once."""

    name = "controlplane.rest.idempotency"
    label = "replies"

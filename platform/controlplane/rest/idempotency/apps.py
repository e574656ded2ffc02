"""App for stored answers to calls with an `Idempotency-Key`."""

from django.apps import AppConfig


class IdempotencyConfig(AppConfig):
    """App of the calls with an `Idempotency-Key`, each of which runs once."""

    name = "controlplane.rest.idempotency"
    label = "replies"

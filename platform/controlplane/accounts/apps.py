"""App of roles and access tokens."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """App of roles, and of the tokens that authenticate programs."""

    name = "controlplane.accounts"
    label = "accounts"

    def ready(self) -> None:
        """Count edits of users."""
        from controlplane.accounts import user_versions  # noqa: PLC0415 - needs the models

        user_versions.watch()

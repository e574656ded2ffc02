"""App of roles and access tokens."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """App of roles, and of the tokens that authenticate programs."""

    name = "controlplane.accounts"
    label = "accounts"

    def ready(self) -> None:
        """Register the token authentication in the API's schema, and count edits of users."""
        from controlplane.accounts import authentication_schema, user_versions  # noqa: F401, PLC0415 - registers itself

        user_versions.watch()

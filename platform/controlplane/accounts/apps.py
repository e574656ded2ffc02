"""Roles and access tokens."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Who may do what, and the tokens that programs log in with."""

    name = "controlplane.accounts"
    label = "accounts"

    def ready(self) -> None:
        """Make the token log-in known to the API's schema, and count edits of users."""
        from controlplane.accounts import authentication_schema, user_versions  # noqa: F401, PLC0415 - registers itself

        user_versions.watch()

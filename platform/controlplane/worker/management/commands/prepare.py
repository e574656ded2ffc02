"""`manage.py prepare`: create the database, the secrets, the first users and the schedules."""

from typing import Any

from django.conf import settings
from django.core.management import call_command

from controlplane.aggregation import policy
from controlplane.analytics.models import Schedule
from controlplane.operations import bootstrap
from controlplane.operations.backup.data_files import correct_modes
from controlplane.worker.management.base_command import PlatformCommand


class Command(PlatformCommand):
    """Prepare an installation for its first start; existing data does not change."""

    help = __doc__ or ""

    def handle(self, *args: Any, **options: Any) -> None:
        """Prepare the installation, and print a line for each step."""
        folder = settings.ENV.secrets_dir
        self._say(f"state and secrets in {settings.ENV.state_dir}")
        call_command("migrate", interactive=False, verbosity=0)
        for path in correct_modes(settings.ENV):
            self._say(f"other users could read {path}; now only its owner can")
        self._say("database is up to date")
        bootstrap.make_groups()
        self._say("roles: " + ", ".join(bootstrap.GROUPS))
        made = bootstrap.make_administrator()
        where = f"password in {folder / bootstrap.ADMIN_PASSWORD}" if made else "exists already"
        self._say(f"user {bootstrap.ADMIN}: {where}")
        made = bootstrap.make_operator_token()
        token = folder / bootstrap.OPERATOR_TOKEN
        self._say(f"operator's token: {'written to' if made else 'still valid in'} {token}")
        bootstrap.make_schedules()
        names = [*(name for name, *_ in bootstrap.SCHEDULES), policy.TASK_NAME]
        self._say("periodic tasks: " + ", ".join(names))
        self._say("scheduled analytics jobs: " + ", ".join(Schedule.objects.values_list("name", flat=True)))

    def _say(self, text: str) -> None:
        self.stdout.write(f"prepare: {text}")
        self.stdout.flush()

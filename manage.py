#!/usr/bin/env python3
"""Django's command line for the control plane."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "platform"))

from tercast.runtime.packages import call
from tercast.runtime.private_files import keep_private


def main() -> None:
    """Run a management command."""
    keep_private()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.config.settings")
    from django.core.management import execute_from_command_line  # noqa: PLC0415

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    sys.exit(call(main, "manage.py", "server"))

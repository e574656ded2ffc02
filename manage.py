#!/usr/bin/env python3
"""Django's command line for the control plane."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Run a management command."""
    sys.path.insert(0, str(Path(__file__).parent / "platform"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.config.settings")
    from django.core.management import execute_from_command_line  # noqa: PLC0415

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()

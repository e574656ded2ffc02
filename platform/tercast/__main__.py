"""Entry point of `python -m tercast`, which is the `tercast` command."""

import sys

from tercast.runtime.packages import start


def main() -> int:
    """Run the `tercast` command; return its exit status."""
    return start("tercast.cli.main", "tercast")


if __name__ == "__main__":
    sys.exit(main())

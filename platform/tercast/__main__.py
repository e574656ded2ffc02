"""`python -m tercast` is the `tercast` command."""

import sys

from tercast.cli import main

if __name__ == "__main__":
    sys.exit(main())

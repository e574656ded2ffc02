"""`python -m tercast.client`: the host tools without the rest of the `tercast` command."""

import sys

from tercast.packages import start

if __name__ == "__main__":
    sys.exit(start("tercast.client.cli", "python -m tercast.client"))

"""Entry point of `python -m tercast.client`: the host tools without the other commands."""

import sys

from tercast.runtime.packages import start

if __name__ == "__main__":
    sys.exit(start("tercast.client.commands", "python -m tercast.client"))

"""Entry point of `python -m analytics`."""

import sys

from tercast.runtime.packages import start
from tercast.runtime.private_files import keep_private

if __name__ == "__main__":
    keep_private()
    sys.exit(start("analytics.cli", "python -m analytics", "analytics"))

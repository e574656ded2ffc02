"""`python -m analytics`."""

import sys

from tercast.packages import start

if __name__ == "__main__":
    sys.exit(start("analytics.cli", "python -m analytics", "analytics"))

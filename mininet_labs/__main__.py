"""Entry point of `python -m mininet_labs COMMAND`."""

import sys

from tercast.runtime.packages import start
from tercast.runtime.private_files import keep_private

if __name__ == "__main__":
    keep_private()
    try:
        status = start("mininet_labs.commands", "python -m mininet_labs", "production,labs")
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)

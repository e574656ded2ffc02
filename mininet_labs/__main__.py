"""`python -m mininet_labs COMMAND`."""

import sys

try:
    from mininet_labs.commands import main

    status = main()
except KeyboardInterrupt:
    status = 130
sys.exit(status)

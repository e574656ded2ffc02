"""`python -m mininet_labs COMMAND`."""

import sys

from mininet_labs.commands import main

sys.exit(main())

"""`python -m tercast.client`: the host tools without the rest of the `tercast` command."""

import sys

from tercast.client.cli import main

sys.exit(main())

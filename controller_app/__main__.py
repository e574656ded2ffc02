"""`python -m controller_app`: the standard library is made cooperative before anything else is imported."""

# ruff: noqa: E402 - the order of these imports is the point
import sys
import warnings

if not sys.warnoptions:
    warnings.simplefilter("ignore")

import eventlet

eventlet.monkey_patch()

from controller_app.errors import SettingError

try:
    from controller_app.launcher import main
except SettingError as error:
    print(error, file=sys.stderr)
    sys.exit(2)

if __name__ == "__main__":
    sys.exit(main())

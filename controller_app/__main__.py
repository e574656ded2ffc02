"""Entry point of `python -m controller_app`."""

import os
import sys
import warnings
from importlib import import_module

from controller_app.errors import SettingError
from tercast.runtime.packages import call
from tercast.runtime.private_files import keep_private


def main() -> int:
    """Make the standard library cooperative before any other import, then run the controller."""
    keep_private()
    os.environ.setdefault("EVENTLET_NO_GREENDNS", "yes")  # it resolves no names, and starts faster
    import_module("eventlet").monkey_patch()
    try:
        launcher = import_module("controller_app.launcher")
    except SettingError as error:
        print(error, file=sys.stderr)
        return 2
    return int(launcher.main())


if __name__ == "__main__":
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    sys.exit(call(main, "python -m controller_app", "controller"))

"""Entry point of `python -m tercast.compiled`, which compiles the kernels."""

import sys

from tercast.runtime.packages import start


def main() -> int:
    """Compile the kernels that are not ready; return the exit status."""
    return start("tercast.cli.precompile", "python -m tercast.compiled", "compiled")


if __name__ == "__main__":
    sys.exit(main())

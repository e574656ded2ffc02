"""`python -m tercast.compiled` compiles the kernels."""

import sys

from tercast.runtime.packages import start


def main() -> int:
    """Compile what is not ready; its exit status."""
    return start("tercast.cli.precompile", "python -m tercast.compiled", "compiled")


if __name__ == "__main__":
    sys.exit(main())

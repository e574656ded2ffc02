"""`python -m tercast.compiled` compiles the kernels."""

import sys

from tercast.packages import start


def main() -> int:
    """Compile what is not ready; its exit status."""
    return start("tercast.compiled.command", "python -m tercast.compiled", "compiled")


if __name__ == "__main__":
    sys.exit(main())

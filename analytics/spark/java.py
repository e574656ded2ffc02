"""Search for the Java that Spark will start; an error explains what is missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from analytics.errors import NoJava

OLDEST = 17
_HINT = f"Spark needs Java {OLDEST} or newer (Debian: apt-get install openjdk-17-jre-headless)"
_VERSION = re.compile(r'version "([0-9]+)(?:\.([0-9]+))?')


def check_java(environ: Mapping[str, str] = os.environ) -> str:
    """Return the path of the Java that Spark will start.

    Raises:
        NoJava: Java is missing or too old.
    """
    home = environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java", path=environ.get("PATH"))
    if java is None:
        raise NoJava(f"java is not on PATH and JAVA_HOME is not set: {_HINT}")
    try:
        process = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        where = f"JAVA_HOME is {home}, but {java}" if home else java
        raise NoJava(f"{where} does not run: {_HINT}") from None
    version = java_version(process.stderr + process.stdout)
    if version is None or version < OLDEST:
        raise NoJava(f"{java} is Java {version or 'of an unknown version'}: {_HINT}")
    return java


def java_version(text: str) -> int | None:
    """Return the major version in the output of `java -version`; None if there is none."""
    found = _VERSION.search(text)
    if found is None:
        return None
    return int(found[2] or 1) if found[1] == "1" else int(found[1])

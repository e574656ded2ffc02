"""A command whose third-party package is missing names the package and the command that installs it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
MISSING = [
    ("numpy", "tercast", "tercast", ".", ("plan", "x.json")),
    ("numpy", "tercast.compiled", "python -m tercast.compiled", ".", ("--check",)),
    ("cryptography", "tercast", "tercast", "'.[controller]'", ("certificates", "{folder}")),
    (
        "pyspark",
        "analytics",
        "python -m analytics",
        "'.[analytics]'",
        ("delay", "--telemetry=/x", "--out=/x"),
    ),
    ("eventlet", "controller_app", "python -m controller_app", "'.[controller]'", ("--token-file=x",)),
    ("ryu", "controller_app", "python -m controller_app", "'.[controller]'", ("--token-file=x",)),
    ("django", "manage", "manage.py", "'.[server]'", ("check",)),
    ("httpx", "mininet_labs", "python -m mininet_labs", "'.[production,labs]'", ("run", "--for=1")),
]
"""Package, module, name of the command, what to install, and arguments."""
RUN = """
import runpy, sys
package, module, *arguments = sys.argv[1:]
sys.modules[package] = None
sys.argv = [module, *arguments]
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize(("package", "module", "program", "extra", "arguments"), MISSING)
def test_a_missing_package_is_named(package, module, program, extra, arguments, tmp_path):
    given = [text.format(folder=tmp_path / "made") for text in arguments]
    done = subprocess.run(
        [sys.executable, "-c", RUN, package, module, *given],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    [line] = done.stderr.splitlines()
    assert line.startswith(
        f"{program}: the Python package {package} is not installed. Run `{sys.executable} "
    )
    assert f"-m pip install {extra}` in the folder of Tercast's source" in line


def test_a_missing_module_of_tercast_is_a_fault_and_not_a_missing_package():
    text = (
        "import sys; sys.modules['tercast.planner.planner'] = None; from tercast.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "Traceback" in done.stderr


def test_programs_of_hosts_load_no_numpy():
    text = "import sys, tercast.client.publisher, tercast.client.subscriber; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", text], check=False).returncode == 0

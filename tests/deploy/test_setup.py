"""scripts/setup.sh: one set-up of a folder at a time."""

import fcntl
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_second_set_up_waits_for_the_first(tmp_path):
    script = tmp_path / "scripts" / "setup.sh"
    script.parent.mkdir()
    shutil.copy(ROOT / "scripts" / "setup.sh", script)
    with script.open("rb") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        second = subprocess.Popen(
            ["sh", str(script), "nonsense"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert second.stdout is not None
        assert (
            second.stdout.readline()
            == "setup: another set-up of this folder is running; waiting until it ends\n"
        )
        assert second.poll() is None
    said, _ = second.communicate(timeout=60)
    assert second.returncode == 1 and 'unknown part "nonsense"' in said

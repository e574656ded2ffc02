"""The control plane as real processes: its own database, uvicorn on a free port, and a driver."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx
from support.controlplane.own_database import migrated_file
from support.ports import free_port
from waiting import LIMIT_SECONDS, wait_until

from mininet_labs.demo.platform_up import WEB, WEB_OPTIONS

ROOT = Path(__file__).resolve().parents[3]
PASSWORD = "correct horse battery"  # of every user


class Driver:
    """A separate process that writes into the platform's database."""

    def __init__(self, environment):
        command = [sys.executable, str(Path(__file__).with_name("e2e_driver.py"))]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)
        self._answer()

    def do(self, step, **arguments):
        self.process.stdin.write(json.dumps([step, arguments]) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def close(self):
        self.process.stdin.close()
        self.process.wait(LIMIT_SECONDS)
        self.process.stdout.close()

    def _answer(self):
        line = self.process.stdout.readline()
        assert line, "the driver ended"
        fine, value = json.loads(line)
        assert fine, value
        return value


class ControlPlane:
    """uvicorn on an SQLite file. `base` is its address; `do` changes the database like workers."""

    def __init__(self, environment=None):
        self.folder = Path(tempfile.mkdtemp(prefix="tercast-e2e-", dir="/tmp"))
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("TERCAST_")},
            "TERCAST_STATE_DIR": str(self.folder / "state"),
            "DJANGO_SETTINGS_MODULE": "controlplane.config.settings",
            "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}",
            **(environment or {}),
        }
        self.server = None
        self.driver = None

    def prepare(self):
        if "TERCAST_DATABASE_URL" in self.environment:
            command = [sys.executable, str(ROOT / "manage.py"), "migrate", "-v0"]
            subprocess.run(command, env=self.environment, check=True, timeout=LIMIT_SECONDS)
        else:
            (self.folder / "state").mkdir(mode=0o700)
            migrated_file(self.folder / "state/tercast.sqlite3")
        self.driver = Driver(self.environment)

    def start(self):
        log = (self.folder / "uvicorn.log").open("ab")
        command = [
            *(sys.executable, "-m", "uvicorn", WEB, *WEB_OPTIONS),
            *("--host", "127.0.0.1", "--port", str(self.port)),
        ]
        self.server = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)
        log.close()
        self._wait_until_up()

    def stop(self, how=signal.SIGTERM):
        """Stop the server; `start` starts it again on the same port."""
        if self.server is not None:
            self.server.send_signal(how)
            self.server.wait(LIMIT_SECONDS)
            self.server = None

    def close(self):
        self.stop()
        if self.driver is not None:
            self.driver.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def log(self):
        return (self.folder / "uvicorn.log").read_text()

    def do(self, step, **arguments):
        """Run a step of `e2e_driver.py` and return its value."""
        return self.driver.do(step, **arguments)

    def emit(self, kind, payload, times=1):
        return self.do("emit", kind=kind, payload=payload, times=times)

    def _wait_until_up(self):
        def answers() -> bool:
            assert self.server.poll() is None, self.log()
            try:
                httpx.get(self.base + "/login/", timeout=LIMIT_SECONDS)
            except httpx.TransportError:
                return False
            return True

        wait_until(self.log, answers)

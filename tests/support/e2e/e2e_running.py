"""The whole platform with its demo network and real Open vSwitch, for tests of pages."""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx
from e2e_platform import ROOT, free_port

from tests.support.controlplane.own_database import migrated_file
from tests.waiting import LIMIT_SECONDS, wait_until

READY = "Ctrl-C ends it."


class RunningPlatform:
    """`python -m mininet_labs run` in its own folder. `base` is its address; it ends with the tests."""

    def __init__(self, *arguments: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="tc-e2e-", dir="/tmp"))
        self.run_dir = self.folder / "run"
        self.log = self.folder / "out"
        self.base = f"http://127.0.0.1:{free_port()}"
        self.passwords: dict[str, str] = {}
        self.sessions: dict[str, list[Any]] = {}
        state = self.run_dir / "state"
        state.mkdir(mode=0o700, parents=True)
        migrated_file(state / "tercast.sqlite3")
        port = self.base.rsplit(":", 1)[1]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "mininet_labs", "run", "--port", port, "--rate", "10", *arguments],
                env={**os.environ, "TERCAST_RUN_DIR": str(self.run_dir)},
                cwd=ROOT,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def wait_until_ready(self) -> None:
        """Wait until the demo runs and its page can be opened."""
        wait_until("the platform", self._ready)
        text = self.log.read_text()
        assert self.base in text, text

    def _ready(self) -> bool:
        text = self.log.read_text()
        assert self.process.poll() is None, text
        return READY in text

    @property
    def password(self) -> str:
        """The password of the user `admin`."""
        return (self.run_dir / "state/secrets/admin-password").read_text().strip()

    @property
    def token(self) -> str:
        """The token of the user `operator` for the API."""
        return (self.run_dir / "state/secrets/operator-token").read_text().strip()

    def call(self, method: str, path: str, body: object = None, wait: int = 30) -> httpx.Response:
        """Call the API as `operator`, and wait until the request has ended."""
        headers = {"Authorization": f"Bearer {self.token}", "Prefer": f"wait={wait}"}
        url = f"{self.base}/api/v1/{path}"
        return httpx.request(method, url, json=body, headers=headers, timeout=wait + 30, trust_env=False)

    def add_users(self, roles: dict[str, str]) -> None:
        """Add users with these roles, and record their passwords in `passwords`."""
        made = {name: secrets.token_urlsafe(12) for name in roles}
        code = "from django.contrib.auth.models import User, Group\n" + "".join(
            f"User.objects.create_user({name!r}, password={password!r})"
            f".groups.add(Group.objects.get(name={roles[name]!r}))\n"
            for name, password in made.items()
        )
        environment = {
            **os.environ,
            "TERCAST_STATE_DIR": str(self.run_dir / "state"),
            "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}",
        }
        command = [sys.executable, str(ROOT / "manage.py"), "shell", "-v0", "-c", code]
        subprocess.run(command, env=environment, check=True)
        self.passwords.update(made)

    def close(self) -> None:
        """Stop it like a user, with all its processes."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(LIMIT_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

"""Processes on the test's database: a Celery worker with its own broker, and processes to kill."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.db import connection

from controlplane.common import fault_injection
from controlplane.deployment import session, session_cache
from tests import waiting

ROOT = Path(__file__).resolve().parents[3]
CELERY = [sys.executable, "-m", "celery", "-A", "controlplane.config.celery"]


def environment(state_dir: Path, northbound_url: str, **more: str) -> dict[str, str]:
    """Return the environment of a process that shares the test's database, with its own state directory."""
    secrets = state_dir / "secrets"
    secrets.mkdir(parents=True, exist_ok=True)
    (secrets / "northbound-token").write_text(settings.NORTHBOUND_TOKEN)
    own = {key: value for key, value in os.environ.items() if not key.startswith("TERCAST_")}
    return {
        **own,
        "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}",
        "DJANGO_SETTINGS_MODULE": "controlplane.config.settings",
        "TERCAST_STATE_DIR": str(state_dir),
        "TERCAST_NORTHBOUND_URL": northbound_url,
        "TERCAST_DATABASE_URL": database_url(),
        **more,
    }


def database_url() -> str:
    found = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite://{found['NAME']}"
    user, password = quote(found["USER"]), quote(found["PASSWORD"])
    return f"postgresql://{user}:{password}@{found['HOST']}:{found['PORT'] or 5432}/{found['NAME']}"


class Process:
    """A process whose output goes to a file; it ends with the test."""

    def __init__(self, arguments: list[str], env: dict[str, str], log: Path) -> None:
        self.log = log
        with log.open("a") as out:
            self.popen = subprocess.Popen(
                arguments, env=env, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        if self.popen.poll() is None:
            self.popen.kill()
            self.popen.wait()

    def died(self, within: float = waiting.LIMIT_SECONDS) -> int:
        """Wait for its end, and return its exit status."""
        try:
            return self.popen.wait(within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still runs; its log:\n{self.log.read_text()[-3000:]}") from None

    def stop(self) -> int:
        self.popen.send_signal(signal.SIGTERM)
        return self.died()


def worker(env: dict[str, str], log: Path) -> Process:
    flags = ["-Q", "planner,celery", "--without-heartbeat", "--without-gossip", "--without-mingle"]
    return Process([*CELERY, "worker", *flags], env, log)


def kill_at(step: str, work: Callable[[], object] = session.run) -> None:
    """Run `work` in a new process until it is killed at `step`.

    The process is a fork of the test: it starts quickly, and dies like any process.
    """

    def die() -> None:
        os.environ[fault_injection.VARIABLE] = step
        session_cache._kept = None
        work()

    connection.close()
    child = get_context("fork").Process(target=die)
    child.start()
    child.join(waiting.LIMIT_SECONDS)
    child.kill()
    child.join()
    assert child.exitcode == -signal.SIGKILL, f"{step} was not reached: exit status {child.exitcode}"
    if connection.vendor == "postgresql":
        assert waiting.eventually(_has_no_lock), "the server still holds a lock of the killed process"


def _has_no_lock() -> bool:
    """Whether the server has released all locks of sessions; it notices killed ones a moment later."""
    database = "(SELECT oid FROM pg_database WHERE datname = current_database())"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = {database}")
        return cursor.fetchone()[0] == 0


def wait_until(condition: Callable[[], bool], what: str, process: Process) -> None:
    """Wait for `condition`; fail with the end of the log, also if the process ends earlier."""

    def message() -> str:
        return f"{what} did not happen; the log:\n{process.log.read_text()[-3000:]}"

    def holds() -> bool:
        found = condition()
        assert found or process.popen.poll() is None, message()
        return found

    waiting.wait_until(message, holds)

"""The run directory of a fabric: its lock, the names of its files, and their removal.

RUN/fabric.lock            locked (fcntl) while a process owns the fabric; contains the id of this process
RUN/conf.db                database of the switches, created again at every start
RUN/NAME.log, NAME.process log and process record of a daemon (see cleanup.py)
RUN/s/                     sockets; a link to a short folder if RUN is too long for socket addresses
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from pathlib import Path

from mininet_labs.fabric.errors import FabricError

SOCKET_PATH_LIMIT = 107
"""Highest number of bytes in the path of a Unix socket: 108 of `sun_path` minus its closing zero."""
LONGEST_NAME = 24
"""Bytes of the longest file name in the socket folder."""
DAEMONS = ("ovs-vswitchd", "ovsdb-server")
SHORT_PREFIX = "tercast-fabric-"
OWNER_FILE = "owner"

_held: set[Path] = set()  # fcntl locks do not exclude a second fabric of this process


class RunDir:
    """A run directory: `acquire()`, `make_sockets()`, use, `remove()`, `release()`."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).absolute()
        self._lock: int | None = None
        self._made = False
        self._inherited = False
        self._sockets: Path | None = None

    @property
    def held(self) -> bool:
        """Whether this object has locked the folder."""
        return self._lock is not None

    @property
    def database(self) -> Path:
        """The database of the switches."""
        return self.path / "conf.db"

    def log(self, daemon: str) -> Path:
        """Return the path of a daemon's log."""
        return self.path / f"{daemon}.log"

    def process(self, daemon: str) -> Path:
        """Return the path of a daemon's process record."""
        return self.path / f"{daemon}.process"

    def socket(self, name: str) -> Path:
        """Return the path of a socket, which is short enough for `bind`."""
        if self._sockets is None:
            raise FabricError(self.path, "the fabric is not running", "call start() first")
        return self._sockets / name

    def acquire(self) -> None:
        """Create the folder and lock it.

        Raises:
            FabricError: A process, or another object of this one, has locked it.
        """
        if self.path in _held:
            raise self._in_use(os.getpid())
        self._made = not self.path.exists()
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock = self._take_lock()
        except (FileExistsError, NotADirectoryError, PermissionError) as error:
            rule = f"cannot be the run directory ({error.strerror})"
            raise FabricError(self.path, rule, "name a folder that you can write to") from error
        _held.add(self.path)
        self._refuse_foreign_files()

    def make_sockets(self) -> None:
        """Create the socket folder in the run directory, or a short one with a link to it."""
        inside = self.path / "s"
        if len(os.fsencode(inside)) + 1 + LONGEST_NAME <= SOCKET_PATH_LIMIT:
            inside.mkdir(mode=0o700)
            self._sockets = inside
            return
        self._sockets = Path(tempfile.mkdtemp(prefix=SHORT_PREFIX, dir=_short_root()))
        (self._sockets / OWNER_FILE).write_bytes(os.fsencode(self.path))
        inside.symlink_to(self._sockets)

    def remove(self) -> None:
        """Remove all files that a fabric creates here, and nothing else."""
        self._remove_sockets()
        for path in self._files():
            path.unlink(missing_ok=True)
        self._sockets = None

    def release(self) -> None:
        """Release the folder; remove it if it is empty and `acquire()` created it."""
        if self._lock is None:
            return
        (self.path / "fabric.lock").unlink(missing_ok=True)
        os.close(self._lock)
        self._lock = None
        _held.discard(self.path)
        if self._made and not any(self.path.iterdir()):
            self.path.rmdir()

    def leftover_sockets(self) -> Path | None:
        """Return the socket folder of an earlier fabric in this run directory, or None."""
        inside = self.path / "s"
        if not inside.is_symlink():
            return inside if inside.is_dir() else None
        target = inside.readlink()
        return target if self._is_own_short_folder(target) else None

    def _files(self) -> list[Path]:
        per_daemon = [path for daemon in DAEMONS for path in (self.log(daemon), self.process(daemon))]
        return [*per_daemon, self.database, self.path / ".conf.db.~lock~"]

    def _refuse_foreign_files(self) -> None:
        # A lock file with the id of its owner exists whenever a fabric has created files here.
        if self._inherited:
            return
        for path in (self.path / "s", *self._files()):
            if os.path.lexists(path):
                self.release()
                rule = "already exists, and no fabric created it"
                raise FabricError(path, rule, "name an empty folder as the run directory")

    def _remove_sockets(self) -> None:
        sockets = self.leftover_sockets()
        if sockets is not None:
            shutil.rmtree(sockets)
        inside = self.path / "s"
        if inside.is_symlink():
            inside.unlink()

    def _is_own_short_folder(self, folder: Path) -> bool:
        # Anyone may have made the link; only a folder that names this run directory as its owner is removed.
        if not folder.name.startswith(SHORT_PREFIX) or folder.is_symlink() or not folder.is_dir():
            return False
        owner = folder / OWNER_FILE
        return (
            folder.stat().st_uid == os.geteuid()
            and owner.is_file()
            and owner.read_bytes() == os.fsencode(self.path)
        )

    def _take_lock(self) -> int:
        path = self.path / "fabric.lock"
        while True:
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                owner = os.read(lock, 20).decode("ascii", "replace").strip()
                os.close(lock)
                raise self._in_use(owner) from None
            if _same_file(lock, path):
                break
            os.close(lock)  # the owner removed the file after open and before lockf
        self._inherited = os.fstat(lock).st_size > 0
        os.ftruncate(lock, 0)
        os.write(lock, str(os.getpid()).encode())
        return lock

    def _in_use(self, owner: object) -> FabricError:
        rule = f"the running fabric of process {owner} uses this run directory"
        return FabricError(self.path, rule, "stop it, or name another directory")


def _same_file(descriptor: int, path: Path) -> bool:
    try:
        return path.stat().st_ino == os.fstat(descriptor).st_ino
    except FileNotFoundError:
        return False


def _short_root() -> Path:
    """Return a short folder for sockets, either private to this user or with the sticky bit."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    room = SOCKET_PATH_LIMIT - LONGEST_NAME - len(SHORT_PREFIX) - 8 - 2
    if runtime and len(os.fsencode(runtime)) <= room and os.access(runtime, os.W_OK | os.X_OK):
        return Path(runtime)
    root = Path("/tmp")  # noqa: S108 - mkdtemp creates a private folder in it
    if not stat.S_ISDIR(root.stat().st_mode):
        raise FabricError(root, "is not a folder", "set XDG_RUNTIME_DIR to a short folder")
    return root

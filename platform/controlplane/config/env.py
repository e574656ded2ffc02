"""The environment, read once and typed; an invalid value stops the start with its name."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from ipaddress import ip_address
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, cast
from urllib.parse import unquote, urlsplit

from controlplane.common import server_urls
from tercast.runtime.log_format import FORMAT_VARIABLE, FORMATS

_SOURCE = Path(__file__).resolve().parents[3]
ROOT = _SOURCE if (_SOURCE / "manage.py").is_file() else Path.cwd()
"""The folder of the source tree; the working directory for packages installed without it."""

YEAR = 31_536_000
LOOPBACK = "localhost,127.0.0.1,[::1]"
MASTER = (r"local(\[[0-9*]+\])?|spark://\S+|yarn|k8s://\S+", "local[*], local[N] or spark://HOST:PORT")
MEMORY = (r"[1-9][0-9]{0,6}[mg]", "a size such as 1g or 800m")
TELEMETRY = (
    r"/\S.*|[A-Za-z][A-Za-z0-9+.-]+:\S+",
    "an absolute path or a URL of a file system that Spark reads",
)
DATABASE_RULE = "use postgresql://USER:PASSWORD@HOST:PORT/NAME or sqlite:///PATH"

Variables = Mapping[str, str]
P = ParamSpec("P")
Value = TypeVar("Value")
_READ = "read"


class BadSetting(Exception):  # noqa: N818 - named by meaning
    """An environment variable has an invalid value."""

    def __init__(self, name: str, value: str, rule: str) -> None:
        super().__init__(f"{name}={server_urls.masked(value)!r}: {rule}")


def _setting(
    read: Callable[Concatenate[Variables, str, P], Value], name: str, *args: P.args, **kwargs: P.kwargs
) -> Value:
    """Declare a field of `Environment`: its variable, and the function that reads it."""
    return cast("Value", field(metadata={_READ: lambda env: read(env, name, *args, **kwargs)}))


def _state_dir(env: Variables, name: str) -> Path:
    return Path(env.get(name, str(ROOT / "run" / "state"))).absolute()


def _names(env: Variables, name: str, default: str) -> tuple[str, ...]:
    """Read names that are separated by commas."""
    return tuple(filter(None, env.get(name, default).split(",")))


def _choice(env: Variables, name: str, choices: tuple[str, ...]) -> str:
    value = env.get(name, choices[0])
    if value not in choices:
        raise BadSetting(name, value, f"use one of {', '.join(choices)}")
    return value


def _endpoint(env: Variables, name: str, default: str) -> tuple[str, str, int]:
    """Read a scheme (tcp or ssl), an IP address and a port."""
    value = env.get(name, default)
    scheme, _, rest = value.partition(":") if value[:4] in ("tcp:", "ssl:") else ("tcp", "", value)
    host, _, port = rest.rpartition(":")
    try:
        address = ip_address(host.removeprefix("[").removesuffix("]"))
        if not (port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16):
            raise ValueError(port)
    except ValueError:
        raise BadSetting(
            name, value, "use ADDRESS:PORT, such as 192.0.2.1:6653, tcp:[::]:6653 or ssl:0.0.0.0:6653"
        ) from None
    return scheme, str(address), int(port)


def _folder(env: Variables, name: str) -> Path | None:
    value = env.get(name, "")
    if "://" in value:
        raise BadSetting(name, value, "use a folder of this machine; mount remote folders")
    return Path(value).absolute() if value else None


def _days(env: Variables, name: str, default: int) -> int:
    value = env.get(name, str(default))
    if not (value.isascii() and value.isdigit() and len(value) < 5 and 1 <= int(value) <= 3660):
        raise BadSetting(name, value, "use a number of days from 1 to 3660")
    return int(value)


def _number(env: Variables, name: str, default: int, bounds: tuple[int, int]) -> int:
    value = env.get(name, str(default))
    known = value.isascii() and value.isdigit() and len(value) < 10
    if not (known and bounds[0] <= int(value) <= bounds[1]):
        raise BadSetting(name, value, f"use a whole number from {bounds[0]} to {bounds[1]}")
    return int(value)


def _seconds(env: Variables, name: str) -> int | None:
    value = env.get(name, "")
    if not value:
        return None
    if not (value.isascii() and value.isdigit()) or len(value) > 6:
        raise BadSetting(name, value, "use a number of seconds, or 0 for never")
    return int(value)


def _time(env: Variables, name: str, default: float, bounds: tuple[float, float]) -> float:
    value = env.get(name)
    if value is None:
        return default
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not bounds[0] <= seconds <= bounds[1]:
        raise BadSetting(name, value, f"use a number of seconds from {bounds[0]:g} to {bounds[1]:g}")
    return seconds


def _matching(env: Variables, name: str, default: str, pattern: str, rule: str) -> str:
    value = env.get(name, "") or default
    if value and not re.fullmatch(pattern, value):
        raise BadSetting(name, value, f"use {rule}")
    return value


def _hsts(env: Variables, name: str, default: int) -> int:
    value = env.get(name, "") or str(default)
    if not (value.isascii() and value.isdigit() and len(value) < 10 and int(value) > 0):
        raise BadSetting(name, value, "use a number of seconds from 1 to 999999999")
    return int(value)


def _flag(env: Variables, name: str) -> bool:
    value = env.get(name, "0")
    if value not in ("0", "1"):
        raise BadSetting(name, value, "use 0 or 1")
    return value == "1"


def _url(env: Variables, name: str, default: str, schemes: tuple[str, ...]) -> str:
    value = env.get(name, "") or default
    if urlsplit(value).scheme not in schemes:
        raise BadSetting(name, value, f"use a URL that starts with {' or '.join(s + '://' for s in schemes)}")
    return value


def _redis(env: Variables, name: str) -> str | None:
    url = env.get(name, "")
    try:
        return server_urls.redis(url) if url else None
    except ValueError as error:
        raise BadSetting(name, url, str(error)) from None


def _database(env: Variables, name: str) -> dict[str, object]:
    url = env.get(name, "")
    if not url:
        return _sqlite(_state_dir(env, "TERCAST_STATE_DIR") / "tercast.sqlite3")
    scheme = url.partition(":")[0].lower()
    try:
        if scheme == "sqlite":
            return _sqlite(_sqlite_path(url))
        if scheme not in server_urls.POSTGRESQL:
            raise ValueError(DATABASE_RULE)
        return server_urls.postgresql(url)
    except ValueError as error:
        raise BadSetting(name, url, str(error)) from None


def _sqlite_path(url: str) -> Path:
    parts = urlsplit(url)
    if parts.netloc or not parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError("use sqlite:///PATH with an absolute path, and write %3F for ? and %23 for #")
    return Path(unquote(parts.path))


def _sqlite(path: Path) -> dict[str, object]:
    # Without IMMEDIATE, parallel writers fail with "database is locked" despite the timeout.
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(path),
        "OPTIONS": {
            "timeout": 30,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
        },
        "TEST": {"NAME": None},
    }


@dataclass(frozen=True, slots=True)
class Environment:
    """Settings of the control plane from its environment, each with variable, default and rule.

    Paths are absolute, URLs are text, and `database` is a Django database mapping.
    """

    state_dir: Path = _setting(_state_dir, "TERCAST_STATE_DIR")
    database: dict[str, object] = _setting(_database, "TERCAST_DATABASE_URL")
    redis_url: str | None = _setting(_redis, "TERCAST_REDIS_URL")
    northbound_url: str = _setting(_url, "TERCAST_NORTHBOUND_URL", "http://127.0.0.1:6680", ("http",))
    allowed_hosts: tuple[str, ...] = _setting(_names, "TERCAST_ALLOWED_HOSTS", LOOPBACK)
    debug: bool = _setting(_flag, "TERCAST_DEBUG")
    https: bool = _setting(_flag, "TERCAST_HTTPS")
    hsts_seconds: int = _setting(_hsts, "TERCAST_HSTS_SECONDS", YEAR)
    address_family: str = _setting(_choice, "TERCAST_ADDRESS_FAMILY", ("ipv6", "ipv4"))
    source_check: bool = _setting(_flag, "TERCAST_SOURCE_CHECK")
    openflow: tuple[str, str, int] = _setting(_endpoint, "TERCAST_OPENFLOW", "127.0.0.1:6653")
    log_in_failures: int = _setting(_number, "TERCAST_LOG_IN_FAILURES", 5, (1, 1000))
    rate_limit: int = _setting(_number, "TERCAST_RATE_LIMIT", 30_000, (0, 10_000_000))
    streams: int = _setting(_number, "TERCAST_STREAMS", 4000, (1, 1_000_000))
    streams_a_caller: int = _setting(_number, "TERCAST_STREAMS_A_CALLER", 1000, (1, 1_000_000))
    streams_unchecked: int = _setting(_number, "TERCAST_STREAMS_UNCHECKED", 1024, (1, 1_000_000))
    stream_openings: int = _setting(_number, "TERCAST_STREAM_OPENINGS", 1000, (1, 1_000_000))
    key_hours: int = _setting(_number, "TERCAST_KEY_HOURS", 24, (1, 8760))
    keys: int = _setting(_number, "TERCAST_KEYS", 100_000, (1, 100_000_000))
    key_megabytes: int = _setting(_number, "TERCAST_KEY_MEGABYTES", 256, (1, 1_000_000))
    trail_days: int = _setting(_days, "TERCAST_TRAIL_DAYS", 365)
    trail_rows: int = _setting(_number, "TERCAST_TRAIL_ROWS", 1_000_000, (1000, 100_000_000))
    telemetry: Path | None = _setting(_folder, "TERCAST_TELEMETRY_ROOT")
    telemetry_days: int = _setting(_days, "TERCAST_TELEMETRY_DAYS", 30)
    request_days: int = _setting(_days, "TERCAST_REQUEST_DAYS", 30)
    ovs_run_dir: Path | None = _setting(_folder, "TERCAST_OVS_RUN_DIR")
    audit_seconds: int | None = _setting(_seconds, "TERCAST_AUDIT_SECONDS")
    leases_a_caller: int = _setting(_number, "TERCAST_LEASES_A_CALLER", 1000, (1, 1_000_000))
    lease_seconds: float = _setting(_time, "TERCAST_LEASE_SECONDS", 120.0, (4.0, 86400.0))
    seal_hours: int = _setting(_number, "TERCAST_SEAL_HOURS", 24, (1, 8760))
    settling_seconds: float = _setting(_time, "TERCAST_SETTLING_SECONDS", 2.0, (0.0, 600.0))
    spark_master: str = _setting(_matching, "TERCAST_SPARK_MASTER", "local[*]", *MASTER)
    spark_memory: str = _setting(_matching, "TERCAST_SPARK_MEMORY", "1g", *MEMORY)
    spark_telemetry_url: str = _setting(_matching, "TERCAST_SPARK_TELEMETRY", "", *TELEMETRY)
    analytics_days: int = _setting(_days, "TERCAST_ANALYTICS_DAYS", 30)
    database_wait_seconds: float = _setting(_time, "TERCAST_DATABASE_WAIT_SECONDS", 8.0, (0.1, 60.0))
    disk_free_megabytes: int = _setting(_number, "TERCAST_DISK_FREE_MEGABYTES", 512, (0, 100_000_000))
    restore_megabytes: int = _setting(_number, "TERCAST_RESTORE_MEGABYTES", 65_536, (1, 100_000_000))
    log_dir: Path | None = _setting(_folder, "TERCAST_LOG_DIR")
    link_approval: str = _setting(_choice, "TERCAST_LINK_APPROVAL", ("automatic", "manual"))
    log_format: str = _setting(_choice, FORMAT_VARIABLE, FORMATS)
    log_level: str = _setting(_choice, "TERCAST_LOG_LEVEL", ("info", "debug", "warning", "error"))

    @property
    def secrets_dir(self) -> Path:
        """Folder of generated secrets, which only their owner can read."""
        return self.state_dir / "secrets"

    @property
    def telemetry_root(self) -> Path:
        """Folder for telemetry."""
        return self.telemetry or self.state_dir / "telemetry"

    @property
    def spark_telemetry(self) -> str:
        """Source of telemetry for Spark: a folder, or a URL of a file system that Spark reads."""
        return self.spark_telemetry_url or str(self.telemetry_root)

    @classmethod
    def read(cls, variables: Mapping[str, str] | None = None) -> "Environment":
        """Read the variables `TERCAST_*`.

        Raises:
            BadSetting: A value is invalid; the text has the name of the first one.
        """
        env = os.environ if variables is None else variables
        return cls(**{one.name: one.metadata[_READ](env) for one in fields(cls)})

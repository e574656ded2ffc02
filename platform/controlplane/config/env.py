"""The environment, read once and typed; a bad value stops the start with its name."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote, urlsplit

from controlplane.common import server_urls
from tercast.runtime.log_format import FORMAT_VARIABLE, FORMATS

_SOURCE = Path(__file__).resolve().parents[3]
ROOT = _SOURCE if (_SOURCE / "manage.py").is_file() else Path.cwd()
"""The folder of the source tree; the working directory where the packages are installed without it."""

YEAR = 31_536_000
LOOPBACK = "localhost,127.0.0.1,[::1]"
MASTER = (r"local(\[[0-9*]+\])?|spark://\S+|yarn|k8s://\S+", "local[*], local[N] or spark://HOST:PORT")
MEMORY = (r"[1-9][0-9]{0,6}[mg]", "a size like 1g or 800m")
TELEMETRY = (
    r"/\S.*|[A-Za-z][A-Za-z0-9+.-]+:\S+",
    "an absolute path or a URL of a file system that Spark reads",
)
DATABASE_RULE = "use postgresql://USER:PASSWORD@HOST:PORT/NAME or sqlite:///PATH"


class BadSetting(Exception):  # noqa: N818 - named by meaning
    """An environment variable has a value that cannot be used."""

    def __init__(self, name: str, value: str, rule: str) -> None:
        super().__init__(f"{name}={server_urls.masked(value)!r}: {rule}")


@dataclass(frozen=True, slots=True)
class Environment:
    """What the control plane takes from its environment.

    Paths are absolute; URLs are text; `database` is a Django database mapping.
    """

    state_dir: Path
    database: dict[str, object]
    redis_url: str | None
    northbound_url: str
    allowed_hosts: tuple[str, ...]
    debug: bool
    address_family: str
    log_in_failures: int = 5
    https: bool = False
    hsts_seconds: int = YEAR
    source_check: bool = False
    openflow: tuple[str, str, int] = ("tcp", "127.0.0.1", 6653)
    rate_limit: int = 30_000
    streams: int = 4000
    streams_a_caller: int = 1000
    streams_unchecked: int = 1024
    stream_openings: int = 1000
    key_hours: int = 24
    keys: int = 100_000
    key_megabytes: int = 256
    trail_days: int = 365
    trail_rows: int = 1_000_000
    telemetry: Path | None = None
    telemetry_days: int = 30
    request_days: int = 30
    ovs_run_dir: Path | None = None
    audit_seconds: int | None = None
    lease_seconds: float = 120.0
    seal_hours: int = 24
    leases_a_caller: int = 1000
    settling_seconds: float = 2.0
    spark_master: str = "local[*]"
    spark_memory: str = "1g"
    spark_telemetry_url: str = ""
    analytics_days: int = 30
    database_wait_seconds: float = 8.0
    disk_free_megabytes: int = 512
    restore_megabytes: int = 65_536
    log_dir: Path | None = None
    link_approval: str = "automatic"
    log_format: str = "text"
    log_level: str = "info"

    @property
    def secrets_dir(self) -> Path:
        """The folder of generated secrets, readable by their owner alone."""
        return self.state_dir / "secrets"

    @property
    def telemetry_root(self) -> Path:
        """The folder that telemetry is written to."""
        return self.telemetry or self.state_dir / "telemetry"

    @property
    def spark_telemetry(self) -> str:
        """Where Spark reads telemetry: a folder, or the URL of a file system that it knows."""
        return self.spark_telemetry_url or str(self.telemetry_root)

    @classmethod
    def read(cls, variables: Mapping[str, str] | None = None) -> "Environment":
        """Read `TERCAST_*`; raises `BadSetting` with the name of the first bad one."""
        env = os.environ if variables is None else variables
        state_dir = Path(env.get("TERCAST_STATE_DIR", str(ROOT / "run" / "state"))).absolute()
        return cls(
            state_dir=state_dir,
            database=_database(env.get("TERCAST_DATABASE_URL", ""), state_dir),
            redis_url=_redis(env, "TERCAST_REDIS_URL"),
            northbound_url=_url(env, "TERCAST_NORTHBOUND_URL", ("http",)) or "http://127.0.0.1:6680",
            allowed_hosts=tuple(filter(None, env.get("TERCAST_ALLOWED_HOSTS", LOOPBACK).split(","))),
            debug=_flag(env, "TERCAST_DEBUG"),
            https=_flag(env, "TERCAST_HTTPS"),
            hsts_seconds=_hsts(env),
            address_family=_choice(env, "TERCAST_ADDRESS_FAMILY", ("ipv6", "ipv4")),
            source_check=_flag(env, "TERCAST_SOURCE_CHECK"),
            openflow=_endpoint(env, "TERCAST_OPENFLOW", "127.0.0.1:6653"),
            log_in_failures=_number(env, "TERCAST_LOG_IN_FAILURES", 5, (1, 1000)),
            rate_limit=_number(env, "TERCAST_RATE_LIMIT", 30_000, (0, 10_000_000)),
            streams=_number(env, "TERCAST_STREAMS", 4000, (1, 1_000_000)),
            streams_a_caller=_number(env, "TERCAST_STREAMS_A_CALLER", 1000, (1, 1_000_000)),
            streams_unchecked=_number(env, "TERCAST_STREAMS_UNCHECKED", 1024, (1, 1_000_000)),
            stream_openings=_number(env, "TERCAST_STREAM_OPENINGS", 1000, (1, 1_000_000)),
            key_hours=_number(env, "TERCAST_KEY_HOURS", 24, (1, 8760)),
            keys=_number(env, "TERCAST_KEYS", 100_000, (1, 100_000_000)),
            key_megabytes=_number(env, "TERCAST_KEY_MEGABYTES", 256, (1, 1_000_000)),
            trail_days=_days(env, "TERCAST_TRAIL_DAYS", 365),
            trail_rows=_number(env, "TERCAST_TRAIL_ROWS", 1_000_000, (1000, 100_000_000)),
            telemetry=_folder(env, "TERCAST_TELEMETRY_ROOT"),
            telemetry_days=_days(env, "TERCAST_TELEMETRY_DAYS", 30),
            request_days=_days(env, "TERCAST_REQUEST_DAYS", 30),
            ovs_run_dir=_folder(env, "TERCAST_OVS_RUN_DIR"),
            audit_seconds=_seconds(env, "TERCAST_AUDIT_SECONDS"),
            leases_a_caller=_number(env, "TERCAST_LEASES_A_CALLER", 1000, (1, 1_000_000)),
            lease_seconds=_time(env, "TERCAST_LEASE_SECONDS", 120.0, (4.0, 86400.0)),
            seal_hours=_number(env, "TERCAST_SEAL_HOURS", 24, (1, 8760)),
            settling_seconds=_time(env, "TERCAST_SETTLING_SECONDS", 2.0, (0.0, 600.0)),
            spark_master=_matching(env, "TERCAST_SPARK_MASTER", "local[*]", *MASTER),
            spark_memory=_matching(env, "TERCAST_SPARK_MEMORY", "1g", *MEMORY),
            spark_telemetry_url=_matching(env, "TERCAST_SPARK_TELEMETRY", "", *TELEMETRY),
            analytics_days=_days(env, "TERCAST_ANALYTICS_DAYS", 30),
            database_wait_seconds=_time(env, "TERCAST_DATABASE_WAIT_SECONDS", 8.0, (0.1, 60.0)),
            disk_free_megabytes=_number(env, "TERCAST_DISK_FREE_MEGABYTES", 512, (0, 100_000_000)),
            restore_megabytes=_number(env, "TERCAST_RESTORE_MEGABYTES", 65_536, (1, 100_000_000)),
            log_dir=_folder(env, "TERCAST_LOG_DIR"),
            link_approval=_choice(env, "TERCAST_LINK_APPROVAL", ("automatic", "manual")),
            log_format=_choice(env, FORMAT_VARIABLE, FORMATS),
            log_level=_choice(env, "TERCAST_LOG_LEVEL", ("info", "debug", "warning", "error")),
        )


def _choice(env: Mapping[str, str], name: str, choices: tuple[str, ...]) -> str:
    value = env.get(name, choices[0])
    if value not in choices:
        raise BadSetting(name, value, f"use one of {', '.join(choices)}")
    return value


def _endpoint(env: Mapping[str, str], name: str, default: str) -> tuple[str, str, int]:
    """tcp or ssl, an IP address and a port."""
    value = env.get(name, default)
    scheme, _, rest = value.partition(":") if value[:4] in ("tcp:", "ssl:") else ("tcp", "", value)
    host, _, port = rest.rpartition(":")
    try:
        address = ip_address(host.removeprefix("[").removesuffix("]"))
        if not (port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16):
            raise ValueError(port)
    except ValueError:
        raise BadSetting(
            name, value, "use ADDRESS:PORT, like 192.0.2.1:6653, tcp:[::]:6653 or ssl:0.0.0.0:6653"
        ) from None
    return scheme, str(address), int(port)


def _folder(env: Mapping[str, str], name: str) -> Path | None:
    value = env.get(name, "")
    if "://" in value:
        raise BadSetting(name, value, "use a folder of this machine (mount what lies elsewhere)")
    return Path(value).absolute() if value else None


def _days(env: Mapping[str, str], name: str, default: int) -> int:
    value = env.get(name, str(default))
    if not (value.isascii() and value.isdigit() and len(value) < 5 and 1 <= int(value) <= 3660):
        raise BadSetting(name, value, "use a number of days from 1 to 3660")
    return int(value)


def _number(env: Mapping[str, str], name: str, default: int, bounds: tuple[int, int]) -> int:
    value = env.get(name, str(default))
    known = value.isascii() and value.isdigit() and len(value) < 10
    if not (known and bounds[0] <= int(value) <= bounds[1]):
        raise BadSetting(name, value, f"use a whole number from {bounds[0]} to {bounds[1]}")
    return int(value)


def _seconds(env: Mapping[str, str], name: str) -> int | None:
    value = env.get(name, "")
    if not value:
        return None
    if not (value.isascii() and value.isdigit()) or len(value) > 6:
        raise BadSetting(name, value, "use a number of seconds, or 0 for never")
    return int(value)


def _time(env: Mapping[str, str], name: str, default: float, bounds: tuple[float, float]) -> float:
    value = env.get(name)
    if value is None:
        return default
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not bounds[0] <= seconds <= bounds[1]:
        raise BadSetting(name, value, f"a number of seconds from {bounds[0]:g} to {bounds[1]:g}")
    return seconds


def _matching(env: Mapping[str, str], name: str, default: str, pattern: str, rule: str) -> str:
    value = env.get(name, "") or default
    if value and not re.fullmatch(pattern, value):
        raise BadSetting(name, value, f"use {rule}")
    return value


def _hsts(env: Mapping[str, str]) -> int:
    value = env.get("TERCAST_HSTS_SECONDS", "") or str(YEAR)
    if not (value.isascii() and value.isdigit() and len(value) < 10 and int(value) > 0):
        raise BadSetting("TERCAST_HSTS_SECONDS", value, "use a number of seconds from 1 to 999999999")
    return int(value)


def _flag(env: Mapping[str, str], name: str) -> bool:
    value = env.get(name, "0")
    if value not in ("0", "1"):
        raise BadSetting(name, value, "use 0 or 1")
    return value == "1"


def _url(env: Mapping[str, str], name: str, schemes: tuple[str, ...]) -> str | None:
    value = env.get(name, "")
    if not value:
        return None
    if urlsplit(value).scheme not in schemes:
        raise BadSetting(name, value, f"use a URL that starts with {' or '.join(s + '://' for s in schemes)}")
    return value


def _redis(env: Mapping[str, str], name: str) -> str | None:
    url = env.get(name, "")
    try:
        return server_urls.redis(url) if url else None
    except ValueError as error:
        raise BadSetting(name, url, str(error)) from None


def _database(url: str, state_dir: Path) -> dict[str, object]:
    if not url:
        return _sqlite(state_dir / "tercast.sqlite3")
    scheme = url.partition(":")[0].lower()
    try:
        if scheme == "sqlite":
            return _sqlite(_sqlite_path(url))
        if scheme not in server_urls.POSTGRESQL:
            raise ValueError(DATABASE_RULE)
        return server_urls.postgresql(url)
    except ValueError as error:
        raise BadSetting("TERCAST_DATABASE_URL", url, str(error)) from None


def _sqlite_path(url: str) -> Path:
    parts = urlsplit(url)
    if parts.netloc or not parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError("use sqlite:///PATH with an absolute path, and write %3F for ? and %23 for #")
    return Path(unquote(parts.path))


def _sqlite(path: Path) -> dict[str, object]:
    # Without IMMEDIATE, parallel writers fail with "database is locked" in spite of the timeout.
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

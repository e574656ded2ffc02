"""URLs of PostgreSQL and Redis: strict parsing, and display without passwords."""

import re
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

POSTGRESQL = ("postgresql", "postgres")
REDIS = ("redis", "rediss", "unix")
ENCODE = (
    "percent-encode special characters of the password: %2F for /, %3F for ?, %23 for #, %40 for @, %5B for ["
)
OPTIONS = (
    "application_name",
    "channel_binding",
    "connect_timeout",
    "gssencmode",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "options",
    "passfile",
    "sslcert",
    "sslcrl",
    "sslkey",
    "sslmode",
    "sslnegotiation",
    "sslrootcert",
    "target_session_attrs",
    "tcp_user_timeout",
)
"""Parameters of libpq that may follow `?` in the URL of PostgreSQL."""


def masked(url: str) -> str:
    """Return `url` for a message without users and passwords, also with special characters."""
    shown = re.sub(r"(password\s*=\s*)('[^']*'|[^&\s]*)", r"\1***", url, flags=re.IGNORECASE)
    before, at, after = shown.rpartition("@")
    if not at:
        return shown
    scheme, slashes, _ = before.partition("://")
    return f"{scheme}{slashes}***@{after}" if slashes else f"***@{after}"


def split(url: str, schemes: tuple[str, ...]) -> SplitResult:
    """Return the parts of a URL with one of `schemes`.

    Raises:
        ValueError: The URL is invalid; the text contains no part of it.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ValueError(f"its host cannot be read; {ENCODE}") from None
    if parts.scheme not in schemes:
        raise ValueError(f"use a URL that starts with {' or '.join(f'{name}://' for name in schemes)}")
    if "#" in url:
        raise ValueError(f"it contains a '#'; {ENCODE}")
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        raise ValueError(f"the port must be a number from 1 to 65535; {ENCODE}")
    if "@" in parts.path or ("@" in parts.query and "@" not in parts.netloc):
        raise ValueError(f"there is an '@' after the host; {ENCODE}")
    return parts


def postgresql(url: str) -> dict[str, object]:
    """Return Django's settings of the database at `url`.

    Raises:
        ValueError: The URL is invalid; the text contains no part of it that may be a password.
    """
    parts = split(url, POSTGRESQL)
    name = parts.path.removeprefix("/")
    if not name or "/" in name:
        raise ValueError(f"the name of one database must follow the host and '/'; {ENCODE}")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(name),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": parts.port or "",
        # Under ASGI every request has its own thread: a persistent connection would never be used again.
        "CONN_MAX_AGE": 0,
        "OPTIONS": _options(parts.query),
    }


def _options(query: str) -> dict[str, object]:
    try:
        found = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))
    except ValueError:
        found = {"": ""}
    if not found.keys() <= set(OPTIONS):
        raise ValueError(f"after '?', use NAME=VALUE with the names {', '.join(OPTIONS)}; {ENCODE}")
    return dict(found)


def redis(url: str) -> str:
    """Return `url` after checking that it is a valid URL of Redis.

    Raises:
        ValueError: The URL is invalid; the text contains no part of it that may be a password.
    """
    parts = split(url, REDIS)
    if parts.scheme != "unix" and not re.fullmatch(r"/?|/[0-9]{1,4}", parts.path):
        raise ValueError(f"the number of a database must follow the host and '/'; {ENCODE}")
    if any(name in ("username", "password") for name, _ in parse_qsl(parts.query, keep_blank_values=True)):
        raise ValueError("write a user and a password before '@', as in redis://:PASSWORD@HOST:PORT/NUMBER")
    if parts.scheme == "unix" and not parts.path.strip("/"):
        raise ValueError("the path of a socket must follow unix://")
    return url


def broker(url: str) -> str:
    """Return the URL in Celery's form, which has another scheme for sockets."""
    parts = urlsplit(url)
    if parts.scheme != "unix":
        return url
    query = [("virtual_host" if name == "db" else name, value) for name, value in parse_qsl(parts.query)]
    after = f"?{urlencode(query)}" if query else ""
    return f"redis+socket://{parts.netloc}{parts.path}{after}"

"""Deployment checks for connections and names that are open to others (docs/security.md)."""

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Tags, register
from django.core.checks import Warning as CheckWarning

SHORTEST_TOKEN = 32
FEWEST_CHARACTERS = 10
"""Fewest different characters of a token; a token with fewer follows a pattern."""


def is_loopback(host: str | None) -> bool:
    """Whether the address, name or path refers to this machine."""
    name = (host or "").strip("[]")
    if not name or name == "localhost" or name.startswith("/"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


@register(Tags.security, deploy=True)
def check_openflow(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Warn if switches on other machines connect without TLS."""
    scheme, host, port = settings.ENV.openflow
    if scheme == "ssl" or is_loopback(host):
        return []
    text = f"OpenFlow at {host}:{port} does not use TLS: any client that reaches the port can act as a switch"
    hint = "Set TERCAST_OPENFLOW=ssl:... and the three TERCAST_TLS variables (docs/northbound.md)."
    return [CheckWarning(text, hint=hint, id="tercast.W007")]


@register(Tags.security, deploy=True)
def check_northbound(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Warn about a weak token of the controller's API, and about an unencrypted connection."""
    return list(_northbound(settings.NORTHBOUND_TOKEN, settings.NORTHBOUND_URL))


def _northbound(token: str, url: str) -> Iterator[CheckMessage]:
    if len(token) < SHORTEST_TOKEN or len(set(token)) < FEWEST_CHARACTERS:
        text = f"The northbound token is too weak: {len(token)} characters, {len(set(token))} different ones"
        hint = "Remove secrets/northbound-token and restart all processes; they create a new token."
        yield CheckWarning(text, hint=hint, id="tercast.W008")
    host = urlsplit(url).hostname
    if not is_loopback(host):
        text = f"The northbound API at {url} is on another machine: its token is sent there in plain text"
        hint = "Run the controller on this machine, or reach it through a tunnel (WireGuard, SSH)."
        yield CheckWarning(text, hint=hint, id="tercast.W009")


@register(Tags.security, deploy=True)
def check_hosts(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Warn if the web server answers requests for any host name."""
    if "*" not in settings.ALLOWED_HOSTS:
        return []
    text = "TERCAST_ALLOWED_HOSTS contains *: the web server answers requests for any host name"
    hint = "List the host names that browsers and programs use for the installation."
    return [CheckWarning(text, hint=hint, id="tercast.W010")]


@register(Tags.security, deploy=True)
def check_sources(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Warn if switches accept events from any source at host ports."""
    if settings.ENV.source_check:
        return []
    text = "Switches accept events from any source at host ports"
    hint = "Set TERCAST_SOURCE_CHECK=1 (docs/monitoring.md#the-source-check)."
    return [CheckWarning(text, hint=hint, id="tercast.W013")]


@register(Tags.security, deploy=True)
def check_links(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Warn if undeclared links are added without an operator's approval."""
    if settings.ENV.link_approval == "manual":
        return []
    text = "Links that are not registered are added without approval"
    hint = "Set TERCAST_LINK_APPROVAL=manual (docs/monitoring.md#found-links)."
    return [CheckWarning(text, hint=hint, id="tercast.W014")]


@register(Tags.security, deploy=True)
def check_servers(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Warn if connections to PostgreSQL or Redis on other machines do not use TLS."""
    return list(_servers(settings.ENV.database, settings.ENV.redis_url))


def _servers(database: dict[str, Any], redis: str | None) -> Iterator[CheckMessage]:
    host = str(database.get("HOST") or "")
    mode = (database.get("OPTIONS") or {}).get("sslmode", "")
    if "postgresql" in str(database.get("ENGINE")) and not is_loopback(host) and mode != "verify-full":
        text = (
            f"The connection to PostgreSQL at {host} does not verify the server (sslmode {mode or 'prefer'})"
        )
        hint = "Add ?sslmode=verify-full to TERCAST_DATABASE_URL."
        yield CheckWarning(text, hint=hint, id="tercast.W011")
    if redis is not None:
        parts = urlsplit(redis)
        if parts.scheme == "redis" and not is_loopback(parts.hostname):
            text = f"The connection to Redis at {parts.hostname} does not use TLS"
            yield CheckWarning(text, hint="Use rediss:// in TERCAST_REDIS_URL.", id="tercast.W012")

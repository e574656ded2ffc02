"""Client of the platform's REST API for hosts; uses only the standard library."""

from __future__ import annotations

import base64
import http.client
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tercast.client.event_origins import EventOrigin, EventOrigins, LearnedOrigins, OriginPolicy
from tercast.client.lease import PublisherLease, Terms
from tercast.client.metadata_sources import AnnouncedFilter, HostRecord, parse_json
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic
from tercast.wire.errors import ApiError
from tercast.wire.event_seal import KEY_BYTES, LARGEST_NUMBER, EventSeal
from tercast.wire.packets import pack_ip

_TIMEOUT_S = 10.0
_LARGEST_ANSWER = 64 << 20
_LONGEST_REASON = 300
_TOKEN = re.compile(r"[!-~]*")

RestRow = Mapping[str, object]


class Api:
    """HTTP client with a token; every failure raises ApiError with one line."""

    def __init__(self, url: str, token: str | None = None) -> None:
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise ApiError(f"{url!r} is not an API address; it must start with http:// or https://")
        self._base = url.rstrip("/") + "/"
        self._headers = {"Accept": "application/json"}
        if not _TOKEN.fullmatch(token or ""):
            raise ApiError("the token has spaces or line breaks; use one token, which has neither")
        if token:
            self._headers["Authorization"] = f"Bearer {token}"

    @classmethod
    def with_token_file(cls, url: str, path: str | Path | None) -> Api:
        """Create a client of the API at `url` with the token in a file."""
        try:
            token = Path(path).read_text(encoding="ascii").strip() if path is not None else None
        except (OSError, ValueError) as error:
            raise ApiError(f"cannot read the token in {path}: {getattr(error, 'strerror', error)}") from None
        return cls(url, token)

    def get(self, path: str, **parameters: str) -> object:
        """Get the JSON of a resource, by path below the API or by address on the same server."""
        url = urllib.parse.urljoin(self._base, path)
        if urllib.parse.urlsplit(url)[:2] != urllib.parse.urlsplit(self._base)[:2]:
            raise ApiError(f"the API refers to another server, {url!r}; the token is not sent there")
        if parameters:
            url += "?" + urllib.parse.urlencode(parameters)
        return self._call("GET", url)

    def post(self, path: str, body: object, **parameters: str) -> object:
        """Post a body to a resource; return the JSON of the answer."""
        return self._call("POST", self._url(path, parameters), json.dumps(body).encode())

    def delete(self, path: str, **parameters: str) -> None:
        """Delete a resource below the API's address."""
        self._call("DELETE", self._url(path, parameters))

    def _url(self, path: str, parameters: Mapping[str, str]) -> str:
        url = urllib.parse.urljoin(self._base, path)
        return f"{url}?{urllib.parse.urlencode(parameters)}" if parameters else url

    def _call(self, method: str, url: str, body: bytes | None = None) -> object:
        what = f"{method} {url}"
        headers = self._headers if body is None else {**self._headers, "Content-Type": "application/json"}
        request = urllib.request.Request(url, body, headers, method=method)  # noqa: S310 - of the API's scheme
        try:
            with _OPENER.open(request, timeout=_TIMEOUT_S) as answer:
                text = answer.read(_LARGEST_ANSWER).decode()
                return parse_json(text) if text else None
        except urllib.error.HTTPError as error:
            with error:
                raise ApiError(f"{what}: {error.code} {_problem(error)}", error.code) from None
        except (OSError, http.client.HTTPException) as error:
            cause = getattr(error, "reason", None) or error
            reason = getattr(cause, "strerror", None) or cause or type(error).__name__
            raise ApiError(f"{what}: no answer from the platform: {reason}") from None
        except ValueError as error:
            raise ApiError(f"{what}: the answer is not JSON: {error}") from None

    def rows(self, path: str, **parameters: str) -> list[RestRow]:
        """Get all rows of a paged list."""
        rows: list[RestRow] = []
        page = self.get(path, **parameters)
        while True:
            if not isinstance(page, dict) or not isinstance(page.get("results"), list):
                raise ApiError(f"GET {path}: the answer is not a list of results")
            rows += [row for row in page["results"] if isinstance(row, dict)]
            following = page.get("next")
            if not isinstance(following, str):
                return rows
            page = self.get(following)

    def one(self, path: str, **parameters: str) -> RestRow:
        """Get the only row that matches the parameters."""
        rows = self.rows(path, **parameters)
        if len(rows) != 1:
            asked = ", ".join(f"{key} {value!r}" for key, value in parameters.items())
            raise ApiError(f"GET {path}: {len(rows) or 'no'} objects have the {asked}; check it")
        return rows[0]


class ApiSource:
    """Source of topics, hosts and filters: the running platform."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def topic(self, name: str) -> Topic:
        """The topic with this name."""
        row = self._api.one("api/v1/topics/", name=name)
        fields = {key: row.get(key) for key in ("name", "code", "attributes", "indexed")}
        return Topic.from_json({**fields, "cuts": row.get("cuts", [])}, ("topic",))

    def host(self, name: str) -> HostRecord:
        """The host with this name."""
        row = self._api.one("api/v1/hosts/", name=name)
        return HostRecord(*(_text(row, key) for key in ("name", "ip", "mac")))

    def subscriptions(self, host: str) -> list[AnnouncedFilter]:
        """The host's subscriptions that are neither failed nor withdrawn."""
        rows = self._api.rows("api/v1/subscriptions/", host=host)
        return [_announced(row, "q") for row in rows if row.get("state") not in _ENDED]

    def advertisement(self, name: str) -> AnnouncedFilter:
        """The advertisement with this id, with or without the `a` before its number."""
        row = self._api.get(f"api/v1/advertisements/{_number(name)}/")
        if not isinstance(row, dict):
            raise ApiError(f"advertisement {name}: the answer is not an object")
        return _announced(row, "a")

    def address(self, family: str) -> AddressPlan:
        """The default plan of the family, which the platform uses."""
        return AddressPlan.default(family)

    def depth(self) -> int | None:
        """None: as many bits as fit in an address."""
        return None

    def lease(self, advertisement: str) -> PublisherLease | None:
        """A lease from the platform, not yet taken."""
        return PublisherLease(ApiLeaseSource(self._api), advertisement)

    def origins(self, topics: Iterable[str], own: str) -> EventOrigins | None:
        """Return the origins of the topics' events from the platform. Raises ApiError."""
        learned = LearnedOrigins(ApiOrigins(self._api).fetch)
        learned.learn(topics)
        return learned


class ApiOrigins:
    """Reader of the origins of events from the REST API."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._ids: dict[str, str] = {}

    def fetch(self, topic: str, names: Iterable[str] | None = None) -> dict[str, EventOrigin]:
        """Return the origins of a topic's advertisements: of those in `names`, or of all.

        Names that are not an advertisement's id have no origin.

        Raises:
            ApiError: A request failed.
        """
        if topic not in self._ids:
            self._ids[topic] = str(self._api.one("api/v1/topics/", name=topic).get("id"))
        path = f"api/v1/topics/{self._ids[topic]}/sources/"
        if names is None:
            return dict(_origin(row) for row in self._api.rows(path, limit=_ROWS_A_PAGE))
        numbers = [name[1:] for name in names if _IS_ID(name)]
        parts = [numbers[i : i + _IDS_A_CALL] for i in range(0, len(numbers), _IDS_A_CALL)]
        rows = [
            row for part in parts for row in self._api.rows(path, id__in=",".join(part), limit=_ROWS_A_PAGE)
        ]
        return dict(map(_origin, rows))


def _origin(row: RestRow) -> tuple[str, EventOrigin]:
    keys = row.get("keys", [])
    if keys is None and row.get("seal") != OriginPolicy.OFF:
        raise ApiError(
            "the topic is sealed, and this token cannot read its keys; use a client token of a subscriber "
            "with a subscription to the topic, or the token of an operator"
        )
    try:
        found = dict(map(_key, keys)) if isinstance(keys, list) else {}
        policy = OriginPolicy(str(row.get("seal", OriginPolicy.OFF)))
        return f"a{row['id']}", EventOrigin(pack_ip(_text(row, "ip")), policy, found)
    except (KeyError, TypeError, ValueError):
        raise ApiError("the API's answer has no valid address, seal or keys of an advertisement") from None


class ApiLeaseSource:
    """Source of leases: the REST API."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def lease(self, advertisement: str, holder: str, version: int | None) -> Terms:
        """Request or renew the lease, and confirm the version in use."""
        path = f"api/v1/advertisements/{_number(advertisement)}/lease/"
        row = self._api.post(path, {"holder": holder, "version": version})
        try:
            return _terms(row)
        except (KeyError, TypeError, ValueError):
            raise ApiError(f"POST {path}: the answer is not a lease") from None

    def release(self, advertisement: str, holder: str) -> None:
        """Release the lease."""
        self._api.delete(f"api/v1/advertisements/{_number(advertisement)}/lease/", holder=holder)


def _terms(row: Any) -> Terms:
    return Terms(
        int(row["version"]),
        int(row["code"]),
        tuple(map(str, row["indexed"])),
        float(row["expires_in"]),
        max(0.05, float(row["poll_in"])),
        None if row.get("seal") is None else EventSeal(*_key(row["seal"])),
        row.get("cuts", []),
    )


def _key(row: Any) -> tuple[int, bytes]:
    """The number of a key and the key. Raises KeyError, TypeError or ValueError."""
    number, key = int(row["number"]), base64.b64decode(row["key"], validate=True)
    if not 0 <= number <= LARGEST_NUMBER or len(key) != KEY_BYTES:
        raise ValueError("the key of a seal must have 32 bytes, and a number of 32 bits")
    return number, key


def _number(name: str) -> str:
    """The number in an advertisement's id."""
    number = name.removeprefix("a")
    if not number.isdecimal():
        raise ApiError(f"{name!r} is not the id of an advertisement; write, for example, a12 or 12")
    return number


_ENDED = ("failed", "withdrawn")
_IS_ID = re.compile(r"a[1-9][0-9]{0,17}").fullmatch
_IDS_A_CALL = 100
_ROWS_A_PAGE = "1000"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Handler that refuses redirects: urllib would send the token to the server that they name."""

    def redirect_request(self, *_: object) -> None:
        """Create no further request."""


_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())
"""Opener without proxies: the platform is on this machine or on the network that it manages."""


def _announced(row: RestRow, letter: str) -> AnnouncedFilter:
    name = str(row.get("id"))
    by_dz = "filter" in row and row["filter"] is None  # the host announced a dz set, and no filter
    text = "" if by_dz else _text(row, "filter")
    return AnnouncedFilter(letter + name.removeprefix(letter), _text(row, "topic"), text)


def _text(row: RestRow, key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        raise ApiError(f"the API's answer has no text in {key!r}")
    return value


def _problem(error: urllib.error.HTTPError) -> str:
    """Summarise a problem document (RFC 9457) with all its errors in one line."""
    try:
        problem = parse_json(error.read(_LARGEST_ANSWER).decode())
    except (OSError, ValueError, http.client.HTTPException):
        return str(error.reason)
    if not isinstance(problem, dict):
        return str(error.reason)
    listed = problem.get("errors")
    errors = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    causes = [f"{entry.get('pointer', '')} {entry.get('detail', '')}".strip().rstrip(".") for entry in errors]
    detail = str(problem.get("detail") or "").removesuffix("; see `errors`.")
    summary = "" if detail in (entry.get("detail") for entry in errors) else detail
    parts = (str(problem.get("title") or ""), summary, "; ".join(causes))
    return " ".join(": ".join(filter(None, parts)).split())[:_LONGEST_REASON] or str(error.reason)

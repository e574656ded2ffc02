"""The parts of the control plane's REST API that the demo needs."""

import time
from typing import Any

import httpx

from mininet_labs.demo.errors import DemoError

BULK = 500
"""Highest number of items in a bulk call."""

MOST_TRIES = 10
"""Highest number of attempts for a call that gets 503 with `Retry-After`, which has no effect."""

LONGEST_PAUSE = 10.0


class RestError(DemoError):
    """A call of the control plane failed: it got no answer, or an error."""


class RestRefusal(RestError):  # noqa: N818 - named by meaning
    """The control plane refuses the content of a call."""


class RestClient:
    """A client with the operator's token; a failed call raises `RestError` with the problem.

    Args:
        patience: Seconds to wait for an answer.
    """

    def __init__(self, base: str, token: str, patience: float = 60.0) -> None:
        self._client = httpx.Client(
            base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=patience, trust_env=False
        )

    def get(self, path: str, wait: float = 0.0, **parameters: Any) -> Any:
        """Return the JSON of a resource; with `wait`, wait so many seconds for a request to end."""
        headers = {"Prefer": f"wait={wait:.0f}"} if wait else {}
        return self._call("GET", path, params=parameters, headers=headers)

    def all(self, path: str, **parameters: Any) -> list[dict[str, Any]]:
        """Return every row of a paged list."""
        rows: list[dict[str, Any]] = []
        page = self.get(path, limit=200, **parameters)
        rows += page["results"]
        while page["next"]:
            page = self._call("GET", page["next"])
            rows += page["results"]
        return rows

    def post(self, path: str, body: Any) -> Any:
        """Post and return the JSON of the answer."""
        return self._call("POST", path, json=body)

    def patch(self, path: str, body: Any) -> Any:
        """Change an object and return the JSON of the answer."""
        return self._call("PATCH", path, json=body)

    def delete(self, path: str) -> Any:
        """Delete or withdraw an object and return the JSON of the answer."""
        return self._call("DELETE", path)

    def add_missing(self, path: str, rows: list[dict[str, Any]], key: tuple[str, ...]) -> int:
        """Post the rows that are not in the list, by the fields `key`; return their number."""
        there = {
            tuple(row[name] for name in key) for row in self.all(path) if row.get("state") != "withdrawn"
        }
        missing = [row for row in rows if tuple(row[name] for name in key) not in there]
        for start in range(0, len(missing), BULK):
            self.post(path, missing[start : start + BULK])
        return len(missing)

    def be_patient(self, seconds: float) -> None:
        """Set the time to wait for answers from now on."""
        self._client.timeout = httpx.Timeout(seconds)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _call(self, method: str, path: str, **arguments: Any) -> Any:
        answer = self._request(method, path, **arguments)
        for _ in range(MOST_TRIES - 1):
            pause = _pause(answer)
            if pause is None:
                break
            time.sleep(pause)
            answer = self._request(method, path, **arguments)
        return self._read_body(answer)

    def _request(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        try:
            return self._client.request(method, path, **arguments)
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise RestError(f"{method} {path}: the web server does not answer ({reason})") from error

    @staticmethod
    def _read_body(answer: httpx.Response) -> Any:
        if answer.is_success:
            return answer.json() if answer.content else None
        try:
            problem = answer.json()
            detail = (
                "; ".join(str(error["detail"]) for error in problem.get("errors", ())) or problem["detail"]
            )
        except (ValueError, KeyError, TypeError):
            detail = answer.text[:500]
        refused = answer.status_code in (httpx.codes.BAD_REQUEST, httpx.codes.CONFLICT)
        kind = RestRefusal if refused else RestError
        raise kind(
            f"{answer.request.method} {answer.request.url.path} was answered {answer.status_code}: {detail}"
        )


def _pause(answer: httpx.Response) -> float | None:
    """Return the seconds that the control plane asks to wait before a repetition, or None."""
    retry_after = answer.headers.get("Retry-After", "")
    if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE or not retry_after.isdigit():
        return None
    return min(float(retry_after), LONGEST_PAUSE)

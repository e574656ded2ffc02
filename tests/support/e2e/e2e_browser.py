"""Debian's Chromium with Playwright; every complaint of a page is recorded.

`chromium-headless-shell` is the Chromium that draws no window: a page takes two thirds of the processor time.
"""

import os
import re
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from waiting import LIMIT_SECONDS

ARTIFACTS = Path(__file__).resolve().parents[3] / "artifacts"
AXE = Path(__file__).resolve().parents[3] / "frontend/node_modules/axe-core/axe.min.js"
SIZES = {"desktop": {"width": 1366, "height": 900}, "phone": {"width": 390, "height": 844}}
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
]
REPORT_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy violation: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`), true);
"""


STORAGE = "cookies,local_storage,indexeddb,service_workers,cache_storage"

_resting: dict[tuple[Browser, str, str], list[BrowserContext]] = {}
"""Contexts of pages that have ended, by browser, size and scheme."""


@contextmanager
def chromium(*programs: str):
    """Yield a browser; it works only while no event loop runs in this thread.

    Args:
        programs: The first one that exists is used; by default without a window.
    """
    found = map(shutil.which, programs or ("chromium-headless-shell", "chromium"))
    path = os.environ.get("TERCAST_CHROMIUM") or next(filter(None, found), None)
    if path is None:
        pytest.fail("Chromium is missing: apt-get install -y chromium chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield browser
        finally:
            _resting.clear()
            browser.close()


class Watched:
    """A page whose console errors, exceptions, policy violations and failed answers fail the test."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        self.complaints: list[str] = []
        self._allowed: list[str] = []
        page.add_init_script(REPORT_VIOLATIONS)
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        page.on("response", self._answered)

    def allow(self, pattern: str) -> None:
        """Permit complaints that match, because the test causes them."""
        self._allowed.append(pattern)

    def check(self) -> None:
        """Check that there are only permitted complaints."""
        unexpected = [text for text in self.complaints if not any(re.search(p, text) for p in self._allowed)]
        assert not unexpected, "\n".join(unexpected)

    def log_in(self, name: str, password: str, path: str = "/") -> None:
        """Log in on the log-in page, and go to `path`."""
        self.page.goto(self.base + path)
        self._fill_log_in(name, password, path)

    def open_as(self, name: str, password: str, path: str, sessions: dict[str, list[Any]]) -> None:
        """Open `path` with the session of an earlier page of this user; log in if none is valid."""
        self.page.context.add_cookies(sessions.get(name, []))
        self.page.goto(self.base + path)
        if urlsplit(self.page.url).path.startswith("/login/"):
            self._fill_log_in(name, password, path)
        sessions[name] = self.page.context.cookies()

    def until_live(self) -> None:
        """Wait until the dashboard has its stream and the page has its title."""
        self.page.locator('[data-live="live"]').wait_for()
        self.page.get_by_role("heading", level=1).first.wait_for()

    def accessible(self, within: str | None = None) -> None:
        """Check that Axe finds no serious fault in the document, or in `within`, after transitions."""
        if not self.page.evaluate("Boolean(window.axe)"):
            self.page.evaluate(AXE.read_text())
        for _ in range(4):
            violations = self._serious(within)
            if not violations:
                return
            self.page.wait_for_timeout(500)
        assert not violations, violations

    def _serious(self, within: str | None) -> list[tuple[str, list[str]]]:
        found = self.page.evaluate(
            "within => axe.run(within || document, { resultTypes: ['violations'] })", within
        )["violations"]
        serious = [one for one in found if one["impact"] in ("serious", "critical")]
        return [(one["id"], [node["html"][:300] for node in one["nodes"][:3]]) for one in serious]

    def screenshot(self, name: str, full: bool = True) -> Path:
        """Save artifacts/<name>.png."""
        ARTIFACTS.mkdir(exist_ok=True)
        path = ARTIFACTS / f"{name}.png"
        self.page.screenshot(path=path, full_page=full)
        return path

    def _fill_log_in(self, name: str, password: str, path: str) -> None:
        self.page.get_by_label("User name").fill(name)
        self.page.get_by_label("Password").fill(password)
        self.page.get_by_role("button", name="Log in").click()
        self.page.wait_for_url(self.base + path)

    def _heard(self, message) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"console {message.type}: {message.text} ({message.location.get('url')})")

    def _answered(self, response) -> None:
        if response.status >= 400:
            self.complaints.append(f"status {response.status}: {response.url}")


@contextmanager
def watched(browser, base, size="desktop", scheme="light"):
    """Yield a new watched page; its complaints are checked at the end.

    It uses the context of a page that has ended, if there is one, because that has files and compiled scripts
    in its cache. Cookies and storage are new. The context of a failed test is not used again.
    """
    resting = _resting.setdefault((browser, size, scheme), [])
    context = resting.pop() if resting else _new_context(browser, size, scheme)
    try:
        page = Watched(context.new_page(), base)
        yield page
        page.check()
        _forget_pages(context, base)
    except BaseException:
        context.close()
        raise
    resting.append(context)


def _new_context(browser, size, scheme):
    context = browser.new_context(
        viewport=SIZES[size], color_scheme=scheme, locale="en-GB", timezone_id="UTC"
    )
    context.set_default_timeout(LIMIT_SECONDS * 1000)
    return context


def _forget_pages(context, base):
    """Remove all of a context but its cache."""
    of_origin = {"origin": base, "storageTypes": STORAGE}
    context.new_cdp_session(context.pages[0]).send("Storage.clearDataForOrigin", of_origin)
    for page in context.pages:
        page.close()
    context.clear_cookies()

"""Use of a page with the keyboard only."""

from playwright.sync_api import Page

NAME = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return "";
  return at.getAttribute("aria-label") || at.labels?.[0]?.innerText || at.innerText || at.value || "";
}"""


def tab_to(page: Page, name: str, most: int = 120) -> None:
    """Press Tab until the element named `name` has the focus; fail if it is not reachable."""
    seen = []
    for _ in range(most):
        page.keyboard.press("Tab")
        found = page.evaluate(NAME).strip()
        if found.split("\n")[0].strip() == name:
            return
        seen.append(found[:40])
    raise AssertionError(f"Tab does not lead to {name!r}, but to {seen}")

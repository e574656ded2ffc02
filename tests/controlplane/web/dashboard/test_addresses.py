"""The server answers at the address of each route of the dashboard, so that a page can be reloaded."""

import re
from pathlib import Path

from controlplane.web.dashboard.urls import PAGES

ROUTES = Path(__file__).parents[4] / "frontend/src/app/routes.tsx"


def test_each_route_has_an_address() -> None:
    first_parts = re.findall(r'path: "([a-z]+)', ROUTES.read_text(encoding="utf-8"))
    assert {*first_parts} == {*PAGES}

"""The codes with which a stream ends are those of the documentation, however the server is started."""

import re
from pathlib import Path

import pytest

from controlplane.live.protocol import Close
from mininet_labs.demo.platform_up import WEB_OPTIONS


def test_every_documented_code_exists_and_every_code_is_documented():
    """uvicorn sends 1009 and 1012: tests/e2e/test_stream_server.py."""
    page = (Path(__file__).parents[3] / "docs" / "live-stream.md").read_text()
    documented = {int(code) for code in re.findall(r"^\| (\d{4}) \|", page, re.M)}
    assert documented == {*map(int, Close), 1009, 1012}


@pytest.mark.parametrize("command", [" ".join(WEB_OPTIONS), "deploy", "docs"])
def test_no_way_to_start_the_server_closes_a_slow_client_with_another_code(command):
    """uvicorn's own pings would: a client that reads nothing for 20 s does not answer them."""
    root = Path(__file__).parents[3]
    places = {"deploy": "deploy/systemd/tercast-web.service", "docs": "docs/operations.md"}
    text = (root / places[command]).read_text() if command in places else command
    assert "--ws-ping-interval 0" in text and "--ws-max-size 16384" in text

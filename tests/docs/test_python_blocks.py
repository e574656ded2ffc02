"""Blocks of Python in the documentation use names and arguments that exist; the full suite runs them."""

import pytest

from tests.support.docs.page_blocks import PAGES, read_blocks, read_page
from tests.support.docs.python_uses import wrong_uses

SCRIPTS = {
    name: [block.text for block in read_blocks(read_page(name)) if block.language == "python"]
    for name in PAGES
}


@pytest.mark.parametrize("name", [name for name, texts in SCRIPTS.items() if texts])
def test_blocks_use_names_and_arguments_that_exist(name):
    assert wrong_uses(SCRIPTS[name]) == []


def test_the_page_of_the_host_library_has_blocks():
    assert len(SCRIPTS["docs/client.md"]) >= 6


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("from tercast.client import Publishers", "has no Publishers"),
        ("from tercast.client import FabricPort\nFabricPort('a')", "missing a required argument"),
        ("from tercast.client import FabricPort\nFabricPort('a', 'b', mack='c')", "'mac'"),
        ("from tercast.client import Api\nApi.with_file('a', 'b')", "Api has no with_file"),
        ("from tercast.client import Api\na = Api.with_token_file('a', 'b')\na.gett()", "no gett"),
        (
            "from tercast.client import Api, ApiSource\ns = ApiSource(Api('a'))\ns.lease('a', 2)",
            "too many positional arguments",
        ),
        (
            "from tercast.client import UdpSocket\nwith UdpSocket('::1') as u:\n u.receive(now=1)",
            "unexpected keyword argument",
        ),
        ("import json\njson.dump('a')", "missing a required argument"),
    ],
)
def test_a_wrong_use_is_found(text, wrong):
    [found] = wrong_uses([text])
    assert wrong in found


def test_blocks_of_a_page_share_their_names():
    first = "from tercast.client import Api\napi = Api('http://h')\n"
    assert wrong_uses([first, "api.get('topics/', name='a')\n"]) == []
    assert len(wrong_uses([first, "api.get()\n"])) == 1

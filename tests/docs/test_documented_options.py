"""The reference pages name every option of the commands that they describe."""

import argparse
import re

import pytest

from controller_app import options as controller
from tercast.cli import main as offline
from tests.support.docs.page_blocks import ROOT


def long_options(parser: argparse.ArgumentParser) -> set[str]:
    found = {text for action in parser._actions for text in action.option_strings}
    return {text for text in found if text.startswith("--")} - {"--help"}


def subcommand(name: str) -> argparse.ArgumentParser:
    """The parser of a command of `tercast`."""
    actions = offline.make_parser()._actions
    [commands] = [one for one in actions if isinstance(one, argparse._SubParsersAction)]
    return commands.choices[name]


@pytest.mark.parametrize(
    ("command", "page"),
    [("listen", "client.md"), ("publish", "client.md"), ("import", "import.md"), ("", "northbound.md")],
)
def test_every_option_is_on_the_page(command, page):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    named = long_options(subcommand(command) if command else controller.make_parser())
    assert len(named) > 2
    assert named - set(re.findall(r"(?<![\w-])--[a-z-]+", text)) == set()

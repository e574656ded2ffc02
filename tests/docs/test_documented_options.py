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


def subcommands() -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands of `tercast`."""
    actions = offline.make_parser()._actions
    [commands] = [one for one in actions if isinstance(one, argparse._SubParsersAction)]
    return commands.choices


def subcommand(name: str) -> argparse.ArgumentParser:
    return subcommands()[name]


@pytest.mark.parametrize(
    ("command", "page"),
    [("listen", "client.md"), ("publish", "client.md"), ("import", "import.md"), ("", "northbound.md")],
)
def test_every_option_is_on_the_page(command, page):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    named = long_options(subcommand(command) if command else controller.make_parser())
    assert len(named) > 2
    assert named - set(re.findall(r"(?<![\w-])--[a-z-]+", text)) == set()


def shown_arguments(parser: argparse.ArgumentParser) -> dict[str, str]:
    """The arguments of a command as a page shows them, with their defaults."""
    found = {}
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        value = "" if action.nargs == 0 else f" {action.metavar or action.dest.upper()}"
        names = ", ".join(f"`{option}{value}`" for option in action.option_strings)
        found[names or f"`{action.metavar}`"] = shown_default(action)
    return found


def shown_default(action: argparse.Action) -> str:
    if action.required:
        return "required"
    if action.nargs == 0 or not action.option_strings or action.default in (None, []):
        return "none"
    value = action.default
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def sections_of_the_page() -> dict[str, str]:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    return dict(part.split("\n", 1) for part in page.split("\n## ")[1:])


def test_the_page_has_every_command():
    assert set(sections_of_the_page()) == set(subcommands())


@pytest.mark.parametrize("command", subcommands())
def test_the_page_has_the_arguments_and_defaults_of_a_command(command):
    section = sections_of_the_page()[command]
    rows = re.findall(r"^\| (`.*?) \| (.*?) \| .+ \|$", section, re.MULTILINE)
    assert dict(rows) == shown_arguments(subcommand(command))

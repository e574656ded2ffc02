"""What the commands of the documentation name exists: targets, files, modules, commands and options."""

import argparse
import re
from importlib.util import find_spec

import pytest

from analytics.cli import make_parser as analytics
from controller_app.options import make_parser as controller
from tercast.cli.main import make_parser as tercast
from tests.support.docs.page_blocks import PAGES, ROOT, read_blocks, read_page

TARGETS = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
APPS = ("django.core", "django.contrib.auth", "drf_spectacular")
"""Packages with further commands of `manage.py`."""

MAKE = re.compile(r"\bmake ((?:[a-z][a-z0-9-]*(?= |$) ?)+)")
MANAGE = re.compile(r"(?:\bmanage\.py|\btercast-manage) ([a-z]\w*)")
MODULE = re.compile(r"\bpython (?:-m cProfile [^|]*)?-m ([\w.]+)")
PLACE = re.compile(
    r"(?<![\w./-])(?:analytics|controller_app|deploy|docs|examples|frontend|mininet_labs|platform|scripts|tests)"
    r"/[\w./*-]+"
)
COMMAND = re.compile(r"(?:\.venv/bin/tercast |\bpython -m (?=controller_app|analytics ))(\w+)([^|>\n]*)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def commands(page):
    """The lines of all blocks of commands, without comments; a command is on one line."""
    blocks = [block.text for block in read_blocks(page) if block.language == "sh"]
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return "\n".join(re.sub(r"(?:^| )# .*", "", line).rstrip() for line in lines)


def long_options(parser):
    return {text for action in parser._actions for text in action.option_strings}


def subparsers(parser):
    [found] = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    return found.choices


OPTIONS = {name: long_options(parser) for name, parser in subparsers(tercast()).items()}
OPTIONS |= {"controller_app": long_options(controller()), "analytics": long_options(analytics())}


def wrong_names(text):
    """Return the names in commands that do not exist."""
    found = [f"make {name}" for names in MAKE.findall(text) for name in names.split() if name not in TARGETS]
    found += [f"manage.py {name}" for name in MANAGE.findall(text) if not is_command(name)]
    found += [f"python -m {name}" for name in MODULE.findall(text) if not is_module(name)]
    found += [place for place in PLACE.findall(text) if not any(ROOT.glob(place.rstrip("/.")))]
    for name, rest in COMMAND.findall(text):
        own = OPTIONS.get(name)
        if own is None:
            found.append(f"tercast {name}")
        else:
            given = OPTION.findall(re.sub(r"'[^']*'|\"[^\"]*\"", "", rest))
            found += [f"{name} {option}" for option in given if option not in own]
    return found


def is_command(name):
    own = any(ROOT.glob(f"platform/controlplane/**/management/commands/{name}.py"))
    return own or any(is_module(f"{app}.management.commands.{name}") for app in APPS)


def is_module(name):
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("name", PAGES)
def test_commands_name_what_exists(name):
    assert wrong_names(commands(read_page(name))) == []


@pytest.mark.parametrize("name", PAGES)
def test_reasons_name_files_that_exist(name):
    reasons = " ".join(block.reason or "" for block in read_blocks(read_page(name)))
    assert wrong_names(reasons) == []


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ('make test ARGS="tests/core"', []),
        ("make setup tests", ["make tests"]),
        ("sudo make lab", []),
        ("make labs  # runs make lab", ["make labs"]),
        (".venv/bin/python manage.py backup x.zip", []),
        ("tercast-manage check --deploy", []),
        (".venv/bin/python manage.py backups x.zip", ["manage.py backups"]),
        (".venv/bin/python -m analytics.generate --out x", []),
        (".venv/bin/python -m analytics.generates", ["python -m analytics.generates"]),
        (".venv/bin/python -m cProfile -s cumulative -m tercastt", ["python -m tercastt"]),
        ("cat examples/scenario.json docs/no.md", ["docs/no.md"]),
        ("PYTHONPATH=platform:tests/benchmarks x", []),
        ("cp deploy/systemd/* /etc", []),
        (".venv/bin/tercast plan a.json --budget s1=2 | x --no", []),
        (".venv/bin/tercast plan a.json \\\n    --budgets s1=2", ["plan --budgets"]),
        (".venv/bin/tercast publish --value 'a=--no' --no-such", ["publish --no-such"]),
        (".venv/bin/tercast plans a.json", ["tercast plans"]),
        (
            ".venv/bin/python -m controller_app --openflow 127.0.0.1:6653 --north x",
            ["controller_app --north"],
        ),
        (".venv/bin/python -m analytics delay --out x --windows 1", ["analytics --windows"]),
    ],
)
def test_a_wrong_name_is_found(line, wrong):
    assert wrong_names(commands(f"```sh\n{line}\n```\n")) == wrong

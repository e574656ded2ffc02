"""The reader of a page notices failures, replaces addresses, and ends listeners and servers."""

import pytest

from tests.support.docs.guide_session import NORTHBOUND, PAGE, reading
from tests.support.docs.page_blocks import Block


@pytest.fixture
def reader(tmp_path):
    with reading(tmp_path) as reader:
        yield reader


def test_commands_share_a_shell_and_work_in_a_folder_like_the_checkout(reader):
    reader.type(Block(1, "full", "NAME=scenario\n"))
    reader.type(Block(2, "full", "ls examples/$NAME.json\n", output="examples/scenario.json\n"))
    reader.type(Block(3, "full", "until false || true; do :; done\n"))


@pytest.mark.parametrize(
    "text", ["false\n", "false\ntrue\n", "f() { false; }\nf\ntrue\n", "no-such-command\n"]
)
def test_a_failure_is_noticed_also_before_the_last_command(reader, text):
    with pytest.raises(AssertionError, match="line 1: status"):
        reader.type(Block(1, "full", text))
    reader.type(Block(2, "full", "true\n"))


def test_another_output_is_noticed_and_addresses_are_replaced(reader):
    text = f"echo {PAGE} {NORTHBOUND}\n"
    reader.type(Block(1, "full", text, output=text.removeprefix("echo ")))
    assert PAGE not in reader.run(reader.with_addresses(text))[0]
    with pytest.raises(AssertionError, match="line 2: the page shows"):
        reader.type(Block(2, "full", "echo a\n", output="b\n"))


def test_json_is_compared_by_value(reader):
    reader.type(Block(1, "full", 'echo \'{"b": 2, "a": 1}\'\n', output='{"a": 1, ...}\n', is_json=True))
    with pytest.raises(AssertionError, match="another value at"):
        reader.type(Block(2, "full", "echo '{\"a\": 2}'\n", output='{"a": 1}\n', is_json=True))


def test_python_shares_names_and_runs_in_the_folder(reader):
    reader.type(Block(1, "full", "from pathlib import Path\n", language="python"))
    text = "print(Path('examples/scenario.json').exists())\n"
    reader.type(Block(2, "full", text, output="True\n", language="python"))


def test_a_listener_runs_while_the_next_block_runs(reader):
    text = "echo listening; until [ -e event ]; do sleep 0.01; done; cat event"
    reader.type(Block(1, "listener", text, output="listening\nhello\n"))
    reader.type(Block(2, "full", "echo hello > part; mv part event\n"))
    reader.finish()


def test_a_listener_that_fails_is_noticed(reader):
    with pytest.raises(AssertionError, match="OSError"):
        reader.type(Block(1, "listener", "print('listening')\nraise OSError\n", language="python"))
        reader.finish()


def test_a_server_ends_with_ctrl_c(reader):
    text = "trap 'echo end; exit 0' INT; echo ready; while :; do sleep 0.01; done"
    reader.type(Block(1, "server", text, output="ready\nend\n"))
    reader.finish()

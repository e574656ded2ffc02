"""Log lines: text for people, JSON for programs, always one line."""

import json
import logging
import sys

import pytest

from tercast.runtime.log_format import JsonFormatter, TextFormatter, iso


def record(message: str, *args: object, fields: object = None, failing: bool = False) -> logging.LogRecord:
    try:
        if failing:
            raise ValueError("broken\nin two")
        info = None
    except ValueError:
        info = sys.exc_info()
    made = logging.LogRecord("some.part", logging.WARNING, "f.py", 1, message, args, info)
    made.created = 0.0015
    if fields is not None:
        made.fields = fields
    return made


def test_json_lines_are_one_object_each() -> None:
    line = JsonFormatter().format(record('%d are "lost"\n', 3, fields={"change": "r1", "n": 2, "odd": {1}}))
    assert "\n" not in line
    read = json.loads(line)
    assert read.pop("process") > 0
    assert read == {
        "at": "1970-01-01T00:00:00.001Z",
        "level": "warning",
        "logger": "some.part",
        "message": '3 are "lost"\n',
        "change": "r1",
        "n": 2,
        "odd": "{1}",
    }


def test_tracebacks_stay_in_the_line() -> None:
    line = JsonFormatter().format(record("failed", failing=True))
    assert "\n" not in line
    assert "ValueError: broken" in json.loads(line)["traceback"]


@pytest.mark.parametrize(
    ("value", "text"), [("r1", "r1"), (3, "3"), ("two words", '"two words"'), ("", '""'), ('a"b', '"a\\"b"')]
)
def test_text_lines_quote_what_has_to_be(value: object, text: str) -> None:
    line = TextFormatter().format(record("done", fields={"x": value}))
    assert line == f"1970-01-01T00:00:00.001Z warning done x={text}"


def test_fields_that_are_none_are_left_out() -> None:
    assert TextFormatter().format(record("done", fields="no mapping")).endswith(" done")


def test_times_have_milliseconds() -> None:
    assert iso(1795822819.8229) == "2026-11-27T23:40:19.822Z"

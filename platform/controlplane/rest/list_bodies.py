"""Bodies with lists of items, as JSON or as CSV with a heading, and the line of each item."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

from rest_framework.parsers import BaseParser

from controlplane.common.problems import FieldError, invalid, too_large
from tercast.errors import shown
from tercast.runtime.wording import quantity

CSV_TYPE = "text/csv"
MAX_CELL = 128 * 1024
SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}
"""Column separators of other tools, in words. No field name contains one of them."""
GUARDED = ("=", "+", "-", "@", "\t", "\r")
"""Characters that start a formula in a spreadsheet."""


class Listed(list[Any]):
    """Items of a body. `line_of` returns the line where an item starts, counted from 1.

    `heading` is the heading of a CSV file: its line and the names of its columns.
    """

    def __init__(
        self,
        items: Sequence[Any],
        lines: Callable[[], Sequence[int]],
        heading: tuple[int, Sequence[str]] | None = None,
    ) -> None:
        super().__init__(items)
        self.heading = heading
        self._find = lines
        self._lines: Sequence[int] | None = None

    def line_of(self, index: int) -> int | None:
        """Return the line of an item, None if unknown. The first call computes all lines."""
        if self._lines is None:
            self._lines = self._find()
        return self._lines[index] if index < len(self._lines) else None


@dataclass(frozen=True, slots=True)
class UnreadableBody:
    """Placeholder for an unreadable item. `detail` states the fault of its line and the rule."""

    detail: str


def json_lines(text: str) -> list[int]:
    """Return the line where each item of the JSON list `text` starts."""
    decoder, at = json.JSONDecoder(), text.index("[") + 1
    lines: list[int] = []
    line = 1
    line += text.count("\n", 0, at)
    while True:
        begin = at
        while text[at] in " \t\r\n,":
            at += 1
        line += text.count("\n", begin, at)
        if text[at] == "]":
            return lines
        lines.append(line)
        _, end = decoder.raw_decode(text, at)
        line += text.count("\n", at, end)
        at = end


class CsvParser(BaseParser):
    """Parser for `text/csv` in UTF-8 with a heading of field names. Every cell is text."""

    media_type = CSV_TYPE

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        """Return the rows as objects; raise `Problem` if the file is not valid CSV."""
        view = (parser_context or {})["view"]
        body = stream.read(view.max_bytes + 1)
        if len(body) > view.max_bytes:
            raise too_large(f"The file is larger than {view.max_bytes} bytes. Split it into several calls.")
        try:
            text = body.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise _bad(
                "not_utf8", f"Byte {error.start} is not valid UTF-8. Save the file as UTF-8."
            ) from None
        if "\0" in text:
            raise _bad("null_character", "The file contains U+0000, which is not allowed. Remove it.")
        _check_separator(text)
        heading: list[tuple[int, list[str]]] = []
        rows, lines = [], []
        for line, row in _rows(text, view.max_items, heading):
            rows.append(row)
            lines.append(line)
        return Listed(rows, lambda: lines, heading[0])


def _check_separator(text: str) -> None:
    """Raise `Problem` if the separator in the heading is not a comma."""
    lines = enumerate(io.StringIO(text), 1)
    number, line = next(((number, line) for number, line in lines if line.strip()), (1, ""))
    mark = max(SEPARATORS, key=line.count)
    if line.count(mark) > line.count(","):
        detail = (
            f"line {number}: {SEPARATORS[mark]} separate the columns of the heading {shown(line.strip())}. "
            "Use commas in every line (in a spreadsheet: save as CSV with commas)."
        )
        raise _bad("bad_heading", detail)


def _rows(text: str, most: int, headings: list[tuple[int, list[str]]]) -> Iterator[tuple[int, Any]]:
    """Yield (line, object) for each row after the heading and add the heading to `headings`.

    Blank lines do not count as rows.
    """
    csv.field_size_limit(MAX_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    heading: list[str] | None = None
    count, line = 0, 1
    try:
        for cells in reader:
            begin, line = line, reader.line_num + 1
            if not cells:
                continue
            if heading is None:
                heading = _heading(cells, begin)
                headings.append((begin, heading))
                continue
            count += 1
            if count > most:
                raise too_large(
                    f"The file has more than {most} rows, the maximum. Split it into several calls."
                )
            yield begin, _object(heading, cells)
    except csv.Error as error:
        raise _bad("not_csv", f"line {reader.line_num}: {error}. Write CSV as defined in RFC 4180.") from None
    if heading is None:
        raise _bad("empty", "The file is empty. Start it with a heading of field names.")


def _heading(cells: list[str], line: int) -> list[str]:
    names = [cell.strip() for cell in cells]
    for place, name in enumerate(names, 1):
        if not name:
            detail = f"line {line}: column {place} of the heading has no name. Give each column one name."
            raise _bad("bad_heading", detail)
        if names.count(name) > 1:
            detail = f"line {line}: the heading contains column {shown(name)} twice. Name each column once."
            raise _bad("bad_heading", detail)
    return names


def _object(heading: list[str], cells: list[str]) -> Any:
    if len(cells) != len(heading):
        return UnreadableBody(
            f"This line has {quantity(len(cells), 'value')}, but the first line names "
            f"{quantity(len(heading), 'column')}. Write one value for each column. Put quotes around a "
            "value that contains a comma."
        )
    return {name: unguarded(cell) for name, cell in zip(heading, cells, strict=True)}


def unguarded(cell: str) -> str:
    """Reverse `guarded`: return the cell without the added `'`."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in GUARDED and len(cell) > 1 else cell


def guarded(cell: str) -> str:
    """Add a `'` before `cell` if a spreadsheet would read it as a formula."""
    return f"'{cell}" if cell.startswith(GUARDED) else cell


def _bad(code: str, detail: str) -> Exception:
    return invalid([FieldError("", code, detail)], "bad_csv")

"""Bodies that are lists, with the line that each item begins at: JSON, and CSV with a heading."""

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
"""What other tools put between columns, in words. No name of a field has one of these."""
GUARDED = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""


class Listed(list[Any]):
    """The items of a body; `line_of` gives the line of its text at which an item begins, counted from 1.

    `heading` is that of a CSV file: the line it is in, and the names of its columns.
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
        """The line of an item; looked for at the first question, since good bodies need none."""
        if self._lines is None:
            self._lines = self._find()
        return self._lines[index] if index < len(self._lines) else None


@dataclass(frozen=True, slots=True)
class UnreadableBody:
    """Stands for an item that is none: `detail` says what its line has and should have."""

    detail: str


def json_lines(text: str) -> list[int]:
    """The line at which each item of the JSON list `text` begins."""
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
    """`text/csv` in UTF-8 with a heading of field names; every cell is text."""

    media_type = CSV_TYPE

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        """The rows as objects; raises `Problem` for what is no such file."""
        view = (parser_context or {})["view"]
        body = stream.read(view.max_bytes + 1)
        if len(body) > view.max_bytes:
            raise too_large(f"The file is larger than {view.max_bytes} bytes. Split it into several calls.")
        try:
            text = body.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise _bad("not_utf8", f"byte {error.start} is not UTF-8. Save the file as UTF-8.") from None
        if "\0" in text:
            raise _bad("null_character", "The file must not contain U+0000. Take it out.")
        _check_separator(text)
        heading: list[tuple[int, list[str]]] = []
        rows, lines = [], []
        for line, row in _rows(text, view.max_items, heading):
            rows.append(row)
            lines.append(line)
        return Listed(rows, lambda: lines, heading[0])


def _check_separator(text: str) -> None:
    """Refuse a file whose heading is separated by something else than commas."""
    lines = enumerate(io.StringIO(text), 1)
    number, line = next(((number, line) for number, line in lines if line.strip()), (1, ""))
    mark = max(SEPARATORS, key=line.count)
    if line.count(mark) > line.count(","):
        detail = (
            f"line {number}: the heading {shown(line.strip())} is separated by {SEPARATORS[mark]}. "
            "Separate the columns by commas, in every line (in a spreadsheet: save as CSV with commas)."
        )
        raise _bad("bad_heading", detail)


def _rows(text: str, most: int, headings: list[tuple[int, list[str]]]) -> Iterator[tuple[int, Any]]:
    """(line, object) of each row behind the heading, which goes to `headings`; blank lines do not count."""
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
                raise too_large(f"The file has more than {most} rows; that is the most. Split it.")
            yield begin, _object(heading, cells)
    except csv.Error as error:
        raise _bad("not_csv", f"line {reader.line_num}: {error}. Write CSV as RFC 4180 says.") from None
    if heading is None:
        raise _bad("empty", "The file is empty. Begin it with a heading of field names.")


def _heading(cells: list[str], line: int) -> list[str]:
    names = [cell.strip() for cell in cells]
    for place, name in enumerate(names, 1):
        if not name:
            detail = f"line {line}: column {place} of the heading has no name. Name each column once."
            raise _bad("bad_heading", detail)
        if names.count(name) > 1:
            detail = f"line {line}: the heading has the column {shown(name)} twice. Name each column once."
            raise _bad("bad_heading", detail)
    return names


def _object(heading: list[str], cells: list[str]) -> Any:
    if len(cells) != len(heading):
        return UnreadableBody(
            f"The line has {quantity(len(cells), 'cell')}, the heading {len(heading)}. Make them equal."
        )
    return {name: unguarded(cell) for name, cell in zip(heading, cells, strict=True)}


def unguarded(cell: str) -> str:
    """A cell as it was before `guarded`."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in GUARDED and len(cell) > 1 else cell


def guarded(cell: str) -> str:
    """`cell` with a `'` before it where a spreadsheet would take it for a formula."""
    return f"'{cell}" if cell.startswith(GUARDED) else cell


def _bad(code: str, detail: str) -> Exception:
    return invalid([FieldError("", code, detail)], "bad_csv")

"""Strict reading and complete writing of files."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.errors import Refused, RefusedMany
from tercast.runtime import json_files
from tercast.runtime.json_files import FileRefused, parse_json, read_json, read_lines, write_json

HOSTILE: list[tuple[bytes, str]] = [
    (b"", "not JSON"),
    (b"{", "not JSON"),
    (b'{"a": 1} x', "not JSON: Extra data at line 1, column 10"),
    (b"\xff\xfe{}", "byte 0 is not UTF-8"),
    (b'{"a": "\xc3"}', "byte 7 is not UTF-8"),
    (b"\xef\xbb\xbf{}", "not JSON"),
    (b'{"a": {"b": [1, NaN]}}', "a.b[1]: NaN is not a JSON number"),
    (b'{"a": -Infinity}', "a: -Infinity is not a JSON number"),
    (b'{"a": 1e400}', 'a: "1e400" is beyond the range of doubles'),
    (b'{"a": {"b": 1, "b": 1}}', "a.b: this key occurs twice in one object"),
    (b'{"a": ' + b"9" * 5000 + b"}", "a: the number has 5000 digits; at most 1000"),
    (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
    (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, "nested too deeply"),
    (b"{'a': 1}", "not JSON"),
    (b"[1,]", "not JSON"),
    (b"\x00", "not JSON"),
]


@pytest.mark.parametrize(("data", "line"), HOSTILE)
def test_invalid_json_is_refused_with_its_place(data: bytes, line: str, tmp_path: Path) -> None:
    with pytest.raises((Refused, RefusedMany)) as refused:
        parse_json(data)
    assert line in str(refused.value)
    file = tmp_path / "x.json"
    file.write_bytes(data)
    with pytest.raises(FileRefused) as raised:
        read_json(str(file))
    assert all(message.startswith(f"{file}: ") and "\n" not in message for message in raised.value.lines)


def test_all_bad_numbers_of_a_file_are_reported() -> None:
    with pytest.raises(RefusedMany) as refused:
        parse_json(b'{"a": NaN, "b": [Infinity, {"c": 1e999}]}')
    assert [str(error).split(":")[0] for error in refused.value.errors] == ["a", "b[0]", "b[1].c"]


@pytest.mark.parametrize("name", ["missing.json", "", ".", "x\0y"])
def test_what_is_no_file_is_refused_by_name(name: str, tmp_path: Path) -> None:
    path = str(tmp_path / name) if name else ""
    with pytest.raises(FileRefused) as refused:
        read_json(path)
    assert refused.value.lines[0].startswith(f"{path}: cannot be read: ")


documents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(documents)
def test_good_json_comes_through_as_it_is(document: Any) -> None:
    assert parse_json(json.dumps(document).encode()) == document


@given(st.binary(max_size=40))
def test_no_bytes_do_more_harm_than_a_refusal(data: bytes) -> None:
    try:
        parse_json(data)
    except (Refused, RefusedMany) as refused:
        assert str(refused)


def test_errors_of_json_lines_have_line_numbers(tmp_path: Path) -> None:
    file = tmp_path / "events"
    file.write_bytes(b'{"a": 1}\n\n  \n[2]')
    assert list(read_lines(str(file))) == [(1, {"a": 1}), (4, [2])]
    file.write_bytes(b'{"a": 1}\n{"a": }\n')
    with pytest.raises(FileRefused) as refused:
        list(read_lines(str(file)))
    assert refused.value.lines[0].startswith(f"{file}:2: not JSON")
    file.write_bytes(b"1\n" + b" " * (2 << 20))
    with pytest.raises(FileRefused) as refused:
        list(read_lines(str(file)))
    assert refused.value.lines[0].startswith(f"{file}:2: the line has more than")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "out.json"
    write_json(str(file), {"a": "é"})
    assert json.loads(file.read_text(encoding="utf-8")) == {"a": "é"}

    def fail(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(FileRefused) as refused:
        write_json(str(file), {"b": 1})
    assert refused.value.lines == [f"{file}: cannot be written: No space left on device"]
    assert json.loads(file.read_text(encoding="utf-8")) == {"a": "é"}
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_devices_are_written_to_and_directories_refused(tmp_path: Path) -> None:
    write_json("/dev/null", [])
    assert not Path("/dev/null").is_file()
    for name in (str(tmp_path), str(tmp_path / "no" / "file")):
        with pytest.raises(FileRefused) as refused:
            write_json(name, [])
        assert refused.value.lines[0].startswith(f"{name}: cannot be written: ")


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_files, "MAX_BYTES", 100)
    file = tmp_path / "x.json"
    file.write_text(" " * 98 + "{}")
    assert read_json(str(file)) == {}
    file.write_text(" " * 99 + "{}")
    with pytest.raises(FileRefused, match=r"x\.json: .*more than 100 bytes"):
        read_json(str(file))


def test_a_small_file_takes_little_memory(tmp_path: Path) -> None:
    (tmp_path / "small.json").write_text("[1]")
    tracemalloc.start()
    try:
        read_json(str(tmp_path / "small.json"))
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_a_file_of_several_parts_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_files, "_READ_AT_ONCE", 3)
    (tmp_path / "parts.json").write_text(json.dumps([12345]))
    assert read_json(str(tmp_path / "parts.json")) == [12345]


def test_outer_levels_are_written_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    document = {
        "format": "x/1",
        "empty": {},
        "of": {"a": ["0", "1"], "b": []},
        "flows": {'s"1': [{"match": {"dst": "é"}, "n": [1, {"deep": [2.5, None, True]}]}, {"match": {}}]},
        "rows": [[1, 2], [3]],
    }
    write_json(str(file), document)
    text = file.read_text()
    assert json.loads(text) == document
    assert text.splitlines() == [
        "{",
        ' "format": "x/1",',
        ' "empty": {},',
        ' "of": {',
        '  "a": ["0", "1"],',
        '  "b": []',
        " },",
        ' "flows": {',
        '  "s\\"1": [',
        '   {"match": {"dst": "é"}, "n": [1, {"deep": [2.5, null, true]}]},',
        '   {"match": {}}',
        "  ]",
        " },",
        ' "rows": [',
        "  [1, 2],",
        "  [3]",
        " ]",
        "}",
    ]
    write_json(str(file), document, indent=None)
    assert len(file.read_text().splitlines()) == 1
    for bad in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not JSON compliant"):
            write_json(str(file), {"a": [{"b": bad}]})

"""Files that only look like a backup: each is refused in words, in bounded memory, and nothing changes."""

import json
import zipfile

import pytest

from controlplane.upkeep import archive, staging
from controlplane.upkeep.errors import UpkeepError

GOOD = {
    "format": archive.FORMAT,
    "version": "1",
    "created_at": "2026-11-28T00:00:00+00:00",
    "vendor": "sqlite",
    "migrations": ["a.1"],
    "rows": {"t": 1},
    "last_ids": {"t": 1},
    "secrets": ["s"],
}
TABLE = '["id"]\n[1]\n'


def read(path, manifest=None, table=TABLE, secret=b"x", **changes):
    """Read a backup of these parts whole."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("tables/t.jsonl", table)
        file.writestr("secrets/s", secret)
        file.writestr("manifest.json", json.dumps(GOOD | changes) if manifest is None else manifest)
    with archive.reading(path) as reader:
        reader.check()
        return reader.manifest


def test_a_good_one_is_read(tmp_path):
    assert read(tmp_path / "b.zip").rows == {"t": 1}


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": {"t": "many"}},
        {"rows": ["t"]},
        {"rows": {"t": True}},
        {"last_ids": None},
        {"migrations": "a.1"},
        {"migrations": [1, "a"]},
        {"secrets": [["s"]]},
        {"secrets": 7},
        {"created_at": 7},
        {"rows": {"../../t": 1}},
        {"manifest": "[" * 100_000},
        {"manifest": "[]"},
        {"manifest": " " * (archive.MOST_SMALL_BYTES + 1)},
        {"secret": bytes(archive.MOST_SMALL_BYTES + 1)},
        {"table": "[" * 100_000},
        {"table": "7\n[1]\n"},
        {"table": '["id"]\n{"id": 1}\n'},
        {"table": '["id"]\n[1, 2]\n'},
        {"table": '["id"]\n[1]\n[2]\n'},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_what_is_none_is_refused_in_words(tmp_path, changes):
    with pytest.raises(UpkeepError, match=r"is damaged at|is no backup"):
        read(tmp_path / "b.zip", **changes)


def test_a_row_without_end_is_not_kept_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MOST_ROW_BYTES", 1000)
    with pytest.raises(UpkeepError, match=r"more than 1000 bytes"):
        read(tmp_path / "b.zip", table='["id"]\n["' + "x" * 5_000_000 + '"]\n')


@pytest.mark.parametrize("name", ["../s", "/etc/s", ".", "a/../../s", "link/s"])
def test_secrets_stay_in_their_folder(tmp_path, name):
    folder = tmp_path / "secrets"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    with pytest.raises(UpkeepError, match=r"outside its folder"):
        staging._place(folder, name)

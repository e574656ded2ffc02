"""Files that only look like a backup: each is refused in words, in bounded memory, and nothing changes."""

import json
import os
import sqlite3
import zipfile
from dataclasses import replace
from importlib import import_module

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from controlplane.operations.backup import archive, free_space, restore, secret_staging
from controlplane.operations.backup.errors import BackupError
from controlplane.requestlog import outbox

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
def test_invalid_backups_are_refused(tmp_path, changes):
    with pytest.raises(BackupError, match=r"is damaged at|is not a backup"):
        read(tmp_path / "b.zip", **changes)


def test_size_of_a_row_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MOST_ROW_BYTES", 1000)
    with pytest.raises(BackupError, match=r"more than 1000 bytes"):
        read(tmp_path / "b.zip", table='["id"]\n["' + "x" * 5_000_000 + '"]\n')


@pytest.mark.parametrize("name", ["../s", "/etc/s", ".", "a/../../s", "link/s"])
def test_secrets_stay_in_their_folder(tmp_path, name):
    folder = tmp_path / "secrets"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    with pytest.raises(BackupError, match=r"outside the folder of secrets"):
        secret_staging._place(folder, name)


@pytest.mark.parametrize(
    ("megabytes", "free", "says"),
    [
        (4, 1 << 40, "unpacks to 5 MiB, but a restore accepts at most 4 MiB (TERCAST_RESTORE_MEGABYTES)"),
        (5, 5 << 20, None),
        (9, (5 << 20) - 1, "has 4 MiB free"),
    ],
)
def test_backup_larger_than_the_disk_is_refused_unread(
    tmp_path, settings, monkeypatch, megabytes, free, says
):
    """The declared sizes count, whatever the file packs them to; nothing of the database is read before."""
    path = tmp_path / "b.zip"
    read(path, table='["id"]\n["' + "x" * ((5 << 20) - 2000) + '"]\n')
    assert path.stat().st_size < 100_000
    settings.ENV = replace(settings.ENV, restore_megabytes=megabytes)
    monkeypatch.setattr(free_space, "_database_folder", lambda: tmp_path)
    monkeypatch.setattr(free_space, "_free_bytes", lambda _folder: free)
    if says is None:
        with archive.reading(path) as reader:
            free_space.check(reader)
        return
    with pytest.raises(BackupError) as refused:
        restore.restore(path, lambda _: None, restore.RestoreOptions(replace=True))
    assert says in str(refused.value) and "nothing is changed" in str(refused.value)


def test_a_member_yields_no_more_than_it_declares(tmp_path):
    """A size that is declared too small ends the reading there, with an error."""
    path = tmp_path / "b.zip"
    read(path, secret=b"x" * 100_000)
    with zipfile.ZipFile(path) as file:
        size = file.getinfo("secrets/s").file_size.to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (1000).to_bytes(4, "little")))
    with archive.reading(path) as reader, pytest.raises(BackupError, match=r"is damaged at secrets/s"):
        assert reader.unpacked_bytes < 10_000
        reader.check()


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_other_compression_is_refused(tmp_path, method):
    with zipfile.ZipFile(tmp_path / "b.zip", "w", method) as file:
        file.writestr("manifest.json", json.dumps(GOOD))
    with (
        pytest.raises(BackupError, match=r"manifest.json: compression method"),
        archive.reading(tmp_path / "b.zip"),
    ):
        pass


@pytest.mark.parametrize("name", ["backup", "restore", "compact"])
def test_a_full_disk_ends_a_command_in_words(monkeypatch, name):
    module = import_module(f"controlplane.worker.management.commands.{name}")
    cause = sqlite3.OperationalError("database or disk is full")
    cause.sqlite_errorcode = sqlite3.SQLITE_FULL

    def fail(*_):
        raise OperationalError(str(cause)) from cause

    monkeypatch.setattr(module, name, fail)
    monkeypatch.setattr(os, "nice", lambda _: 0)
    monkeypatch.setattr(outbox, "alarm", fail)
    with pytest.raises(CommandError, match="disk_full: database or disk is full; remove the cause, then run"):
        call_command(name, *([] if name == "compact" else ["b.zip"]))

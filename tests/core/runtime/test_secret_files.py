"""Secrets are generated once and readable only by their owner."""

import stat
from concurrent.futures import ThreadPoolExecutor

from tercast.runtime.secret_files import secret


def test_a_secret_is_made_once(tmp_path):
    folder = tmp_path / "secrets"
    made = secret(folder, "key")
    assert len(made) >= 48 and secret(folder, "key") == made and secret(folder, "other") != made


def test_its_owner_alone_reads_it(tmp_path):
    secret(tmp_path / "secrets", "key")
    assert stat.S_IMODE((tmp_path / "secrets").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "secrets" / "key").stat().st_mode) == 0o600


def test_many_who_ask_at_once_get_the_same(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: secret(tmp_path / "secrets", "key"), range(32)))
    assert len(found) == 1
    assert [path.name for path in (tmp_path / "secrets").iterdir()] == ["key"]

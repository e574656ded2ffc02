"""Settings for production: Django's checks report no problem, and only the owner can read secrets."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

from tercast.runtime.secret_files import BadSecret, secret

ROOT = Path(__file__).resolve().parents[3]


def manage(state: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    own = {key: value for key, value in os.environ.items() if not key.startswith("TERCAST_")}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        env=own | {"TERCAST_STATE_DIR": str(state)} | more,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_checks_for_deployment_are_clean_with_https(tmp_path):
    production = {
        "TERCAST_HTTPS": "1",
        "TERCAST_SOURCE_CHECK": "1",
        "TERCAST_LINK_APPROVAL": "manual",
        "TERCAST_ALLOWED_HOSTS": "tercast.example",
        "TERCAST_NORTHBOUND_URL": "http://127.0.0.1:9",
    }
    strict = ("check", "--deploy", "--fail-level", "WARNING")
    done = manage(tmp_path / "state", *strict, **production)
    assert done.returncode == 0, done.stderr
    assert "tercast.W" not in done.stderr and "tercast.I001" in done.stderr  # no controller runs here
    plain = manage(tmp_path / "state", *strict)
    assert plain.returncode == 1 and "security.W008" in plain.stderr
    loose = tmp_path / "state" / "secrets" / "django-secret-key"
    loose.chmod(0o640)
    output = manage(tmp_path / "state", *strict, **production)
    assert output.returncode == 1
    assert f"{loose} can be read by users other than its owner (mode 640)" in output.stderr
    assert f"chmod 600 {loose}" in output.stderr


def test_an_empty_secret_is_reported_and_not_used(tmp_path):
    (tmp_path / "key").touch()
    with pytest.raises(BadSecret, match="key is empty; restore it"):
        secret(tmp_path, "key")


def test_over_plain_http_only_health_is_answered(settings, db):
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_REDIRECT_EXEMPT = [r"^api/v1/health/$"]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SECURE_HSTS_SECONDS = 3600
    client = Client()
    away = client.get("/api/v1/topics/")
    assert (away.status_code, away["Location"]) == (301, "https://testserver/api/v1/topics/")
    assert client.get("/api/v1/health/?only=database").status_code == 200
    behind = client.get("/login/", headers={"X-Forwarded-Proto": "https"})
    assert behind.status_code == 200 and "max-age=3600" in behind["Strict-Transport-Security"]

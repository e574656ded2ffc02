"""What `deploy/` has is taken by systemd and nginx, and names settings that there are."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from controller_app.settings import read_settings
from controller_app.switch import datapath_proof
from controller_app.tls_files import VARIABLES
from controlplane.config.env import Environment
from tercast.cli.certificate_authority import Identity, make_certificates

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy"


def variables() -> dict[str, str]:
    lines = (DEPLOY / "tercast.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def test_every_variable_is_one_that_somebody_reads():
    found = variables()
    env = Environment.read(found)
    assert env.https and env.redis_url and env.database["ENGINE"].endswith("postgresql")
    source = (ROOT / "platform/controlplane/config/env.py").read_text()
    known = [name for name in found if f'"{name}"' in source or name in VARIABLES]
    formats = ["TERCAST_LOG_FORMAT", "DJANGO_SETTINGS_MODULE", datapath_proof.VARIABLE]
    assert sorted({*known, *formats}) == sorted(found)
    page = (ROOT / "docs/deploy.md").read_text()
    assert [path.name for path in (DEPLOY / "systemd").iterdir() if path.name not in page] == []


def units() -> dict[str, str]:
    return {path.name: path.read_text() for path in (DEPLOY / "systemd").glob("*.service")}


def test_no_fact_is_in_two_files():
    """Addresses are settings. systemd and nginx need some folders and the socket too: they are the same."""
    commands = [line for text in units().values() for line in text.splitlines() if line.startswith("Exec")]
    assert [
        line for line in commands if re.search(r"[0-9]:[0-9]{2,5}|--northbound|--openflow|token", line)
    ] == []
    for text in units().values():
        assert "EnvironmentFile=/etc/tercast/tercast.env" in text
        assert f"StateDirectory={Path(variables()['TERCAST_STATE_DIR']).relative_to('/var/lib')}\n" in text
    [socket] = re.findall(r"--uds (\S+)", units()["tercast-web.service"])
    assert f"server unix:{socket} " in (DEPLOY / "nginx/tercast.conf").read_text()
    assert "RuntimeDirectory=tercast\n" in units()["tercast-web.service"] and socket.startswith(
        "/run/tercast/"
    )
    names = re.findall(r"server_name (\S+);", (DEPLOY / "nginx/tercast.conf").read_text())
    assert set(names) == {variables()["TERCAST_ALLOWED_HOSTS"]}


def test_the_example_settings_start_a_controller_over_tls(tmp_path, monkeypatch):
    for name, value in variables().items():
        monkeypatch.setenv(name, value)
    (tmp_path / "token").write_text("0123456789abcdef")
    key = ["--discovery-key-file", str(tmp_path / "key")]  # created here, not in /var
    settings = read_settings(["--token-file", str(tmp_path / "token"), *key])
    assert str(settings.openflow) == "0.0.0.0:6653" and settings.tls is not None
    assert settings.switch_proof is datapath_proof.ProofPolicy.BOUND
    assert str(settings.switch_keys) == "/var/lib/tercast/secrets/switch-keys.json"
    assert Environment.read(variables()).openflow == ("ssl", "0.0.0.0", 6653)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze here")
def test_systemd_takes_the_units(tmp_path):
    for path in (DEPLOY / "systemd").iterdir():
        (tmp_path / path.name).write_text(path.read_text().replace("/opt/tercast", str(ROOT)))
    units = sorted(path.name for path in tmp_path.iterdir())
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


@pytest.mark.skipif(not NGINX, reason="no nginx here")
def test_nginx_takes_the_proxy(tmp_path):
    make_certificates(tmp_path, ["proxy"])
    files = Identity.of(tmp_path, "proxy")
    text = (DEPLOY / "nginx/tercast.conf").read_text()
    text = text.replace("/etc/ssl/tercast/fullchain.pem", str(files.certificate))
    text = text.replace("/etc/ssl/tercast/privkey.pem", str(files.key))
    (tmp_path / "tercast.conf").write_text(text)
    folders = [
        f"{kind}_temp_path {tmp_path};" for kind in ("proxy", "client_body", "fastcgi", "uwsgi", "scgi")
    ]
    main = f"pid {tmp_path}/pid; error_log stderr; events {{}} http {{ access_log off; {' '.join(folders)}"
    (tmp_path / "nginx.conf").write_text(f"{main} include {tmp_path}/tercast.conf; }}")
    command = [NGINX, "-t", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "emerg" not in done.stderr, done.stderr

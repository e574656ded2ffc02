"""Addresses of the controller: set once for it and the control plane, and reported by it."""

from __future__ import annotations

import pytest

from controller_app.endpoints import Endpoints
from controller_app.errors import SettingError
from controller_app.settings import Settings, read_settings
from controller_app.tls_files import VARIABLES
from controlplane.config.env import Environment
from tercast.cli.certificate_authority import CONTROLLER, Identity, make_certificates
from tests.support.controller.controller_harness import TOKEN, running

FILES = dict.fromkeys(VARIABLES, "/x.pem")
NAMES = (*VARIABLES, "TERCAST_OPENFLOW", "TERCAST_NORTHBOUND_URL", "TERCAST_STATE_DIR")


@pytest.fixture
def read(tmp_path, monkeypatch):
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "northbound-token").write_text(TOKEN)

    def read_with(*options: str, **variables: str) -> Settings:
        for name in NAMES:
            monkeypatch.delenv(name, raising=False)
        for name, value in {"TERCAST_STATE_DIR": str(tmp_path), **variables}.items():
            monkeypatch.setenv(name, value)
        return read_settings(options)

    return read_with


@pytest.mark.parametrize(
    ("value", "files", "address"),
    [
        ("0.0.0.0:6653", {}, "0.0.0.0:6653"),
        ("tcp:192.0.2.1:6633", {}, "192.0.2.1:6633"),
        ("tcp:[::]:6653", {}, "[::]:6653"),
        ("ssl:[2001:db8::1]:6653", FILES, "[2001:db8::1]:6653"),
        ("0.0.0.0:6653", FILES, "0.0.0.0:6653"),
    ],
)
def test_one_setting_is_read_by_controller_and_control_plane(read, value, files, address) -> None:
    settings = read(TERCAST_OPENFLOW=value, TERCAST_NORTHBOUND_URL="http://127.0.0.1:6699", **files)
    assert (str(settings.openflow), str(settings.northbound), settings.token) == (
        address,
        "127.0.0.1:6699",
        TOKEN,
    )
    _, host, port = Environment.read({"TERCAST_OPENFLOW": value}).openflow
    assert (host, port) == (settings.openflow.host, settings.openflow.port)


def test_options_win_and_defaults_are_loopback(read) -> None:
    settings = read("--openflow", "127.0.0.2:1", "--northbound", "[::1]:2", TERCAST_OPENFLOW="0.0.0.0:3")
    assert (str(settings.openflow), str(settings.northbound)) == ("127.0.0.2:1", "[::1]:2")
    settings = read()
    assert (str(settings.openflow), str(settings.northbound)) == ("127.0.0.1:6653", "127.0.0.1:6680")


@pytest.mark.parametrize(
    ("variables", "options", "words"),
    [
        (
            {"TERCAST_OPENFLOW": "ssl:0.0.0.0:6653"},
            (),
            "TERCAST_OPENFLOW: 'ssl:0.0.0.0:6653' has the scheme ssl",
        ),
        ({"TERCAST_OPENFLOW": "tcp:0.0.0.0:6653", **FILES}, (), "scheme tcp, but the TLS files are set"),
        (
            {},
            ("--openflow", "ssl:0.0.0.0:1"),
            "--openflow: 'ssl:0.0.0.0:1' has the scheme ssl, but the TLS files are not",
        ),
        ({"TERCAST_OPENFLOW": "example.org:6653"}, (), "TERCAST_OPENFLOW: 'example.org:6653'"),
        (
            {"TERCAST_NORTHBOUND_URL": "http://ctl.example:6680"},
            (),
            "TERCAST_NORTHBOUND_URL: 'ctl.example:6680'",
        ),
        ({"TERCAST_NORTHBOUND_URL": "http://127.0.0.1"}, (), "is not a URL of the form http://ADDRESS:PORT"),
        (
            {"TERCAST_NORTHBOUND_URL": "http://127.0.0.1:x"},
            (),
            "is not a URL of the form http://ADDRESS:PORT",
        ),
        ({"TERCAST_NORTHBOUND_URL": "http://192.0.2.1:6680"}, (), "other machines can reach"),
        (
            {"TERCAST_STATE_DIR": ""},
            (),
            "--token-file: no file is set; set --token-file PATH or TERCAST_STATE_DIR",
        ),
    ],
)
def test_what_contradicts_itself_is_refused_by_its_name(read, variables, options, words) -> None:
    with pytest.raises(SettingError) as refused:
        read(*options, **variables)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("host", "tls", "local"), [("0.0.0.0", True, False), ("127.0.0.1", False, True), ("::1", True, True)]
)
def test_the_report(host, tls, local) -> None:
    said = Endpoints((host, 6653), ("127.0.0.1", 6680), tls).to_json()
    assert said["northbound"] == {"address": "127.0.0.1", "port": 6680}
    assert said["openflow"] == {
        "scheme": "ssl" if tls else "tcp",
        "address": host,
        "port": 6653,
        "local_only": local,
        "client_certificate": tls,
    }


def test_a_running_controller_reports_its_sockets(tmp_path) -> None:
    make_certificates(tmp_path / "tls", [CONTROLLER])
    own = Identity.of(tmp_path / "tls", CONTROLLER)
    files = zip(("certificate", "key", "authority"), (own.certificate, own.key, own.authority), strict=True)
    options = [word for name, path in files for word in (f"--tls-{name}", str(path))]
    with running(tmp_path, *options) as controller:
        status, said = controller.call("GET", "/v1/listening")
        assert status == 200 and said["openflow"]["scheme"] == "ssl" and said["openflow"]["local_only"]
        assert f"{said['openflow']['address']}:{said['openflow']['port']}" in controller.target
        assert controller.call("GET", "/v1/listening", token=None)[0] == 401


def test_the_key_of_probes_is_made_once_in_the_state_folder_and_is_its_owners_alone(read, tmp_path) -> None:
    made = read().discovery_key
    path = tmp_path / "secrets" / "discovery-key"
    assert len(made) >= 48 and read().discovery_key == made == path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    assert read("--discovery-key-file", str(tmp_path / "other")).discovery_key != made
    path.chmod(0o640)
    with pytest.raises(SettingError, match=r"--discovery-key-file: .* mode 0640.*chmod 600"):
        read()
    path.chmod(0o600)
    path.write_text("short")
    with pytest.raises(SettingError, match="at least 16"):
        read()


def test_without_a_state_folder_each_run_has_a_key_of_its_own(read, tmp_path) -> None:
    options = ("--token-file", str(tmp_path / "secrets" / "northbound-token"))
    one, other = (read(*options, TERCAST_STATE_DIR="").discovery_key for _ in range(2))
    assert len(one) == 32 and one != other
    assert not (tmp_path / "secrets" / "discovery-key").exists()

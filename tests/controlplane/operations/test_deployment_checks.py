"""`manage.py check --deploy` compares facts that another program has too."""

from dataclasses import replace

import pytest

from controlplane.network.controller_client import ControllerClient, Listening, UnreachableError
from controlplane.operations import deployment_checks


def ids(messages):
    return [message.id for message in messages]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Listening("ssl", "0.0.0.0", 6653), []),
        (Listening("tcp", "0.0.0.0", 6653), ["tercast.W003"]),
        (Listening("ssl", "127.0.0.1", 6653), ["tercast.W003"]),
        (Listening("ssl", "0.0.0.0", 6654), ["tercast.W003"]),
    ],
)
def test_the_controller_listens_where_the_setting_says(settings, monkeypatch, found, expected):
    settings.ENV = replace(settings.ENV, openflow=("ssl", "0.0.0.0", 6653))
    monkeypatch.setattr(ControllerClient, "listening", lambda self: found)
    messages = deployment_checks.check_controller(None)
    assert ids(messages) == expected
    if messages:
        assert str(found) in messages[0].msg and "ssl:0.0.0.0:6653" in messages[0].msg


def test_a_silent_controller_is_named_and_is_no_warning(monkeypatch):
    def fail(self):
        raise UnreachableError("GET /v1/listening: connection refused")

    monkeypatch.setattr(ControllerClient, "listening", fail)
    assert ids(deployment_checks.check_controller(None)) == ["tercast.I001"]


@pytest.mark.parametrize(
    ("names", "allowed", "expected"),
    [
        ("a.example", ["a.example"], []),
        ("a.example b.example", ["b.example", "a.example", "127.0.0.1"], []),
        ("*.example", [".example"], []),
        ("_", ["a.example"], []),
        ("a.example", ["*"], []),
        ("tercast.example.org", ["a.example"], ["tercast.W004", "tercast.W005"]),
        ("a.example", ["a.example", "b.example"], ["tercast.W005"]),
        ("a.example b.example", ["a.example"], ["tercast.W004"]),
    ],
)
def test_nginx_and_django_serve_the_same_names(settings, monkeypatch, tmp_path, names, allowed, expected):
    (tmp_path / "conf").write_text(
        f"server {{\n    server_name {names};\n}}\nserver {{\n server_name {names};\n}}"
    )
    monkeypatch.setattr(deployment_checks, "PROXY", tmp_path / "conf")
    settings.ALLOWED_HOSTS = allowed
    assert ids(deployment_checks.check_proxy(None)) == expected


def test_without_nginx_names_are_not_compared(monkeypatch, tmp_path):
    monkeypatch.setattr(deployment_checks, "PROXY", tmp_path / "absent")
    assert deployment_checks.check_proxy(None) == []


def test_a_telemetry_folder_that_cannot_be_written_is_named(settings, monkeypatch, tmp_path):
    settings.ENV = replace(settings.ENV, telemetry=tmp_path / "a" / "b")
    assert deployment_checks.check_telemetry(None) == []
    monkeypatch.setattr(deployment_checks.os, "access", lambda path, mode: path != tmp_path)
    [message] = deployment_checks.check_telemetry(None)
    assert message.id == "tercast.W006" and str(tmp_path) in message.msg

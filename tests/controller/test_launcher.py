"""Start of the controller, refused starts, and its end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

from controller_app.errors import SettingError
from controller_app.settings import read_settings
from tests.support.controller.controller_harness import (
    ROOT,
    TOKEN,
    Controller,
    dpid,
    entry,
    eventually,
    free_port,
    running,
)
from tests.support.controller.fake_switch import FakeNetwork
from tests.waiting import LIMIT_SECONDS


@pytest.fixture
def token_file(tmp_path):
    path = tmp_path / "token"
    path.write_text(TOKEN)
    return str(path)


def start(*options: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}"}
    command = [sys.executable, "-m", "controller_app", *options]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=LIMIT_SECONDS, env=environment, check=False
    )


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--openflow", "127.0.0.1"),
        ("--openflow", "127.0.0.1:65536"),
        ("--openflow", "switch.example:6653"),
        ("--openflow", "127.0.0.1:6653x"),
        ("--northbound", "0.0.0.0:6680"),
        ("--northbound", "[::]:6680"),
        ("--northbound", "192.0.2.1:6680"),
        ("--northbound", ":6680"),
        ("--family", "ipv5"),
        ("--probe-interval", "0"),
        ("--poll-interval", "nan"),
        ("--reply-timeout", "soon"),
        ("--log-format", "xml"),
        ("--token-file", "/nowhere/token"),
        ("--token-file", "/dev/null"),
        ("--token-file", "/"),
    ],
)
def test_a_bad_setting_is_refused_by_its_name(token_file, capsys, option, value) -> None:
    with pytest.raises((SettingError, SystemExit)) as refused:
        read_settings(["--token-file", token_file, option, value])
    said = capsys.readouterr().err
    assert option in (said or str(refused.value))
    assert not said or refused.value.code == 2


def test_a_bad_setting_stops_the_start_with_status_2(token_file) -> None:
    ended = start("--token-file", token_file, "--northbound", "0.0.0.0:6680")
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1
    assert ended.stderr.startswith("--northbound")


def test_an_unknown_library_stops_the_start_with_status_2(token_file, monkeypatch) -> None:
    monkeypatch.setenv("TERCAST_OPENFLOW_LIBRARY", "pox")
    ended = start("--token-file", token_file)
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [
        "TERCAST_OPENFLOW_LIBRARY: unknown library 'pox'; use one of ryu, os_ken"
    ]


@pytest.mark.parametrize("library", ["ryu", "os_ken"])
def test_either_library_serves_and_only_the_chosen_one_is_loaded(run_dir, monkeypatch, library) -> None:
    monkeypatch.setenv("TERCAST_OPENFLOW_LIBRARY", library)
    with running(run_dir) as controller, FakeNetwork(controller.openflow) as network:
        network.add(0xA1)
        controller.await_switches(dpid(0xA1))
        (line,) = [line for line in controller.lines() if line["message"] == "listening"]
        assert line["library"] == library
    look = "import sys, controller_app.ryu_api; print(*sorted({'ryu', 'os_ken'} & sys.modules.keys()))"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}"}
    loaded = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", look],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    assert loaded.stdout.split() == [library]


def test_an_address_that_others_reach_can_be_allowed(token_file) -> None:
    options = ["--token-file", token_file, "--northbound", "0.0.0.0:6680", "--allow-remote-northbound"]
    assert str(read_settings(options).northbound) == "0.0.0.0:6680"


def test_the_token_file_is_needed(monkeypatch) -> None:
    monkeypatch.delenv("TERCAST_STATE_DIR", raising=False)
    with pytest.raises(SettingError, match="--token-file: no file is set"):
        read_settings([])


@pytest.mark.parametrize("option", ["--openflow", "--northbound"])
def test_a_port_in_use_is_one_sentence_and_status_1(token_file, option) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        others = {"--openflow": "127.0.0.1:0", "--northbound": "127.0.0.1:0", option: place}
        ended = start("--token-file", token_file, *(part for pair in others.items() for part in pair))
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1
    assert option in ended.stderr and place in ended.stderr


def test_two_controllers_cannot_share_a_port(run_dir) -> None:
    with running(run_dir) as first:
        second = start(
            *("--token-file", str(first.token_path), "--northbound", "127.0.0.1:0"),
            *("--openflow", f"127.0.0.1:{first.openflow}"),
        )
        assert second.returncode == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_with_clients_and_switches_attached(run_dir, number) -> None:
    with running(run_dir) as controller, FakeNetwork(controller.openflow) as network:
        fake = network.add(0xA1)
        controller.await_switches(f"{0xA1:016x}")
        newest = controller.get("/v1/events")["newest"]
        poll = threading.Thread(target=_poll, args=(controller, newest), daemon=True)
        poll.start()
        began = time.monotonic()
        assert controller.stop(number) == 0
        assert time.monotonic() - began < 5
        assert fake.closed.wait(LIMIT_SECONDS)
        poll.join(60)
        assert not poll.is_alive()


def _poll(controller: Controller, newest: int) -> None:
    with suppress(OSError):
        controller.call("GET", f"/v1/events?after={newest}&wait=60")


def test_it_listens_again_at_once_where_another_one_ended(run_dir) -> None:
    port = free_port()
    for _ in range(2):
        with running(run_dir, openflow=port) as controller:
            assert controller.stop() == 0


def test_log_lines_are_json_and_say_nothing_of_the_framework(run_dir) -> None:
    with running(run_dir, "--log-level", "debug") as controller:
        controller.get("/v1/switches")
        controller.stop()
        lines = [json.loads(line) for line in controller.log_path.read_text().splitlines()]
    assert all(line["logger"].startswith("controller_app") for line in lines)
    assert [line["message"] for line in lines] == ["listening", "stopping"]
    assert TOKEN not in controller.log_path.read_text()


def test_an_ipv6_place_to_listen_works(run_dir) -> None:
    with running(run_dir, "--openflow", "[::1]:0") as controller:
        assert eventually(lambda: "[::1]:" in controller.log_path.read_text())


def test_one_family_alone_gets_one_drop_entry_and_refuses_the_other(run_dir) -> None:
    with running(run_dir, "--family", "ipv6") as controller, FakeNetwork(controller.openflow) as network:
        fake = network.add(0xA1)
        controller.await_switches(dpid(0xA1))
        assert [27 in flow.match for flow in fake.own(kind=2)] == [True]
        switch = {"dpid": dpid(0xA1), "add": [entry("225.128.0.0/9", 5)]}
        status, _ = controller.call("POST", "/v1/changes", {"id": "x", "switches": [switch]})
        assert status == 400

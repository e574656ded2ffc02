"""OpenFlow over TLS with real Open vSwitch: valid certificates on both sides; all faults are reported."""

from __future__ import annotations

import socket
import ssl
from pathlib import Path
from typing import Any

import pytest

from controller_app.errors import SettingError
from controller_app.monitoring.alarms import Alarms
from controller_app.monitoring.event_ring import EventRing
from controller_app.monitoring.peer_alarms import MOST_UNTRUSTED, PeerAlarms
from controller_app.settings import read_settings
from controller_app.tls_files import TlsFiles
from mininet_labs.fabric import Fabric
from tercast.cli.certificate_authority import Identity, make_certificates
from tercast.cli.main import main
from tests.support.controller.controller_harness import Controller, dpid, entry, eventually, output, running

TOPOLOGY: dict[str, Any] = {
    "switches": [{"id": f"s{n}", "dpid": dpid(n)} for n in (1, 2)],
    "links": [{"a": "s1", "a_port": 1, "b": "s2", "b_port": 1}],
    "hosts": [],
}
NOBODY = "tcp:127.0.0.1:1"
OWN = "cookie=0x7ec0a57e00000001/-1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tls")
    make_certificates(folder / "lab", ["controller", "switches"])
    make_certificates(folder / "other", ["controller", "switches"])
    make_certificates(folder / "old", ["controller"])  # the authority; the switch's is no longer valid
    (folder / "old").joinpath("ca.pem").write_bytes((folder / "lab/ca.pem").read_bytes())
    (folder / "old").joinpath("ca-key.pem").write_bytes((folder / "lab/ca-key.pem").read_bytes())
    make_certificates(folder / "old", ["switches"], days=0)
    return folder


def identity(folder: Path, name: str) -> Identity:
    return Identity.of(folder, name)


def options(folder: Path) -> list[str]:
    own = identity(folder, "controller")
    names = ("--tls-certificate", "--tls-key", "--tls-authority")
    files = (own.certificate, own.key, own.authority)
    return [str(word) for pair in zip(names, files, strict=True) for word in pair]


def refused(controller: Controller) -> list[str]:
    return [row["detail"] for row in controller.get("/v1/alarms") if row["alarm"] == "untrusted_switch"]


def await_alarm(controller: Controller, words: str) -> None:
    found = eventually(lambda: any(words in detail for detail in refused(controller)))
    assert found, (refused(controller), controller.log_path.read_text())


@pytest.mark.fabric
def test_switches_with_good_certificates_are_served_and_others_refused_and_reported(run_dir, folder) -> None:
    with running(run_dir, *options(folder / "lab")) as controller:
        assert controller.says("listening") and controller.lines()[0]["tls"] is True
        target = f"ssl:127.0.0.1:{controller.openflow}"
        good = identity(folder / "lab", "switches")
        with Fabric(run_dir / "f", TOPOLOGY, [target], links="joined", tls=good) as fabric:
            controller.await_switches(dpid(1), dpid(2))
            many = [entry(f"ff0e:4:{n:x}::/48", 34, output(1)) for n in range(1, 2001)]
            done = controller.change({"dpid": dpid(1), "add": many})
            assert done[dpid(1)]["state"] == "confirmed", done
            assert fabric.ofctl("s1", "dump-flows", OWN).count("cookie=") == 2000
            assert len(controller.entries(dpid(1))) == 2000
            assert eventually(lambda: len(controller.get("/v1/links")) == 1)
            assert refused(controller) == []

            # another authority's certificate, an expired one, and one that does not trust the controller
            def show(files: Identity) -> None:
                """Change the certificate; switches reconnect, because open connections do not change."""
                fabric.set_controller(NOBODY)
                fabric.set_tls(files)
                fabric.set_controller(target)

            show(Identity(*_from(folder / "other", "switches"), good.authority))
            await_alarm(controller, "its certificate is not valid: unable to get local issuer certificate")
            show(identity(folder / "old", "switches"))
            await_alarm(controller, "its certificate is not valid: certificate has expired")
            show(Identity(good.certificate, good.key, folder / "other/ca.pem"))
            await_alarm(controller, "it does not trust the controller's certificate")
            fabric.set_controller(f"tcp:127.0.0.1:{controller.openflow}", switch="s1")
            await_alarm(controller, "it does not use TLS")
            assert eventually(lambda: controller.dpids() == set())
            assert all(detail.startswith("a switch at 127.0.0.1:") for detail in refused(controller))

            # the valid certificates again: nothing was lost, and no other switch was delayed
            show(good)
            controller.await_switches(dpid(1), dpid(2))
            assert len(controller.entries(dpid(1))) == 2000


def _from(folder: Path, name: str) -> tuple[Path, Path]:
    found = identity(folder, name)
    return found.certificate, found.key


def test_a_peer_that_breaks_off_or_says_nothing_holds_nobody_up(run_dir, folder) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.load_verify_locations(folder / "lab/ca.pem")
    context.load_cert_chain(*_from(folder / "lab", "switches"))
    quick = ("--reply-timeout", "1")
    with running(run_dir, *options(folder / "lab"), *quick) as controller:
        before = controller.descriptors()
        silent = [socket.create_connection(("127.0.0.1", controller.openflow)) for _ in range(20)]
        bare = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        bare.check_hostname, bare.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", controller.openflow)) as plain:
            assert _ended(bare.wrap_socket(plain))
        await_alarm(controller, "it sent no certificate")
        with socket.create_connection(("127.0.0.1", controller.openflow)) as plain:
            secured = context.wrap_socket(plain)
            # a broken record on an open connection: the peer is disconnected, and no switch waits for it
            socket.socket.sendall(secured, b"\x17\x03\x03\x00\x10" + bytes(16))
            assert eventually(lambda: _ended(secured))
        assert controller.get("/v1/switches") == []
        await_alarm(controller, "its TLS handshake took more than 2 s")
        for peer in silent:
            peer.close()
        assert eventually(lambda: controller.descriptors() <= before + 1)


def test_each_reason_of_an_address_is_reported_once_and_counted(run_dir, folder) -> None:
    with running(run_dir, *options(folder / "lab")) as controller:
        for _ in range(2):
            _greet(controller, None)
            for files in (_from(folder / "other", "switches"), _from(folder / "old", "switches")):
                _greet(controller, files)
            with socket.create_connection(("127.0.0.1", controller.openflow)) as plain:
                plain.sendall(b"\x04\x00\x00\x08\x00\x00\x00\x01")  # a switch without TLS

        def counted() -> dict[str, int]:
            rows = [row for row in controller.get("/v1/alarms") if row["alarm"] == "untrusted_switch"]
            assert {row["host"] for row in rows} <= {"127.0.0.1"}
            return {row["reason"]: row["count"] for row in rows}

        assert eventually(lambda: list(counted().values()) == [2, 2, 2, 2]), counted()
        reasons = " ".join(counted())
        for words in ("no certificate", "unable to get local issuer", "expired", "does not use TLS"):
            assert words in reasons
        lines = [row for row in controller.lines() if row.get("alarm") == "untrusted_switch"]
        assert sorted(row["reason"] for row in lines) == sorted(counted())


def _greet(controller: Controller, files: tuple[Path, Path] | None) -> None:
    """Open a connection over TLS with these files, which the controller ends."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if files is not None:
        context.load_cert_chain(*files)
    with socket.create_connection(("127.0.0.1", controller.openflow)) as plain:
        assert _ended(context.wrap_socket(plain))


def test_alarms_of_refused_switches_are_bounded() -> None:
    alarms = Alarms(EventRing())
    peers = PeerAlarms(alarms)
    for n in range(2 * MOST_UNTRUSTED):
        peers.report_untrusted((f"2001:db8::{n:x}", 7, 0, 0), "it sent no certificate")
    standing = alarms.standing()
    assert len(standing) == MOST_UNTRUSTED + 1
    assert dict(standing[-1].subject)["host"] == "others" and standing[-1].count == MOST_UNTRUSTED
    peers.report_untrusted(("2001:db8::0", 8, 0, 0), "it sent no certificate")
    assert standing[0].count == 2 and "[2001:db8::0]:8" in standing[0].detail


def _ended(secured: ssl.SSLSocket) -> bool:
    try:
        while data := secured.recv(4096):
            assert data
        return True
    except OSError:
        return True


def test_certificates_are_made_once_with_keys_for_their_owner_alone(tmp_path, capsys) -> None:
    lab = tmp_path / "lab"
    assert main(["certificates", str(lab), "s1"]) == 0
    said = capsys.readouterr().out
    assert "created: ca, controller, s1" in said
    assert f"s1: ovs-vsctl set-ssl {lab}/s1-key.pem {lab}/s1.pem {lab}/ca.pem" in said
    modes = {path.name: path.stat().st_mode & 0o777 for path in lab.glob("*-key.pem")}
    assert modes == dict.fromkeys(["ca-key.pem", "controller-key.pem", "s1-key.pem"], 0o600)
    before = {path.name: path.read_bytes() for path in lab.iterdir()}
    assert main(["certificates", str(lab), "s1", "s2"]) == 0
    assert "created: s2\n" in capsys.readouterr().out
    assert {name: (lab / name).read_bytes() for name in before} == before
    assert main(["certificates", str(lab), "../s3"]) == 2
    assert "'../s3' is not a valid certificate name" in capsys.readouterr().err


def test_files_that_cannot_be_used_are_refused_by_the_name_of_the_setting(
    folder, tmp_path, monkeypatch
) -> None:
    token = tmp_path / "token"
    token.write_text("x" * 20)
    lab, other = identity(folder / "lab", "controller"), identity(folder / "other", "controller")
    with pytest.raises(SettingError, match="--tls-key: no file is set"):
        read_settings(["--token-file", str(token), "--tls-certificate", str(lab.certificate)])
    monkeypatch.setenv("TERCAST_TLS_CERTIFICATE", str(lab.certificate))
    monkeypatch.setenv("TERCAST_TLS_KEY", str(lab.key))
    monkeypatch.setenv("TERCAST_TLS_AUTHORITY", str(lab.authority))
    assert read_settings(["--token-file", str(token)]).tls.context()
    for files, said in (
        (TlsFiles("/nowhere", str(lab.key), str(lab.authority)), "--tls-certificate: cannot read '/nowhere'"),
        (TlsFiles(str(lab.certificate), "/nowhere", str(lab.authority)), "--tls-key: cannot read"),
        (
            TlsFiles(str(lab.certificate), str(other.key), str(lab.authority)),
            "--tls-certificate: cannot use .* private key",
        ),
        (
            TlsFiles(str(lab.certificate), str(lab.key), str(token)),
            "--tls-authority: cannot use .* must be a PEM file",
        ),
    ):
        with pytest.raises(SettingError, match=said):
            files.context()
    loose = tmp_path / "loose.pem"
    loose.write_bytes(lab.key.read_bytes())
    loose.chmod(0o644)
    with pytest.raises(SettingError, match=r"is accessible to other users \(mode 644\); run chmod 600"):
        TlsFiles(str(lab.certificate), str(loose), str(lab.authority)).context()

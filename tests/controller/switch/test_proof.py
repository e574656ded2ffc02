"""A datapath id is taken over only by a switch with a proof: a name, a key, or a first use."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller_app.errors import SettingError
from controller_app.switch.datapath_claims import Claims
from controller_app.switch.datapath_proof import Certificate, Proof, ProofPolicy, Proofs, UnprovedDatapath
from tercast.cli.certificate_authority import Identity, make_certificates
from tercast.cli.main import main
from tests.support.controller.controller_harness import Controller, dpid, eventually, running
from tests.support.controller.fake_switch import FakeNetwork
from tests.waiting import LIMIT_SECONDS

A, B = 0xA1, 0xB2
NAMES = {"s-a": [dpid(A)], "both": [dpid(A), dpid(B)]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("proof")
    make_certificates(folder, ["controller", "dpid-00000000000000B2", "plain", "other", *NAMES], dpids=NAMES)
    return folder


def shown(folder: Path, name: str) -> Certificate:
    pem = Identity.of(folder, name).certificate.read_text()
    return Certificate.read(ssl.PEM_cert_to_DER_cert(pem))


def verdict(proofs: Proofs, number: int, certificate: Certificate | None) -> str:
    try:
        return proofs.check(number, certificate).value
    except UnprovedDatapath as error:
        return f"refused: {error}"


@pytest.mark.parametrize(
    ("name", "dpids"),
    [("s-a", {A}), ("both", {A, B}), ("dpid-00000000000000B2", {B}), ("plain", set())],
)
def test_a_certificate_names_datapath_ids(folder: Path, name: str, dpids: set[int]) -> None:
    found = shown(folder, name)
    assert (found.names[0], found.dpids) == (name, dpids)
    assert len(found.key) == 64 and found.key != shown(folder, "other").key


@pytest.mark.parametrize(
    ("policy", "name", "number", "says"),
    [
        (policy, *row)
        for row in [
            ("s-a", A, "name"),
            ("both", B, "name"),
            ("s-a", B, "refused: its certificate ('s-a', key"),
            (
                "dpid-00000000000000B2",
                A,
                "is for dpid-00000000000000b2; issue a certificate for dpid-00000000000000a1",
            ),
        ]
        for policy in ProofPolicy
    ]
    + [
        (ProofPolicy.BOUND, "plain", A, "has no datapath id; issue a certificate for dpid-00000000000000a1"),
        (ProofPolicy.FIRST_USE, "plain", A, "key"),
        (ProofPolicy.AUTHORITY, "plain", A, "authority"),
    ],
)
def test_what_a_certificate_proves(
    folder: Path, policy: ProofPolicy, name: str, number: int, says: str
) -> None:
    assert says in verdict(Proofs(policy, None), number, shown(folder, name))
    assert verdict(Proofs(policy, None), number, None) == "none"


def test_the_first_key_of_a_datapath_id_is_remembered_over_restarts(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    first, other = shown(folder, "plain"), shown(folder, "other")
    assert Proofs(ProofPolicy.FIRST_USE, path).check(A, first) is Proof.KEY
    assert path.stat().st_mode & 0o777 == 0o600
    again = Proofs(ProofPolicy.FIRST_USE, path)
    assert f"stored for this datapath id in {path};" in verdict(again, A, other)
    assert verdict(again, A, first) == verdict(again, B, other) == "key"
    for policy in ProofPolicy:
        assert "has a key that differs from the one stored" in verdict(Proofs(policy, path), A, other)
    held = json.loads(path.read_text())
    del held[dpid(A)]
    path.write_text(json.dumps(held))
    assert verdict(again, A, other) == "key", "an edit counts while it runs"
    path.unlink()
    assert verdict(again, A, first) == "key"


def test_an_operator_binds_keys_in_a_file(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    key = shown(folder, "plain").key.upper()
    spaced = ":".join(key[n : n + 2] for n in range(0, 64, 2))
    path.write_text(json.dumps({dpid(A): spaced}))
    proofs = Proofs(ProofPolicy.BOUND, path)
    assert verdict(proofs, A, shown(folder, "plain")) == "key"
    assert "has a key that differs from the one stored" in verdict(proofs, A, shown(folder, "other"))
    assert "has no datapath id" in verdict(proofs, B, shown(folder, "other"))
    path.write_text("{")
    assert verdict(proofs, A, shown(folder, "plain")) == "key", "a broken edit changes nothing"


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"1": []}', '{"00000000000000a1": ["12"]}', '{"00000000000000a1": 5}']
)
def test_a_file_that_cannot_be_read_stops_the_start(tmp_path: Path, text: str) -> None:
    path = tmp_path / "keys.json"
    path.write_text(text)
    with pytest.raises(SettingError, match=r"--switch-keys: cannot read .*16 hex digits"):
        Proofs(ProofPolicy.BOUND, path)


def test_keys_are_remembered_where_no_file_can_be_written(folder: Path, tmp_path: Path) -> None:
    proofs = Proofs(ProofPolicy.FIRST_USE, tmp_path / "missing" / "keys.json")
    assert verdict(proofs, A, shown(folder, "plain")) == "key"
    assert "has a key that differs from the one stored" in verdict(proofs, A, shown(folder, "other"))


def test_stored_keys_are_limited(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller_app.switch.datapath_proof.MOST_KEYS", 2)
    proofs = Proofs(ProofPolicy.FIRST_USE, None)
    assert [verdict(proofs, number, shown(folder, "plain")) for number in (1, 2)] == ["key", "key"]
    assert "the limit of 2 stored keys is reached" in verdict(proofs, 3, shown(folder, "plain"))
    assert verdict(proofs, 1, shown(folder, "plain")) == "key"


def test_the_command_makes_certificates_for_datapath_ids(tmp_path: Path, capsys) -> None:
    assert main(["certificates", str(tmp_path), f"s1={dpid(A)},{dpid(B)}", "s2"]) == 0
    assert f"s1: ovs-vsctl set-ssl {tmp_path}/s1-key.pem" in capsys.readouterr().out
    assert shown(tmp_path, "s1").dpids == {A, B} and shown(tmp_path, "s2").dpids == frozenset()
    assert main(["certificates", str(tmp_path), "s3=a1"]) == 2
    assert "'a1' is not a datapath id" in capsys.readouterr().err


class Held:
    """A connection that has a datapath id; it hears nothing, or an answer to each echo request."""

    def __init__(self, proof: Proof, answers: bool) -> None:
        self.dpid, self.proof, self.heard_at, self.closed = A, proof, 0.0, None
        self.answers, self.asked = answers, 0

    def send_if_idle(self, message: object) -> bool:
        self.asked += 1
        if self.answers:
            self.heard_at = float("inf")
        return True


@pytest.mark.parametrize(
    ("new", "old", "answers", "takes_over"),
    [
        (Proof.NONE, Proof.NONE, True, False),
        (Proof.NONE, Proof.NONE, False, True),
        (Proof.NAME, Proof.AUTHORITY, True, True),
        (Proof.KEY, Proof.AUTHORITY, True, True),
        (Proof.NAME, Proof.NAME, True, False),
        (Proof.NAME, Proof.KEY, True, False),
        (Proof.NAME, Proof.NAME, False, True),
        (Proof.AUTHORITY, Proof.NAME, True, False),
    ],
)
def test_which_of_two_connections_has_a_datapath_id(
    new: Proof, old: Proof, answers: bool, takes_over: bool
) -> None:
    first = Held(old, answers)
    claims = Claims(patience=0.1)
    assert claims.may_displace(Held(new, True), first) is takes_over
    assert first.asked == (0 if new.is_bound and not old.is_bound else 1)
    claims._contended.add(A)
    assert claims.may_displace(Held(old, True), first) is False, "one at a time asks"


# Over TLS


@pytest.fixture(scope="module")
def controller(run_dir: Path, folder: Path) -> Iterator[Controller]:
    own = Identity.of(folder, "controller")
    files = ("--tls-certificate", own.certificate, "--tls-key", own.key, "--tls-authority", own.authority)
    keys = ("--switch-keys", run_dir / "keys.json", "--switch-proof", "authority")
    with running(run_dir, *map(str, (*files, *keys)), "--reply-timeout", "5") as started:
        yield started


@pytest.fixture
def network(controller: Controller) -> Iterator[FakeNetwork]:
    with FakeNetwork(controller.openflow) as fakes:
        yield fakes
    assert eventually(lambda: not controller.dpids())


def context(folder: Path, name: str) -> ssl.SSLContext:
    files = Identity.of(folder, name)
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.load_verify_locations(files.authority)
    made.load_cert_chain(files.certificate, files.key)
    return made


def alarms(controller: Controller, name: str) -> list[str]:
    return [row["detail"] for row in controller.get("/v1/alarms") if row["alarm"] == name]


def epochs(controller: Controller) -> list[tuple[int, str]]:
    return [(row["epoch"], row["proof"]) for row in controller.get("/v1/switches")]


def test_only_a_bound_certificate_replaces_a_connection(network, controller, folder) -> None:
    first = network.add(A, tls=context(folder, "plain"))
    controller.await_switches(dpid(A))
    [(epoch, proof)] = epochs(controller)
    assert proof == "authority"

    other = network.add(A, tls=context(folder, "other"))  # its proof is not better, and the first one answers
    assert other.closed.wait(LIMIT_SECONDS) and epochs(controller) == [(epoch, proof)]
    [detail] = alarms(controller, "duplicate_dpid")
    assert detail.count("127.0.0.1:") == 2 and "was refused" in detail

    network.add(A, tls=context(folder, "s-a"))
    assert first.closed.wait(LIMIT_SECONDS)
    assert eventually(lambda: [(new > epoch, why) for new, why in epochs(controller)] == [(True, "name")])
    assert "its certificate is bound to this id" in alarms(controller, "duplicate_dpid")[0]
    bound = epochs(controller)

    for name, alarm in (
        ("plain", "duplicate_dpid"),
        ("s-a", "duplicate_dpid"),
        ("dpid-00000000000000B2", "unproved_switch"),
    ):
        refused = network.add(A, tls=context(folder, name))
        assert refused.closed.wait(LIMIT_SECONDS)
        assert epochs(controller) == bound
        assert "was refused" in alarms(controller, alarm)[0]


@pytest.mark.full
def test_a_bound_switch_that_no_longer_answers_gives_way_to_its_next_connection(
    network, controller, folder
) -> None:
    first = network.add(B, tls=context(folder, "both"))
    controller.await_switches(dpid(B))
    [(epoch, _)] = epochs(controller)
    first.faults.deaf = True
    network.add(B, tls=context(folder, "both"))
    assert eventually(lambda: [(new > epoch, why) for new, why in epochs(controller)] == [(True, "name")])

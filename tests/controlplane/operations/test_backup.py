"""Backup and restore: the same objects, the same log, the same tables on the switches; or a clear refusal."""

import dataclasses
import io
import json
import stat
import struct
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.models import JSONField
from django.utils import timezone

from controlplane.accounts.tokens import find_token, issue_token
from controlplane.deployment import replay_check, session, session_cache
from controlplane.network.models import Host
from controlplane.operations.backup import backup, exclusive_access, row_codec
from controlplane.planning import planner_state
from controlplane.registry.encoding import core_topic
from controlplane.registry.models import Subscription, Topic
from controlplane.registry.transitions import leases
from controlplane.requestlog import checkpoints
from controlplane.requestlog.models import OutboxEvent, Request
from controlplane.signalling import handler, keys, seals
from controlplane.signalling.host_datagram import HostDatagram
from controlplane.signalling.models import HostSignals
from tercast.signalling.codec import decode_answer, encode_message
from tercast.signalling.messages import ControlMessage, FilterText, MessageType, ReplyStatus
from tercast.signalling.seal import Seal, last_counter
from tests.support.controlplane import network_world as world
from tests.support.controlplane import topic_migrations


@pytest.fixture
def busy(transactional_db, controller):
    """A network with a history: active, failed and withdrawn requests, a snapshot, a token, a secret."""
    world.line(3)
    world.advertise("h1", ["0"])
    first = world.subscribe("h3", ["01"])
    world.subscribe("h2", ["00"])
    world.log({"op": "link_down", "switch": "s9", "port": 1})
    session.run()
    world.withdraw(first)
    world.log({"op": "set_budget", "switch": "s2", "tcam_budget": 7})
    session.run()
    planner_state.keep_snapshot(planner_state.load(), every=1)
    user = User.objects.create_user("ada", password="a long enough word")
    controller.token_text = issue_token(user, "laptop", timezone.now() + timedelta(days=1))
    return controller


def contents() -> dict[str, list]:
    """All rows that a backup holds."""
    kept = (m for m in row_codec.models(apps) if m._meta.db_table not in row_codec.LEFT_OUT)
    return {model._meta.db_table: list(row_codec.read(model, "default")) for model in kept}


def of_the_moment(table: str) -> bool:
    """Tables that a restore changes deliberately: the states of switches, and the last session."""
    return table in ("control_switchsync", "control_watermark", "network_switch")


def put(settings, name: str, text: str) -> Path:
    path = settings.ENV.secrets_dir / name
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_restore_leads_to_the_same_rows_secrets_and_tables(busy, settings, tmp_path, capsys):
    secret = put(settings, "tls/controller.key", "first")
    before, tables, log = contents(), busy.tables(), world.states()
    path = tmp_path / "b.zip"
    call_command("backup", str(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    said = capsys.readouterr().out
    assert "control_request: " in said and "secrets: " in said and str(path) in said
    # changes after the backup, which the restore discards
    secret.write_text("second")
    late = world.subscribe("h3", ["001"])
    world.log({"op": "set_budget", "switch": "s2", "tcam_budget": None})
    session.run()
    assert busy.tables() != tables
    newest = OutboxEvent.objects.latest("id").pk
    planner_state.current_planner()
    with pytest.raises(CommandError, match=r"not empty .* rows in .*--replace"):
        call_command("restore", str(path))
    call_command("restore", str(path), "--replace")
    after = contents()
    for table, held in before.items():
        assert of_the_moment(table) or after[table] == held, table
    assert secret.read_text() == "first"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert find_token(busy.token_text).user.username == "ada"
    assert world.states() == log
    event = OutboxEvent.objects.get()
    assert event.pk > newest + 1 and "restored from a backup" in event.payload["text"]
    # the switches follow, and so do this process's reader and the next ids
    session.run()
    assert busy.tables() == tables
    assert list(replay_check.differences()) == []
    assert planner_state.current_planner().tables() == session_cache._kept.state.planner.tables()
    again = world.log({"op": "set_budget", "switch": "s1", "tcam_budget": 9})
    assert again.pk > late.request_id + 1
    assert Request.objects.get(pk=again.pk).received_at > Request.objects.order_by("id").first().received_at


def test_cuts_survive_a_backup_in_the_middle_of_their_change(busy, tmp_path, settings):
    """Topics, moves, leases, encodings, the log and the snapshot carry the cuts, also beyond 2^53."""
    settings.ENV = dataclasses.replace(settings.ENV, settling_seconds=0.0)
    attributes = [
        {"name": "size", "type": "int", "min": 0, "max": str(10**40)},
        {"name": "price", "type": "float", "min": 0.0, "max": 1e308},
    ]
    with transaction.atomic():
        topic = {"name": "wide", "code": 8, "indexed": ["size"], "attributes": attributes}
        request = world.log({"op": "add_topic", "topic": topic})
        Topic.objects.create(name="wide", code=8, attributes=attributes, indexed=["size"], request=request)
    publisher = topic_migrations.announce("advertise", "h1", "true", topic="wide")
    topic_migrations.announce("subscribe", "h3", "price >= 1e300", topic="wide")
    session.run()
    assert leases.hold(publisher.pk, "one", None)["cuts"] == []
    cuts = [["price", 1e300], 3, ["size", str(10**30)], 5, 0]
    change = topic_migrations.reindex("size", topic="wide", cuts=cuts)
    session.run()
    planner_state.keep_snapshot(planner_state.load(), every=1)
    before, path = contents(), tmp_path / "b.zip"
    call_command("backup", str(path))
    leases.hold(publisher.pk, "one", 2)
    session.run()
    assert topic_migrations.state(change) == "active"
    call_command("restore", str(path), "--replace")
    assert topic_migrations.state(change) == "deploying" and Topic.objects.get(name="wide").cuts == []
    after = contents()
    assert all(after[table] == rows for table, rows in before.items() if not of_the_moment(table))
    assert leases.hold(publisher.pk, "one", 2)["cuts"] == cuts
    session.run()
    assert topic_migrations.state(change) == "active" and Topic.objects.get(name="wide").cuts == cuts
    planned = planner_state.current_planner().topics["wide"]
    assert planned.cuts == core_topic(Topic.objects.get(name="wide")).cuts
    assert list(replay_check.differences()) == []


def test_every_column_with_cuts_reads_doubles_exactly():
    """PostgreSQL returns 1e+300 as an integer of 301 digits."""
    fields = [field for model in apps.get_models() for field in model._meta.fields if "cuts" in field.name]
    columns = [field for field in fields if isinstance(field, JSONField)]
    assert len(columns) == 5
    for column in columns:
        assert column.from_db_value(f'[["a", {10**300}], 1, 2]', None, connection) == [["a", 1e300], 1, 2]


def _asked(number: int, seal: Seal):
    """The answer to a sealed subscription of h1."""
    message = ControlMessage(MessageType.SUBSCRIBE, number, FilterText("quotes", f"low < {number}"), False)
    sender = {"dpid": world.dpid(1), "port": 3, "mac": "02:00:00:00:00:01", "ip": "fd00::1"}
    out = handler.handle(HostDatagram(**sender, udp_port=7374, payload=encode_message(message, seal)))
    return decode_answer(out["payload"]).answer


@pytest.mark.parametrize("into", ["this database", "another database"])
def test_a_restore_accepts_no_sealed_message_of_before(busy, tmp_path, into):
    """Neither what was sent after the backup, nor what was sent before it and never answered."""
    key = keys.give(Host.objects.get(name="h1"))[1]
    now = int(timezone.now().timestamp() * 1_000_000)
    path = tmp_path / "b.zip"
    call_command("backup", str(path))
    # in this database even a host whose clock is a year ahead is covered
    ahead = timedelta(days=365) if into == "this database" else seals.RESTORE_MARGIN * 0.9
    captured = Seal(key, now + int(ahead.total_seconds() * 1_000_000))
    assert _asked(1, captured).status is ReplyStatus.ACCEPTED
    if into == "another database":
        HostSignals.objects.all().delete()
    call_command("restore", str(path), "--replace")
    requests = Request.objects.count()
    answer = _asked(1, captured)
    assert (answer.status, answer.reason) == (ReplyStatus.REFUSED, "replayed")
    assert Request.objects.count() == requests
    last = last_counter(answer.detail)
    assert last is not None and last >= captured.counter
    assert _asked(2, Seal(key, last + 1)).status is ReplyStatus.ACCEPTED


def test_a_backup_is_of_one_moment(busy, tmp_path, monkeypatch):
    """What is written while a backup runs is in it as a whole or not at all."""
    read, seen = row_codec.read, []

    def beside(model, using):
        if model._meta.db_table == "control_request":  # before registry_subscription, after network_switch
            seen.append(world.subscribe("h3", ["0001"]))
        return read(model, using)

    monkeypatch.setattr(row_codec, "read", beside)
    manifest = backup.backup(tmp_path / "b.zip", lambda _: None)
    assert seen and Subscription.objects.count() == 3
    assert manifest.rows["registry_subscription"] == 2
    assert manifest.rows["control_request"] == Request.objects.count() - 1


def test_what_cannot_be_restored_is_refused_with_the_reason_and_changes_nothing(busy, tmp_path):
    path = tmp_path / "b.zip"
    call_command("backup", str(path))
    with pytest.raises(CommandError, match="already exists"):
        call_command("backup", str(path))
    with pytest.raises(CommandError, match="No such file"):
        call_command("restore", str(tmp_path / "c.zip"))
    before = contents()
    cut = tmp_path / "cut.zip"
    cut.write_bytes(path.read_bytes()[:-500])
    with pytest.raises(CommandError, match="not a backup, or not a complete one"):
        call_command("restore", str(cut), "--replace")
    newer = _with_manifest(path, tmp_path / "newer.zip", lambda m: m["migrations"].append("control.9999_z"))
    with pytest.raises(CommandError, match=r"does not have \(control.9999_z"):
        call_command("restore", str(newer), "--replace")
    short = _with_manifest(path, tmp_path / "short.zip", lambda m: m["rows"].update(network_switch=4))
    with pytest.raises(CommandError, match="network_switch has 3 rows instead of 4"):
        call_command("restore", str(short), "--replace")
    assert contents() == before
    checkpoints.store("life of worker", timezone.now().isoformat())
    monkey = iter([timezone.now(), timezone.now() + timedelta(seconds=9)])

    def lives(_name: str):
        checkpoints.store("life of worker", next(monkey, timezone.now()).isoformat())
        return original(_name)

    original = exclusive_access._age
    exclusive_access._age = lives
    try:
        with pytest.raises(CommandError, match="worker is running: stop web server"):
            call_command("restore", str(path), "--replace")
    finally:
        exclusive_access._age = original


def test_a_changed_byte_anywhere_is_reported_before_any_change(busy, settings, tmp_path):
    """Each member of the file in turn: tables, secrets, the manifest."""
    first = put(settings, "operator-token", "first" * 20)
    path, hurt = tmp_path / "b.zip", tmp_path / "hurt.zip"
    call_command("backup", str(path))
    first.write_text("mine")
    left = put(settings, ".operator-token.4711", "left")
    before = contents()
    whole = path.read_bytes()
    with zipfile.ZipFile(path) as file:
        members = [(m.filename, m.header_offset, m.compress_size) for m in file.infolist()]
    assert "secrets/operator-token" in {name for name, *_ in members}
    for name, header, size in members:
        data = bytearray(whole)
        data[header + 30 + sum(struct.unpack_from("<HH", whole, header + 26)) + size // 2] ^= 0x55
        hurt.write_bytes(data)
        with pytest.raises(CommandError, match=r"is damaged at|is not a backup: its manifest") as raised:
            call_command("restore", str(hurt), "--replace", stdout=io.StringIO())
        assert name in str(raised.value) or name == "manifest.json"
    assert contents() == before and first.read_text() == "mine" and left.exists()


def test_a_kill_between_rows_and_secrets_is_repaired_by_the_same_command(
    busy, settings, tmp_path, monkeypatch
):
    secrets = [put(settings, name, "first") for name in ("a", "tls/b")]
    path = tmp_path / "b.zip"
    call_command("backup", str(path))
    before = contents()
    for secret in secrets:
        secret.write_text("second")
    world.subscribe("h3", ["001"])
    replace = Path.replace

    def dies(self, target):
        if target.name == "b":
            raise KeyboardInterrupt
        return replace(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", dies)
        with pytest.raises(KeyboardInterrupt):
            call_command("restore", str(path), "--replace")
    assert [secret.read_text() for secret in secrets] == ["first", "second"]
    put(settings, "tls/.b.restored", "first")  # a killed process removes nothing
    put(settings, ".a.4711", "of an earlier version")
    call_command("restore", str(path), "--replace")
    assert [secret.read_text() for secret in secrets] == ["first", "first"]
    assert not list(settings.ENV.secrets_dir.rglob(".*"))
    assert all(of_the_moment(table) or contents()[table] == held for table, held in before.items())


def test_a_kill_in_the_middle_of_a_restore_leaves_what_was(busy, tmp_path, monkeypatch):
    path = tmp_path / "b.zip"
    call_command("backup", str(path))
    world.subscribe("h3", ["001"])
    session.run()
    before, tables = contents(), busy.tables()
    write = row_codec.write

    def dies(model, *rest):
        if model._meta.db_table == "registry_subscription":
            raise KeyboardInterrupt
        return write(model, *rest)

    monkeypatch.setattr(row_codec, "write", dies)
    with pytest.raises(KeyboardInterrupt):
        call_command("restore", str(path), "--replace")
    assert contents() == before
    session.run()
    assert busy.tables() == tables
    assert not list(tmp_path.glob(".*.zip.*"))


def _with_manifest(path: Path, to: Path, change) -> Path:
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "manifest.json":
                manifest = json.loads(data)
                change(manifest)
                data = json.dumps(manifest).encode()
            new.writestr(name, data)
    return to

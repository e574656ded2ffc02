"""The environment is read once and typed; a bad value is refused with its name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from controlplane.config.env import ROOT, BadSetting, Environment


def test_nothing_needs_to_be_set():
    env = Environment.read({})
    assert env.database["ENGINE"] == "django.db.backends.sqlite3"
    assert (env.redis_url, env.northbound_url, env.debug) == (None, "http://127.0.0.1:6680", False)
    assert env.address_family == "ipv6" and env.state_dir.is_absolute()
    assert env.secrets_dir == env.state_dir / "secrets"


def test_everything_can_be_set(tmp_path):
    env = Environment.read(
        {
            "TERCAST_STATE_DIR": str(tmp_path),
            "TERCAST_DATABASE_URL": "postgresql://us%65r:p%40ss@db.example:5433/name",
            "TERCAST_REDIS_URL": "redis://127.0.0.1:6379/0",
            "TERCAST_NORTHBOUND_URL": "http://127.0.0.1:7000",
            "TERCAST_ALLOWED_HOSTS": "a.example,b.example",
            "TERCAST_DEBUG": "1",
            "TERCAST_ADDRESS_FAMILY": "ipv4",
            "TERCAST_OVS_RUN_DIR": "/var/run/openvswitch",
            "TERCAST_OPENFLOW": "ssl:[::]:6633",
            "TERCAST_AUDIT_SECONDS": "60",
        }
    )
    wanted = {"USER": "user", "PASSWORD": "p@ss", "HOST": "db.example", "PORT": 5433, "NAME": "name"}
    assert {key: env.database[key] for key in wanted} == wanted
    assert (env.state_dir, env.allowed_hosts) == (Path(tmp_path), ("a.example", "b.example"))
    assert env.ovs_run_dir == Path("/var/run/openvswitch")
    assert env.openflow == ("ssl", "::", 6633)
    assert (env.debug, env.address_family, env.audit_seconds) == (True, "ipv4", 60)


def test_waits_and_disks_have_bounds():
    env = Environment.read({"TERCAST_DATABASE_WAIT_SECONDS": "2.5", "TERCAST_DISK_FREE_MEGABYTES": "64"})
    assert (env.database_wait_seconds, env.disk_free_megabytes) == (2.5, 64)
    for name, value in (("TERCAST_DATABASE_WAIT_SECONDS", "0"), ("TERCAST_DISK_FREE_MEGABYTES", "-1")):
        with pytest.raises(BadSetting, match=name):
            Environment.read({name: value})


def test_a_file_of_another_name_can_be_the_database():
    assert (
        Environment.read({"TERCAST_DATABASE_URL": "sqlite:///tmp/x%20y.db"}).database["NAME"] == "/tmp/x y.db"
    )


def test_spark_reads_the_telemetry_root_by_default(tmp_path):
    env = Environment.read({"TERCAST_TELEMETRY_ROOT": str(tmp_path)})
    assert (env.spark_master, env.spark_memory, env.spark_telemetry) == ("local[*]", "1g", str(tmp_path))
    more = {"TERCAST_SPARK_MASTER": "spark://h:7077", "TERCAST_SPARK_TELEMETRY": "hdfs://h/telemetry"}
    env = Environment.read({"TERCAST_TELEMETRY_ROOT": str(tmp_path), **more})
    assert (env.spark_master, env.spark_telemetry) == ("spark://h:7077", "hdfs://h/telemetry")


@pytest.mark.parametrize(
    "name, value",
    [
        ("TERCAST_DATABASE_URL", "mysql://localhost/x"),
        ("TERCAST_DATABASE_URL", "postgresql://localhost:99999/x"),
        ("TERCAST_DATABASE_URL", "postgresql://localhost:port/x"),
        ("TERCAST_REDIS_URL", "127.0.0.1:6379"),
        ("TERCAST_NORTHBOUND_URL", "https://elsewhere.example"),
        ("TERCAST_SPARK_MASTER", "spark.example:7077"),
        ("TERCAST_SPARK_MASTER", "local[many]"),
        ("TERCAST_SPARK_MEMORY", "plenty"),
        ("TERCAST_SPARK_TELEMETRY", "relative/path"),
        ("TERCAST_ANALYTICS_DAYS", "0"),
        ("TERCAST_DEBUG", "yes"),
        ("TERCAST_ADDRESS_FAMILY", "ipx"),
        ("TERCAST_OVS_RUN_DIR", "unix:///var/run/openvswitch"),
        ("TERCAST_OPENFLOW", "example.org:6653"),
        ("TERCAST_OPENFLOW", "127.0.0.1"),
        ("TERCAST_AUDIT_SECONDS", "often"),
        ("TERCAST_AUDIT_SECONDS", "-1"),
    ],
)
def test_a_bad_value_is_refused_with_its_name(name, value):
    with pytest.raises(BadSetting, match=name):
        Environment.read({name: value})


def test_commands_end_with_the_sentence_about_a_bad_value():
    env = {**os.environ, "TERCAST_SETTLING_SECONDS": "abc"}
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "check"],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    wanted = "tercast: TERCAST_SETTLING_SECONDS='abc': use a number of seconds from 0 to 600\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", wanted)

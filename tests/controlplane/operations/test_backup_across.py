"""A backup made on SQLite is restored on PostgreSQL, and one made there on SQLite: it is the same network."""

import subprocess
import sys

import pytest

from tests.support.controlplane import network_world as world
from tests.support.controlplane.own_database import has_server, server_database
from tests.support.controlplane.worker_processes import ROOT, environment

START = """
import network_world as world
from django.core.management import call_command
from controlplane.deployment import session
from controlplane.requestlog.models import Request
from controlplane.network.models import InstalledEntry
from controlplane.registry.models import Subscription

def show():
    print(sorted(Request.objects.values_list("pk", "kind", "state")))
    print(sorted(InstalledEntry.objects.values_list("switch__name", "dst", "in_port", "priority")))
"""
FILL = """
call_command("prepare", verbosity=0)
world.line(3, budget=50)
world.advertise("h1", ["0"])
kept, gone = world.subscribe("h3", ["01"]), world.subscribe("h2", ["00"])
world.log({"op": "set_budget", "switch": "s2", "tcam_budget": 7})
"""
MORE = """
world.withdraw(Subscription.objects.order_by("pk").last())
world.advertise("h3", ["11"])
world.subscribe("h1", ["110", "001"])
"""
BACKUP = """
while session.run(seconds=60):
    pass
call_command("backup", FILE, stdout=open("/dev/null", "w"))
show()
"""
RESTORE = """
call_command("restore", FILE, stdout=open("/dev/null", "w"))
show()
call_command("reconcile", stdout=open("/dev/null", "w"))
call_command("replay", check=True, stdout=open("/dev/null", "w"))
"""


class Installation:
    """A state directory and a database; what it does changes the fake controller's switches."""

    def __init__(self, folder, database, northbound):
        folder.mkdir()
        env = environment(folder / "state", northbound, TERCAST_DATABASE_URL=database)
        path = f"{env['PYTHONPATH']}:{ROOT / 'tests/support/controlplane'}"
        self.env = {**env, "PYTHONPATH": path}

    def does(self, *code, file):
        """Run the code in its own process and return the last two lines of its output."""
        text = "\n".join((START, f"FILE = {str(file)!r}", *code))
        command = [sys.executable, "manage.py", "shell", "-v0", "-c", text]
        done = subprocess.run(command, env=self.env, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        return done.stdout.splitlines()[-2:]


def moved(old, new, controller, file, *code):
    """Do something and back up here, restore there: switches get from there what they had from here."""
    output = old.does(*code, BACKUP, file=file)
    tables = controller.tables()
    assert any(tables.values())
    for n in (1, 2, 3):  # which are new ones, and know nothing
        controller.disconnect(world.dpid(n))
        controller.connect(world.dpid(n), keep=False)
    assert controller.tables() != tables
    assert new.does(RESTORE, file=file) == output
    assert controller.tables() == tables


@pytest.mark.full
@pytest.mark.servers
@pytest.mark.skipif(not has_server(), reason="no PostgreSQL: TERCAST_DATABASE_URL names none")
def test_there_and_back(controller, tmp_path):
    with server_database() as url:
        first = Installation(tmp_path / "1", f"sqlite://{tmp_path / 'first.sqlite3'}", controller.url)
        second = Installation(tmp_path / "2", url, controller.url)
        third = Installation(tmp_path / "3", f"sqlite://{tmp_path / 'third.sqlite3'}", controller.url)
        moved(first, second, controller, tmp_path / "there.zip", FILL)
        moved(second, third, controller, tmp_path / "back.zip", MORE)  # ids continue from the last one

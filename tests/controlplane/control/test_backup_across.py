"""A backup made on SQLite is restored on PostgreSQL, and one made there on SQLite: it is the same network."""

import subprocess
import sys

import control_world as world
import pytest
from control_workers import ROOT, environment
from own_database import has_server, server_database

FILL = """
import control_world as world
world.line(3, budget=50)
world.advertise("h1", ["0"])
kept, gone = world.subscribe("h3", ["01"]), world.subscribe("h2", ["00"])
world.log({"op": "set_budget", "switch": "s2", "tcam_budget": 7})
"""
MORE = """
import control_world as world
from controlplane.registry.models import Subscription
world.withdraw(Subscription.objects.order_by("pk").last())
world.advertise("h3", ["11"])
world.subscribe("h1", ["110", "001"])
"""
WORK = """
from controlplane.control import session
while session.run(seconds=60):
    pass
"""


class Installation:
    """A state directory and a database; its commands change the fake controller's switches."""

    def __init__(self, folder, database, northbound):
        tests = ROOT / "tests/controlplane"
        folder.mkdir()
        env = environment(folder / "state", northbound, TERCAST_DATABASE_URL=database)
        self.env = {**env, "PYTHONPATH": f"{env['PYTHONPATH']}:{tests / 'control'}"}

    def manage(self, *arguments):
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, env=self.env, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{arguments[0]}: {done.stdout}{done.stderr}"
        return done.stdout

    def does(self, *code):
        return self.manage("shell", "-v0", "-c", "".join(code))

    def counts(self):
        """Rows by what the network is made of, and the state of every request."""
        return self.does(
            "from controlplane.control.models import Request\n"
            "from controlplane.network.models import InstalledEntry as Entry\n"
            "print(sorted(Request.objects.values_list('pk', 'kind', 'state')))\n"
            "print(sorted(Entry.objects.values_list('switch__name', 'dst', 'in_port', 'priority')))\n"
        )


def empty_switches(controller):
    """Switches that forgot all, as new ones would have."""
    for n in (1, 2, 3):
        controller.disconnect(world.dpid(n))
        controller.connect(world.dpid(n), keep=False)


def moved(old, new, controller, file):
    """Back up here, restore there: the switches get from there what they had from here."""
    tables, counts = controller.tables(), old.counts()
    assert any(tables.values())
    old.manage("backup", str(file))
    empty_switches(controller)
    assert controller.tables() != tables
    new.manage("restore", str(file))
    assert new.counts() == counts
    new.manage("reconcile")
    assert controller.tables() == tables
    new.manage("replay", "--check")


@pytest.mark.servers
@pytest.mark.skipif(not has_server(), reason="no PostgreSQL: TERCAST_DATABASE_URL names none")
def test_there_and_back(controller, tmp_path):
    with server_database() as url:
        first = Installation(tmp_path / "1", f"sqlite://{tmp_path / 'first.sqlite3'}", controller.url)
        second = Installation(tmp_path / "2", url, controller.url)
        third = Installation(tmp_path / "3", f"sqlite://{tmp_path / 'third.sqlite3'}", controller.url)
        first.manage("prepare")
        first.does(FILL, WORK)
        moved(first, second, controller, tmp_path / "there.zip")
        second.does(MORE, WORK)  # ids go on where they were
        moved(second, third, controller, tmp_path / "back.zip")
        before = controller.tables()
        third.does("import control_world as world\nworld.subscribe('h2', ['000'])\n", WORK)
        assert controller.tables() != before
        third.manage("replay", "--check")

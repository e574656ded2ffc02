"""Behind the nginx of `deploy/`, with the web server's own unit: a caller is who nginx says."""

import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect

from tercast.cli.certificate_authority import Identity, make_certificates
from tests.support.controlplane.own_database import migrated_database
from tests.support.ports import free_port
from tests.waiting import LIMIT_SECONDS, wait_until

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
NAME = "tercast.example.org"
SPOOFED = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http", "X-Real-IP": "203.0.113.9"}


class Site:
    """nginx and uvicorn as `deploy/` has them, but for places, ports and certificates."""

    def __init__(self, folder, database):
        self.folder, self.log = folder, folder / "log"
        self.plain, self.port = free_port(), free_port()
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("TERCAST_")}
        self.env = {
            **inherited,
            "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}",
            "TERCAST_STATE_DIR": str(folder / "state"),
            "TERCAST_DATABASE_URL": database,
            "TERCAST_HTTPS": "1",
            "TERCAST_ALLOWED_HOSTS": NAME,
        }
        self.processes = []

    def start(self):
        self.manage("prepare")
        unit = (DEPLOY / "systemd/tercast-web.service").read_text()
        command = shlex.split(re.search(r"^ExecStart=(.*)$", unit, re.M).group(1))
        assert command[command.index("--workers") + 1] == "4"
        command[command.index("--workers") + 1] = "1"
        command[command.index("--uds") + 1] = str(self.folder / "web.sock")
        self.begin([sys.executable, *command[1:]])
        self.begin([NGINX, "-p", str(self.folder), "-c", str(self.nginx()), "-g", "daemon off;"])
        wait_until(lambda: f"the site: {self.log.read_text()}", self.answers)

    def nginx(self):
        make_certificates(self.folder, ["proxy"])
        files = Identity.of(self.folder, "proxy")
        text = (DEPLOY / "nginx/tercast.conf").read_text()
        for old, new in (
            ("/etc/ssl/tercast/fullchain.pem", files.certificate),
            ("/etc/ssl/tercast/privkey.pem", files.key),
            ("/run/tercast/web.sock", self.folder / "web.sock"),
            ("listen 80;", f"listen 127.0.0.1:{self.plain};"),
            ("listen 443 ssl http2;", f"listen 127.0.0.1:{self.port} ssl http2;"),
            ("    listen [::]:80;\n", ""),
            ("    listen [::]:443 ssl http2;\n", ""),
        ):
            assert old in text
            text = text.replace(old, str(new))
        kinds = ("proxy", "client_body", "fastcgi", "uwsgi", "scgi")
        folders = " ".join(f"{kind}_temp_path {self.folder}/{kind};" for kind in kinds)
        main = f"pid {self.folder}/pid; error_log stderr; worker_processes 1; events {{}}"
        main += f" http {{ access_log off; {folders} {text} }}"
        path = self.folder / "nginx.conf"
        path.write_text(main if not is_root() else f"user root; {main}")
        return path

    def begin(self, command):
        with self.log.open("a") as log:
            self.processes.append(subprocess.Popen(command, env=self.env, cwd=ROOT, stdout=log, stderr=log))

    def answers(self):
        assert all(process.poll() is None for process in self.processes), self.log.read_text()
        try:
            return self.caller("127.0.0.1").get("/api/v1/health/?only=database").status_code == 200
        except httpx.TransportError:
            return False

    def caller(self, address, **headers):
        """A client at a loopback address that does not check the certificate."""
        transport = httpx.HTTPTransport(local_address=address, verify=False)
        return httpx.Client(
            base_url=f"https://127.0.0.1:{self.port}",
            headers={"Host": NAME, "Referer": f"https://{NAME}/", **headers},
            transport=transport,
            timeout=LIMIT_SECONDS,
        )

    def manage(self, *arguments):
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command, env=self.env, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait(LIMIT_SECONDS)


def is_root():
    return Path("/proc/self").stat().st_uid == 0


@pytest.fixture
def site(django_db_setup):
    folder = Path(tempfile.mkdtemp(prefix="tcn-", dir="/tmp"))
    with migrated_database(folder) as database:
        site = Site(folder, database)
        try:
            site.start()
            yield site
        finally:
            site.stop()
            shutil.rmtree(folder, ignore_errors=True)


def log_in(site, address, number):
    """A wrong password from an address that says it is another, a new one each time."""
    with site.caller(address, **SPOOFED | {"X-Forwarded-For": f"203.0.113.{number}"}) as caller:
        page = caller.get("/login/")
        assert page.status_code == 200, page.text
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text).group(1)
        form = {"username": "admin", "password": "wrong", "csrfmiddlewaretoken": token}
        return caller.post("/login/", data=form).status_code


@pytest.mark.servers
@pytest.mark.skipif(not NGINX, reason="no nginx here")
def test_nobody_says_where_he_comes_from(site):
    plain = httpx.get(f"http://127.0.0.1:{site.plain}/login/", headers={"Host": NAME})
    assert (plain.status_code, plain.headers["Location"]) == (301, f"https://{NAME}/login/")
    assert {log_in(site, "127.0.0.2", number) for number in range(5)} == {200}
    assert log_in(site, "127.0.0.2", 99) == 429  # however often it changes what it says it is
    assert log_in(site, "127.0.0.3", 99) == 200  # and the limit of others is separate
    token = site.manage("token", "admin", "--name", "proxied").split()[-1]
    bearer = {"Authorization": f"Bearer {token}"}
    with site.caller("127.0.0.4", **SPOOFED, **bearer) as caller:
        rows = caller.get("/api/v1/audit/actions/?resource=login").raise_for_status().json()["results"]
        assert {row["address"] for row in rows} == {"127.0.0.2", "127.0.0.3"}
        caller.post("/api/v1/topics/", json={"name": "t", "attributes": []})
        (row,) = caller.get("/api/v1/audit/actions/?resource=topics").json()["results"]
        assert row["address"] == "127.0.0.4"
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    options = {"ssl": trusting, "additional_headers": bearer, "proxy": None}
    there = socket.create_connection(("127.0.0.1", site.port))
    with connect(f"wss://{NAME}/ws/v1/live/", sock=there, **options) as stream:
        assert "newest" in stream.recv(LIMIT_SECONDS)

"""`systemctl` and `systemd-run` for a machine without systemd, driven by the unit files.

It imports only the standard library, because the test of the guide copies it into its machine. An unknown
directive ends it, so that no line of a unit is ignored. Services of Debian are started with /etc/init.d.
"""

import contextlib
import grp
import os
import pwd
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

UNITS = Path("/etc/systemd/system")
STATE = Path("/run/stand-in")
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
KNOWN = {
    "Unit": {"Description", "Documentation", "PartOf", "After", "Wants", "Requires"},
    "Install": {"WantedBy"},
    "Timer": {"OnCalendar", "RandomizedDelaySec", "Persistent"},
    "Service": {
        *("User", "Group", "EnvironmentFile", "Environment", "WorkingDirectory", "UMask", "Type", "Nice"),
        *(
            "StateDirectory",
            "StateDirectoryMode",
            "RuntimeDirectory",
            "RuntimeDirectoryMode",
            "ReadWritePaths",
        ),
        *("ExecStart", "ExecStartPost", "RemainAfterExit", "Restart", "RestartSec", "TimeoutStopSec"),
        *("LimitNOFILE", "NoNewPrivileges", "PrivateTmp", "ProtectSystem", "ProtectHome"),
        *("ProtectKernelTunables", "ProtectControlGroups", "RestrictSUIDSGID"),
    },
}


class Unit:
    """A unit file whose specifiers are replaced."""

    def __init__(self, name):
        self.name = name if "." in name else f"{name}.service"
        stem, at, rest = self.name.partition("@")
        instance = rest.rpartition(".")[0] if at else ""
        path = UNITS / (f"{stem}@.{self.name.rpartition('.')[2]}" if at else self.name)
        if not path.is_file():
            sys.exit(f"Failed to start {self.name}: Unit {self.name} not found.")
        self.values, section = {}, ""
        for line in path.read_text().splitlines():
            if not line or line[0] in "#;":
                continue
            if line[0] == "[":
                section = line.strip("[]")
                continue
            key, _, value = line.partition("=")
            if key not in KNOWN[section]:
                sys.exit(f"{path}: the stand-in does not know {key}= of [{section}]")
            swapped = {"%%": "%", "%i": instance}
            value = re.sub("%.", lambda match, known=swapped: known[match[0]], value)
            self.values.setdefault(key, []).append(value)

    def one(self, key, default=""):
        return self.values.get(key, [default])[-1]

    def words(self, key):
        return " ".join(self.values.get(key, [])).split()

    @property
    def folder(self):
        return STATE / self.name

    def environment(self):
        account = pwd.getpwnam(self.one("User", "root"))
        found = {
            "PATH": SYSTEM_PATH,
            "HOME": account.pw_dir,
            "USER": account.pw_name,
            "LOGNAME": account.pw_name,
        }
        found |= dict(word.split("=", 1) for word in self.values.get("Environment", []))
        for path in self.values.get("EnvironmentFile", []):
            found |= read_environment(path)
        return found


def read_environment(path):
    lines = [line.strip() for line in Path(path).read_text().splitlines()]
    return dict(line.split("=", 1) for line in lines if line and line[0] not in "#;")


def command_words(text, environment):
    """Parse a command line by the rules of systemd: quotes, `$$`, `${NAME}` in a word, `$NAME` as words."""
    words = []
    for match in re.finditer(r"'([^']*)'|\"([^\"]*)\"|(\S+)", text):
        word = next(group for group in match.groups() if group is not None)
        if re.fullmatch(r"\$[A-Za-z_]\w*", word):
            words += environment.get(word[1:], "").split()
            continue
        word = re.sub(
            r"\$\$|\$\{(\w+)\}", lambda found: environment.get(found[1], "") if found[1] else "$", word
        )
        words.append(word)
    return words


def make_folder(path, mode, unit):
    path.mkdir(parents=True, exist_ok=True)
    shutil.chown(path, unit.one("User", "root"), unit.one("Group", "root"))
    path.chmod(int(mode, 8))
    return str(path)


def sandbox(unit):
    """Return shell commands that apply the protections of a unit in a separate mount namespace."""
    writable = list(unit.values.get("ReadWritePaths", []))
    for name in unit.words("StateDirectory"):
        writable.append(make_folder(Path("/var/lib") / name, unit.one("StateDirectoryMode", "0755"), unit))
    for name in unit.words("RuntimeDirectory"):
        writable.append(make_folder(Path("/run") / name, unit.one("RuntimeDirectoryMode", "0755"), unit))
    steps = [f"mount --bind {path} {path}" for path in writable]
    if unit.one("ProtectHome") == "yes":
        steps += [f"mount -t tmpfs -o mode=000 none {path}" for path in ("/home", "/root")]
    if unit.one("PrivateTmp") == "yes":
        steps += [f"mount -t tmpfs -o mode=1777 none {path}" for path in ("/tmp", "/var/tmp")]
    if unit.one("ProtectSystem") == "strict":
        steps += ["mount -o remount,bind,ro /", "mount -o remount,bind,ro /run"]
    return " && ".join(steps) or "true"


def spawn(unit, line, log):
    environment = unit.environment()
    drop = ["setpriv", f"--reuid={unit.one('User', 'root')}", f"--regid={unit.one('Group', 'root')}"]
    drop += ["--init-groups", *(["--no-new-privs"] if unit.one("NoNewPrivileges") == "yes" else [])]

    def prepare():
        os.umask(int(unit.one("UMask", "0022"), 8))
        os.nice(int(unit.one("Nice", "0")))
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(int(unit.one("LimitNOFILE", "1024")), hard), hard))

    return subprocess.Popen(
        [
            *("unshare", "-m", "--propagation", "private"),
            *("sh", "-c", f'{sandbox(unit)} && cd "$0" && exec "$@"', unit.one("WorkingDirectory", "/")),
            *(*drop, "--", *command_words(line, environment)),
        ],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
        preexec_fn=prepare,  # noqa: PLW1509 - there are no threads
    )


def open_log(unit):
    unit.folder.mkdir(parents=True, exist_ok=True)
    return (unit.folder / "log").open("ab")


def run_once(unit):
    with open_log(unit) as log:
        for line in [*unit.values["ExecStart"], *unit.values.get("ExecStartPost", [])]:
            status = spawn(unit, line, log).wait()
            if status:
                print((unit.folder / "log").read_text(), file=sys.stderr)
                sys.exit(f"Job for {unit.name} failed: status {status}")
    if unit.one("RemainAfterExit") == "yes":
        (unit.folder / "active").touch()


def supervise(unit):
    """Run a service in a separate process until it is stopped, and restart it when it ends."""
    stopping = []
    signal.signal(signal.SIGTERM, lambda *_: stopping.append(True))
    with open_log(unit) as log:
        while not stopping:
            process = spawn(unit, unit.one("ExecStart"), log)
            while process.poll() is None and not stopping:
                time.sleep(0.1)
            end_group(process, float(unit.one("TimeoutStopSec", "90")))
            if unit.one("Restart") != "always":
                break
            if not stopping:
                (unit.folder / "restarts").open("a").write("1\n")
                time.sleep(float(unit.one("RestartSec", "0.1")))
    for name in unit.words("RuntimeDirectory"):
        shutil.rmtree(f"/run/{name}", ignore_errors=True)
    (unit.folder / "pid").unlink(missing_ok=True)


def end_group(process, patience):
    for number, seconds in ((signal.SIGTERM, patience), (signal.SIGKILL, 10)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)


def pid_of(unit):
    try:
        pid = int((unit.folder / "pid").read_text())
        os.kill(pid, 0)
    except (OSError, ValueError):
        return None
    return pid


def is_active(unit):
    return (unit.folder / "active").exists() or pid_of(unit) is not None


def start(name):
    if is_debian(name):
        debian(name, "start")
        return
    unit = Unit(name)
    if is_active(unit):
        return
    unit.folder.mkdir(parents=True, exist_ok=True)
    needed = [
        one for one in [*unit.words("Requires"), *unit.words("Wants")] if one != "network-online.target"
    ]
    for one in sorted(needed, key=lambda one: "prepare" not in one):
        start(one)
    if not unit.name.endswith(".service"):
        (unit.folder / "active").touch()
    elif unit.one("Type") == "oneshot":
        run_once(unit)
    else:
        command = [sys.executable, __file__, "supervise", unit.name]
        with open_log(unit) as log:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        (unit.folder / "pid").write_text(str(process.pid))


def stop(name):
    if is_debian(name):
        debian(name, "stop")
        return
    unit = Unit(name)
    for part in running_parts(unit):
        stop(part)
    (unit.folder / "active").unlink(missing_ok=True)
    pid = pid_of(unit)
    if pid is not None:
        os.kill(pid, signal.SIGTERM)
        while pid_of(unit) is not None:
            time.sleep(0.1)


def restart(name):
    if is_debian(name):
        debian(name, "restart")
        return
    unit = Unit(name)
    parts = running_parts(unit)
    stop(name)
    start(name)
    for part in parts:
        start(part)


def running_parts(unit):
    names = [path.name for path in STATE.iterdir()] if STATE.is_dir() else []
    others = [Unit(name) for name in names if name != unit.name]
    return [other.name for other in others if unit.name in other.words("PartOf") and is_active(other)]


def is_debian(name):
    return (Path("/etc/init.d") / name).exists()


def debian(name, action):
    subprocess.run(["/etc/init.d/" + name, action], check=True, stdin=subprocess.DEVNULL)


def systemctl(arguments):
    action, *rest = arguments
    names = [word for word in rest if not word.startswith("-")]
    if action == "daemon-reload":
        for path in UNITS.glob("tercast*"):
            Unit(path.name.replace("@.", "@0."))
    elif action == "enable":
        for name in names:
            if not is_debian(name) and not Unit(name).words("WantedBy"):
                sys.exit(f"{name} has no [Install] section")
            if "--now" in rest:
                start(name)
    elif action in ("start", "stop", "restart"):
        for name in names:
            {"start": start, "stop": stop, "restart": restart}[action](name)
    elif action == "is-active":
        sys.exit(0 if all(is_active(Unit(name)) for name in names) else 3)
    else:
        sys.exit(f"the stand-in does not know systemctl {action}")


def systemd_run(arguments):
    properties, user, group = {}, "root", "root"
    while arguments and arguments[0].startswith("-"):
        option, _, value = arguments.pop(0).partition("=")
        if option == "--property":
            key, _, value = value.partition("=")
            properties[key] = value
        elif option == "--uid":
            user = value
        elif option == "--gid":
            group = value
        elif option not in ("--quiet", "--pipe", "--wait", "--collect"):
            sys.exit(f"the stand-in does not know systemd-run {option}")
    unknown = set(properties) - {"EnvironmentFile", "WorkingDirectory", "UMask"}
    if unknown:
        sys.exit(f"the stand-in does not know the property {unknown}")
    environment = {"PATH": SYSTEM_PATH, "HOME": pwd.getpwnam(user).pw_dir, "USER": user}
    environment |= read_environment(properties["EnvironmentFile"]) if "EnvironmentFile" in properties else {}
    os.chdir(properties.get("WorkingDirectory", "/"))
    os.umask(int(properties.get("UMask", "0022"), 8))
    os.initgroups(user, grp.getgrnam(group).gr_gid)
    os.setgid(grp.getgrnam(group).gr_gid)
    os.setuid(pwd.getpwnam(user).pw_uid)
    os.execvpe(arguments[0], arguments, environment)


def main():
    socket.setdefaulttimeout(10)
    program, *arguments = sys.argv
    if Path(program).name == "systemd-run":
        systemd_run(arguments)
    elif arguments[:1] == ["supervise"]:
        supervise(Unit(arguments[1]))
    else:
        systemctl(arguments)


if __name__ == "__main__":
    main()

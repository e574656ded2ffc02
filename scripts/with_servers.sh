#!/bin/bash
# Runs a command with its own PostgreSQL and Redis on loopback. TERCAST_DATABASE_URL and TERCAST_REDIS_URL name
# them. When the command ends, both end, and their data is deleted.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { printf 'with_servers: %s\n' "$*" >&2; exit 1; }

need() { # need COMMAND PACKAGE
    command -v "$1" >/dev/null 2>&1 || [ -n "$(pg_bin "$1")" ] && return 0
    [ "$(id -u)" = 0 ] || fail "$1 is missing; run: sudo apt-get install -y --no-install-recommends $2"
    printf 'with_servers: installing %s (%s is missing)\n' "$2" "$1"
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y --no-install-recommends "$2" >/dev/null 2>&1 ||
        { apt-get update >/dev/null && apt-get install -y --no-install-recommends "$2" >/dev/null; }
}

pg_bin() { ls -d /usr/lib/postgresql/*/bin/"$1" 2>/dev/null | sort -V | tail -n 1; }
free_port() { .venv/bin/python -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
as_postgres() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }

need initdb postgresql
need redis-server redis-server

DIR=$(mktemp -d /tmp/tercast-servers.XXXXXX)
REDIS_PID=
stop() {
    if [ -s "$DIR/db/postmaster.pid" ]; then as_postgres "$(pg_bin pg_ctl)" -D "$DIR/db" -m immediate -w stop >/dev/null 2>&1 || true; fi
    if [ -n "$REDIS_PID" ]; then kill "$REDIS_PID" 2>/dev/null || true; fi
    rm -rf "$DIR"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

[ "$(id -u)" = 0 ] && chown postgres "$DIR"
PGPORT=$(free_port)
as_postgres "$(pg_bin initdb)" -D "$DIR/db" -U tercast -A trust --no-sync -E UTF8 --locale=C.UTF-8 >"$DIR/initdb.log" 2>&1 || { cat "$DIR/initdb.log" >&2; fail "initdb failed"; }
as_postgres "$(pg_bin pg_ctl)" -D "$DIR/db" -w -l "$DIR/db/server.log" \
    -o "-p $PGPORT -c listen_addresses=127.0.0.1 -c unix_socket_directories=$DIR -c fsync=off" start >/dev/null ||
    { cat "$DIR/db/server.log" >&2; fail "PostgreSQL did not start"; }
as_postgres "$(pg_bin createdb)" -h 127.0.0.1 -p "$PGPORT" -U tercast tercast

REDIS_PORT=$(free_port)
mkdir -p "$DIR/redis"
redis-server --port "$REDIS_PORT" --bind 127.0.0.1 --save "" --dir "$DIR/redis" >"$DIR/redis/log" 2>&1 &
REDIS_PID=$!
for _ in $(seq 100); do redis-cli -p "$REDIS_PORT" ping >/dev/null 2>&1 && break; sleep 0.05; done
redis-cli -p "$REDIS_PORT" ping >/dev/null || { cat "$DIR/redis/log" >&2; fail "Redis did not start"; }

export TERCAST_DATABASE_URL="postgresql://tercast@127.0.0.1:$PGPORT/tercast"
TERCAST_TEST_POSTGRES_RESTART="$(pg_bin pg_ctl) -D $DIR/db -m immediate -w -l $DIR/db/server.log restart"
[ "$(id -u)" = 0 ] && TERCAST_TEST_POSTGRES_RESTART="runuser -u postgres -- $TERCAST_TEST_POSTGRES_RESTART"
export TERCAST_TEST_POSTGRES_RESTART
export TERCAST_REDIS_URL="redis://127.0.0.1:$REDIS_PORT/0"
"$@"

# Shared by the scripts in this folder: where the tree is, how to speak, how to become somebody without privileges.
# Sourced, never run. stdout is for results, stderr for talk.
# shellcheck shell=bash

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
CACHE=$ROOT/.cache
TARGET=${CARGO_TARGET_DIR:-$ROOT/target}
export ROOT CACHE TARGET

say() { printf '%s\n' "$*" >&2; }

die() {
    say "$(basename "$0"): $*"
    exit 1
}

# PostgreSQL refuses to run as root: as root, a command is handed to the account `postgres`; otherwise it runs as it is.
as_postgres() {
    if [ "$(id -u)" -eq 0 ]; then
        runuser -u postgres -- "$@"
    else
        "$@"
    fi
}

# The folder of the newest PostgreSQL server the distribution installed.
debian_postgres_bin() {
    local newest
    newest=$(find /usr/lib/postgresql -maxdepth 3 -path '*/bin/postgres' 2>/dev/null | sort -V | tail -n 1)
    [ -n "$newest" ] || return 1
    dirname "$newest"
}

# FreeTDS's ODBC driver.
freetds_odbc() {
    local found
    found=$(find /usr/lib /usr/lib64 -maxdepth 3 -name libtdsodbc.so 2>/dev/null | head -n 1)
    [ -n "$found" ] && echo "$found"
}

# PostgreSQL's ODBC driver.
postgres_odbc() {
    local found
    found=$(find /usr/lib /usr/lib64 -maxdepth 4 -name psqlodbcw.so 2>/dev/null | head -n 1)
    [ -n "$found" ] && echo "$found"
}

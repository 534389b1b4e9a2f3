# A part of scripts/bench-login: MariaDB with mysql_native_password and without TLS, 16 in flight.
#
# The peer is mariadb-slap with --detach=1: it closes its connection and opens a new one after each query, with the
# vendor's own client library, and does nothing else. (sysbench --reconnect prepares its statements anew each time.)
# shellcheck shell=bash

MARIADB_IN_FLIGHT=16

part_mariadb() {
    command -v mariadbd >/dev/null || [ -x /usr/sbin/mariadbd ] || die "no MariaDB server; run scripts/setup"
    start_mariadb
    local bare round
    bare=$(free_port)
    "${PIN[@]}" "$WORK/bare_server" "$bare" &
    PIDS+=($!)
    wait_for_port "$bare"
    for round in $(seq "$ROUNDS"); do
        say "round $round of $ROUNDS, MariaDB"
        if [ $((round % 2)) -eq 1 ]; then run_slap && mariadb_peaje; else mariadb_peaje && run_slap; fi
        mariadb_bare "$bare"
    done
}

as_mysql() {
    if [ "$(id -u)" -eq 0 ]; then runuser -u mysql -- "$@"; else "$@"; fi
}

start_mariadb() {
    local home=$WORK/mariadb server
    server=$(PATH=$PATH:/usr/sbin command -v mariadbd)
    MARIADB_PORT=$(free_port)
    mkdir -p "$home"
    [ "$(id -u)" -ne 0 ] || chown mysql "$home"
    as_mysql mariadb-install-db --no-defaults --datadir="$home/data" --auth-root-authentication-method=normal \
        --skip-test-db >"$WORK/install-db.log" 2>&1 || die "mariadb-install-db failed: $(tail -n 3 "$WORK/install-db.log")"
    as_mysql "${PIN[@]}" "$server" --no-defaults --datadir="$home/data" --port="$MARIADB_PORT" --bind-address=127.0.0.1 \
        --socket="$home/socket" --pid-file="$home/pid" --max-connections=500 --skip-name-resolve >"$home.log" 2>&1 &
    wait_for_port "$MARIADB_PORT"
    [ "$(mariadb_sql 'select @@datadir')" = "$home/data/" ] || die "another server answers on port $MARIADB_PORT"
    mariadb_sql "create database bench; create user bench@'127.0.0.%' identified by '$SCRAM_PASSWORD';
        grant all on bench.* to bench@'127.0.0.%'"
}

# The server itself: what was started in the background is the one that became another account.
stop_mariadb() {
    local pid
    pid=$(cat "$WORK/mariadb/pid" 2>/dev/null) || return 0
    kill "$pid"
    while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
}

mariadb_sql() { mariadb --no-defaults -S "$WORK/mariadb/socket" -u root -N -B -e "$1"; }

# Connections so far, by the server's own count. Asking is one more.
mariadb_connections() { mariadb_sql "show global status like 'Connections'" | cut -f2; }

run_slap() {
    local before queries
    # slap counts queries, not seconds: a short run first tells how many fill the time.
    if [ -z "${SLAP_QUERIES:-}" ]; then
        before=$(date +%s%N)
        slap 4000
        SLAP_QUERIES=$((4000 * SECONDS_EACH * 1000000000 / ($(date +%s%N) - before)))
    fi
    queries=$((SLAP_QUERIES / MARIADB_IN_FLIGHT * MARIADB_IN_FLIGHT))
    before=$(mariadb_connections)
    slap "$queries"
    record_mariadb "mariadb-slap --detach=1" "" $(($(mariadb_connections) - before - 1))
}

slap() {
    "${PIN[@]}" "$WORK/measure" "$WORK/used" mariadb-slap --no-defaults --protocol=tcp -h 127.0.0.1 -P "$MARIADB_PORT" \
        -u bench -p"$SCRAM_PASSWORD" --skip-ssl --create-schema=bench --no-drop --concurrency=$MARIADB_IN_FLIGHT \
        --number-of-queries="$1" --detach=1 --query='select 1' >"$WORK/out" 2>&1 ||
        die "mariadb-slap failed: $(tail -n 3 "$WORK/out")"
}

mariadb_peaje() {
    [ -n "$PEAJE" ] || return 0
    local before
    before=$(mariadb_connections)
    MYSQL_PWD=$SCRAM_PASSWORD "${PIN[@]}" "$WORK/measure" "$WORK/used" "$PEAJE" login \
        "mysql://bench@127.0.0.1:$MARIADB_PORT/bench?ssl-mode=DISABLED" --duration "${SECONDS_EACH}s" --close quick \
        --mode unpooled --concurrency $MARIADB_IN_FLIGHT --threads 2 --yes --json "$WORK/run.json" >"$WORK/out" 2>&1 </dev/null ||
        die "peaje login failed: $(tail -n 5 "$WORK/out")"
    # The observer's own login and this question are among them.
    record_mariadb peaje "$(json_field "$WORK/run.json" '["login"]["series"][0]["throughput_per_s"]["value"]')" \
        $(($(mariadb_connections) - before - 2))
}

mariadb_bare() {
    "${PIN[@]}" "$WORK/measure" "$WORK/used" "$WORK/bare_client" "$1" $MARIADB_IN_FLIGHT "$SECONDS_EACH" >"$WORK/out" ||
        die "bare_client failed: $(cat "$WORK/out")"
    record mariadb native "bare TCP" "$(json_field "$WORK/out" '["per_s"]')" "$(json_field "$WORK/out" '["logins"]')"
}

# record_mariadb WHO RATE LOGINS; without a rate of its own, the server's count over the whole time.
record_mariadb() {
    local rate=$2
    [ -n "$rate" ] || rate=$(tail -n 1 "$WORK/used" |
        python3 -c "import json,sys; print(int(sys.argv[1]) / json.load(sys.stdin)['wall_s'])" "$3")
    record mariadb native "$1" "$rate" "$3"
}

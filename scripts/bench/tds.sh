# A part of scripts/bench-login: TDS beside PostgreSQL's protocol, both against peaje's reference server, without TLS.
# shellcheck shell=bash

part_tds() {
    [ -n "$PEAJE" ] || return 0
    local list round
    "${PIN[@]}" "$PEAJE" serve --protocol postgres,mysql,sqlserver --json "$WORK/serve.json" >"$WORK/serve.log" 2>&1 </dev/null &
    PIDS+=($!)
    local tries=100
    until [ -s "$WORK/serve.json" ]; do
        [ $((tries -= 1)) -gt 0 ] || die "peaje serve did not start: $(cat "$WORK/serve.log")"
        sleep 0.1
    done
    for round in $(seq "$ROUNDS"); do
        say "round $round of $ROUNDS, protocols of the reference server"
        list="0 1 2"
        [ $((round % 2)) -eq 1 ] || list="2 1 0"
        for index in $list; do run_protocol "$index"; done
    done
}

run_protocol() {
    peaje_login "$(json_field "$WORK/serve.json" "[$1]['url']")" --duration "${SECONDS_EACH}s" --close quick --tls off \
        --scram-cache on
    record protocols "reference server" "$(json_field "$WORK/serve.json" "[$1]['protocol']")" \
        "$(json_field "$WORK/run.json" '["login"]["series"][0]["throughput_per_s"]["value"]')" \
        "$(json_field "$WORK/run.json" '["login"]["series"][0]["logins"]')"
}

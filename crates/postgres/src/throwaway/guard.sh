# The guard of a throwaway server: makes the cluster, runs the server, and removes everything when standard input ends.
# Arguments: folder, folder of the binaries, superuser. Words on standard input: `start PORT`.
# Events on standard output: `initdb STATUS`, `postgres PID`, `exited STATUS`.

# Nothing but the end of the pipe, or kill -9, ends the guard: not Ctrl-C, not a closed terminal.
trap '' INT HUP TERM QUIT PIPE
folder=$1 bin=$2 admin=$3
cd / || exit 1
umask 077
exec 3<&0 </dev/null

"$bin/initdb" -D "$folder/data" -U "$admin" --pwfile="$folder/password" -N --locale=C --encoding=UTF8 \
    --auth=scram-sha-256 >"$folder/log" 2>&1 3<&-
echo "initdb $?"

while read -r word port <&3; do
    [ "$word" = start ] || continue
    "$bin/postgres" -D "$folder/data" -p "$port" >>"$folder/log" 2>&1 3<&- &
    server=$!
    echo "postgres $server"
    # Waits for the end of the pipe beside the server, then stops it: fast, at once, by force.
    (
        while read -r word <&3; do :; done
        for signal in INT QUIT KILL; do
            kill -$signal "$server"
            tries=0
            while [ $tries -lt 50 ] && kill -0 "$server"; do
                sleep 0.1
                tries=$((tries + 1))
            done
        done
    ) &
    stopper=$!
    wait "$server"
    status=$?
    # The server is gone: its number may soon belong to somebody else.
    kill -KILL "$stopper"
    wait "$stopper"
    echo "exited $status"
done

rm -rf "$folder"

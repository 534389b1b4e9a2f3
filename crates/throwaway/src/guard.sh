# The guard of a throwaway server: makes its data, runs it, and removes everything when standard input ends.
# Arguments: folder, command that makes the data, signals that stop the server, the politest first.
# Lines on standard input: `start COMMAND`. Commands are quoted for a shell.
# Events on standard output: `initialised STATUS`, `running PID`, `exited STATUS`.

# Nothing but the end of the pipe, or kill -9, ends the guard: not Ctrl-C, not a closed terminal.
trap '' INT HUP TERM QUIT PIPE
folder=$1 initialise=$2 signals=$3
cd / || exit 1
umask 077
exec 3<&0 </dev/null

eval "$initialise" >"$folder/log" 2>&1 3<&-
echo "initialised $?"

while read -r word command <&3; do
    [ "$word" = start ] || continue
    # `exec`: the number is the server's own, not that of a shell in between.
    eval "exec $command" >>"$folder/log" 2>&1 3<&- &
    server=$!
    echo "running $server"
    # Waits for the end of the pipe beside the server, then stops it.
    (
        while read -r word <&3; do :; done
        for signal in $signals; do
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

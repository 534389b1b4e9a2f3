# Sentences shared by the terminal summary and the page.

## What answered

at = { $what } at { $place }
socket = socket { $path }
not-identified = { $what } at { $place } (not identified: nothing was read from the server)
unidentified-answered = Something answered at { $place }, and was not identified
nothing-answered = Nothing answered at { $place }
database = database { $name }
user = user { $name }
reference-server = reference server: these numbers describe this machine, not your database
throwaway-server = throwaway { $product } started for this run
segment = Every figure speaks of the way between { $segment }.
segment-console = you and the pooler's console
segment-through = you and the server, through a pooler, proxy or address translation
segment-pooler = you and the server, through { $name }

## How it ended

interrupted = INTERRUPTED: the run was stopped by hand. The figures cover what was measured until then.
stopped = STOPPED ({ $rule }): { $message }.
stopped-next-rejected = Check { $engine ->
        [postgres] password, role and pg_hba.conf
        [mysql] password, and the account's host and authentication plugin,
        [sqlserver] password, database, and the state of error 18456 in the server's error log
       *[other] password and account
      } before you try again: more rejected attempts may lock the account.
stopped-next-server-full = Find out who holds the sessions ({ $engine ->
        [mysql] information_schema.processlist
        [sqlserver] sys.dm_exec_sessions
       *[other] pg_stat_activity
      }), or measure with a lower --concurrency.
stopped-next-account-limit = Look at the limits of { $owner ->
        [role] the role (rolconnlimit in pg_roles)
        [database] the database (datconnlimit in pg_database)
       *[account] the account (show grants; max_connections, max_user_connections in mysql.user)
      }: it is { $resource } that was reached, not the server's own limit. Or measure with a lower --concurrency.
stopped-next-server-gone = Look at the server and its log, then measure again.
stopped-next-generator = Raise the limit of open files (ulimit -n), spread the load over --source-addresses, or lower --concurrency.
stopped-next-other-clients = Look at the server’s log and its load first; then lower --concurrency or --rate.
stopped-next-free-sessions = Lower --concurrency, or measure when fewer sessions are in use.
tls-overrides = --tls replaced { $setting } of the connection string.
tls-overrides-default = --tls replaced the TLS setting of the connection string.

## Words

mode-unpooled = unpooled
mode-pooled = pooled
mode-persistent = persistent
tls-as-url = TLS as in the URL
tls-off = TLS off
tls-full = TLS full
tls-resumed = TLS resumed
series-label = { $mode }, { $tls }

phase-resolve = resolve the name
phase-connect = connect
phase-negotiate = negotiate
phase-tls = TLS handshake
phase-ticket = ticket
phase-authenticate = authenticate
phase-session = session start
phase-first_query = query
phase-close = close
part-wait = wait for the pool
part-query = query
part-open = opening the session
part-give-back = give back

outcome-ok = ok
outcome-refused = connection refused
outcome-unreachable = unreachable
outcome-timed-out = timed out
outcome-not-resolved = name not resolved
outcome-rejected = rejected
outcome-server-full = server full
outcome-reset = connection reset
outcome-tls-not-offered = TLS not offered
outcome-tls-failed = TLS failed
outcome-unsupported = unsupported authentication
outcome-protocol = protocol error
outcome-generator = out of local ports, files or memory
outcome-aborted = aborted at the stop

severity-info = Note
severity-warning = WARNING
severity-critical = CRITICAL

all-series = all series
quoted = “{ $text }”
n-logins = { $n ->
    [one] 1 login
   *[other] { $n } logins
  }

## Tables

col-series = series
col-logins-per-s = logins/s
col-operations-per-s = ops/s
col-peak-per-s = peak/s
col-p50 = p50
col-p99 = p99
col-p99-service = p99 from start
col-failed = failed
col-where = where the time goes
col-operations = operations
col-logins = logins
col-elapsed = elapsed
col-mean = mean/op
col-query = query
col-lag = p99 lag
col-server-logins = server saw
col-own-logins = ours
col-encrypted = encrypted
col-server-cpu = server CPU/op
col-client-cpu = client CPU/login
col-crypto = of it crypto
col-interval = ops/s 95 %

note-percentiles = p50, p99: an operation from when it was due to the end of its close. Pooled, ops are not logins.
note-open-loop = Open loop at { $rate } operations/s: p99 counts from the instant an operation was due, “p99 from start” only from when it got going. Believe p99: it holds the waiting that a user feels.
note-clocks = elapsed: the whole series; mean/op: one operation; query: its query alone; { $n ->
    [one] one runs at a time.
   *[other] up to { $n } run at once.
  }
clock-check = { $workers } in flight × { $elapsed } / { $operations } operations = { $computed } each; measured mean { $mean } ({ $label }).

time-of-operation = { $label }: { $total } = { $parts }
time-of-pooled = { $said }; the pool opened { $n ->
    [one] 1 login
   *[other] { $n } logins
  }{ $slices ->
    [one] { "" }
   *[other] { " " }in { $slices } slices
  }
legend = Means of one operation: { $list }.
note-authenticate = PostgreSQL answers in one piece: “authenticate” holds the password check and the start of the session (catalogue caches, preloaded libraries, login triggers), “session start” next to nothing.
no-figures = { $label }: no figures (too few operations ended well).

## Sections

head-time = Where the time goes
head-clocks = Both clocks
head-happened = TLS and authentication as they happened
head-server = The server's own account and ours
head-server-source = The server's own account ({ $source }) and ours
head-bound = What limited the rate
head-distance = Distance
head-failures = What did not work
head-gaps = What could not be read
head-findings = Findings

first-login = First login, alone, cold caches: { $total } = { $parts }
first-login-bare = First login, alone, cold caches: { $total }.
first-login-failed = The very first login failed after { $total }: { $outcome }.

seen-no-tls = No TLS: { $logins }.
seen-tls = { $version }, { $cipher }{ $exchange }, { $key }: { $logins }, { $resumed } resumed.
seen-exchange = , key exchange { $name }
seen-key = server key { $name }
seen-key-unknown = server key unknown
seen-login-only = It protected the login message only: what followed went in clear.
not-resumed = { $label }: resumption was asked for and did not happen; all { $logins } made a full handshake.
partly-resumed = { $label }: resumption was asked for and happened in { $share } of { $logins }.
seen-auth = Authentication { $method }: { $logins }.
seen-auth-iterations = Authentication { $method }, { $iterations } iterations, { $cached ->
    [yes] key from the cache
   *[no] key derived at each login
  }: { $logins }.

n-of-m = { $n } of { $m }
server-cores = { $used } of { $cores } cores of this machine go into logins.
server-cores-manager = { $used } of { $cores } cores of this machine do nothing but log people in.
server-cores-elsewhere = { $used } server cores go into logins.
source-processes = CPU of the server's processes
server-cores-whole = { $used } of { $cores } cores serve operations that each log in.
server-cores-whole-elsewhere = { $used } server cores serve operations that each log in.
note-encrypted = encrypted: of the sessions found in samples of the server’s list, not of all; one whose login is still under way is not known to be encrypted and is not counted as such.
client-note = Client CPU is peaje's; { $engine ->
        [mysql] your driver may need several times as much.
        [sqlserver] your driver may need several times as much.
       *[other] your driver may need 5 to 10 times as much (measure it with pgbench -C).
      }

bound-server = { $label }: server-bound{ $reasons }.
bound-generator-logins = { $label }: GENERATOR-BOUND, at least { $rate } logins/s{ $reasons }. The server may do more.
bound-generator-operations = { $label }: GENERATOR-BOUND, at least { $rate } operations/s{ $reasons }. The server may do more.
bound-schedule = { $label }: the schedule was the limit, not the server: { $rate } of { $offered } operations/s offered were done (p99 { $lag } late).
bound-latency = { $label }: { $workers ->
    [one] one client's own latency was the limit, not the server: { $rate } operations/s, one after the other, { $took } each.
   *[other] nothing was saturated: { $workers } clients waited for their own operations, { $took } each, { $rate } operations/s.
  }
bound-undecided = { $label }: cannot say what limited the rate{ $reasons }.
bound-reasons = { " " }({ $list })
reason-client-cpu = busiest worker thread { $value } of a core, limit { $limit }
reason-client-share-of-machine = peaje used { $value } of all cores, limit { $limit }
reason-server-share-of-machine = the server used { $value } of all cores, limit { $limit }
reason-run-queue-delay = worker threads waited for a core { $value } of the time, limit { $limit }
reason-lag = operations started late: p99 { $value }, limit { $limit }
reason-no-file-descriptor = file descriptors ran out: { $value } times
reason-no-local-memory = memory for sockets ran out: { $value } times
reason-no-local-port = local ports ran out: { $value } times
reason-listen-overflows = this host's listener dropped { $value } connections
reason-waiting = nothing was saturated: each worker waited for the server
reason-too-short = too short to judge
reason-server-gone = the server was gone before the end: { $value } failures

cause-client-cpu = CPU of a worker thread
cause-client-share-of-machine = peaje's share of the machine
cause-server-share-of-machine = the server's share of the machine
cause-run-queue-delay = waiting for a core
cause-lag = late starts
cause-no-file-descriptor = no file descriptor left
cause-no-local-memory = no memory for sockets left
cause-no-local-port = no local port left
cause-listen-overflows = listen queue full
cause-waiting = waiting for the server
cause-too-short = too short
cause-server-gone = server gone

distance = { $label }: of { $total }, { $distance } is distance: { $trips } round trips × { $rtt }; from a host 0.5 ms away expect about { $near }.

failed-operations = { $label }: { $failed } of { $scheduled } operations failed: { $list }.
skipped-operations = { $label }: { $skipped } of { $scheduled } operations were due but never started.
in-flight-operations = { $label }: { $n ->
    [one] 1 operation was
   *[other] { $n } operations were
  } cut off at the stop.
failure = { $count } × { $kind }
failure-code = { $count } × { $kind } ({ $code })
failure-message = { $failure }: “{ $message }”
address-failed = { $host } ({ $address }): { $outcome } after { $took }.

gap = { $what }: { $why }
gap-next = { $what }: { $why }. Next: { $next }

finding-next = Next: { $step }
finding-title = { $title } (peaje explain { $code })
none-found = Nothing stands out.
none-found-partly = Nothing stands out in what could be judged; the rest stands under “cannot say”.
no-diagnosis = This run holds no findings: it was not diagnosed.
codes-healthy = Healthy: { $list }.
codes-cannot-say = Cannot say: { $list }.
codes-reason-until = { $reason }; verdict at { $at }

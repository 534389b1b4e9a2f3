# A run of `peaje sessions`: the ladder, what it says, and its findings.

col-held = sessions
col-step-time = opened in
col-each = each
col-login-p50 = login p50
col-login-p99 = login p99
col-server-memory = server
col-available = available
col-fits = fit
col-processes = processes
col-threads = threads
col-target = target
col-per-session = per session
col-of-machine = of machine
col-fixed = fixed
col-open-time = opened in
col-knee = knee
col-first-wall = first wall

head-ladder = Open sessions, step by step
head-ladder-of = Open sessions, step by step: { $label }
head-targets = Side by side
head-held = What an open session costs
head-held-of = What an open session costs: { $label }
sessions-columns = “each”: time of the step for each session it opened; “server”: memory of the server's processes, shared pages once; “fit”: sessions that fit in memory with a reserve, as predicted at that step{ $bound ->
    [upper-bound] { " " }(upper bound: the sessions never worked)
   *[estimate] {""}
 }.
sessions-columns-short = “each”: time of the step for each session it opened.
sessions-stopped = The ladder ended before its last step: { $guard }.
guard-memory-floor = the memory that must stay available was reached (--memory-floor)
guard-swap = the machine began to swap (--swap-guard)
guard-free-sessions = half of the free sessions were taken

sessions-memory = A session takes { $bytes } of the server's memory{ $interval }; { $fixed } are there without any.
sessions-interval = { " " }(95 %: { $low } to { $high })
sessions-views = A session takes { $bytes } by the server's own views{ $interval }: what it allocated, not what its machine gave.
sessions-machine = The machine's available memory loses { $bytes } for each{ $interval }.
sessions-group = The control group's usage grows by { $bytes } for each{ $interval }, the kernel's part included, page cache apart.
sessions-idle-worked = Each session: idle { $idle }; after your query { $worked }.
sessions-idle-only = Each session: idle { $idle }; after your query: not measured (--warm-query), so every prediction is an upper bound.
sessions-worked-only = Each session: after your query { $worked }.
sessions-account = Of { $host } for each session: { $list }.
account-pss = the server's processes { $bytes }
account-page-tables = page tables { $bytes }
account-kernel-stacks = kernel stacks { $bytes }
account-slab = kernel objects { $bytes }
account-per-cpu = per-processor objects { $bytes }
account-sockets = socket buffers { $bytes }
account-client = peaje itself { $bytes }
account-unexplained = not accounted for { $bytes }
sessions-client = peaje itself takes { $bytes } for each session it holds.
sessions-growth = A login takes sessions to the power of { $exponent }: { $first } at the first step, { $last } at the last.
sessions-knee-said = Knee at { $sessions } sessions (95 %: { $low } to { $high }), { $cause }: each takes { $after } beyond it, { $before } before.
sessions-straight = No knee: the ladder is straight to { $sessions } sessions, as far as it can be told.
knee-memory = the machine's memory
knee-cgroup-memory = the memory of the server's control group
knee-scheduler = processors, not memory
knee-unknown = cause unknown
sessions-wall = First wall: { $wall } at { $sessions } sessions{ $upper ->
    [yes] , an upper bound
   *[no] {""}
 }{ $beyond ->
    [yes] { " " }(extrapolated: { $measured } were measured)
   *[no] {""}
 }.
sessions-more-walls = Then: { $list }.
sessions-one-wall = { $wall } { $sessions }
wall-memory = physical memory
wall-cgroup-memory = memory of the control group
wall-server-limit = the server's own limit
wall-account-limit = the limit of the account or database
wall-server-files = open files of the server
wall-client-files = open files of peaje
wall-processes = processes
wall-threads = threads
wall-ports = ports of the client
sessions-churn = With { $rate } sessions closed and opened again each second among { $sessions }, a login takes { $login } (p50){ $switches }.
sessions-churn-switches = { " " }and costs { $n } context switches
sessions-probe = Among { $sessions } sessions one more login takes { $login } (p50), the query { $query }{ $beside }.
sessions-probe-beside = , { $query } beside the working ones
sessions-closing = { $sessions } sessions were closed in { $time }{ $memory }{ $left }.
sessions-closing-memory = ; { $bytes } of the server's memory came back
sessions-closing-left = ; the server still counts { $n } of them
sessions-dropped-said = The server ended { $n ->
    [one] one session
   *[other] { $n } sessions
 }: { $list }.
sessions-dropped-one = { $reason } ({ $n })
asked-sessions = What does an open session cost, and how many fit? Steps: { $steps }; { $concurrency ->
    [one] one login after the other
   *[other] { $concurrency } logins at a time
 }.
set-steps = Steps
set-settle = Wait before a step is measured
set-active = Share of the sessions that work
set-warm-query = Run once in each session
set-churn = Sessions closed and opened again, per second
set-memory-floor = Memory that must stay available
set-swap-guard = Swapping ends the run
set-reserve = Memory that a prediction leaves free
asked-warm = Run once in each session: { $query }
asked-idle = The sessions run nothing after their login.

plot-held-time-title = Time of one more session
plot-held-time-y = time for each session
plot-held-memory-title = Memory of the server
plot-held-memory-y = memory
plot-held-x = open sessions
plot-held-time-alt = Time of one more session against open sessions, with the knee. The figures are in the table of steps.
plot-held-memory-alt = Memory of the server against open sessions, with the fitted line and the walls. The figures are in the table of steps.
plot-held-knee = knee { $sessions }
plot-held-wall = first wall { $sessions }
plot-held-fit = { $label } (line: { $bytes } for each)
plot-held-limit = limit { $bytes }

memory-per-session = What an open session takes
    .short-not-read = the server's memory was not read
    .short-too-few-steps = too few steps
    .found-idle = A session that never worked takes { $bytes } of the server's memory.
    .found-idle-more1 = With page tables, kernel stacks and socket buffers it is { $whole_bytes }.
    .found-idle-more2 = All { $allowed } sessions that the server allows would take { $all_bytes }; there are { $memory }.
    .next-idle = Measure what a session keeps after your own query (--warm-query); let the server allow no more sessions than fit.
    .found-worked = After your query a session takes { $bytes } of the server's memory.
    .found-worked-more1 = Idle it took { $idle_bytes }.
    .found-worked-more2 = With page tables, kernel stacks and socket buffers it is { $whole_bytes }.
    .found-worked-more3 = All { $allowed } sessions that the server allows would take { $all_bytes }; there are { $memory }.
    .next-worked = Let the server allow no more sessions than fit, and put a pooler in front of those that wait.
    .healthy-idle = A session that never worked takes { $bytes }, which is little here.
    .healthy-worked = After your query a session takes { $bytes }, which is little here.
    .cannot-say-not-read = What a session takes is not known: the server's memory could not be read. Run peaje on its machine, or give --observed-by.
    .cannot-say-too-few-steps = What a session takes is not known: { $steps } of { $needed } steps were made.

first-wall = What stops more sessions first
    .title-memory = Memory is the first wall
    .title-cgroup-memory = The memory of the control group is the first wall
    .title-system = A limit of the operating system is the first wall
    .title-client = A limit of this client is the first wall
    .short-unknown = no limit is known
    .found-memory = Memory ends first: { $bound ->
        [upper-bound] at most
       *[estimate] about
      } { $sessions } sessions fit, then the machine swaps.
    .found-memory-more1 = The server would allow { $allowed }.
    .found-memory-more2 = This is extrapolated: { $measured } were measured.
    .next-memory = Set the server's own limit below it, so that a login too many is refused before everybody suffers; a pooler needs fewer sessions.
    .found-cgroup-memory = The control group that the server lives in ends first: { $bound ->
        [upper-bound] at most
       *[estimate] about
      } { $sessions } sessions fit in it, whatever the machine has left.
    .found-cgroup-memory-more1 = Its limit is { $memory }.
    .found-cgroup-memory-more2 = The server would allow { $allowed }.
    .found-cgroup-memory-more3 = This is extrapolated: { $measured } were measured.
    .next-cgroup-memory = Raise the limit of the group (MemoryMax of the service, the container's memory), or set the server's own limit below it.
    .healthy-own-limit = The server's own limit comes first: { $name } = { $limit }, { $taken } taken; a login too many is refused, and nobody else suffers.
    .healthy-own-limit-more1 = Memory would hold { $memory_sessions }.
    .found-system = { $name } = { $limit } ends first, at { $sessions } sessions ({ $taken } taken already): logins then fail with errors that no DBA has set.
    .found-system-more1 = The server would allow { $allowed }.
    .next-system = Raise { $name } above what the server's own limit needs, in the service's unit file.
    .found-client = A limit of this client ends the ladder at { $sessions } sessions: { $name } = { $limit }, { $taken } taken. It says nothing of the server.
    .next-client = Raise { $name } here, or give more source addresses.
    .cannot-say-unknown = Neither a limit nor the growth of memory is known.

sessions-knee = Where one more session begins to cost more
    .title = Knee of open sessions
    .title-memory = Memory is full: the machine swaps
    .title-cgroup-memory = The control group is full: the server swaps
    .title-scheduler = More sessions than the processors serve
    .short-too-few-steps = too few steps
    .found-memory = From about { $sessions } sessions on ({ $low } to { $high }) each takes { $after_us } instead of { $before_us }, { $ratio } times: memory is full, and the machine swaps.
    .found-memory-more1 = At { $predicted_at } sessions the prediction was { $predicted }.
    .next-memory = Stay below: a pooler or smaller pools, or more memory; set the server's own limit below the knee.
    .found-cgroup-memory = From about { $sessions } sessions on ({ $low } to { $high }) each takes { $after_us } instead of { $before_us }, { $ratio } times: the memory of the server's control group is full, though the machine may have plenty.
    .found-cgroup-memory-more1 = At { $predicted_at } sessions the prediction was { $predicted }.
    .next-cgroup-memory = Raise the group's memory limit, or stay below: a pooler, smaller pools, the server's own limit below the knee.
    .found-scheduler = From about { $sessions } sessions on ({ $low } to { $high }) each takes { $after_us } instead of { $before_us }, { $ratio } times. Memory was not short; more waited for processors.
    .found-scheduler-more1 = At { $predicted_at } sessions { $predicted } were predicted to fit in memory.
    .next-scheduler = Fewer sessions at work at the same time: a pool of about twice the cores serves more than hundreds of sessions do.
    .found-unknown = From about { $sessions } sessions on ({ $low } to { $high }) each takes { $after_us } instead of { $before_us }, { $ratio } times. Nothing that was read explains it.
    .found-unknown-more1 = At { $predicted_at } sessions { $predicted } were predicted to fit in memory.
    .next-unknown = Measure again with memory and processors of the server's machine in view (run there, or --observed-by).
    .healthy-straight = Straight to { $sessions } sessions: each took { $each_us }.
    .cannot-say-too-few-steps = A knee cannot be told from noise: { $steps } steps, and { $needed } are needed.

process-or-thread = A process or a thread for each session
    .short-not-read = memory was not read
    .found-compared = A session takes { $process_bytes } in { $process }, a process each, and { $thread_bytes } in { $thread }, a thread each: { $ratio } times.
    .found-compared-more1 = Without sessions they take { $process_fixed } and { $thread_fixed }.
    .found-compared-more2 = { $sessions } sessions were open after { $process_us } and { $thread_us }.
    .found-compared-more3 = { $process } bends at { $process_knee } sessions.
    .found-compared-more4 = { $thread } bends at { $thread_knee } sessions.
    .next-compared = With processes put a pooler in front before you add memory. Which products stand for which model, and which for neither, is told by peaje explain process-or-thread.
    .healthy-compared = A process each in { $process } takes hardly more than a thread each in { $thread }: { $process_bytes } and { $thread_bytes }.
    .cannot-say-not-read = Processes and threads cannot be compared: the memory of one of them was not read.

logins-slow-down = Logins take longer with more open sessions
    .title = Login time against open sessions
    .short-too-few-steps = too few steps
    .found-power = A login takes { $ratio } times as long at { $sessions } open sessions as at the first step: { $last_us }, { $first_us } at first. It grows with the power { $exponent } of the sessions.
    .found-power-more1 = (95 %: { $low } to { $high }; 1 would be in proportion.)
    .next-power = Look at the phase that grows; keep fewer sessions open, and expect logins after a failover to be slower than this.
    .healthy-power = A login takes about as long at { $sessions } open sessions as at the first step: { $last_us }, { $first_us } at first.
    .cannot-say-too-few-steps = How login time grows is not known: { $steps } steps, and { $needed } are needed.

sessions-dropped = Sessions that the server dropped
    .short-not-held = no session was held
    .found-dropped = { $dropped } of { $held } held sessions were ended from the other side; most with { $reason ->
        [closed] no word at all
       *[other] “{ $reason }”
      }.
    .found-dropped-more1 = Its words: { $message }
    .next-dropped = Set the pool's idle timeout below the server's; without a word ask who stands between.
    .healthy-none = All { $held } sessions stayed open as long as they were held.
    .cannot-say-not-held = No session was held.

idle-sessions-cost = What never-used sessions cost
    .short-unseen = other sessions cannot be seen
    .short-not-read = memory was not read
    .found-unused = { $unused } sessions of others were never used; at { $bytes } each they take { $all_bytes }.
    .found-unused-more1 = They are { $share } of the memory.
    .next-unused = See whose they are with peaje check, and lower the minimum of those pools.
    .healthy-unused = { $unused ->
        [0] Nobody holds sessions that were never used.
        [one] One session was never used.
       *[other] { $unused } sessions were never used; they take { $all_bytes }.
      }
    .cannot-say-unseen = Whether others hold sessions that they never used cannot be seen here.
    .cannot-say-not-read = What never-used sessions cost is not known: the server's memory was not read.

pooler-saves = What a pooler would save
    .short-not-read = memory was not read
    .found-open-now = Of { $sessions } sessions of others { $at_work } were at work. A pooler with { $pool } would give back { $saved_bytes }, at { $bytes } each.
    .found-open-now-more1 = That is { $share } of the memory.
    .found-ladder = To hold { $sessions } sessions as here, a pooler with { $pool } to the server would save { $saved_bytes }, at { $bytes } each.
    .found-ladder-more1 = That is { $share } of the memory.
    .next = Size the pool from the busiest minute (peaje watch), and check that the applications keep no state in their sessions.
    .healthy-open-now = A pooler would give back { $saved_bytes }: little.
    .healthy-ladder = A pooler would save { $saved_bytes } at { $sessions } sessions: little.
    .cannot-say-not-read = What a pooler would save is not known: the server's memory was not read.

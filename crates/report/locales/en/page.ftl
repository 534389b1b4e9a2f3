# Sentences of the HTML page alone.

page-title = peaje login: { $what }
when-and-where = Measured from { $started } to { $finished }, { $measured } of it under load, from the machine { $host }.
page-asked = What was asked
page-found = What was found
page-cost = What it costs
page-actions = What to do
page-plots = Plots
page-numbers = All numbers
page-settings = Settings
page-environment = Where it was measured from
page-facts = What was read on the server
page-findings-all = Every finding with its evidence
page-details = Details
page-evidence = Evidence
page-toc = On this page

asked-closed = What does a login cost, phase by phase? { $n ->
    [one] One worker, one operation after the other
   *[other] { $n } workers, each starting its next operation when the last has ended
  }.
asked-open = What does a login cost, phase by phase? { $rate } operations/s offered, whether the server keeps up or not (open loop), at most { $n } in flight.
asked-amount-iterations = { $n } operations by each worker in each series.
asked-amount-operations = { $n } operations in each series.
asked-amount-duration = Each series measured for { $time }.
asked-series = Series: { $list }.
asked-query = Query of each operation: { $query }
asked-no-query = No query: each operation only connects and closes.


cost-series = { $label }: { $sentences }
cost-wait = { $share } of an operation's { $total } is logging in and out, the query takes { $query }.
cost-per-thousand = 1,000 logins cost { $cpu } of server CPU.
cost-per-thousand-whole = 1,000 operations that each log in cost { $cpu } of server CPU.
cost-unknown = Nothing was measured that could be priced.
actions-incomplete = This run is not whole: mend what stopped it or made operations fail, and measure again.
actions-none = Nothing needs doing on the strength of this run.

plots-of-some = The plots show the first { $shown } of { $of } series.
plot-phases-title = Where the time of one operation goes
plot-phases-x = mean time of one operation
plot-phases-alt = Stacked bars: the mean time of one operation of each series by its parts. The same figures stand under “{ $heading }”.
plot-distribution-title = Latency by percentile
plot-distribution-x = percentile (each nine takes the same width)
plot-distribution-y = latency (logarithmic)
plot-distribution-alt = Lines: latency of each series by percentile. The main percentiles stand in the table of all numbers.
plot-logarithmic = { $title } (log.)
plot-uncorrected = { $label }, from start (uncorrected)
plot-timeline-title = Throughput and operations in flight over time
plot-timeline-x = time measured in the series
plot-timeline-rate = operations/s
plot-timeline-flight = in flight
plot-timeline-failed = failures/s
plot-timeline-alt = Lines: completed operations per second and operations in flight of each series over time.

num-scheduled = operations due
num-completed = completed
num-failed = failed
num-skipped = never started
num-in-flight = cut off at the stop
num-logins = logins
num-elapsed = elapsed time of the series
num-logins-per-s = logins per second
num-throughput = operations per second
num-throughput-interval = … 95 % interval
num-peak = best window, operations per second
num-latency = latency, { $figure }
num-service = from start (uncorrected), { $figure }
num-lag = late starts, { $figure }
num-query = query, { $figure }
num-phase = { $phase }, mean
num-phase-share = { $phase }, share of the login
num-phase-trips = { $phase }, round trips
num-pool = pool: { $part }, mean
num-rtt = network round trip
num-client-cpu = client CPU per login
num-client-crypto = … of which cryptography
num-server-logins = logins counted by the server
num-server-cpu-login = server CPU per login, queries included
num-server-cpu-operation = server CPU per operation
num-server-percent = server CPU, of one core
num-listen-overflows = listen queue overflows
num-retransmits = segments retransmitted
num-time-wait = sockets in TIME_WAIT at the end
num-figure = figure
fig-mean = mean
fig-max = largest

set-url = connection string
set-started = started (UTC)
set-finished = finished (UTC)
set-loop = load
set-loop-closed = closed loop
set-loop-poisson = open loop, random gaps (Poisson), { $rate } operations/s
set-loop-constant = open loop, even gaps, { $rate } operations/s
set-loop-burst = open loop, bursts of { $n }, { $rate } operations/s
set-concurrency = concurrency
set-iterations = operations of each worker
set-operations = operations of each series
set-duration = duration of each series
set-warm-up = warm-up
set-warm-up-none = none
set-warm-up-fixed = { $time } in each series
set-warm-up-stationary = until the rate is steady, at most { $time }
set-slices = slices of each series
set-threads = worker threads
set-source-addresses = source addresses
set-query = query
set-close = closing
set-close-polite = polite: says goodbye and waits for the server's end
set-close-quick = quick: says goodbye and closes
set-close-reset = reset: cuts the connection
set-scram-cache = derived SCRAM keys
set-cache-off = derived at each login
set-cache-on = kept
set-resolve = names resolved
set-resolve-each = at each login
set-resolve-once = once, before the run
set-pool = pool
set-pool-value = { $min } to { $max } connections, idle timeout { $idle }, lifetime { $lifetime }
set-never = no limit
set-login-timeout = login timeout
set-tag = tag
set-seed = seed
set-expect-rejects = rejected logins expected

env-version = peaje
env-kernel = kernel
env-cpu = CPU
env-cores = cores
env-tls = TLS library
env-host = host
env-command = command line
env-clock = clock
env-clock-value = resolution { $resolution } ns, { $cost } ns for each reading

fact-name = name
fact-value = value
fact-source = source
fact-at = read at
fact-start = start of the run
yes = yes
no = no

verdict-found = found
verdict-healthy = healthy
verdict-cannot-say = cannot say
footer = Made by peaje { $version } from a run file ({ $schema }). Times of operations count from the instant they were due. 1 ms = 1,000 µs.

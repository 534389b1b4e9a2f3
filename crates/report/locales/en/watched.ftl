# A run of `peaje watch`: who logged in and out.

head-watched = Who logs in and out
head-watch-gaps = When nothing could be read
head-excluded = Counted apart

col-group = group
col-sessions = sessions
col-of-limit = of limit
col-logouts-per-s = logouts/s
col-session-life = mean session life
col-replaced = replaced/h
col-verdict = verdict

watch-all = { $server }: all sessions
watch-length = { $readings ->
    [one] one reading
   *[other] { $readings } readings
 }, one every { $interval }; verdicts look at the last { $window }.
watch-coverage = { $share } of the logins were seen as sessions; what was shorter than the time between two readings is in the counters alone.
watch-coverage-low = Only { $share } of the logins were seen as sessions: most are shorter than the time between two readings, and say little about single applications. A shorter --interval sees more.
watch-life-since-start = * average since the server's start: too few logins were seen yet.
watch-verdict-at = Verdict at { $at }.
watch-pal-alarms = PAL's rule (more than 2 logins/s) raises an alarm at { $rate } logins/s. { $why }
watch-pal-silent = PAL's rule (more than 2 logins/s) is silent at { $rate } logins/s. { $why }
watch-pal-several = PAL's rule (more than 2 logins/s) raises an alarm for { $n } of { $of } servers. { $why }
watch-pal-why = It misleads: a rate says nothing of pooling, how long a session lives does.
watch-scale = Times were scaled: one second counts as { $scale } s.
watch-groups-more = { $n ->
    [one] one smaller group is in the run file.
   *[other] { $n } smaller groups are in the run file.
 }
watch-gap = { $server }, { $from } to { $until }: { $message }
watch-gap-open = { $server }, since { $from }: { $message }
watch-excluded = { $server }: { $name } ({ $reason }), { $n ->
    [one] one session
   *[other] { $n } sessions
 }
excluded-replication = replication
excluded-server-agent = the server's own agent
excluded-health-check = health check
excluded-own = peaje itself
watch-cost = The logins of { $name } keep { $progress } logins under way at any moment and take { $cores } cores of the server ({ $share } of it).
watch-cost-progress = The logins of { $name } keep { $progress } logins under way at any moment.
watch-cost-unknown = What these logins cost cannot be said: give a run of `peaje login` against this server with --login-run.

verdict-in-words-no-pooling = does not pool
verdict-in-words-short-scripts = short scripts
verdict-in-words-pool-below-min = pool closes below its minimum
verdict-in-words-idle-timeout-churn = idle timeout at work
verdict-in-words-lifetime-wave = lifetimes end together
verdict-in-words-pool-min-too-big = pool minimum too big
verdict-in-words-pool-max-too-small = pool maximum too small
verdict-in-words-session-leak = sessions leak
verdict-in-words-failed-login-storm = failed logins
verdict-in-words-restart-or-failover = restarted or failed over
verdict-in-words-pool-per-user = one pool per user
verdict-in-words-slow-logins = slow logins
verdict-in-words-cannot-say = cannot say yet
verdict-in-words-healthy = healthy
pattern-in-words-steady = steady
pattern-in-words-batch-workers = batch workers
pattern-in-words-interactive-users = people
pattern-in-words-maximum-lifetime = maximum lifetime
grade-suspected = suspected
grade-likely = likely
grade-confirmed = confirmed
verdict-with-grade = { $words } ({ $grade })
asked-watch = Who logs in and out, read every { $interval }.
asked-replay = The recording { $file }.

head-predictions = What the declared pools predict
prediction-of-all = every application
prediction-baseline = { $app }: { $least } to { $most } logins/s are healthy: each session is replaced once in its lifetime.
prediction-baseline-one = { $app }: { $most } logins/s are healthy: each session is replaced once in its lifetime.
prediction-idle = { $app }: the idle timeout causes up to { $rate } logins/s more, when use comes in bursts.
prediction-refill = { $app }: if this pool closes idle sessions under its own minimum, { $rate } logins/s all day.
prediction-sum = { $app }: { $clients } clients × minimum { $min } = { $sessions } sessions, { $share } of the limit of { $limit }; { $more } ({ $share-more }) while a deployment runs a quarter more clients. { $room ->
    [fits] They fit.
    [tight] That is tight.
    [serious] That is dangerous.
   *[refused] The last clients are refused.
 }
prediction-ramp = { $app }: after a failover a client needs { $time } to open { $n } sessions one after the other, at { $login } a login; within a login timeout of 15 s it opens { $opened }.

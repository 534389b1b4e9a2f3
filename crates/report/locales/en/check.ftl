# A run of `peaje check`: what can be known without load.

head-check-sessions = Open sessions
head-check-logins = Logins, as the server counts them
head-check-probe = A login from here
head-check-encryption = Encryption and authentication
head-check-settings = Settings that decide about logins
head-check-machine = The server's machine
head-check-next = Next

col-application = application @ host
col-active = at work
col-in-transaction = idle in trans.
col-never-used = never used
col-youngest = youngest
col-oldest = oldest

check-asked = What can be known without load? { $n ->
    [0] No logins but those that read.
    [one] One login.
   *[other] { $n } logins, one after the other.
 }
check-asked-since = What happened since the visit in { $place }?

check-open-of = { $n ->
    [one] One session
   *[other] { $n } sessions
 } of { $limit } allowed { $n ->
    [one] is taken
   *[other] are taken
 }{ $reserved ->
    [0] {""}
   *[other] , { $reserved } of them kept for administrators
 }; { $free } are free.
check-open = { $n ->
    [one] One session is open.
   *[other] { $n } sessions are open.
 }
check-active = { $n ->
    [0] None is at work now.
    [one] One is at work now.
   *[other] { $n } are at work now.
 }
check-never-used = { $n ->
    [one] One has never run a statement.
   *[other] { $n } have never run a statement.
 }
check-apart = { $n ->
    [one] One more is replication or the server's own.
   *[other] { $n } more are replication or the server's own.
 }
check-peak = The most since the server's start: { $n }.
check-applications-more = { $n ->
    [one] One smaller application is in the run file.
   *[other] { $n } smaller applications are in the run file.
 }
check-local-socket = this machine

check-since-start = In the { $time } since the counters began:
check-since-unknown = Since the counters began (the server does not say when):
check-since-visit = Since the visit of { $at } ({ $time }):
check-since-not = The visit of { $at } cannot be compared: { $why }.
check-no-comparison-another-server = another server answered
check-no-comparison-restarted = the server was restarted in between
check-no-comparison-counters-reset = its counters were reset in between
check-no-comparison-clock-step = the server's clock is not later than it was
check-no-comparison-nothing-counted = one of the two visits holds no counters
check-logins = { $lead } { $n ->
    [one] one login
   *[other] { $n } logins
 }{ $rate }.
check-rate = , { $rate } a second
check-rate-hour = , { $rate } an hour
check-mean-life = A session lives { $life } on average ({ $basis ->
    [session-time] time of all sessions ÷ logins
   *[other] time × sessions open now ÷ logins
 }).
check-requests = { $n } requests per login.
check-encrypted-logins = { $share } of the logins were encrypted.
check-failed = { $n ->
    [one] One login failed
   *[other] { $n } logins failed
 }{ $list }.
check-failed-credentials = { $n } by wrong password or name
check-failed-limit = { $n } at a limit
check-abandoned = { $n ->
    [one] One session ended without a goodbye.
   *[other] { $n } sessions ended without a goodbye.
 }

check-probe = { $n ->
    [one] One login took { $total }
   *[other] { $n } logins, one after the other, took { $total } on average
 }; { $share } of it: { $phase }. ({ $parts })

check-tls = This login was encrypted: { $version }, server key { $key }.
check-no-tls = This login was not encrypted.
check-certificate = The certificate ends on { $day }, in { $n ->
    [one] one day
   *[other] { $n } days
 }.
check-certificate-ended = The certificate ENDED on { $day }.
check-encrypted-sessions = { $some } of { $n ->
    [one] 1 open session is encrypted.
   *[other] { $n } open sessions are encrypted.
 }
check-authentication = Open sessions by authentication: { $list }.
check-our-authentication = This login: { $method }.

check-machine-managed = Cannot say: a managed service, whose machine only its owner sees.
check-machine-remote = Cannot say: the server runs on another machine; run peaje there to check its listen queue and open files.
check-machine-not-its-process = Cannot say: whether the server's own process listens here is not known (a container, a tunnel, a proxy, or another user's process).
check-listen-queue = Listen queue: { $length } (kernel limit somaxconn { $somaxconn }).
check-overflows = Connections dropped on this host since boot because a listen queue was full: { $n }.
check-open-files = Open files allowed to the server: { $n }.
check-open-files-unlimited = Open files allowed to the server: no limit.
check-ports = Local ports of outgoing connections: { $first } to { $last }.

check-gaps-more = { $n ->
    [one] One more is in the run file.
   *[other] { $n } more are in the run file.
 }
check-findings-more = { $n ->
    [one] One more: { $list }.
   *[other] { $n } more: { $list }.
 }
check-healthy = { $n ->
    [one] One thing was looked at and is healthy.
   *[other] { $n } things were looked at and are healthy.
 }
check-nothing-serious = Nothing serious stands out.

check-page-title = peaje check: { $what }
check-next-explain = what it means, and what to do
check-next-grants = the rights that are missing
check-next-watch = who logs in and out, who does not pool
check-next-login = what TLS and a pool change, in 20 logins each
check-next-since = saves this visit; --since today.json then tells what has happened

## Findings of a check: see src/findings.rs

room-for-sessions = Room for sessions
    .title-now = Little room for sessions
    .title-was-reached = The limit of sessions was reached
    .short-unreadable = the limit cannot be read
    .found-now = { $share } of the sessions are taken: { $in_use } of { $limit }{ $reserved ->
        [0] {""}
       *[other] , { $reserved } of which are kept for administrators
     }; { $free } are free.
    .found-now-more1 = The most so far were { $peak }.
    .found-now-more2 = { $refused } logins have been refused at a limit.
    .next-now = See who holds them (peaje watch), lower the maximum of pools or put a pooler in front; then raise { $engine ->
        [mysql] max_connections
        [sqlserver] user connections
       *[other] max_connections
     }.
    .found-was-reached = There is room now ({ $in_use } of { $limit } sessions), and has not always been.
    .found-was-reached-more1 = The most at one time were { $peak }.
    .found-was-reached-more2 = { $refused } logins have been refused at a limit.
    .next-was-reached = Add up the maximum of all pools of all application servers and hold it against { $limit }; record a day with peaje watch.
    .healthy-room = { $in_use } of { $limit } sessions are taken; { $free } are free.
    .cannot-say-unreadable = The limit of sessions could not be read.

certificate-expires = The server's certificate
    .title-ended = The server's certificate has ended
    .title-soon = The server's certificate ends soon
    .short-no-tls = not encrypted
    .found-ended = The certificate ended on { $day }, { $days ->
        [0] today
        [one] one day ago
       *[other] { $days } days ago
     }: clients that check it do not get in any more.
    .next-ended = Put a new certificate in place now; pools hide the failure until they open a new session.
    .found-soon = The certificate ends on { $day }, in { $days ->
        [one] one day
       *[other] { $days } days
     }: from then on clients that check it do not get in.
    .next-soon = Order the new certificate now, with the same names, and check it from a client's machine.
    .healthy-valid = The certificate is valid until { $day }.
    .cannot-say-no-tls = This login was not encrypted, so that no certificate was seen.

sessions-live-short = How long sessions live
    .title-since-start = Sessions live for a short time
    .title-since-visit = Sessions have lived for a short time since the last visit
    .short-not-counted = too few logins were counted
    .short-too-short = counted for less than ten minutes
    .found-since-start = Since the counters began a session has lived { $life_us } on average; each is replaced { $replaced_per_h } times an hour. Suspected: somebody does not pool, or pools close what they need again.
    .found-since-start-more1 = That is { $logins_per_s } logins a second.
    .next-since-start = Run peaje watch: it tells which application it is, and whether it does not pool or its pool closes too early.
    .found-since-visit = Since the last visit a session has lived { $life_us } on average; each is replaced { $replaced_per_h } times an hour. Suspected: somebody does not pool, or pools close what they need again.
    .found-since-visit-more1 = That is { $logins_per_s } logins a second.
    .next-since-visit = Run peaje watch: it tells which application it is, and whether it does not pool or its pool closes too early.
    .healthy-since-start = Sessions live { $life_us } on average.
    .healthy-since-visit = Since the last visit sessions have lived { $life_us } on average.
    .cannot-say-too-short = Logins have been counted for less than ten minutes.
    .cannot-say-not-counted = The server counts no logins, does not say since when, or has counted too few.

idle-in-transaction = Sessions idle in a transaction
    .title-long = Sessions idle in a transaction for long
    .short-unseen = sessions cannot be seen
    .found-long = { $sessions ->
        [one] One session holds a transaction open and does nothing
       *[other] { $sessions } sessions hold a transaction open and do nothing
     }, the longest for { $for_us }: { $applications }. They keep locks and hold back the clean-up of old rows.
    .found-long-more1 = The server ends such sessions after { $closed_after_us }.
    .found-long-more2 = Nothing ends them: { $no_timeout } is 0.
    .next-long = Commit before the application calls somebody else{ $engine ->
        [postgres] ; set idle_in_transaction_session_timeout
        [mysql] ; in MariaDB set idle_transaction_timeout
       *[other] {""}
     }.
    .healthy-none = No session is idle in a transaction.
    .healthy-short = { $sessions ->
        [one] One session is
       *[other] { $sessions } sessions are
     } idle in a transaction, for { $for_us } at most.
    .cannot-say-unseen = The sessions could not be listed.

unencrypted-applications = Encryption of the applications
    .title-in-clear = Applications that do not encrypt
    .title-not-forced = Encryption is not forced
    .short-unseen = encryption of sessions cannot be seen
    .found-in-clear = { $in_clear ->
        [one] One of { $sessions } sessions over the network is
       *[other] { $in_clear } of { $sessions } sessions over the network are
     } not encrypted: { $applications }.
    .found-in-clear-more1 = Encryption adds about { $tls_us } to each login from here.
    .found-in-clear-more2 = At each login it is paid by those that do not seem to pool (no session older than a minute): { $unpooled }.
    .next-in-clear = Turn encryption on in their connection strings, let those that do not pool keep their sessions, then force it ({ $engine ->
        [mysql] require_secure_transport
        [sqlserver] ForceEncryption
       *[other] hostssl rules in pg_hba.conf
     }).
    .found-not-forced = { $sessions ->
        [0] No session over the network is in clear now, but the server would let one in.
        [one] The session over the network is encrypted, but the server would let one in clear in.
       *[other] All { $sessions } sessions over the network are encrypted, but the server would let one in clear in.
     }
    .next-not-forced = Force it: { $engine ->
        [mysql] require_secure_transport = ON
        [sqlserver] ForceEncryption in SQL Server Configuration Manager
       *[other] hostssl in place of host in pg_hba.conf
     }.
    .healthy-forced = The server lets nobody in without encryption.
    .healthy-none-in-clear = No session over the network is in clear.
    .cannot-say-unseen = Whether sessions are encrypted could not be seen.

many-failed-logins = Failed logins
    .title-since-start = Many logins fail
    .title-since-visit = Many logins have failed since the last visit
    .short-not-counted = failed logins are not counted
    .found-since-start = { $share } of all logins since the counters began failed: { $failed } beside { $logins } that worked.
    .found-since-start-more1 = Wrong password or name: { $credentials }.
    .found-since-start-more2 = Refused at a limit: { $at_limit }.
    .next-since-start = Read one hour of the server's log: it names the login and the host; often it is one forgotten client.
    .found-since-visit = { $share } of the logins since the last visit failed: { $failed } beside { $logins } that worked.
    .found-since-visit-more1 = Wrong password or name: { $credentials }.
    .found-since-visit-more2 = Refused at a limit: { $at_limit }.
    .next-since-visit = Read the server's log of these hours: it names the login and the host; often it is one forgotten client.
    .healthy-since-start = { $failed } logins failed beside { $logins } that worked.
    .healthy-since-visit = Since the last visit { $failed } logins failed beside { $logins } that worked.
    .cannot-say-not-counted = The server does not count failed logins.

login-timeout-too-short = The server's limit for a login
    .title-server = The server's limit for a login is near
    .short-unreadable = the limit cannot be read
    .short-no-login = no login was timed
    .found-server = The slowest login took { $worst_us }, which is { $timeout_share } of the { $limit_us } after which the server gives it up ({ $setting }).
    .next-server = Find out why it is slow (peaje login); raise { $setting } only where distance or a directory service explains it.
    .healthy-server = The slowest login took { $worst_us } of the { $limit_us } that { $setting } allows.
    .cannot-say-unreadable = The server's limit for a login could not be read.
    .cannot-say-no-login = No login was timed.

slow-logins-recorded = What the server recorded of slow logins
    .title-ring-buffer = The server recorded slow logins
    .title-host-cache = The server recorded hosts whose connections go wrong
    .short-not-kept = this version keeps none
    .short-not-logged = log_connections has no setup_durations
    .short-unreadable = cannot be read
    .found-ring-buffer = The server recorded { $logins } failed or abnormal logins; the slowest took { $slowest_us }.
    .found-ring-buffer-more1 = Most of it: { $part }.
    .found-ring-buffer-more2 = { $slow } of them took one second or more.
    .next-ring-buffer = Read its times in sys.dm_os_ring_buffers (RING_BUFFER_CONNECTIVITY): queueing means no free worker, network the client or the way, windows-authentication the domain controller.
    .found-host-cache = Errors of the worst host: { $worst }.
    .found-host-cache-more1 = After { $limit } in a row (max_connect_errors) the server turns a host away.
    .found-host-cache-more2 = Connections turned away for it: { $blocked }.
    .found-host-cache-more3 = Look-ups of host names that failed: { $names }.
    .next-host-cache = Mend what makes these connections fail, then flush hosts; use skip_name_resolve where names cannot be looked up.
    .healthy-ring-buffer = The server recorded { $logins } failed or abnormal logins, none of a second or more.
    .healthy-host-cache = No host is near being turned away, and all names were looked up.
    .healthy-in-the-log = The server's log holds how long each login took to set up (setup_durations).
    .cannot-say-not-kept = This version keeps nothing of slow logins; PostgreSQL 18 writes their times to its log.
    .cannot-say-not-logged = The server could write how long each login took to its log: add setup_durations to log_connections.
    .cannot-say-unreadable = What the server recorded could not be read.

never-used-sessions = Sessions that were never used
    .title-unused = Many sessions were never used
    .short-unseen = the server does not tell, or sessions cannot be seen
    .found-unused = { $unused } of { $sessions } sessions ({ $share }) have never run a statement: { $applications }.
    .next-unused = Lower the minimum of these pools, often to 0 to 5, and leave the maximum; after a restart all of them log in at once.
    .healthy-unused = { $unused ->
        [0] Every session has been used.
       *[other] { $unused } of { $sessions } sessions have never run a statement.
     }
    .cannot-say-unseen = Whether sessions were ever used could not be seen.

listen-backlog-too-small = The listen queue
    .title-queue = The listen queue is short
    .short-managed = managed service
    .short-remote = another machine
    .short-unknown-process = the server's own listener is not known
    .found-queue = The server's listen queue holds { $length } connections, and { $sessions } sessions were open at one time: when all of them come back at once, some are dropped and wait a second or more.
    .found-queue-more1 = The kernel's limit is { $somaxconn } (somaxconn).
    .found-queue-more2 = Since boot { $overflows } connections were dropped on this host because a queue was full.
    .next-queue = Raise net.core.somaxconn{ $engine ->
        [mysql] {" "}and back_log
       *[other] {""}
     }, then restart the server.
    .healthy-queue = The server's listen queue holds { $length } connections.
    .cannot-say-managed = Cannot say: a managed service, whose machine only its owner sees.
    .cannot-say-remote = Cannot say: the server runs on another machine; run peaje there.
    .cannot-say-unknown-process = Cannot say: which process listens there is not known, or it listens on a socket.

thread-cache-too-small = The thread cache
    .title-cache = The thread cache is too small
    .short-unreadable = the counters cannot be read
    .found-cache = { $misses } of the { $connections } connections had to wait for a new thread ({ $created } threads made); thread_cache_size is { $size }.
    .found-cache-more1 = That is { $per_s } threads a second.
    .next-cache = Raise thread_cache_size, and see who logs in so often: peaje watch.
    .healthy-cache = { $created } threads were made for { $connections } connections.
    .healthy-thread-pool = A thread pool serves the sessions.
    .cannot-say-unreadable = The counters of threads could not be read.

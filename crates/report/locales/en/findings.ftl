# Findings. A code is a message, its attributes are the wordings: see src/findings.rs.

short =
    .not-yet = not enough seen yet
    .not-known = the server does not tell
    .not-measured = not measured
    .too-few-logins = too few logins
    .within-noise = within the noise: run longer
    .generator-bound = peaje was the limit
    .something-between = something stands between

cannot-say =
    .not-yet = Not enough was seen to judge any group: { $logins } logins, where { $needed } are needed, and half an hour of readings for most verdicts.
    .not-known = What this needs is not known here: the server does not tell it, or peaje may not ask.
    .not-measured = No series of this run could tell.
    .too-few-logins = Too few logins to say: { $logins }, and { $needed } are needed.
    .within-noise = The difference between { $series_off } and { $series_tls } (ratio { $ratio }) is within the noise of the measurement.
    .generator-bound = peaje itself was the bottleneck in { $series }: its times hold peaje's own waits.

tls-multiplies-login = What TLS adds to a login
    .short-not-measured = no series over TLS: --tls off,full
    .found-pair = TLS makes an operation { $ratio } times as long: { $tls_us } in { $series_tls }, { $off_us } in { $series_off }, { $extra_us } more for each login.
    .found-pair-more1 = The rate goes from { $off_per_s } to { $rate_bound ->
        [lower-bound] at least { $tls_per_s }
       *[measured] { $tls_per_s }
      } operations/s.
    .found-pair-more2 = { $cpu_change ->
        [unchanged] Server CPU per login, its query included, is unchanged: { $tls_cpu_us }, against { $off_cpu_us } without TLS.
       *[changed] Server CPU per login, its query included, goes from { $off_cpu_us } to { $tls_cpu_us } ({ $cpu_ratio } times).
      }
    .found-pair-more3 = { $pooled_change ->
        [unchanged] With a pool, where a session is encrypted once and kept, an operation takes as long as without TLS: { $pooled_tls_us }, against { $pooled_off_us }.
       *[changed] With a pool, where a session is encrypted once and kept, an operation goes from { $pooled_off_us } to { $pooled_tls_us } ({ $pooled_ratio } times).
      }
    .found-pair-more4 = These means hold the { $pool_logins } logins that filled the pool.
    .found-pooled-only = Even pooled, TLS makes an operation { $ratio } times as long: { $tls_us } in { $series_tls }, { $off_us } in { $series_off }.
    .found-pooled-only-more1 = It contains the { $pool_logins } logins that filled the pool.
    .found-share = The TLS handshake takes { $tls_us } of a login of { $login_us } in { $series_tls } ({ $tls_share }). Only --tls off,full measures what TLS really adds.
    .next-share = Measure with --tls off,full. Whatever it adds, a pool pays for it once for each session.
    .next = Keep sessions open: a pool pays for TLS once for each session. If applications must log in each time, look at the type of the server's key and whether TLS sessions are resumed.
    .next-pooled-only = Check whether the pool keeps its sessions (idle timeout, lifetime); measure --mode unpooled with --tls off,full to see the price of one login.
    .healthy-pair = TLS adds little here, { $extra_us } to an operation: { $tls_us } in { $series_tls } against { $off_us } in { $series_off } (ratio { $ratio }).
    .healthy-pooled-only = Pooled, TLS adds little: { $tls_us } against { $off_us } for an operation (ratio { $ratio }).
    .healthy-pooled-only-more1 = Both hold the { $pool_logins } logins that filled the pool.
    .healthy-share = The TLS handshake is a small part of a login in { $series_tls }: { $tls_us } of { $login_us } ({ $tls_share }). Only --tls off,full measures what TLS really adds.

rsa-key-dominates = What the server's RSA key costs
    .short-no-tls = no TLS
    .short-key-unknown = type of the key unknown
    .found-cpu-difference = The server signs each full handshake with its { $key } key. An ECDSA P-256 key would save up to about { $saving_us } of the { $base_us } of server CPU per login in { $series } ({ $saving_share }, an estimate).
    .found-cpu-difference-more1 = At the measured rate that frees up to { $saving_cores } cores.
    .found-tls-phase = The server signs each full handshake with its { $key } key. An ECDSA P-256 key would save up to about { $saving_us } of the { $base_us } of a login in { $series } ({ $saving_share }, an estimate).
    .next = { $engine ->
        [sqlserver] SQL Server's documentation asks for a certificate whose key allows key exchange, which in practice means RSA: use no more than 2,048 bits, and keep sessions open, for a pool saves the whole handshake.
       *[other] Give the server an ECDSA P-256 certificate from the same authority, check that the oldest clients accept it, and measure again.
      }
    .healthy-ecdsa = The server's key is { $key }: signing is cheap.
    .healthy-rsa-small = The server's { $key } key costs up to about { $saving_us } of { $base_us } ({ $saving_share }): not worth a change.
    .healthy-resumed = Sessions were resumed in { $series }: the server's key was not used.
    .cannot-say-no-tls = No series used TLS.
    .cannot-say-key-unknown = The type of the server's key is not known in { $series }.

pooling-pays = What a connection pool would save
    .short-not-measured = no such pair of series: --mode unpooled,pooled
    .short-no-pooled = no pooled series: --mode unpooled,pooled
    .short-no-unpooled = no unpooled series: --mode unpooled,pooled
    .short-too-few-operations = too few operations
    .short-pool-did-not-reuse = the pool hardly reused a session
    .found-cpu = An operation takes { $unpooled_us } in { $series_unpooled } and { $pooled_us } in { $series_pooled }, a factor of { $ratio }. Logging in costs { $overhead_us } of server CPU.
    .found-cpu-more1 = The pooled time contains the { $pool_logins } logins that filled the pool.
    .found-cpu-more2 = It takes { $break_even_queries } queries on one connection before the login adds less than { $target_share } to their cost; with fewer, a pool pays.
    .found-cpu-more3 = 1,000 logins spared save { $cpu_s_per_1000 } of server CPU.
    .found-cpu-more4 = { $login_cores } of { $cores } cores go into logins.
    .found-wall = An operation takes { $unpooled_us } in { $series_unpooled } and { $pooled_us } in { $series_pooled }, a factor of { $ratio }. Logging in takes { $overhead_us }.
    .found-wall-more1 = The pooled time contains the { $pool_logins } logins that filled the pool.
    .found-wall-more2 = It takes { $break_even_queries } queries on one connection before the login adds less than { $target_share } to their time; with fewer, a pool pays.
    .next = Find the applications that log in for each query and give them a pool, in the driver { $engine ->
        [sqlserver] (ADO.NET and Microsoft's ODBC manager have one: look for Pooling=false, and for connection strings that differ from user to user).
        [mysql] or in front of the server (ProxySQL, MaxScale).
       *[other] or in front of the server (PgBouncer).
      }
    .healthy-cpu = A pool would gain little here: an operation takes { $unpooled_us } unpooled, { $pooled_us } pooled.
    .healthy-cpu-more1 = The pooled time contains the { $pool_logins } logins that filled the pool.
    .healthy-wall = A pool would gain little here: an operation takes { $unpooled_us } unpooled, { $pooled_us } pooled.
    .healthy-wall-more1 = The pooled time contains the { $pool_logins } logins that filled the pool.
    .cannot-say-not-measured = No unpooled and pooled series to compare: measure with --mode unpooled,pooled.
    .cannot-say-no-pooled = There is no pooled series to compare the unpooled one with: measure with --mode unpooled,pooled.
    .cannot-say-no-unpooled = There is no unpooled series to compare the pooled one with: measure with --mode unpooled,pooled.
    .cannot-say-too-few-operations = Too few operations to say: { $operations }, and { $needed } are needed.
    .cannot-say-within-noise = The difference between { $series_unpooled } and { $series_pooled } (ratio { $ratio }) is within the noise of the measurement.
    .cannot-say-pool-did-not-reuse = The pool in { $series_pooled } made { $pooled_logins } logins for { $operations } operations: it hardly reused a session.

slow-logins = Slow to connect, not to query
    .title = Whether logins wait
    .short-no-query = no query
    .short-queueing-possible = may be queueing: --concurrency 1
    .found-waiting = A login takes { $login_us } until it is ready, the query { $query_us }. The server computes for only { $cpu_us } of it: the rest is waiting, most of it in the phase “{ $phase }” ({ $phase_us }, { $phase_share } of the login).
    .found-cpu-unknown = A login takes { $login_us } until it is ready, the query { $query_us }. Most of it passes in the phase “{ $phase }” ({ $phase_us }, { $phase_share } of the login); whether the server computes or waits there cannot be told from here.
    .found-waiting-more1 = { $timed_out ->
        [0] The slowest took { $worst_us }, { $worst_share } of the login timeout of { $timeout_us }.
        [one] 1 login ran into the login timeout of { $timeout_us }.
       *[other] { $timed_out } logins ran into the login timeout of { $timeout_us }.
      }
    .found-cpu-unknown-more1 = { $timed_out ->
        [0] The slowest took { $worst_us }, { $worst_share } of the login timeout of { $timeout_us }.
        [one] 1 login ran into the login timeout of { $timeout_us }.
       *[other] { $timed_out } logins ran into the login timeout of { $timeout_us }.
      }
    .found-waiting-more2 = On PostgreSQL the phase “{ $undivided }” also holds the start of the session: the client sees one answer to both.
    .found-cpu-unknown-more2 = On PostgreSQL the phase “{ $undivided }” also holds the start of the session: the client sees one answer to both.
    .found-timed-out = { $timed_out } of the logins in { $series } ran into the login timeout of { $timeout_us }; only { $logins } got through.
    .found-watched = { watch-who }: a login takes { $login_us } on average, as the run given with --login-run measured it.
    .found-watched-more1 = { watch-in-progress }
    .found-watched-more2 = { watch-cores }
    .found-watched-more3 = { watch-between }
    .next = { slow-logins-advice } Until it is mended, a pool spares the wait, and a longer login timeout the failures.
    .healthy-fast = A login is ready after { $login_us } in { $series }.
    .healthy-distance = A login is ready after { $login_us } in { $series }; { $distance_share } of it is distance, not the server.
    .healthy-queueing = A login is ready after { $login_us } in { $series } because the machine is busy ({ $busy_share } of its cores): logins wait for a core, not for somebody else.
    .healthy-computing = A login is ready after { $login_us } in { $series }, and the server computes for { $cpu_us } of it ({ $cpu_share }): it works, it does not wait.
    .cannot-say-no-query = { $series } ran no query to compare a login with.
    .cannot-say-queueing-possible = With { $concurrency } in flight and the server's CPU unknown, { $login_us } for a login may be queueing. Measure with --concurrency 1.

slow-logins-advice = { $stage ->
        [resolve] Look at the name service of the client: the name servers in /etc/resolv.conf, and a caching resolver in front of them.
        [connect] Nothing of the database runs yet: look at the way there (a lost first packet is sent again after a second or more), at firewalls and proxies on it, and at the server's listen queue.
        [negotiate] { slow-logins-negotiate }
        [tls] No password is checked in the handshake: look at lost packets (the certificates fill several), at what ends TLS in between, and at whether the server finds a core for it.
        [ticket] Look at the key distribution centre that gives the ticket, and at the name service that leads to it.
        [authenticate] { slow-logins-authenticate }
        [session] { slow-logins-session }
       *[other] { slow-logins-anywhere }
      }
slow-logins-negotiate = { $engine ->
        [sqlserver] No password is checked and no trigger runs in that phase: look at whether worker threads are free (work_queue_count in sys.dm_os_schedulers), and at what stands in between.
        [mysql] That phase is the wait for the server's greeting, of which late-greeting says more; no password, directory service or init_connect is in it.
       *[other] No password is checked in that phase: the server makes a process for the session, and looks up the client's name if log_hostname is on. Look at these, and at what stands in between.
      }
slow-logins-authenticate = { $engine ->
        [sqlserver] Look at what the server asks others for while somebody logs in (domain controllers), at what it does itself then (logon triggers, audits, the classifier of Resource Governor), and at whether worker threads are free. The event process_login_finish splits the time.
        [mysql] Look at what the server asks others for while it checks the password: a directory service (LDAP, PAM) behind the account's plugin; and at audit plugins that see the login.
       *[other] Look at what the server asks others for while somebody logs in: directory service (LDAP, RADIUS, PAM), name lookup of the client; and at what it does itself then: session_preload_libraries, login triggers, disks. PostgreSQL 18's log_connections = setup_durations, or the server's log, splits the time.
      }
slow-logins-session = { $engine ->
        [sqlserver] Look at what the server does itself when a session begins (logon triggers, audits, the classifier of Resource Governor), and at whether worker threads are free. The event process_login_finish splits the time.
        [mysql] The password has been checked: look at what the server does when a session begins: init_connect, audit plugins.
       *[other] The password has been checked: look at what the server does when a session begins: session_preload_libraries, login triggers, catalogue caches, disks. PostgreSQL 18's log_connections = setup_durations, or the server's log, splits the time.
      }
slow-logins-anywhere = { $engine ->
        [sqlserver] Look at what the server asks others for while somebody logs in (domain controllers), at what it does itself then (logon triggers, audits, the classifier of Resource Governor), and at whether worker threads are free. The event process_login_finish splits the time.
        [mysql] Look at what the server asks others for while somebody logs in: directory service (LDAP, PAM), name lookup of the client (skip_name_resolve); and at what it does itself then: init_connect, audit plugins, threads to make.
       *[other] Look at what the server asks others for while somebody logs in: directory service (LDAP, RADIUS, PAM), name lookup of the client; and at what it does itself then: session_preload_libraries, login triggers, disks. PostgreSQL 18's log_connections = setup_durations, or the server's log, splits the time.
      }

scram-derivation-dominates = What deriving the SCRAM key costs the client
    .short-mixed-with-tls = TLS and SCRAM in one figure: --tls off
    .short-cpu-unknown = client CPU unknown
    .short-auth-unknown = authentication unknown
    .found-wall = The client computes { $crypto_us } of each login of { $login_us } in { $series } ({ $share }): the SCRAM key, derived from the password each time. One client core can do { $ceiling_per_s } logins/s at most. Your driver may need 5 to 10 times as much: measure it with pgbench -C.
    .found-client-cpu = The client is the bottleneck in { $series }, and deriving the SCRAM key is { $crypto_us } of its CPU per login. One client core can do { $ceiling_per_s } logins/s at most. Your driver may need 5 to 10 times as much: measure it with pgbench -C.
    .found-wall-more1 = The server asks for { $iterations } iterations.
    .found-client-cpu-more1 = The server asks for { $iterations } iterations.
    .next = Keep sessions open, or use a driver or pooler that keeps derived keys. Do not lower scram_iterations to gain speed before you have weighed what it gives away.
    .healthy-not-scram = No SCRAM here: authentication was { $method }.
    .healthy-cached = Derived keys were kept in { $series }: the derivation was not paid at each login.
    .healthy-small = Deriving the SCRAM key is a small part of a login in { $series }: { $crypto_us } of { $login_us } ({ $share }). That is peaje; your driver may need 5 to 10 times as much: measure it with pgbench -C.
    .healthy-small-with-tls = SCRAM and TLS together are a small part of a login in { $series }: { $crypto_us } of { $login_us } ({ $share }).
    .cannot-say-mixed-with-tls = TLS and SCRAM stand in one figure in { $series } ({ $crypto_us }, { $share }). Measure with --tls off.
    .cannot-say-cpu-unknown = The client's cryptography was not measured in { $series }.
    .cannot-say-auth-unknown = How { $series } authenticated is not known.

distance-dominates = How much of a login is distance
    .short-no-rtt = no round-trip time
    .found-distance = Of a login of { $total_us } in { $series }, { $distance_us } is distance ({ $distance_share }): { $round_trips } round trips × { $rtt_us }. From a host 0.5 ms away expect about { $near_total_us }.
    .next = Put the application, or a pooler, near the server, or keep sessions open. { $engine ->
        [sqlserver] TLS 1.3, which comes with Encrypt=Strict (SQL Server 2022 and later), saves a round trip against TLS 1.2.
        [mysql] TLS 1.3 saves a round trip against TLS 1.2.
       *[other] Fewer round trips help too: sslnegotiation=direct (PostgreSQL 17 and later) saves one.
      }
    .healthy-distance = Distance is { $distance_us } of a login of { $total_us } in { $series } ({ $distance_share }).
    .cannot-say-something-between = Something stands between, and the round trip was measured only as far as that in { $series }.
    .cannot-say-no-rtt = The round-trip time was not measured in { $series }.

name-resolution-dominates = What resolving the server's name costs
    .found-slow = Resolving { $host } takes { $resolve_us } of a login of { $login_us } in { $series } ({ $share }).
    .found-resolver-timeout = Resolving { $host } took { $resolve_us }: the constant { $timeout_us } of a resolver that asks a name server which does not answer, then asks the next one.
    .found-once = Resolving { $host } took { $resolve_us }, once, before the run; a driver that resolves at each login would add that to { $login_us } each time ({ $share }).
    .next = Run a caching resolver on the client, or put the address in the connection string or in /etc/hosts.
    .next-resolver-timeout = Look at /etc/resolv.conf on the client: take the dead name server out or mend it, and run a caching resolver.
    .healthy-fast = Resolving { $host } takes { $resolve_us } of a login of { $login_us } ({ $share }).
    .healthy-once = Resolving { $host } took { $resolve_us }, once, before the run.

dead-address = An address that does not answer
    .title = Whether every address answers
    .title-first-refused = An address that refuses connections
    .title-later-refused = An address that refuses connections
    .title-at-once-refused = An address that refuses connections
    .short-not-probed = not dialled
    .short-none-answered = none answered
    .found-first-timed-out = { $address } (number { $position } of { $addresses } { dead-address-among }) is tried before one that answers, and swallows what is sent to it (peaje gave up after { $took_us }): a client that dials in sequence loses its whole login timeout there, { $lost_us } at each login. { $answered } answers after { $answered_us }.
    .found-first-unreachable = { $address } (number { $position } of { $addresses } { dead-address-among }) is tried before one that answers, and cannot be reached: { $took_us } lost at each login by a client that dials in sequence. { $answered } answers after { $answered_us }.
    .found-first-refused = { $address } (number { $position } of { $addresses } { dead-address-among }) is tried before one that answers, and refuses connections: { $took_us } lost at each login by a client that dials in sequence. { $answered } answers after { $answered_us }.
    .found-first-not-resolved = { $address } (number { $position } of { $addresses }) is tried before one that answers, and has no address: { $took_us } lost at each login by a client that dials in sequence. { $answered } answers after { $answered_us }.
    .found-later-timed-out = { $address } (number { $position } of { $addresses } { dead-address-among }), tried after one that answers, swallows what is sent to it (peaje gave up after { $took_us }); a client loses its whole login timeout, { $lost_us }, when it fails over to it.
    .found-later-unreachable = { $address } (number { $position } of { $addresses } { dead-address-among }), tried after one that answers, cannot be reached; a client finds out after { $took_us } when it fails over to it.
    .found-later-refused = { $address } (number { $position } of { $addresses } { dead-address-among }), tried after one that answers, refuses connections; a client finds out after { $took_us } when it fails over to it.
    .found-later-not-resolved = { $address } (number { $position } of { $addresses }), tried after one that answers, has no address; a client finds out after { $took_us } when it fails over to it.
    .found-first-timed-out-more1 = { $windows ->
        [sooner] On Windows it is only about 21 s, and then the next one is tried.
       *[later] Windows would give up on it after about 21 s, later than the login timeout: the other addresses are never tried.
      } A client with MultiSubnetFailover=True dials all at once and loses nothing.
    .found-at-once-timed-out = { $address } (number { $position } of { $addresses } { dead-address-among }) swallows what is sent to it (peaje gave up after { $took_us }). With MultiSubnetFailover, as in this run, nothing is lost: all addresses are dialled at once. A client that dials in sequence and tries this one first loses its whole login timeout, { $lost_us }. { $answered } answers after { $answered_us }.
    .found-at-once-unreachable = { $address } (number { $position } of { $addresses } { dead-address-among }) cannot be reached. With MultiSubnetFailover, as in this run, nothing is lost: all addresses are dialled at once. A client that dials in sequence and tries this one first loses { $took_us }. { $answered } answers after { $answered_us }.
    .found-at-once-refused = { $address } (number { $position } of { $addresses } { dead-address-among }) refuses connections. With MultiSubnetFailover, as in this run, nothing is lost: all addresses are dialled at once. A client that dials in sequence and tries this one first loses { $took_us }. { $answered } answers after { $answered_us }.
    .found-at-once-not-resolved = { $address } (number { $position } of { $addresses }) has no address. With MultiSubnetFailover, as in this run, nothing is lost: all addresses are dialled at once. A client that dials in sequence and tries this one first loses { $took_us }. { $answered } answers after { $answered_us }.
    .next = { $engine ->
        [sqlserver] Give every client MultiSubnetFailover=True: an availability-group listener has an address in each subnet, and all but one of them are silent by design. For clients that do not know it, set RegisterAllProvidersIP of the listener to 0. Where the address is dead for good, take it out of the name service.
        [mysql] Take the dead address out of the name service or the connection string, or mend what is behind it; let clients dial with a short timeout for each address (connect_timeout, connectTimeout) and put the living host first.
       *[other] Take the dead address out of the name service or the connection string, or mend what is behind it; let clients dial with a short timeout for each address (connect_timeout) and put the living host first.
      }
    .healthy-all-answered = { $addresses ->
        [one] The only address answered.
       *[other] All { $addresses } addresses answered.
      }
    .cannot-say-not-probed = The addresses were not dialled one by one.
    .cannot-say-none-answered = { $addresses ->
        [one] The only address did not answer.
       *[other] None of the { $addresses } addresses answered.
      }

dead-address-among = { $hosts ->
        [one] of { $host }
       *[other] in the connection string
      }

late-greeting = The server greets late
    .title = How soon the server greets
    .short-queueing-possible = may be queueing: --concurrency 1
    .found-first-lookup = The first login waited { $first_us } for the server's greeting, later ones { $later_us }, the round trip taken off. skip_name_resolve is OFF: the server resolves the client's address to a name before it speaks, and keeps the answer for a while.
    .found-first-other = The first login waited { $first_us } for the server's greeting, later ones { $later_us }, the round trip taken off. { late-greeting-no-lookup }
    .found-first-unknown = The first login waited { $first_us } for the server's greeting, later ones { $later_us }, the round trip taken off. { late-greeting-lookup-unknown }
    .found-every-lookup = Each login waits { $later_us } for the server's greeting in { $series }, the round trip taken off. skip_name_resolve is OFF: the server resolves the client's address to a name before it speaks.
    .found-every-lookup-more1 = host_cache_size is { $host_cache_size }: no answer is kept.
    .found-every-other = Each login waits { $later_us } for the server's greeting in { $series }, the round trip taken off. { late-greeting-no-lookup }
    .found-every-unknown = Each login waits { $later_us } for the server's greeting in { $series }, the round trip taken off. { late-greeting-lookup-unknown }
    .next = Set skip_name_resolve = ON and restart the server (an account whose host is a name no longer matches then: give it an address first), or mend the reverse DNS of the clients' addresses.
    .next-first-other = Look at what accepts connections: a server that was just started, threads that have to be made (thread_cache_size), a proxy that connects on before it greets.
    .next-every-other = Look at what accepts connections: a server without a free core, threads that have to be made (thread_cache_size), a full thread pool, a proxy that connects on before it greets.
    .next-first-unknown = Look at skip_name_resolve on the server. If it is OFF, set it ON (accounts whose host is a name no longer match then) or mend the reverse DNS of the clients' addresses.
    .next-every-unknown = Look at skip_name_resolve on the server. If it is OFF, set it ON (accounts whose host is a name no longer match then) or mend the reverse DNS of the clients' addresses.
    .healthy-prompt = The server greets after { $later_us } in { $series }, the round trip taken off.
    .healthy-queueing = With { $concurrency } in flight the greeting takes { $later_us }; alone it took { $first_us }: logins queue for a busy server, they do not wait for a name.
    .cannot-say-queueing-possible = With { $concurrency } in flight, { $later_us } until the server greets may be queueing. Measure with --concurrency 1.

late-greeting-no-lookup = It was no look-up of the client's name: { $why ->
        [socket] over a Unix socket nothing is looked up.
        [loopback] a client on loopback is not looked up.
        [between] what greets is something in between.
       *[setting] skip_name_resolve is ON.
      }
late-greeting-lookup-unknown = Whether the server resolves the client's address to a name (skip_name_resolve) could not be read.

login-hooks = What runs at each login
    .short-unreadable = settings unreadable
    .found-runs = Besides the check of the password, each login sets off { $hooks ->
        [one] one thing.
       *[other] { $hooks } things.
      }
    .found-runs-more1 = { hook-triggers }
    .found-runs-more2 = { hook-classifier }
    .found-runs-more3 = { hook-statements }
    .found-runs-more4 = { hook-lookup }
    .found-runs-more5 = { hook-hash }
    .found-runs-more6 = The phases in which they run, the check of the password among them, take { $phase_us } of a login of { $login_us } ({ $phase_share }).
    .found-runs-more7 = { hook-libraries }
    .found-runs-more8 = { hook-audits }
    .found-runs-more9 = { hook-audit-policy }
    .found-runs-more10 = { hook-audit-plugins }
    .found-runs-more11 = { hook-event-sessions }
    .found-runs-more12 = { hook-c2 }
    .found-runs-more13 = { hook-common-criteria }
    .found-runs-more14 = { hook-error-log }
    .found-runs-more15 = { hook-general-log }
    .found-runs-more16 = { hook-log-lines }
    .found-runs-more17 = { hook-pgaudit }
    .found-runs-more18 = { hook-segment }
    .found-runs-more19 = { hook-unread }
    .found-records = Nothing waits in the way of a login, as far as could be read, but each one sets off { $hooks ->
        [one] one thing.
       *[other] { $hooks } things.
      }
    .found-records-more1 = { hook-libraries }
    .found-records-more2 = { hook-audits }
    .found-records-more3 = { hook-audit-policy }
    .found-records-more4 = { hook-audit-plugins }
    .found-records-more5 = { hook-event-sessions }
    .found-records-more6 = { hook-c2 }
    .found-records-more7 = { hook-common-criteria }
    .found-records-more8 = { hook-error-log }
    .found-records-more9 = { hook-general-log }
    .found-records-more10 = { hook-log-lines }
    .found-records-more11 = { hook-pgaudit }
    .found-records-more12 = { hook-segment }
    .found-records-more13 = { hook-unread }
    .next-runs = Time the phases with and without it, on a copy of the server: what runs there delays every login, and what fails there keeps everybody out. A pool pays for it once for each session.
    .next-records = Multiply it by the logins per second before you raise a load; a pool writes it once for each session.
    .healthy-nothing = Nothing runs and nothing is written at a login, as far as settings and views tell.
    .cannot-say-unreadable = What runs at a login could not be read: { $unread }.
    .cannot-say-unreadable-more1 = To see it: { $mend }.

hook-triggers = Triggers run: { $triggers }.
hook-classifier = Resource Governor runs its classifier { $classifier }.
hook-statements = The server runs the statements of { $statements } before the first one of the client, unless the account is an administrator's.
hook-lookup = { $lookup } is on: the server looks up the name of the client's address.
hook-hash = The server hashes the password in many rounds ({ $hash }).
hook-libraries = Libraries are loaded into the session: { $libraries }.
hook-audits = Audits record the login: { $audits }.
hook-audit-policy = The audit log records the login (audit_log_policy { $audit_policy }).
hook-audit-plugins = Audit plugins see the login, and may record it: { $audit_plugins }.
hook-event-sessions = Event sessions record it: { $event_sessions }.
hook-c2 = { $c2_audit_mode } is on: all of the session is traced.
hook-common-criteria = { $common_criteria_compliance_enabled } is on: statistics of logins are kept.
hook-error-log = A line goes to the server's error log (login audit level: { $error_log }).
hook-general-log = Connect and Quit go to the general log ({ $general_log }), and so does each statement.
hook-log-lines = { $log_lines ->
        [one] One line goes to the server's log.
       *[other] { $log_lines } lines go to the server's log.
      }
hook-pgaudit = pgaudit records what the session then does (pgaudit.log: { $pgaudit }).
hook-segment = { $segment ->
        [pooler] A pooler stands in between: these things happen at its own logins, not at each of yours.
       *[other] Something stands in between: if it is a pooler, these things happen at its own logins.
      }
hook-unread = Not readable, so perhaps more: { $unread }.

redirected-login = Logins are made twice
    .title = Whether logins are sent on
    .found-routed = { $redirected } of { $logins } logins in { $series } were sent on by the first server to another one ({ $share }): each of them was made twice.
    .found-gateway = { $redirected } of { $logins } logins in { $series } were sent on by the gateway to the server behind it ({ $share }): each of them was made twice.
    .found-routed-more1 = Of a mean login of { $login_us } the first half costs a login that is sent on about { $extra_us }, if both servers are equally far.
    .found-routed-more2 = That is about { $extra_round_trips } round trips more.
    .found-gateway-more1 = Of a mean login of { $login_us } the first half costs a login that is sent on about { $extra_us }, if gateway and server are equally far.
    .found-gateway-more2 = That is about { $extra_round_trips } round trips more.
    .next-routed = Keep sessions open: the detour is paid once for each. Where it is not wanted, connect to the target itself, and ask for ApplicationIntent=ReadOnly only where the work is to go to a read-only secondary.
    .next-gateway = Keep sessions open: the detour is paid once for each. Do not change the connection policy for it: with Redirect the queries go straight to the server, with Proxy each of them passes the gateway.
    .healthy-direct = No login was sent on to another server.

full-authentication-each-time = The fast path of the password check is not taken
    .title = How passwords are checked
    .short-auth-unknown = authentication unknown
    .found-never-fast = None of { $logins } logins in { $series } took the fast path of caching_sha2_password: { full-authentication-channel }
    .found-rarely-fast = { $full } of { $logins } logins in { $series } did not take the fast path of caching_sha2_password ({ $full_share }): { full-authentication-channel }
    .found-sha256-password = { $full } of { $logins } logins in { $series } checked the whole password ({ $full_share }), because sha256_password has no fast path: { full-authentication-channel }
    .found-never-fast-more1 = The phase “authenticate” takes { $authenticate_us } of a login of { $login_us } ({ $authenticate_share }).
    .found-rarely-fast-more1 = The phase “authenticate” takes { $authenticate_us } of a login of { $login_us } ({ $authenticate_share }).
    .found-sha256-password-more1 = The phase “authenticate” takes { $authenticate_us } of a login of { $login_us } ({ $authenticate_share }).
    .next = Find out what empties the server's cache of passwords: FLUSH PRIVILEGES in a job, restarts, several servers behind one address; or what answers in its place: a proxy, or a server that knows no fast path. A pool pays for the full check once for each session.
    .next-sha256-password = Move the account to caching_sha2_password (its password must be set anew), once all its clients know that method.
    .healthy-fast = { $fast } of { $logins } logins in { $series } took the fast path of the password check.
    .healthy-other-method = No password was checked by SHA-2 here: authentication was { $method }.
    .cannot-say-auth-unknown = How { $series } authenticated is not known.

full-authentication-channel = { $channel ->
        [tls] the server asks for the password each time, over TLS, and hashes it thousands of times.
        [socket] the server asks for the password each time, over the Unix socket, and hashes it thousands of times.
       *[rsa] the server decrypts the password with its RSA key each time, after more round trips, and hashes it thousands of times.
      }

server-full = No session left on the server
    .title = Sessions left on the server
    .found-during-load = The server refused { $refused } of { $attempts } logins in { $series } because no session was left ({ $share }), with { $concurrency } in flight.
    .found-during-load-more1 = { server-full-limit }
    .found-during-load-more2 = { $alone ->
       *[yes] With one in flight it is not peaje that fills it: others hold the sessions, or something in between refuses.
      }
    .found-first-login = The server refused even the login made alone, before any load: no session is left.
    .found-first-login-more1 = { server-full-limit }
    .found-account-limit = The server refused { $refused } of { $attempts } logins in { $series } ({ $share }), with { $concurrency } in flight, because { server-full-owner } has reached a limit of its own ({ $resource }). That says nothing of how full the server is.
    .found-account-limit-first = The server refused even the login made alone, before any load, because { server-full-owner } has reached a limit of its own ({ $resource }). That says nothing of how full the server is.
    .next-account-limit = { $engine ->
        [mysql] Look at the limits of the account (show grants; select user, host, max_connections, max_user_connections from mysql.user) and at the global max_user_connections. Raise the limit (alter user … with …), close sessions of this account, or let a pool log in less often: a limit per hour counts logins, not sessions.
       *[other] Look at the limits: select rolname, rolconnlimit from pg_roles; select datname, datconnlimit from pg_database. Raise the one that was reached (alter role … connection limit n, alter database … connection limit n), close sessions that use it, or put a pooler in front.
      }
    .next-account-limit-first = { $engine ->
        [mysql] Look at the limits of the account (show grants; select user, host, max_connections, max_user_connections from mysql.user) and at the global max_user_connections. Raise the limit (alter user … with …), close sessions of this account, or let a pool log in less often: a limit per hour counts logins, not sessions.
       *[other] Look at the limits: select rolname, rolconnlimit from pg_roles; select datname, datconnlimit from pg_database. Raise the one that was reached (alter role … connection limit n, alter database … connection limit n), close sessions that use it, or put a pooler in front.
      }
    .title-account-limit = A limit of the account or database, not of the server
    .title-account-limit-first = A limit of the account or database, not of the server
    .next = { $engine ->
        [sqlserver] Find out who holds the sessions (sys.dm_exec_sessions by program and host) and shrink pools whose minimum is too big (Min Pool Size times clients); look at `user connections` and, on Azure, at the limits of the service tier.
        [mysql] Find out who holds the sessions (information_schema.processlist by user and host), shrink pools whose minimum is too big, put a pooler in front; raise max_connections only if there is memory for it.
       *[other] Find out who holds the sessions (pg_stat_activity by application and client), shrink pools whose minimum is too big, put a pooler in front; raise max_connections only if there is memory for it.
      }
    .healthy-room = No login was refused for want of a session.

server-full-owner = { $owner ->
        [role] the role
        [database] the database
       *[account] the account
      }

server-full-limit = Its limit is { $limit } sessions ({ $engine ->
        [sqlserver] user connections
       *[other] max_connections
      }).

generator-bound = peaje's own machine was the limit
    .title = What was the limit, peaje or the server
    .short-undecided = the signs contradict each other
    .short-too-short = too short
    .short-server-gone = the server was gone
    .found-client-cpu = The load generator was the bottleneck in { $series }: its busiest worker thread used { $value } of a core (limit { $limit }). The rates are lower bounds of what the server can do.
    .found-client-share-of-machine = The load generator was the bottleneck in { $series }: it used { $value } of all cores (limit { $limit }). The rates are lower bounds of what the server can do.
    .found-run-queue-delay = The load generator was the bottleneck in { $series }: its threads waited for a core { $value } of the time (limit { $limit }). The rates are lower bounds of what the server can do.
    .found-lag = The load generator was the bottleneck in { $series }: operations started { $value } late (limit { $limit }). The rates are lower bounds of what the server can do.
    .found-no-local-port = The load generator was the bottleneck in { $series }: it ran out of local ports { $value ->
        [one] once.
       *[other] { $value } times.
      } The rates are lower bounds of what the server can do.
    .found-no-file-descriptor = The load generator was the bottleneck in { $series }: it ran out of file descriptors { $value ->
        [one] once.
       *[other] { $value } times.
      } The rates are lower bounds of what the server can do.
    .found-no-local-memory = The load generator was the bottleneck in { $series }: it ran out of memory for sockets { $value ->
        [one] once.
       *[other] { $value } times.
      } The rates are lower bounds of what the server can do.
    .found-listen-overflows = This host's listener dropped connections in { $series } ({ $value }). The rates are lower bounds of what the server can do.
    .found-other = The load generator was the bottleneck in { $series }. The rates are lower bounds of what the server can do.
    .found-other-more1 = The signs: { $reasons }.
    .next = Run peaje on another machine than the server, give it more --threads, or lower --concurrency until the verdict is server-bound.
    .next-no-file-descriptor = Raise the limit of open files (ulimit -n), or lower --concurrency.
    .next-no-local-memory = Lower --concurrency, or give this machine more memory.
    .next-no-local-port = Spread the load over more --source-addresses, use --close reset, or wait for the ports in TIME_WAIT to come back.
    .healthy-server = The server, not peaje, limited the rate in { $all_count ->
        [one] the only series.
       *[other] all { $all_count } series.
      }
    .healthy-schedule = The schedule was the limit in { $series }, not the server: all that was offered was done.
    .healthy-waiting = Nothing was saturated: each worker waited for the server.
    .cannot-say-undecided = The signs contradict each other in { $series }.
    .cannot-say-undecided-more1 = The signs: { $reasons }.
    .cannot-say-too-short = { $series } ran too short to judge.
    .cannot-say-server-gone = The server was gone before { $series } ended.

serial-client = A serial client pays the latency in full
    .title = What a serial client pays
    .found-single = One client alone, one operation after the other, gets { $rate_per_s } operations/s: { $operation_us } each, of which { $login_us } is logging in ({ $login_share }). More server does not help it.
    .found-tls-pair = One client alone, one operation after the other, takes { $off_us } in { $series_off } and { $tls_us } in { $series }: a job of { $job_us } takes { $job_tls_us } over TLS ({ $ratio } times as long). More server does not help it.
    .found-single-more1 = { $workers } such clients side by side could reach { $workers_per_s } operations/s at most: the server computes { $cpu_us } for each, on { $cores } cores.
    .found-tls-pair-more1 = { $workers } such clients side by side could reach { $workers_per_s } operations/s at most: the server computes { $cpu_us } for each, on { $cores } cores.
    .next = Let the job log in once and keep its session, or run parts of it side by side.
    .healthy-concurrent = { $series } ran { $concurrency } at a time.
    .healthy-small-share = Logging in is a small part of a serial client's operation: { $login_us } of { $operation_us } ({ $login_share }).

resumption-not-happening = TLS sessions are not resumed
    .title = Resumption of TLS sessions
    .short-not-seen = no handshake seen
    .found-postgresql = Resumption was asked for in { $series } and did not happen in { $handshakes } handshakes. PostgreSQL's server never resumes TLS sessions: each login pays for a full handshake.
    .found-never = Resumption was asked for in { $series } and did not happen in { $handshakes } handshakes.
    .found-few = Resumption was asked for in { $series } and happened in only { $resumed } of { $handshakes } handshakes ({ $resumed_share }).
    .next = Look at the session cache and ticket keys of whatever ends TLS { $engine ->
        [mysql] (ssl_session_cache_mode in MySQL 8.0.29 and later; several servers behind one address must share their ticket keys).
       *[other] (several servers behind one address must share their ticket keys).
      }
    .next-postgresql = Nothing to mend on PostgreSQL itself: keep sessions open with a pool, or let a pooler or proxy near the client end TLS.
    .healthy-resumed = TLS sessions were resumed in { $series }: { $resumed } of { $handshakes } handshakes ({ $resumed_share }).
    .cannot-say-not-seen = No TLS handshake was seen in { $series }.

listen-queue-overflows = The listen queue overflowed
    .title = The listen queue
    .short-not-local = server on another host
    .short-unreadable = counters unreadable
    .found-overflows = The queue of connections waiting to be accepted overflowed { $overflows ->
        [one] once
       *[other] { $overflows } times
      } in { $series } ({ $logins } logins, { $concurrency } in flight). A client whose connection is dropped tries again after a second or more.
    .next = Raise net.core.somaxconn, and the server's own backlog with it, or let fewer clients connect at once.
    .healthy-none = No connection was dropped by a full listen queue.
    .cannot-say-not-local = The server is on another host; its listen queue cannot be seen from here.
    .cannot-say-unreadable = This host's network counters could not be read.

counts-disagree = The server's login count differs from ours
    .title = The server's login count and ours
    .short-unknown = login counter unreadable
    .short-under-way = logins under way at the stop
    .found-more = The server counted { $server_logins } logins in { $series }, peaje made { $client_logins }: { $difference } more. Other clients logged in meanwhile.
    .found-fewer = The server counted { $server_logins } logins in { $series }, peaje made { $client_logins }: { $difference } fewer. Its counter was reset, another server answered, or a pooler that does not show stands in between.
    .next = Measure again when nobody else logs in.
    .next-fewer = Find out what answered (first line of this report) and whether statistics were reset or a failover took place meanwhile.
    .healthy-equal = The server counted as many logins as peaje made: { $logins }.
    .cannot-say-unknown = The server's login counter could not be read.
    .cannot-say-under-way = The server counted { $server_logins } logins in { $series }, peaje finished { $client_logins }: { $difference } more. Up to { $unfinished } logins were under way at the stop ({ $in_flight }) or failed ({ $failed }), and the server may have counted them.
    .cannot-say-something-between = The server counted { $server_logins } logins in { $series }, peaje made { $client_logins }: something stands between, and the server counts its logins, not ours.

late-starts = Operations started late
    .title = Whether operations started on time
    .found-overload = { $offered_per_s } operations/s were offered in { $series }, { $rate_bound ->
        [lower-bound] at least { $throughput_per_s }
       *[measured] { $throughput_per_s }
      } ended well ({ $throughput_share }): more was asked than can be done, and the wait grows for as long as it lasts.
    .found-overload-more1 = p99 from the scheduled instant is { $latency_p99_us }, from the start only { $service_p99_us }: believe the first, it is what a user waits.
    .found-bursts = The rate was kept in { $series }, but operations started up to { $lag_p99_us } late (p99): they came in bursts.
    .found-bursts-more1 = p99 from the scheduled instant is { $latency_p99_us }, from the start only { $service_p99_us }: believe the first, it is what a user waits.
    .next = Lower --rate to see the latency below saturation, or find what limits the throughput.
    .next-bursts = Let more operations be in flight (--concurrency), or accept the wait as the price of bursts.
    .healthy-on-time = Operations started on time in { $series } (p99 { $lag_p99_us } late at { $offered_per_s } operations/s).

# Findings of `peaje watch`: parts of sentences about a group of sessions.
watch-who = { $group_kind ->
        [instance] Clients of { $group }
        [process] The process { $group }
       *[application] { $group }
      }
watch-life = A session lives { $life_us } on average.
watch-replaced = Each one is replaced { $replaced_per_h } times an hour.
watch-share = That is { $share_of_all } of the server's logins.
watch-in-progress = At any moment { $in_progress } logins are under way.
watch-cores = These logins take { $cores } of the server's cores ({ $cpu_share } of its CPU).
watch-unmeasured = What they cost cannot be said: measure with { $cost_unknown } against this server, and give that run with --login-run.
# Only said when the parameter is there.
watch-between = { $between ->
   *[between] Something stands between the clients and the server: this speaks of the sessions between that pooler or proxy and the server.
 }
watch-grade = { $grade ->
        [confirmed] Confirmed by the lives of sessions, by what the server counts, or by declared settings.
        [likely] Likely, from the series of this application.
       *[suspected] Suspected, from the counters of the whole server.
      }
watch-judged = { $groups ->
        [one] 1 group of sessions was judged
       *[other] { $groups } groups of sessions were judged
      }

failed-login-storm = Logins that fail
    .title = Whether logins fail
    .found-lasting = { watch-who }: { $failed } logins failed; for { $for_us }, { $of_attempts } of the attempts did.
    .found-lasting-more1 = { $credentials } had a wrong password or an unknown login.
    .found-lasting-more2 = { $refused } were refused because a limit was reached.
    .found-lasting-more3 = { watch-between }
    .found-unusual = { watch-who }: { $failed } logins failed, { $most } of them within five minutes: many more than usual here.
    .found-unusual-more1 = { $credentials } had a wrong password or an unknown login.
    .found-unusual-more2 = { $refused } were refused because a limit was reached.
    .found-unusual-more3 = { watch-between }
    .next = See in the server's log which client it is. Wrong passwords: one configuration holds an old one. Refused ones: see the limit, and who holds the sessions.
    .healthy-watched = Hardly a login fails ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

session-leak = Sessions that are not given back
    .title = Whether sessions are given back
    .found-grows = { watch-who }: open sessions grow by { $growth_per_h } an hour, and few log out.
    .found-grows-more1 = Of those kept for half an hour or longer, { $kept_idle } have been idle all that time.
    .found-grows-more2 = At this pace the limit is reached in { $full_in_us }.
    .found-grows-more3 = { watch-between }
    .found-grows-more4 = { watch-grade }
    .found-abandoned = { watch-who }: { $abandoned } of the sessions that ended did so without a goodbye, long after their client had gone.
    .found-abandoned-more1 = They had been idle for { $idle_us } by then.
    .found-abandoned-more2 = { watch-between }
    .found-abandoned-more3 = { watch-grade }
    .next-grows = Look at the oldest idle sessions (host, process, last statement), close sessions in the code that opens them, and switch on the pool's leak detection; an idle timeout on the server is the net under it.
    .next-abandoned = Look for what cuts idle connections on the way (firewall, address translation, load balancer), and keep them alive below its timeout, or let the pool close them before.
    .healthy-watched = Sessions are given back ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

no-pooling = Clients that do not pool
    .title = Whether clients pool
    .found-group = { watch-who }: { $logins_per_s } logins/s, each for a moment. No pool is in use.
    .found-group-more1 = { watch-life }
    .found-group-more2 = { watch-replaced }
    .found-group-more3 = One login serves { $requests_per_login } requests.
    .found-group-more4 = { watch-share }
    .found-group-more5 = A pool would save nearly all of it: { $in_progress } logins are under way at any moment.
    .found-group-more6 = { watch-cores }
    .found-group-more7 = { watch-unmeasured }
    .found-group-more8 = { watch-between }
    .found-group-more9 = { watch-grade }
    .next = Switch on the pool of the client's library, or put a pooler near the client, and watch again: the mean session life must rise to minutes.
    .healthy-watched = No application logs in for each piece of work ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

short-scripts = Scripts that log in for a moment
    .title = Whether scripts log in for a moment
    .found-group = { watch-who }: sessions of moments that come now and then, { $logins_per_s } logins/s on average. This is what scripts and health checks do.
    .found-group-more1 = { watch-life }
    .found-group-more2 = { watch-replaced }
    .found-group-more3 = No login at all in { $pauses } of the time.
    .found-group-more4 = { watch-share }
    .found-group-more5 = { watch-in-progress }
    .found-group-more6 = { watch-cores }
    .found-group-more7 = { watch-unmeasured }
    .found-group-more8 = { watch-between }
    .found-group-more9 = { watch-grade }
    .next = Group a script's work in one session, start it less often, or let an agent do it that stays; a pool inside a script that ends cannot help, an external pooler can.
    .healthy-watched = No scripts log in for a moment often enough to matter ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

pool-below-min = A pool that empties and refills itself
    .title = Whether pools keep their minimum
    .found-group = { watch-who }: a constant number of sessions, and { $logins_per_s } logins/s all the same. The pool closes idle sessions below its own minimum and opens them again at once.
    .found-group-more1 = They are closed after { $closed_after_us }.
    .found-group-more2 = { watch-replaced }
    .found-group-more3 = { watch-share }
    .found-group-more4 = { watch-in-progress }
    .found-group-more5 = { watch-cores }
    .found-group-more6 = { watch-unmeasured }
    .found-group-more7 = { watch-between }
    .found-group-more8 = { watch-grade }
    .next = Set the pool's minimum to 0 or its idle timeout to none, and test idle sessions with a keep-alive instead of closing them.
    .healthy-watched = No pool closes sessions only to open them again ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

idle-timeout-churn = Pools that grow and shrink
    .title = Whether pools grow and shrink
    .found-group = { watch-who }: a burst opens sessions, the idle timeout closes them, the next burst opens them again: { $logins_per_s } logins/s.
    .found-group-more1 = { watch-life }
    .found-group-more2 = { watch-replaced }
    .found-group-more3 = They are closed when they have been idle for about { $idle_us }.
    .found-group-more4 = The logouts of one process keep to a period of { $sweep_us }: its pool sweeps.
    .found-group-more5 = Only { $mean_use } of the sessions are at work on average.
    .found-group-more6 = { watch-share }
    .found-group-more7 = { watch-in-progress }
    .found-group-more8 = { watch-cores }
    .found-group-more9 = { watch-unmeasured }
    .found-group-more10 = { watch-between }
    .found-group-more11 = { watch-grade }
    .next = Raise the pools' minimum to what the bursts use, or the idle timeout above the pause between two bursts.
    .healthy-watched = No idle timeout closes what is needed again soon ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

lifetime-wave = Sessions that expire together
    .title = Whether sessions expire together
    .found-group = { watch-who }: up to { $at_once } sessions log out at once and log in again, { $waves } times while watched.
    .found-group-more1 = The waves come every { $every_us }: a maximum lifetime without jitter.
    .found-group-more2 = { watch-replaced }
    .found-group-more3 = { watch-in-progress }
    .found-group-more4 = { watch-cores }
    .found-group-more5 = { watch-unmeasured }
    .found-group-more6 = { watch-between }
    .found-group-more7 = { watch-grade }
    .next = Give the maximum lifetime a jitter of a tenth, or start the pools one after the other.
    .healthy-watched = Sessions do not expire together ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

pool-max-too-small = A pool whose sessions are all at work
    .title = Whether pools reach their maximum
    .found-group = { watch-who }: { $at_work } of the { $sessions } sessions are at work most of the time, and there are never more. Clients wait for one.
    .found-group-more1 = Each process holds { $each }.
    .found-group-more2 = On average { $waiting } clients wait in the pooler's queue.
    .found-group-more3 = { watch-between }
    .found-group-more4 = { watch-grade }
    .next = Find out how many requests run at once when none waits (x), and set the maximum to about x + 1.75 √x, after a look at the server's limit; if its cores are busy already, a larger pool only moves the queue.
    .healthy-watched = No pool stands at its maximum with every session at work ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

pool-min-too-big = Sessions that nobody needs
    .title = Whether idle sessions are too many
    .found-group = { watch-who }: { $sessions } sessions are open, and hardly ever more than { $peak_use } of them at work.
    .found-group-more1 = Most of the { $processes } processes hold { $each }.
    .found-group-more2 = { $never_used } never ran a statement.
    .found-group-more3 = That is { $of_limit } of the limit of { $limit } sessions; a deployment that starts new processes before it stops the old ones needs more.
    .found-group-more4 = { watch-between }
    .found-group-more5 = { watch-grade }
    .next = Lower the pools' minimum to what one process uses at its peak, plus one; the maximum can stay.
    .healthy-watched = No application keeps many sessions that nobody uses ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

pool-per-user = A pool for each user
    .title = Whether processes have many pools
    .found-group = { watch-who }: one process has { $pools } pools, with { $each } sessions in the middle one: a pool for each user, database or token.
    .found-group-more1 = { watch-replaced }
    .found-group-more2 = { watch-in-progress }
    .found-group-more3 = { watch-cores }
    .found-group-more4 = { watch-unmeasured }
    .found-group-more5 = { watch-between }
    .found-group-more6 = { watch-grade }
    .next = Connect with one login and one connection string, and pass the user on within the session; renew tokens through the driver's callback instead of changing the string.
    .healthy-watched = No process has a pool for each user ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

restart-or-failover = Sessions replaced at once
    .title = Whether sessions were replaced at once
    .found-restart = { watch-who }: new processes replaced { $replaced } of the sessions at once, { $times ->
        [one] one time
       *[other] { $times } times
      }: a restart or a deployment.
    .found-restart-more1 = It took { $ramp_us } until nine tenths were back.
    .found-restart-more2 = { watch-between }
    .found-restart-more3 = { watch-grade }
    .found-failover = { watch-who }: { $replaced } of the sessions were replaced at once, { $times ->
        [one] one time
       *[other] { $times } times
      }: a failover, a pool that was emptied, or a restart.
    .found-failover-more1 = It took { $ramp_us } until nine tenths were back.
    .found-failover-more2 = { watch-between }
    .found-failover-more3 = { watch-grade }
    .next = Nothing to mend. Hold the time until the sessions were back against what users can wait: most pools log in one session after the other, so sessions × login time is the least.
    .healthy-watched = No sessions were replaced all at once ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

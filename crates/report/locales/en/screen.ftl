# The live screen of `peaje watch` and its plain lines. Short: a line has 60 columns.

screen-waiting = Waiting for the first reading …
screen-too-small = This window has { $width } x { $height } characters; peaje watch needs { $least_width } x { $least_height }.
screen-frozen = FROZEN, { $n ->
    [one] one reading since
   *[other] { $n } readings since
 }
screen-verdict-at = verdict at { $at }
screen-dropped = { $n ->
    [one] one frame dropped
   *[other] { $n } frames dropped
 }
screen-every = every { $interval }
screen-server-of = server { $n } of { $of }
screen-starting = rates need a second reading
screen-not-read = CANNOT BE READ
screen-through = through { $what }
screen-something-between = through something that does not say its name

screen-sessions = sessions { $n }
screen-sessions-of = sessions { $n } of { $limit }
screen-active = at work { $n }
screen-queue = waiting { $n }
screen-peak = peak { $n }
screen-never-used = never used { $n }
screen-logins = logins { $rate }/s
screen-logouts = logouts { $rate }/s
screen-life = mean session life { $life }
screen-life-since-start = mean session life { $life } (average since start)
screen-replaced = each replaced { $n } times an hour
screen-failed = failed logins { $n }
screen-failed-by-class = failed logins { $n } ({ $classes })
screen-failed-credentials = { $n } credentials
screen-failed-limit = { $n } limit
screen-failed-unknown = failed logins: not told
screen-probes = { $n ->
    [one] one port check
   *[other] { $n } port checks
 }
screen-coverage = { $share } of the logins seen
screen-encrypted = encrypted { $share }
screen-authentication = authentication { $methods }
screen-authentication-unknown = authentication: not told
screen-ages = ages: median { $median }, oldest { $oldest }
screen-ages-at-least = ages at least: median { $median }, oldest { $oldest }
screen-pal-alarms = PAL (> 2 logins/s): alarm
screen-pal-silent = PAL (> 2 logins/s): silent
screen-pal-why = misleads: says nothing of how long sessions live

screen-col-server = server
screen-col-logins = logins/s
screen-col-logouts = logouts/s
screen-col-sessions = sessions
screen-col-limit = of limit
screen-col-life = life
screen-col-recent = logins
screen-col-verdict = verdict
screen-more-servers = { $n ->
    [one] and one more server with fewer logins
   *[other] and { $n } more servers with fewer logins
 }
screen-applications = applications { $n }
screen-processes = client processes { $n }
screen-by-logins = most logins
screen-by-sessions = most sessions
screen-by-life = shortest life
screen-by-verdict = found first
screen-by-name = by name
screen-no-applications = no application seen yet
screen-no-match = none matches “{ $filter }”

screen-findings = { $n ->
    [0] findings
   *[other] findings { $n }
 }
screen-nothing = nothing stands out
screen-nothing-yet = nothing stands out so far; a verdict needs more logins
screen-gap = no figures { $from } to { $until }, { $server }: { $message }
screen-gap-open = no figures since { $from }, { $server }: { $message }
screen-gap-because-restarted = the server was restarted
screen-gap-because-counters-reset = its counters were reset
screen-gap-because-another-server = another server answers at this address
screen-gap-because-clock-step = its clock was set
screen-gap-because-unreachable = it cannot be reached
screen-gap-because-no-privilege = a privilege is missing
screen-gap-because-not-sampled = no reading was taken in time

screen-filter = filter: { $filter }_   (Enter keeps it, Esc drops it)
screen-filtered = filter “{ $filter }” (Esc ends it)
screen-key-quit = q quit
screen-key-help = ? help
screen-key-sort = s sort
screen-key-filter = / filter
screen-key-freeze = f freeze
screen-key-page = Enter explain
screen-key-servers = ←→ server
screen-key-processes = p processes
screen-page = { $code }, lines { $first } to { $last } of { $of }
screen-page-keys = Esc back   Up, Down, PgUp, PgDn move

screen-help = peaje watch: keys
screen-help-quit = ends
screen-help-sort = another order of the applications
screen-help-filter = shows what matches a name or a verdict
screen-help-freeze = holds the screen; readings go on
screen-help-focus = from the applications to the findings, and back
screen-help-move = selects, and scrolls a page
screen-help-page = the page of what was found
screen-help-servers = one server, or all
screen-help-processes = client processes instead of applications
screen-help-back = closes, ends the filter, all servers
screen-help-star = an average since the server's start
screen-help-dot = in a curve: no figure for this interval

//! A run of `peaje check` in words: sessions, logins, a login from here, encryption, settings, the machine, and what to run
//! next.
//!
//! One screen: each thing has a line, a table no more than a few rows, and what is longer stands in the run file. A line is
//! left out when nothing is known of it; what could not be read is said once, at the end.

use peaje_model::{
    ApplicationSessions, CheckResult, Fact, FactValue, HostLimits, LifeBasis, LongView, Phase, Run, ServerCounters,
    Settings, Severity, SinceEarlier, TargetKind, Verdict,
};

use crate::{
    catalogue::{Arg, Catalogue},
    parts,
    sections::{self, Section, Tone},
    tables::Table,
    units::{ABSENT, Units},
    words,
};

/// Applications in the table; the rest is in the run file.
const MOST_APPLICATIONS: usize = 6;
/// Fewer logins a second than this are given by the hour.
const RARE_PER_S: f64 = 0.1;
/// Gaps that are said; the rest is in the run file.
const MOST_GAPS: usize = 4;

/// Settings that decide about logins and sessions, in the engines' own words, in this order.
const SETTINGS: [&str; 24] = [
    "authentication_timeout",
    "connect_timeout",
    "remote_login_timeout",
    "idle_session_timeout",
    "idle_in_transaction_session_timeout",
    "wait_timeout",
    "interactive_timeout",
    "client_connection_check_interval",
    "tcp_keepalives_idle",
    "thread_handling",
    "thread_cache_size",
    "thread_pool_size",
    "back_log",
    "max_connect_errors",
    "skip_name_resolve",
    "password_encryption",
    "default_authentication_plugin",
    "authentication_policy",
    "user_connections",
    "max_worker_threads",
    "network_packet_size",
    "ssl_min_protocol_version",
    "tls_version",
    "login_audit_level",
];

/// Every section that has something to say, in reading order.
pub(crate) fn sections(cat: &Catalogue, run: &Run, check: &CheckResult) -> Vec<Section> {
    let section = |id: &str, table: Option<Table>, lines: Vec<String>| {
        (table.is_some() || !lines.is_empty()).then(|| Section {
            heading: cat.word(id),
            table,
            lines,
            tone: Tone::Plain,
        })
    };
    let applications = applications(cat, check);
    [
        section("head-check-sessions", applications, sessions(cat, check)),
        section("head-check-logins", None, logins(cat, check)),
        section("head-check-probe", None, probe(cat, run)),
        section("head-check-encryption", None, encryption(cat, run, check)),
        section("head-check-settings", None, settings(cat, run)),
        section("head-check-machine", None, machine(cat, check)),
        section("head-gaps", None, gaps(cat, run)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What a check was asked for, for the page.
pub(crate) fn asked(cat: &Catalogue, run: &Run) -> Vec<String> {
    let Settings::Check(settings) = &run.settings else { return Vec::new() };
    let since = settings.since.as_ref().map(|place| cat.say("check-asked-since", &[("place", place.as_str().into())]));
    [cat.say("check-asked", &[("n", u64::from(settings.probe).into())])].into_iter().chain(since).collect()
}

/// Open sessions in one line, then what is odd about them.
fn sessions(cat: &Catalogue, check: &CheckResult) -> Vec<String> {
    let count = |n: u64| cat.units.count(n);
    let known = |id: &str, n: Option<u64>| n.map(|n| cat.say(id, &[("n", n.into())]));
    let open = match (check.room, check.sessions) {
        (Some(room), _) => {
            let args = [
                ("n", room.in_use.into()),
                ("limit", count(room.limit).into()),
                ("reserved", room.reserved.into()),
                ("free", count(room.free()).into()),
            ];
            Some(cat.say("check-open-of", &args))
        }
        (None, sessions) => known("check-open", sessions),
    };
    let more = [
        known("check-active", check.active),
        known("check-never-used", check.sum(|group| group.never_used).filter(|n| *n > 0)),
        known("check-apart", check.apart.filter(|n| *n > 0)),
        known("check-peak", check.peak_sessions),
    ];
    let sentence = join(open.into_iter().chain(more.into_iter().flatten()));
    let hidden = check.seen_applications().len().saturating_sub(MOST_APPLICATIONS);
    let hidden = (hidden > 0).then(|| cat.say("check-applications-more", &[("n", (hidden as u64).into())]));
    sentence.into_iter().chain(hidden).collect()
}

/// The largest applications; `None` without any.
pub(crate) fn applications(cat: &Catalogue, check: &CheckResult) -> Option<Table> {
    let shown: Vec<&ApplicationSessions> = check.seen_applications().iter().take(MOST_APPLICATIONS).collect();
    let header = ["col-application", "col-sessions", "col-active", "col-in-transaction", "col-never-used"];
    let header = header.into_iter().chain(["col-encrypted", "col-youngest", "col-oldest"]);
    let row = |group: &ApplicationSessions| {
        let count = |n: Option<u64>| n.map_or_else(|| ABSENT.to_owned(), |n| cat.units.count(n));
        vec![
            place(cat, group),
            count(Some(group.sessions)),
            count(Some(group.active)),
            count(Some(group.idle_in_transaction)),
            count(group.never_used),
            count(group.encrypted),
            cat.units.life(group.youngest_s),
            cat.units.life(group.oldest_s),
        ]
    };
    (!shown.is_empty())
        .then(|| Table { header: header.map(|id| cat.word(id)).collect(), rows: shown.into_iter().map(row).collect() })
}

/// `shop @ web1`, cut where it is long.
fn place(cat: &Catalogue, group: &ApplicationSessions) -> String {
    const LONGEST: usize = 34;
    let host = if group.host.is_empty() { cat.word("check-local-socket") } else { group.host.clone() };
    let name = format!("{} @ {host}", group.application);
    if name.chars().count() <= LONGEST { name } else { name.chars().take(LONGEST - 1).chain(['…']).collect() }
}

/// What the counters say: since an earlier visit, and since the server's start.
fn logins(cat: &Catalogue, check: &CheckResult) -> Vec<String> {
    let since = check.since.as_ref().map(|since| since_visit(cat, since));
    let start = check.since_start.as_ref().and_then(|view| {
        let lead = match view.time_s {
            Some(time) => cat.say("check-since-start", &[("time", cat.units.life(time).into())]),
            None => cat.word("check-since-unknown"),
        };
        long_view(cat, &lead, view)
    });
    since.into_iter().chain(start).collect()
}

fn since_visit(cat: &Catalogue, since: &SinceEarlier) -> String {
    let at = sections::moment(&since.earlier);
    match (&since.interval, since.no_comparison) {
        (Some(view), _) => {
            let time = cat.units.or_absent(view.time_s, Units::life);
            let lead = cat.say("check-since-visit", &[("at", at.into()), ("time", time.into())]);
            long_view(cat, &lead, view).unwrap_or(lead)
        }
        (None, why) => {
            let why = why.map_or(String::new(), |why| cat.word(&format!("check-no-comparison-{}", why.name())));
            cat.say("check-since-not", &[("at", at.into()), ("why", why.into())])
        }
    }
}

/// `Since … : 120,000 logins (0.46 a second). A session lives 40 s on average.` `None` when nothing was counted.
fn long_view(cat: &Catalogue, lead: &str, view: &LongView) -> Option<String> {
    let ServerCounters { logins, failed, abandoned, .. } = view.counters;
    let units = cat.units;
    let counted = logins.map(|n| {
        let rate = view.logins_per_s.map_or_else(String::new, |rate| {
            let (id, rate) = if rate < RARE_PER_S { ("check-rate-hour", rate * 3_600.0) } else { ("check-rate", rate) };
            cat.say(id, &[("rate", units.figure(rate).into())])
        });
        cat.say("check-logins", &[("lead", lead.into()), ("n", n.into()), ("rate", rate.into())])
    });
    let life = view.mean_life_s.map(|s| {
        let basis = match view.life_basis {
            Some(LifeBasis::SessionTime) => "session-time",
            _ => "time-times-sessions",
        };
        cat.say("check-mean-life", &[("life", units.life(s).into()), ("basis", basis.into())])
    });
    let some = |id: &str, n: Option<u64>| n.filter(|n| *n > 0).map(|n| cat.say(id, &[("n", n.into())]));
    let requests = view.requests_per_login.map(|n| cat.say("check-requests", &[("n", units.figure(n).into())]));
    let encrypted =
        view.encrypted_logins.map(|share| cat.say("check-encrypted-logins", &[("share", units.share(share).into())]));
    let failed = failed.filter(|n| *n > 0).map(|n| failures(cat, n, &view.counters));
    counted.as_ref()?;
    join([counted, life, requests, encrypted, failed, some("check-abandoned", abandoned)].into_iter().flatten())
}

fn failures(cat: &Catalogue, failed: u64, counters: &ServerCounters) -> String {
    let classes =
        [("check-failed-credentials", counters.failed_credentials), ("check-failed-limit", counters.failed_limit)];
    let list: Vec<String> = classes
        .into_iter()
        .filter_map(|(id, n)| n.filter(|n| *n > 0).map(|n| cat.say(id, &[("n", n.into())])))
        .collect();
    let list = if list.is_empty() { String::new() } else { format!(" ({})", list.join(", ")) };
    cat.say("check-failed", &[("n", failed.into()), ("list", list.into())])
}

/// What a login costs from here, and the phase that dominates.
fn probe(cat: &Catalogue, run: &Run) -> Vec<String> {
    let Some(series) = sections::series(run).first() else { return Vec::new() };
    // The query and the goodbye are no part of a login.
    let login = |part: &parts::Part| ![Phase::FirstQuery, Phase::Close].map(words::letter).contains(&part.letter);
    let parts: Vec<parts::Part> = parts::of(cat, series).into_iter().filter(login).collect();
    let Some(total) = parts::total_us(&parts) else { return sections::failed_operations(cat, run) };
    let most = parts.iter().max_by(|a, b| a.mean_us.total_cmp(&b.mean_us));
    let list: Vec<String> = parts
        .iter()
        .filter(|part| part.matters())
        .map(|part| format!("{} {}", part.name, cat.units.time(part.mean_us)))
        .collect();
    let args = |most: &parts::Part| -> Vec<Arg<'static>> {
        vec![
            ("n", series.counts.completed.into()),
            ("total", cat.units.time(total).into()),
            ("phase", most.name.clone().into()),
            ("share", cat.units.share(most.mean_us / total).into()),
            ("parts", list.join(", ").into()),
        ]
    };
    let said = most.map(|most| cat.say("check-probe", &args(most)));
    said.into_iter().chain(sections::failed_operations(cat, run)).collect()
}

fn encryption(cat: &Catalogue, run: &Run, check: &CheckResult) -> Vec<String> {
    let first = run.login.as_ref().and_then(|login| login.first_login.as_ref());
    let tls = first.and_then(|first| first.tls.as_ref());
    let here = match tls {
        Some(tls) => Some(cat.say(
            "check-tls",
            &[("version", tls.version.as_str().into()), ("key", tls.server_key.as_deref().unwrap_or(ABSENT).into())],
        )),
        None => first.map(|_| cat.word("check-no-tls")),
    };
    let certificate = check.certificate.as_ref().map(|certificate| {
        let day = certificate.ends.split('T').next().unwrap_or_default().to_owned();
        let days = certificate.days_left.floor().abs() as u64;
        let id = if certificate.days_left < 0.0 { "check-certificate-ended" } else { "check-certificate" };
        cat.say(id, &[("day", day.into()), ("n", days.into())])
    });
    let encrypted = check.sum(|group| group.encrypted).zip(check.sum(|group| Some(group.sessions)));
    let encrypted = encrypted.filter(|(_, all)| *all > 0).map(|(some, all)| {
        cat.say("check-encrypted-sessions", &[("some", cat.units.count(some).into()), ("n", all.into())])
    });
    let methods: Vec<String> =
        check.authentication.iter().map(|one| format!("{} {}", one.method, cat.units.count(one.sessions))).collect();
    let methods =
        (!methods.is_empty()).then(|| cat.say("check-authentication", &[("list", methods.join(", ").into())]));
    let ours = first.and_then(|first| first.auth.as_ref());
    let ours = ours.map(|auth| cat.say("check-our-authentication", &[("method", auth.method.as_str().into())]));
    join([here, certificate, encrypted].into_iter().flatten())
        .into_iter()
        .chain(join([ours, methods].into_iter().flatten()))
        .collect()
}

fn settings(cat: &Catalogue, run: &Run) -> Vec<String> {
    let shown = SETTINGS.iter().filter_map(|name| run.facts.iter().find(|fact| fact.name == *name));
    let list: Vec<String> = shown.filter_map(|fact| setting(cat, fact)).collect();
    if list.is_empty() { Vec::new() } else { vec![list.join(", ")] }
}

/// `authentication_timeout 60 s`; `None` for an empty word.
fn setting(cat: &Catalogue, fact: &Fact) -> Option<String> {
    let value = match &fact.value {
        FactValue::Bool(on) => (if *on { "on" } else { "off" }).to_owned(),
        // A limit that means "none".
        FactValue::Number(number) if *number >= 1e15 => return None,
        FactValue::Number(number) => cat.units.fixed(*number, 0),
        FactValue::Text(text) if text.is_empty() => return None,
        FactValue::Text(text) => crate::catalogue::without_controls(text),
    };
    let zero = fact.value == FactValue::Number(0.0);
    let unit = fact.unit.as_ref().filter(|_| !zero).map_or_else(String::new, |unit| format!(" {unit}"));
    Some(format!("{} {value}{unit}", fact.name))
}

fn machine(cat: &Catalogue, check: &CheckResult) -> Vec<String> {
    if let Some(why) = check.host_unknown {
        return vec![cat.word(match why {
            peaje_model::HostUnknown::ManagedService => "check-machine-managed",
            peaje_model::HostUnknown::Remote => "check-machine-remote",
            peaje_model::HostUnknown::NotItsProcess => "check-machine-not-its-process",
        })];
    }
    check.host.as_ref().map(|limits| host_limits(cat, limits)).unwrap_or_default()
}

fn host_limits(cat: &Catalogue, limits: &HostLimits) -> Vec<String> {
    let units = cat.units;
    let queue = limits.listen_backlog.map(|length| {
        let args = [
            ("length", units.count(length).into()),
            ("somaxconn", limits.somaxconn.map_or_else(|| ABSENT.to_owned(), |n| units.count(n)).into()),
        ];
        cat.say("check-listen-queue", &args)
    });
    let overflows = limits.listen_overflows.map(|n| cat.say("check-overflows", &[("n", n.into())]));
    let files = limits.open_files.map(|n| match n {
        u64::MAX => cat.word("check-open-files-unlimited"),
        n => cat.say("check-open-files", &[("n", n.into())]),
    });
    let ports = limits.first_port.zip(limits.last_port).map(|(first, last)| {
        cat.say("check-ports", &[("first", first.to_string().into()), ("last", last.to_string().into())])
    });
    join([queue, overflows, files, ports].into_iter().flatten()).into_iter().collect()
}

fn gaps(cat: &Catalogue, run: &Run) -> Vec<String> {
    let mut lines = sections::gaps(cat, run);
    let hidden = lines.len().saturating_sub(MOST_GAPS);
    lines.truncate(MOST_GAPS);
    lines.extend((hidden > 0).then(|| cat.say("check-gaps-more", &[("n", (hidden as u64).into())])));
    lines
}

/// Three commands to run next, each with what it tells.
pub(crate) fn next_commands(cat: &Catalogue, run: &Run) -> Vec<(String, String)> {
    let url = match (run.target.kind, run.target.engine.as_str()) {
        // A throwaway server is gone by now.
        (TargetKind::Throwaway, "mysql") => "mariadb:".to_owned(),
        (TargetKind::Throwaway, engine) => format!("{engine}:"),
        _ => quoted(&run.target.url),
    };
    let watched = if run.target.kind == TargetKind::Throwaway { "URL" } else { url.as_str() };
    let say = |id: &str, command: String| (command, cat.word(id));
    let worst = run.findings.iter().find(|f| f.verdict == Verdict::Found && f.severity > Severity::Info);
    let lacks_rights = run.gaps.iter().any(|gap| gap.next_step.as_ref().is_some_and(|step| step.contains("grant ")));
    let compared = run.check.as_ref().is_some_and(|check| check.since.is_some());
    let counted = run.check.as_ref().and_then(|check| check.since_start.as_ref());
    let counted = counted.is_some_and(|view| view.counters.logins.is_some());
    let later = format!("peaje check {url} --json today.json");
    [
        worst.map(|finding| say("check-next-explain", format!("peaje explain {}", finding.code))),
        lacks_rights.then(|| say("check-next-grants", format!("peaje login {url} --grants {}", run.target.engine))),
        Some(say("check-next-watch", format!("peaje watch {watched}"))),
        Some(say("check-next-login", format!("peaje login {url} --tls off,full --mode unpooled,pooled"))),
        (counted && !compared && run.target.kind == TargetKind::User).then(|| say("check-next-since", later)),
    ]
    .into_iter()
    .flatten()
    .take(3)
    .collect()
}

/// As a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,=".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Sentences that belong to one line; `None` without any.
fn join(sentences: impl IntoIterator<Item = String>) -> Option<String> {
    let said: Vec<String> = sentences.into_iter().collect();
    (!said.is_empty()).then(|| said.join(" "))
}

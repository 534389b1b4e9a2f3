//! What `--listen` publishes: the figures of all servers as Prometheus text or OpenMetrics.
//!
//! The instance's counters are the server's own, cumulative since its start, with that start as their time of creation: a
//! restart is a legal reset, and Prometheus computes the rates. What is split by application is counted by peaje since it
//! began to watch, under names of its own: under the same names, every `sum()` would count each login twice.

mod applications;
mod histogram;
mod text;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

pub use applications::{ApplicationInterval, Applications, PLACES, SessionStates};
pub use histogram::{Histogram, LIFE_EDGES_S, LOGIN_EDGES_S};
pub use text::Format;
use text::{Kind, Label, Writer};

/// Everything that is published.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Exposition {
    /// peaje's version.
    pub version: String,
    /// The codes of the diagnoses that are looked for: each is published for every server, as 0 or 1.
    pub rules: Vec<&'static str>,
    /// One for each server that is watched.
    pub servers: Vec<ServerMetrics>,
}

/// The figures of one server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ServerMetrics {
    /// `postgresql`, `mysql`, `mariadb`, `microsoft.sql_server` (the names of OpenTelemetry's `db.system.name`).
    pub system: String,
    /// Host, as it was named.
    pub address: String,
    /// Port.
    pub port: u16,
    /// Whether the last reading succeeded. Where it did not, figures are those of the last one that did; without any
    /// they are `None` and are not published.
    pub up: bool,
    /// Readings that succeeded.
    pub readings: u64,
    /// Stretches without figures by their reason.
    pub gaps: BTreeMap<String, u64>,
    /// When the server's counters began, seconds since 1970.
    pub started_s: Option<f64>,
    /// When peaje began to watch, seconds since 1970.
    pub watching_since_s: f64,
    /// Logins, as the server counts them.
    pub logins: Option<u64>,
    /// Logouts.
    pub logouts: Option<u64>,
    /// Failed logins by class.
    pub failures: Failures,
    /// Uses of pooled sessions.
    pub resets: Option<u64>,
    /// Open sessions by state.
    pub sessions: Option<SessionStates>,
    /// Open sessions where their state is not known.
    pub sessions_in_all: Option<u64>,
    /// Most sessions that clients may open.
    pub limit: Option<u64>,
    /// Share of the open sessions that are encrypted.
    pub encrypted: Option<f64>,
    /// Share of the logins whose session was seen.
    pub coverage: Option<f64>,
    /// Mean life of a session over the window of the verdicts, seconds.
    pub mean_life_s: Option<f64>,
    /// Lives of sessions that were seen to end.
    pub lives: Option<Histogram>,
    /// Time of peaje's own logins by phase, where it made any.
    pub logins_by_phase: BTreeMap<&'static str, Histogram>,
    /// The split by application.
    pub applications: Option<Applications>,
    /// What was found: the code, and the application it was found of (`None`: of the whole server).
    pub found: Vec<(&'static str, Option<String>)>,
}

/// Failed logins since the counters began. `None`: the server does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Failures {
    /// All of them, port checks excluded.
    pub total: Option<u64>,
    /// Wrong password or unknown login.
    pub credentials: Option<u64>,
    /// Refused at a limit.
    pub limit: Option<u64>,
    /// Port checks: they are no failures, and no part of the total.
    pub probe: Option<u64>,
}

impl Failures {
    /// Each class that is known; `other` is what the classes leave of the total.
    fn each(self) -> impl Iterator<Item = (&'static str, u64)> {
        let classes = self.credentials.unwrap_or(0) + self.limit.unwrap_or(0);
        let other = self.total.map(|total| total.saturating_sub(classes));
        let all = [("credentials", self.credentials), ("limit", self.limit), ("probe", self.probe), ("other", other)];
        all.into_iter().filter_map(|(class, n)| Some((class, n?)))
    }
}

/// The newest exposition, for whoever scrapes. Publishing never waits for a scrape.
#[derive(Debug, Clone, Default)]
pub struct Published(Arc<RwLock<Arc<Exposition>>>);

impl Published {
    /// Replaces what is published.
    pub fn put(&self, exposition: Exposition) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(exposition);
    }

    /// What is published now.
    pub fn get(&self) -> Arc<Exposition> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The exposition as text.
pub fn render(exposition: &Exposition, format: Format) -> String {
    let mut out = Writer::new(format);
    out.family("peaje_build", Kind::Info, "", "The version of peaje that watches.");
    out.gauge(&[("version", &exposition.version)], 1.0);
    let servers: Vec<(Vec<(&str, String)>, &ServerMetrics)> =
        exposition.servers.iter().map(|server| (labels(server), server)).collect();
    watching(&mut out, &servers);
    logins(&mut out, &servers);
    sessions(&mut out, &servers);
    times(&mut out, &servers);
    diagnoses(&mut out, &servers, &exposition.rules);
    applications(&mut out, &servers);
    out.finish()
}

type Servers<'a> = [(Vec<(&'a str, String)>, &'a ServerMetrics)];

fn labels(server: &ServerMetrics) -> Vec<(&str, String)> {
    vec![
        ("db_system_name", server.system.clone()),
        ("server_address", server.address.clone()),
        ("server_port", server.port.to_string()),
    ]
}

/// A server's labels and more.
fn with<'a>(labels: &'a [(&'a str, String)], more: &[Label<'a>]) -> Vec<Label<'a>> {
    labels.iter().map(|(name, value)| (*name, value.as_str())).chain(more.iter().copied()).collect()
}

fn watching(out: &mut Writer, servers: &Servers<'_>) {
    out.family("peaje_watch_up", Kind::Gauge, "", "Whether the last reading of the server succeeded.");
    for (labels, server) in servers {
        out.gauge(&with(labels, &[]), f64::from(u8::from(server.up)));
    }
    out.family("peaje_watch_readings", Kind::Counter, "", "Readings of the server that succeeded.");
    for (labels, server) in servers {
        out.counter(&with(labels, &[]), server.readings, Some(server.watching_since_s));
    }
    out.family("peaje_watch_gaps", Kind::Counter, "", "Stretches without figures, by reason.");
    for (labels, server) in servers {
        for (reason, n) in &server.gaps {
            out.counter(&with(labels, &[("reason", reason)]), *n, Some(server.watching_since_s));
        }
    }
    out.family(
        "peaje_watch_coverage_ratio",
        Kind::Gauge,
        "ratio",
        "Share of the logins that the server counted whose session was seen.",
    );
    for_each(out, servers, |server| server.coverage);
    out.family(
        "peaje_server_start_time_seconds",
        Kind::Gauge,
        "seconds",
        "When the server's counters began, seconds since 1970.",
    );
    for_each(out, servers, |server| server.started_s);
}

fn for_each(out: &mut Writer, servers: &Servers<'_>, figure: impl Fn(&ServerMetrics) -> Option<f64>) {
    for (labels, server) in servers {
        if let Some(value) = figure(server) {
            out.gauge(&with(labels, &[]), value);
        }
    }
}

fn logins(out: &mut Writer, servers: &Servers<'_>) {
    type Figure = fn(&ServerMetrics) -> Option<u64>;
    let counters: [(&'static str, &str, Figure); 3] = [
        ("peaje_session_logins", "Logins since the server's counters began.", |server| server.logins),
        ("peaje_session_logouts", "Logouts since the server's counters began.", |server| server.logouts),
        ("peaje_session_resets", "Uses of pooled sessions since the server's counters began.", |server| server.resets),
    ];
    for (name, help, figure) in counters {
        out.family(name, Kind::Counter, "", help);
        for (labels, server) in servers {
            if let Some(n) = figure(server) {
                out.counter(&with(labels, &[]), n, server.started_s);
            }
        }
    }
    let help = "Failed logins since the server's counters began, by class; a probe is a port check and no failure.";
    out.family("peaje_session_login_failures", Kind::Counter, "", help);
    for (labels, server) in servers {
        for (class, n) in server.failures.each() {
            out.counter(&with(labels, &[("error_type", class)]), n, server.started_s);
        }
    }
}

fn sessions(out: &mut Writer, servers: &Servers<'_>) {
    out.family("peaje_session_count", Kind::Gauge, "", "Open sessions of clients, by state.");
    for (labels, server) in servers {
        for (state, n) in server.sessions.into_iter().flat_map(SessionStates::each) {
            out.gauge(&with(labels, &[("state", state)]), n as f64);
        }
        if let (None, Some(n)) = (server.sessions, server.sessions_in_all) {
            out.gauge(&with(labels, &[("state", "unknown")]), n as f64);
        }
    }
    out.family("peaje_session_limit", Kind::Gauge, "", "Most sessions that clients may open.");
    for_each(out, servers, |server| server.limit.map(|n| n as f64));
    out.family("peaje_session_encrypted_ratio", Kind::Gauge, "ratio", "Share of the open sessions that are encrypted.");
    for_each(out, servers, |server| server.encrypted);
}

fn times(out: &mut Writer, servers: &Servers<'_>) {
    out.family(
        "peaje_session_mean_life_seconds",
        Kind::Gauge,
        "seconds",
        "Mean life of a session over the window of the verdicts.",
    );
    for_each(out, servers, |server| server.mean_life_s);
    out.family(
        "peaje_session_lifetime_seconds",
        Kind::Histogram,
        "seconds",
        "Lives of sessions that were seen to begin and to end.",
    );
    for (labels, server) in servers {
        if let Some(lives) = &server.lives {
            out.histogram(&with(labels, &[]), lives, Some(server.watching_since_s));
        }
    }
    // A family without a series would promise figures that never come.
    if servers.iter().all(|(_, server)| server.logins_by_phase.is_empty()) {
        return;
    }
    out.family("peaje_login_duration_seconds", Kind::Histogram, "seconds", "Time of peaje's own logins, by phase.");
    for (labels, server) in servers {
        for (phase, times) in &server.logins_by_phase {
            out.histogram(&with(labels, &[("phase", phase)]), times, Some(server.watching_since_s));
        }
    }
}

fn diagnoses(out: &mut Writer, servers: &Servers<'_>, rules: &[&'static str]) {
    out.family(
        "peaje_diagnosis",
        Kind::Gauge,
        "",
        "Whether the diagnosis stands for the server or one of its clients.",
    );
    for (labels, server) in servers {
        for rule in rules {
            let found = server.found.iter().any(|(code, _)| code == rule);
            out.gauge(&with(labels, &[("rule", rule)]), f64::from(u8::from(found)));
        }
    }
    let help = "Applications that the diagnosis stands for; those without a series of their own are in other.";
    out.family("peaje_application_diagnosis", Kind::Gauge, "", help);
    for (labels, server) in servers {
        let mut said: Vec<(&str, &str)> = Vec::new();
        for (code, application) in &server.found {
            let Some(application) = application else { continue };
            let own = server.applications.as_ref().is_some_and(|known| known.has(application));
            let name = if own { application.as_str() } else { applications::OTHER };
            if rules.contains(code) && !said.contains(&(code, name)) {
                said.push((code, name));
                out.gauge(&with(labels, &[("rule", code), ("peaje_application_name", name)]), 1.0);
            }
        }
    }
}

fn applications(out: &mut Writer, servers: &Servers<'_>) {
    let all =
        || servers.iter().filter_map(|(labels, server)| server.applications.as_ref().map(|known| (labels, known)));
    type Figure = fn(&applications::Place) -> u64;
    let counters: [(&'static str, &str, Figure); 2] = [
        (
            "peaje_application_logins",
            "Logins seen of an application, from 0 when it was first seen; short sessions are missed.",
            |place| place.logins,
        ),
        (
            "peaje_application_logouts",
            "Logouts seen of an application, from 0 when it was first seen; short sessions are missed.",
            |place| place.logouts,
        ),
    ];
    for (name, help, figure) in counters {
        out.family(name, Kind::Counter, "", help);
        for (labels, known) in all() {
            for (application, place) in known.each() {
                let labels = with(labels, &[("peaje_application_name", application)]);
                out.counter(&labels, figure(place), Some(place.created_s));
            }
        }
    }
    out.family("peaje_application_session_count", Kind::Gauge, "", "Open sessions of an application, by state.");
    for (labels, known) in all() {
        for (application, place) in known.each() {
            for (state, n) in place.sessions.each() {
                out.gauge(&with(labels, &[("peaje_application_name", application), ("state", state)]), n as f64);
            }
        }
    }
}

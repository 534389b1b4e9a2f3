//! `--listen`: the figures for Prometheus, made of the same snapshot and result as the screen.

use std::collections::{BTreeMap, BTreeSet};

use peaje_diagnose::churn;
use peaje_model::{GroupKind, WatchResult};
use peaje_watch::listen::{self, Reach};
use peaje_watch::metrics::{
    ApplicationInterval, Applications, Exposition, Failures, Published, ServerMetrics, SessionStates,
};
use peaje_watch::{GroupSnapshot, ServerSnapshot, ServerState, Snapshot};

use super::WatchArgs;
use crate::engines::{self, Engine};
use crate::exit::hinted;
use crate::printer::Printer;
use crate::subject::Subject;

/// What is published, and what it is counted from.
pub(super) struct Endpoint {
    published: Published,
    servers: Vec<Server>,
    _serving: tokio::task::JoinHandle<std::convert::Infallible>,
}

/// One server, as it is published.
struct Server {
    engine: &'static Engine,
    address: String,
    port: u16,
    applications: Applications,
    before: BTreeMap<String, (u64, u64)>,
    /// Gaps since the watch began, by reason, and those that were in the last result: reason and start.
    gaps: BTreeMap<String, u64>,
    known_gaps: BTreeSet<(String, String)>,
}

/// Listens where it was asked to.
pub(super) async fn bind(args: &WatchArgs) -> anyhow::Result<Option<listen::Listener>> {
    let Some(address) = args.screen.listen else { return Ok(None) };
    let reach = if args.screen.listen_to_all { Reach::Anywhere } else { Reach::LoopbackOnly };
    let bound = listen::bind(address, reach).await;
    let next = "choose a free port on 127.0.0.1; --listen-to-all lets other machines in";
    bound.map(Some).map_err(|error| hinted(format!("--listen {address}: {error}"), next))
}

impl Endpoint {
    /// Publishes figures from now on.
    pub(super) fn open(
        listener: listen::Listener,
        servers: &[(&'static Engine, &str)],
        subjects: &[Subject],
        now_s: f64,
        printer: Printer,
    ) -> Self {
        printer.say(&format!("figures for Prometheus: http://{}/metrics", listener.address()));
        let published = Published::default();
        let serving = listener.serve(published.clone());
        let servers = servers.iter().zip(subjects).map(|((engine, _), subject)| Server {
            engine,
            address: address(subject, printer),
            port: subject.target.port.unwrap_or(0),
            applications: Applications::new(now_s),
            before: BTreeMap::new(),
            gaps: BTreeMap::new(),
            known_gaps: BTreeSet::new(),
        });
        Self { published, servers: servers.collect(), _serving: tokio::spawn(serving) }
    }

    /// Replaces what is published.
    pub(super) fn show(&mut self, snapshot: &Snapshot, result: Option<&WatchResult>) {
        let unread = WatchResult::default();
        let result = result.unwrap_or(&unread);
        // It is known over all servers together: of several, it is none's.
        let coverage = result.coverage.filter(|_| self.servers.len() == 1);
        let servers = self.servers.iter_mut().zip(&snapshot.servers);
        self.published.put(Exposition {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            rules: churn::CODES.to_vec(),
            servers: servers.map(|(server, seen)| server.metrics(seen, result, coverage)).collect(),
        });
    }
}

impl Server {
    fn metrics(&mut self, seen: &ServerSnapshot, result: &WatchResult, coverage: Option<f64>) -> ServerMetrics {
        let counters = &seen.counters;
        self.count_applications(seen);
        self.count_gaps(seen, result);
        let product = seen.what_answered.as_ref().map_or("", |what| what.product.as_str());
        let instance = result.groups.iter().find(|g| g.kind == GroupKind::Instance && g.server == seen.server);
        ServerMetrics {
            system: self.system(product).to_owned(),
            address: self.address.clone(),
            port: self.port,
            up: seen.state == ServerState::Watching,
            readings: seen.readings,
            gaps: self.gaps.clone(),
            started_s: counters.since_us.map(seconds),
            watching_since_s: seconds(seen.since_us),
            logins: counters.logins_total,
            logouts: counters.logouts_total,
            failures: Failures {
                total: counters.failed_total,
                credentials: counters.failed_credentials_total,
                limit: counters.failed_limit_total,
                probe: counters.probes_total,
            },
            resets: counters.resets_total,
            sessions: states(seen),
            sessions_in_all: counters.sessions,
            limit: seen.limit,
            encrypted: instance.and_then(|group| group.encrypted),
            coverage,
            mean_life_s: instance.and_then(|group| group.mean_session_life_s),
            lives: Some(seen.lives.clone()),
            logins_by_phase: BTreeMap::new(),
            applications: Some(self.applications.clone()),
            found: found(seen, result),
        }
    }

    /// The product's name in OpenTelemetry; of one that does not say what it is, the engine's usual one.
    fn system(&self, product: &str) -> &'static str {
        let known = engines::of_product(product).map(|(_, system)| system);
        known.or_else(|| self.engine.products.first().map(|(_, system)| *system)).unwrap_or(self.engine.name)
    }

    /// Adds the gaps that are new in the result. It holds those of its window only, and a count never falls.
    fn count_gaps(&mut self, seen: &ServerSnapshot, result: &WatchResult) {
        if seen.readings == 0 {
            return;
        }
        let gaps = result.gaps.iter().filter(|gap| gap.server == seen.server && gap.is_hole());
        let now: BTreeSet<(String, String)> = gaps.map(|gap| (gap.reason.clone(), gap.from.clone())).collect();
        for (reason, _) in now.difference(&self.known_gaps) {
            *self.gaps.entry(reason.clone()).or_default() += 1;
        }
        self.known_gaps = now;
    }

    /// Adds what came since the last look. A group that has just come into view is counted from here on, so its series
    /// begins at 0: what it had before would look like logins of this moment.
    fn count_applications(&mut self, seen: &ServerSnapshot) {
        let mut interval: BTreeMap<String, ApplicationInterval> = BTreeMap::new();
        // A group out of view is counted with the rest, so it begins anew when it comes back.
        let all_before = std::mem::take(&mut self.before);
        for group in &seen.groups {
            let now = (group.logins_total, group.logouts_total);
            self.before.insert(group.name.clone(), now);
            let before = all_before.get(&group.name).copied().unwrap_or(now);
            let counted = interval.entry(group.name.clone()).or_default();
            counted.logins += now.0.saturating_sub(before.0);
            counted.logouts += now.1.saturating_sub(before.1);
            counted.sessions = group_states(group);
        }
        self.applications.add(seconds(seen.at_us), &interval);
    }
}

/// The host, or its alias.
fn address(subject: &Subject, printer: Printer) -> String {
    let host = subject.target.hosts.first().cloned().unwrap_or_default();
    printer.redact(|redactor| redactor.text(&host)).unwrap_or(host)
}

fn group_states(group: &GroupSnapshot) -> SessionStates {
    let never_used = group.never_used.unwrap_or(0);
    SessionStates {
        active: group.active,
        idle: group.sessions.saturating_sub(group.active + group.idle_in_transaction + never_used),
        idle_in_transaction: group.idle_in_transaction,
        never_used,
    }
}

fn states(seen: &ServerSnapshot) -> Option<SessionStates> {
    let states = &seen.states;
    let never_used = states.never_used.unwrap_or(0);
    Some(SessionStates {
        active: states.active?,
        idle: states.idle?.saturating_sub(never_used),
        idle_in_transaction: states.idle_in_transaction.unwrap_or(0),
        never_used,
    })
}

/// What was found on a server, and of whom.
fn found(seen: &ServerSnapshot, result: &WatchResult) -> Vec<(&'static str, Option<String>)> {
    let groups = result.groups.iter().filter(|group| group.server == seen.server && group.kind != GroupKind::Process);
    groups
        .flat_map(|group| {
            let of = (group.kind == GroupKind::Application).then(|| group.name.clone());
            let known = |code: &String| churn::CODES.iter().find(|known| *known == code).copied();
            group.verdict_codes.iter().filter_map(known).map(move |code| (code, of.clone()))
        })
        .collect()
}

fn seconds(us: i64) -> f64 {
    us as f64 / 1e6
}

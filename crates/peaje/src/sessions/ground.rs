//! What is known before the first session: where the server's memory is read, what limits there are, who else is there.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use peaje_engine::{SessionLimits, SessionState, Snapshot, WatchOptions, program_name};
use peaje_host::{ClientUse, ProcessSet};
use peaje_model::{
    Architecture, Fact, FactValue, Facts, Gap, LimitRead, OutcomeKind, Segment, SessionsResult, Target, TargetKind,
    WallKind, WhatAnswered,
};

use super::climb::Ask;
use super::eye::{Eye, Place, blocking};
use super::observe::Observed;
use super::settings;
use super::told::Told;
use crate::args::ModelArg;
use crate::consent::Room;
use crate::exit::hinted;
use crate::login::{Prepared, Site};

/// How long the list of the other sessions may take.
const LIST_LIMIT: Duration = Duration::from_secs(6);

/// Everything around a ladder.
pub(super) struct Ground {
    pub(super) eye: Arc<Eye>,
    pub(super) told: Told,
    /// Neither started by peaje nor a reference server: somebody else's sessions may be in the way.
    pub(super) somebodys: bool,
    /// The result so far: label, limits, where memory is read.
    pub(super) result: SessionsResult,
    pub(super) room: Room,
    pub(super) facts: Vec<Fact>,
    pub(super) gaps: Vec<Gap>,
}

impl Ground {
    /// Notes a gap once.
    pub(super) fn note(&mut self, gap: Gap) {
        if !self.gaps.iter().any(|known| known.what == gap.what) {
            self.gaps.push(gap);
        }
    }
}

/// Looks around, on a server that let us in.
pub(super) async fn survey<S: Site>(site: &S, prepared: &mut Prepared, ask: Ask<'_>) -> anyhow::Result<Ground> {
    let reference = prepared.what_answered.as_ref().is_some_and(|what| what.reference_server);
    let own = ask.is_own(site);
    let somebodys = !own && !reference;
    // A reference server is known by what it says of itself: enough to ask nobody, not to leave its machine unguarded.
    settings::check_guards(ask.shared.args, own)?;
    let architecture = architecture(prepared, ask.model);
    let place = place(site, prepared, ask)?;
    let same_host = !matches!(place, Place::Elsewhere(_) | Place::Nowhere);
    // An address of this machine is not yet a server on this machine: but what it takes shows here.
    prepared.target.local &= same_host || own;
    let eye = Eye::new(ask.shared.host.clone(), place);
    let mut told = Told::new(prepared.observer.take(), somebodys);
    let client = ClientUse {
        processes: 1,
        sources: ask.settings().source_addresses,
        destination: destination(site, &prepared.target),
    };
    let mut limits = blocking(&eye, move |eye| eye.limits(architecture, client)).await.unwrap_or_default();
    // Sessions are spread over as many processes as it takes: the files of one are no wall.
    limits.retain(|limit| limit.kind != WallKind::ClientFiles || limit.name != "RLIMIT_NOFILE");
    let room = room(&mut told, prepared, !somebodys).await;
    // A limit that peaje chose by itself, to have room for the ladder, is no wall.
    let chosen = own && ask.shared.args.own.max_sessions.is_none();
    if let Some(read) = told.limits().await.filter(|_| !chosen) {
        limits.push(limit_of_server(&read, prepared, S::ENGINE));
    }
    let mut facts = Vec::new();
    let mut gaps = Vec::new();
    if somebodys && !ask.shared.args.safety.reading.no_observer {
        others(site, prepared, ask, &mut facts, &mut gaps).await;
    }
    let result = SessionsResult {
        label: label(ask, &prepared.target),
        answered: prepared.what_answered.as_ref().map(answered),
        architecture,
        memory_source: eye.source(),
        started_by_peaje: own,
        same_host,
        limits,
        ..SessionsResult::default()
    };
    Ok(Ground { eye, told, somebodys, result, room, facts, gaps })
}

/// The target in the words of the command line, without secrets.
pub(super) fn label(ask: Ask<'_>, target: &Target) -> String {
    if target.kind == TargetKind::User { target.url.clone() } else { ask.label.to_owned() }
}

fn answered(what: &WhatAnswered) -> String {
    let through = what.pooler.as_ref().map(|pooler| format!(" through {pooler}")).unwrap_or_default();
    let version = what.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    format!("{}{version}{through}", what.product)
}

/// How the server serves a session, as its product is known to, or as its settings say.
fn architecture(prepared: &Prepared, model: Option<ModelArg>) -> Option<Architecture> {
    if let Some(model) = model {
        return Some(match model {
            ModelArg::Thread => Architecture::Thread,
            ModelArg::Process => Architecture::Process,
            ModelArg::Event => Architecture::Event,
        });
    }
    let what = prepared.what_answered.as_ref()?;
    let pooled = || {
        let found = Facts(&prepared.facts).text("thread_handling");
        found.is_some_and(|how| how.starts_with("pool") || how.starts_with("loaded"))
    };
    match what.product.as_str() {
        _ if what.reference_server => None,
        _ if what.segment.has_something_between() => None,
        product if product.contains("PostgreSQL") => Some(Architecture::Process),
        product if product.contains("PgBouncer") => Some(Architecture::Event),
        product if product.contains("MariaDB") || product.contains("MySQL") => {
            Some(if pooled() { Architecture::ThreadPool } else { Architecture::Thread })
        }
        product if product.contains("SQL") => Some(Architecture::ThreadPool),
        _ => None,
    }
}

/// Where the memory of the server is read.
fn place<S: Site>(site: &S, prepared: &Prepared, ask: Ask<'_>) -> anyhow::Result<Place> {
    if let Some(path) = &ask.shared.args.memory.observed_by {
        let observed = Observed::open(path)?;
        ask.request.printer.say(&format!("note: {}", observed.assumption()));
        return Ok(Place::Elsewhere(observed));
    }
    let host = ask.shared.host.as_ref();
    if let Some(pid) = ask.shared.args.memory.server_pid {
        if host.process_name(pid).is_none() {
            return Err(hinted(
                format!("there is no process {pid} here (--server-pid)"),
                "give the number of the server's first process on this machine, or leave it out",
            ));
        }
        return Ok(Place::Processes(ProcessSet::tree(pid)));
    }
    let answered = prepared.what_answered.as_ref();
    let own = ask.served.map(peaje_refserver::RefServer::top_process);
    let pid = own.or_else(|| site.server_pid(host, &prepared.target, answered)).or_else(|| pooler(prepared, ask));
    Ok(match pid {
        Some(pid) => Place::Processes(ProcessSet::tree(pid)),
        None if prepared.target.local => Place::ThisMachine,
        None => Place::Nowhere,
    })
}

/// A pooler that listens here: what its own process takes is what a client's session costs first.
fn pooler(prepared: &Prepared, ask: Ask<'_>) -> Option<u32> {
    let what = prepared.what_answered.as_ref()?;
    if !prepared.target.local || !matches!(what.segment, Segment::Pooler | Segment::PoolerConsole) {
        return None;
    }
    ask.shared.host.listener_pid(address(&prepared.target)?)
}

/// The address that answered.
fn address(target: &Target) -> Option<SocketAddr> {
    target.addresses.iter().find(|probe| probe.outcome == OutcomeKind::Ok)?.address.parse().ok()
}

/// Where sessions go, for their ports; `None` = a Unix socket.
fn destination<S: Site>(site: &S, target: &Target) -> Option<SocketAddr> {
    let endpoint = site.endpoints().first()?;
    let port = endpoint.port()?;
    address(target).or_else(|| Some(SocketAddr::new(endpoint.host().parse().ok()?, port)))
}

/// The free sessions, as somebody's consent needs them.
async fn room(told: &mut Told, prepared: &Prepared, own: bool) -> Room {
    if own {
        return Room::OwnServer;
    }
    if let Some(limits) = told.limits().await {
        return Room::Known(limits);
    }
    let why = told.first_reason().or(prepared.gaps.first()).map(|gap| gap.why.clone());
    Room::Unknown(why.unwrap_or_else(|| "there is no session beside the load".to_owned()))
}

/// The least limit that the server tells: its own, or that of the database or the login.
fn limit_of_server(read: &SessionLimits, prepared: &Prepared, engine: &str) -> LimitRead {
    let setting = if engine == "sqlserver" { "user connections" } else { "max_connections" };
    let whole = Facts(&prepared.facts).number(setting);
    let account = whole.is_some_and(|whole| (read.limit as f64) < whole);
    LimitRead {
        kind: if account { WallKind::AccountLimit } else { WallKind::ServerLimit },
        name: if account { "connection limit of the database or the login".to_owned() } else { setting.to_owned() },
        limit: read.limit,
        taken: read.in_use + read.reserved,
        per_session: 1.0,
    }
}

/// Everybody else's sessions: how many work, and how many never did.
async fn others<S: Site>(site: &S, prepared: &Prepared, ask: Ask<'_>, facts: &mut Vec<Fact>, gaps: &mut Vec<Gap>) {
    let options = WatchOptions {
        program_name: program_name(ask.shared.args.session.tag.as_deref()),
        sessions: Snapshot::Sessions,
    };
    let open = site.watcher(options, prepared.access_token.clone());
    let what = "sessions of others";
    let gap = |why: String| Gap { what: what.to_owned(), why, next_step: None };
    let listed = tokio::time::timeout(LIST_LIMIT, async {
        let mut watcher = open().await.map_err(|failure| gap(failure.words()))?;
        let reading = watcher.read().await.map_err(|failure| gap(failure.words()));
        watcher.close().await;
        reading
    });
    let reading = match listed.await {
        Ok(Ok(reading)) => reading,
        Ok(Err(gap)) => return gaps.push(gap),
        Err(_) => return gaps.push(gap(format!("no answer within {} s", LIST_LIMIT.as_secs()))),
    };
    let Some(rows) = &reading.sessions else {
        return gaps.push(gap("the list of sessions may not be seen".to_owned()));
    };
    let clients: Vec<_> = rows.iter().filter(|row| row.apart.is_none()).collect();
    let mut fact = |name: &str, value: usize| {
        facts.push(Fact {
            name: name.to_owned(),
            value: FactValue::Number(value as f64),
            unit: None,
            source: "list of sessions".to_owned(),
            at: None,
        });
    };
    fact("other_sessions", clients.len());
    fact("other_sessions_active", clients.iter().filter(|row| row.state == SessionState::Active).count());
    if clients.iter().all(|row| row.used.is_some()) {
        fact("never_used_sessions", clients.iter().filter(|row| row.used == Some(false)).count());
    }
}

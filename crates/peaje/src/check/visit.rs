//! One visit: the login made alone, the server's own words, what this machine tells, the probe; then the run file.
//!
//! Each stage has its own end in time, so that a server that hangs costs less than a minute and a gap, not the visit.

use std::future::Future;
use std::time::Duration;

use jiff::Timestamp;
use peaje_engine::{Observer, Snapshot, WatchOptions, WatchReading, census, program_name};
use peaje_lab::Stop;
use peaje_model::{
    CertificateSeen, CheckResult, CheckSettings, Ended, Experiment, Fact, Facts, Gap, LoginResult, LongView, Run,
    ServerSeen, SessionRoom, Settings,
};

use super::Visit;
use super::machine::{self, Process};
use crate::exit::Status;
use crate::login::{self, Occasion, Outcome, Prepared, Site};
use crate::{reports, signals};

/// Each of: the facts of a check, the watcher's readings after its login, which has the limit of a login.
const READ_LIMIT: Duration = Duration::from_secs(6);
/// The longest login that is waited for.
const LONGEST_LOGIN: Duration = Duration::from_secs(15);
const GOODBYE: Duration = Duration::from_secs(2);

const SECONDS_OF_DAY: f64 = 86_400.0;

/// Visits a server, and writes what was found.
pub(crate) async fn visit<S: Site>(mut site: S, visit: Visit<'_>) -> anyhow::Result<Status> {
    let started_at = Timestamp::now();
    let host = peaje_host::this_host();
    let stop = Stop::new();
    signals::watch(stop.clone(), host.as_ref())?;
    let mut args = visit.login.args.clone();
    let timeout = args.session.login_timeout.or(site.login_timeout()).unwrap_or(login::DEFAULT_LOGIN_TIMEOUT);
    args.session.login_timeout = Some(timeout.min(LONGEST_LOGIN));
    if !site.takes_queries() {
        args.session.query.clear();
    }
    let request = login::Request { args: &args, ..visit.login };
    for warning in site.warnings() {
        request.printer.say(&format!("note: {warning}"));
    }
    let prepared = tokio::select! {
        biased;
        () = stop.aborted() => return Ok(Status::Interrupted),
        prepared = login::prepare(&mut site, request, &host) => prepared?,
    };
    let occasion = Occasion { request, host: host.as_ref(), started_at };
    let mut prepared = match prepared {
        Outcome::Ready(prepared) => *prepared,
        Outcome::Failed { prepared, failure } => {
            let draft = occasion.draft_of_failure(&prepared, &failure);
            let mut run = finished(draft, visit, &prepared, None);
            reports::write_views(&mut run, &args.output, request.printer)?;
            return Err(login::error(&failure));
        }
    };
    let mut result = tokio::select! {
        biased;
        () = stop.aborted() => return Ok(Status::Interrupted),
        result = read(&site, &mut prepared, visit) => result,
    };
    result.certificate = certificate(&prepared, started_at);
    let server_cpu = site.server_cpu(&host, &prepared.target, prepared.what_answered.as_ref());
    let process = if server_cpu.is_some() { Process::TheServers } else { Process::Unknown };
    let answered = prepared.what_answered.as_ref();
    match machine::limits(host.as_ref(), site.endpoints().first(), &prepared.target, answered, process) {
        Ok(limits) => result.host = Some(limits),
        Err(why) => result.host_unknown = Some(why),
    }
    let (ended, login, gaps) = if visit.probe > 0 {
        tokio::select! {
            biased;
            () = stop.aborted() => return Ok(Status::Interrupted),
            agreed = login::agree(&site, &mut prepared, host.as_ref(), request) => agreed?,
        }
        let measured = login::load(&site, &mut prepared, &host, &stop, request).await?;
        (measured.ended, (measured.rtt_us, measured.series), measured.gaps)
    } else {
        close(prepared.observer.take()).await;
        (Ended::Completed, (None, Vec::new()), Vec::new())
    };
    drop(site);
    let first_login = Some(prepared.first_login.clone());
    let draft = occasion.draft(&prepared, ended, LoginResult { first_login, rtt_us: login.0, series: login.1 }, gaps);
    let mut run = finished(draft, visit, &prepared, Some(result));
    reports::write(&mut run, &args.output, request.printer)?;
    Ok(reports::status(&run, &args.output))
}

/// The draft of logins, as a check's run with its findings.
fn finished(mut run: Run, visit: Visit<'_>, prepared: &Prepared, result: Option<CheckResult>) -> Run {
    run.experiment = Experiment::Check;
    run.settings = Settings::Check(CheckSettings {
        probe: visit.probe,
        login_timeout_s: prepared.settings.login_timeout_s,
        since: visit.since.map(|earlier| earlier.place.clone()),
    });
    run.check = result;
    for argument in &mut run.environment.command_line {
        if visit.others.contains(argument) {
            "***".clone_into(argument);
        }
    }
    let mut seen: Vec<Gap> = Vec::new();
    run.gaps.retain(|gap| {
        !seen.contains(gap) && {
            seen.push(gap.clone());
            true
        }
    });
    run.findings = peaje_diagnose::diagnose(&run);
    run
}

/// What the server tells; whatever it does not tell is a gap.
async fn read<S: Site>(site: &S, prepared: &mut Prepared, visit: Visit<'_>) -> CheckResult {
    let mut result = CheckResult::default();
    if let Some(mut observer) = prepared.observer.take() {
        let told = within("the settings and views of a check", READ_LIMIT, ask(observer.as_mut())).await;
        match told {
            Ok((room, facts, gaps)) => {
                result.room = room;
                prepared.facts.extend(facts);
                // A reference server has nothing of what they speak of.
                let reference = prepared.what_answered.as_ref().is_some_and(|what| what.reference_server);
                prepared.gaps.extend(gaps.into_iter().filter(|_| !reference));
                prepared.observer = Some(observer);
            }
            // A statement may still be under way on that session: it is of no more use.
            Err(gap) => prepared.gaps.push(gap),
        }
    }
    // Without a probe it has done its work. Where a server does not tell programs apart (MariaDB without its performance
    // schema), it would be listed as somebody's.
    if visit.probe == 0 {
        close(prepared.observer.take()).await;
    }
    let options = WatchOptions {
        program_name: program_name(visit.login.args.session.tag.as_deref()),
        sessions: Snapshot::Sessions,
    };
    let open = site.watcher(options, prepared.access_token.clone());
    // A directory that takes seconds to let anybody in is no reason to read nothing.
    let limit = Duration::from_secs_f64(prepared.settings.login_timeout_s) + READ_LIMIT;
    let reading = within("sessions and counters", limit, async {
        let mut watcher = open().await.map_err(|failure| Gap {
            what: "sessions and counters".to_owned(),
            why: format!("the reading session could not log in: {}", failure.words()),
            next_step: failure.hint.clone(),
        })?;
        let reading = watcher.read().await;
        let room = watcher.limits().await.ok();
        let _ = tokio::time::timeout(GOODBYE, watcher.close()).await;
        reading.map(|reading| (reading, room)).map_err(|failure| Gap {
            what: "sessions and counters".to_owned(),
            why: failure.words(),
            next_step: failure.hint.clone(),
        })
    })
    .await;
    match reading.and_then(|inner| inner) {
        Ok((reading, room)) => {
            prepared.gaps.extend(reading.gaps.iter().cloned());
            result.room = result.room.or(room.map(room_of));
            let own = u64::from(prepared.observer.is_some());
            note_reading(&mut result, &reading, &prepared.facts, own);
        }
        Err(gap) => prepared.gaps.push(gap),
    }
    if let Some(earlier) = visit.since {
        result.since = Some(result.since_visit(earlier.result.as_ref(), &earlier.at));
    }
    result
}

async fn close(observer: Option<Box<dyn Observer>>) {
    if let Some(observer) = observer {
        let _ = tokio::time::timeout(GOODBYE, observer.close()).await;
    }
}

async fn within<T>(what: &str, limit: Duration, work: impl Future<Output = T>) -> Result<T, Gap> {
    tokio::time::timeout(limit, work).await.map_err(|_| Gap {
        what: what.to_owned(),
        why: format!("the server did not answer within {} s", limit.as_secs()),
        next_step: Some("try again when it is less busy".to_owned()),
    })
}

/// Room for sessions, with the observer's own left out; then what only a check needs.
async fn ask(observer: &mut dyn Observer) -> (Option<SessionRoom>, Vec<Fact>, Vec<Gap>) {
    let room = observer.limits().await;
    let (facts, mut gaps) = observer.check_facts().await;
    let room = room.map_err(|gap| gaps.push(gap)).ok().map(room_of);
    (room, facts, gaps)
}

/// The session that asks is one of those in use.
fn room_of(limits: peaje_engine::SessionLimits) -> SessionRoom {
    SessionRoom { limit: limits.limit, in_use: limits.in_use.saturating_sub(1), reserved: limits.reserved }
}

/// Name of the fact that holds the time that all ended sessions lasted, seconds.
const SESSION_TIME: &str = "session_time_s";

/// `own`: sessions of peaje besides the watcher's, which the counters hold and the list tells apart.
fn note_reading(result: &mut CheckResult, reading: &WatchReading, facts: &[Fact], own: u64) {
    let counters = &reading.counters;
    result.server = Some(ServerSeen {
        identity: digest(&reading.identity.name),
        started_us: reading.identity.started_us,
        origin: digest(&reading.identity.origin),
        clock_us: reading.server_clock_us,
    });
    result.peak_sessions = counters.peak_sessions;
    result.applications = census::applications(reading);
    result.apart = census::apart(reading);
    result.authentication = census::authentication(reading);
    let counted = counters.sessions.map(|n| n.saturating_sub(own));
    result.sessions = result.sum(|group| Some(group.sessions)).or(counted);
    result.active = result.sum(|group| Some(group.active)).or(counters.active);
    let time_s = counters.since_us.map(|since| reading.server_clock_us.saturating_sub(since) as f64 / 1e6);
    let view = LongView::of(census::server_counters(counters), time_s, result.sessions.map(|n| n as f64));
    result.since_start = Some(view.with_session_time(Facts(facts).number(SESSION_TIME)));
}

/// Stands for a name without telling it (FNV-1a): run files are compared, and shown to strangers.
fn digest(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

fn certificate(prepared: &Prepared, now: Timestamp) -> Option<CertificateSeen> {
    let ends_s = prepared.first_login.certificate_ends_s?;
    let ends = i64::try_from(ends_s).ok().and_then(|s| Timestamp::from_second(s).ok());
    // A certificate without an end says so with the year 9999, which the calendar here may not hold.
    let ends = ends.map_or_else(|| "9999-12-31T23:59:59Z".to_owned(), |ends| ends.to_string());
    Some(CertificateSeen { ends, days_left: (ends_s as f64 - now.as_second() as f64) / SECONDS_OF_DAY })
}

//! Before any load: every address once (where there are several), one login alone for each TLS setting, then the server's own words.
//!
//! A wrong password must cost exactly one failed login, so nothing else logs in before the first one has worked.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use peaje_engine::{Endpoint, Failure, SourceAddresses, probe_addresses, resolve};
use peaje_host::Host;
use peaje_model::{
    AddressProbe, FirstLogin, Gap, LoginSettings, OutcomeKind, Phase, Secret, Target, TargetKind, TlsMode,
};

use super::{LoginPlan, Prepared, Request, Site, login_timeout};
use crate::ask;
use crate::exit::hinted;

/// Addresses that do not answer within this time are called dead, without waiting for the whole login timeout.
const PROBE_LIMIT: Duration = Duration::from_secs(5);

/// How long the server's own account may take: settings and views, some twenty questions.
const OBSERVE_LIMIT: Duration = Duration::from_secs(10);

/// Whether the load can begin.
pub(crate) enum Outcome {
    Ready(Box<Prepared>),
    Failed { prepared: Box<Prepared>, failure: Failure },
}

/// Dials every address of a server that peaje did not start.
pub(super) async fn probe<S: Site>(site: &S, login_timeout: Duration) -> (Vec<AddressProbe>, Option<f64>) {
    if site.kind() != TargetKind::User {
        return (Vec::new(), None);
    }
    let limit = login_timeout.min(PROBE_LIMIT);
    if let [Endpoint::Tcp { host, .. }] = site.endpoints() {
        let before = Instant::now();
        let found = tokio::time::timeout(limit, resolve(&site.endpoints()[0])).await;
        // A dial that sends nothing is a failed connection to some servers, which may block the host for it: the only
        // address is dialled by the first login.
        if let Ok(Ok(addresses)) = found
            && let [address] = addresses[..]
        {
            let is_name = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_err();
            let resolve_us = is_name.then(|| before.elapsed().as_nanos() as f64 / 1e3);
            let (host, address) = (site.endpoints()[0].host(), address.to_string());
            return (vec![AddressProbe { host, address, outcome: OutcomeKind::Ok, took_us: 0.0 }], resolve_us);
        }
    }
    probe_addresses(site.endpoints(), limit).await
}

/// The only address was not dialled alone: the first login tells how it answered.
fn judge_only_address(target: &mut Target, first: &FirstLogin, failure: Option<&Failure>) {
    let [probe] = &mut target.addresses[..] else { return };
    let Some(connect_us) = first.phases_us.get(&Phase::Connect) else { return };
    probe.took_us = *connect_us;
    if let Some(failure) = failure.filter(|f| f.phase == Some(Phase::Connect)) {
        probe.outcome = failure.kind;
    }
}

/// Whether the server runs on this machine.
pub(super) fn is_local<S: Site>(site: &S, addresses: &[AddressProbe], host: &dyn Host) -> bool {
    site.kind() != TargetKind::User
        || matches!(site.endpoints().first(), Some(Endpoint::Unix { .. }))
        || addresses
            .iter()
            .find(|a| a.outcome == OutcomeKind::Ok)
            .and_then(|a| a.address.parse::<SocketAddr>().ok())
            .is_some_and(|a| host.is_local(a.ip()))
}

/// Addresses that did not answer, while another one did.
pub(super) fn dead(target: &Target) -> Vec<SocketAddr> {
    if target.addresses.iter().all(|a| a.outcome != OutcomeKind::Ok) {
        return Vec::new();
    }
    target.addresses.iter().filter(|a| a.outcome != OutcomeKind::Ok).filter_map(|a| a.address.parse().ok()).collect()
}

pub(super) async fn run<S: Site>(
    site: &mut S,
    request: Request<'_>,
    settings: LoginSettings,
    target: Target,
    access_token: Option<Secret>,
) -> anyhow::Result<Outcome> {
    let mut prepared = Box::new(Prepared {
        settings,
        target,
        first_login: FirstLogin {
            outcome: OutcomeKind::Aborted,
            total_us: 0.0,
            phases_us: std::collections::BTreeMap::new(),
            round_trips: 0,
            tls: None,
            certificate_ends_s: None,
            auth: None,
        },
        what_answered: None,
        facts: Vec::new(),
        gaps: Vec::new(),
        observer: None,
        access_token,
    });
    let plan = super::plan_of(&prepared, 1);
    for (index, tls) in prepared.settings.tls.clone().into_iter().enumerate() {
        let (first, result) = log_in_once(site, request, tls, &plan, &prepared.settings).await?;
        if index == 0 || result.is_err() {
            judge_only_address(&mut prepared.target, &first, result.as_ref().err());
            prepared.first_login = first;
        }
        if let Err(mut failure) = result {
            if prepared.settings.tls.len() > 1 {
                failure.message = format!("with TLS {}: {}", tls.name(), failure.message);
            }
            return Ok(Outcome::Failed { prepared, failure });
        }
    }
    if !request.args.safety.reading.no_observer {
        observe(site, &mut prepared, &plan).await;
    }
    Ok(Outcome::Ready(prepared))
}

/// One login, alone; asks for the password when only that is missing.
async fn log_in_once<S: Site>(
    site: &mut S,
    request: Request<'_>,
    tls: TlsMode,
    plan: &LoginPlan,
    settings: &LoginSettings,
) -> anyhow::Result<(FirstLogin, Result<(), Failure>)> {
    let plan = LoginPlan { sources: SourceAddresses::new(1), ..plan.clone() };
    let has_query = !plan.query.is_empty();
    let connector = site.connector(tls, &plan)?;
    let (first, result) = peaje_lab::first_login(&connector, has_query, login_timeout(settings)).await;
    match &result {
        Err(failure) if site.lacks_password(failure) && request.printer.can_ask() => {
            let user = site.user().unwrap_or_default();
            let typed = ask::password(format!("Password for {user}: ")).await?;
            site.give_password(typed);
            let connector = site.connector(tls, &plan)?;
            Ok(peaje_lab::first_login(&connector, has_query, login_timeout(settings)).await)
        }
        _ => Ok((first, result)),
    }
}

/// The server's own account; whatever cannot be read is a gap and ends nothing.
async fn observe<S: Site>(site: &S, prepared: &mut Prepared, plan: &LoginPlan) {
    let tls = prepared.settings.tls.first().copied().unwrap_or(TlsMode::AsUrl);
    let account = async {
        let mut observer = site.observe(tls, plan).await?;
        let what = observer.what_answered().await;
        let (facts, gaps) = observer.facts().await;
        Ok::<_, Gap>((observer, what, facts, gaps))
    };
    let account = tokio::time::timeout(OBSERVE_LIMIT, account).await.unwrap_or_else(|_| {
        Err(Gap {
            what: "the server's own account".to_owned(),
            why: format!("the server did not answer all questions within {} s", OBSERVE_LIMIT.as_secs()),
            next_step: Some("try again when it is less busy".to_owned()),
        })
    });
    match account {
        Err(gap) => prepared.gaps.push(gap),
        Ok((observer, what, facts, gaps)) => {
            match what {
                Ok(what) => prepared.what_answered = Some(what),
                Err(gap) => prepared.gaps.push(gap),
            }
            prepared.facts = facts;
            prepared.gaps.extend(gaps);
            prepared.observer = Some(observer);
        }
    }
}

/// The failure as the command's error.
pub(crate) fn error(failure: &Failure) -> anyhow::Error {
    let what = match failure.phase {
        Some(Phase::FirstQuery) => "the first login, made alone, worked, but its query failed",
        _ => "the first login, made alone, failed",
    };
    let message = format!("{what} ({}): {}", failure.kind.name(), failure.words());
    match (&failure.hint, failure.phase) {
        (Some(hint), _) => hinted(message, hint),
        (None, Some(Phase::FirstQuery)) => hinted(message, "mend the query of --query; it runs in each operation"),
        (None, _) => anyhow::anyhow!(message),
    }
}

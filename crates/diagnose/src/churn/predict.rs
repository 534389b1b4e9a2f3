//! What declared pools predict: the logins that are healthy, those of an idle timeout, the ramp after a failover, and
//! whether all minimums fit under the server's limit. Arithmetic of settings, to be held against what is measured.
//!
//! A figure is `None` when a setting that it needs was not declared: defaults differ between pools, so none is assumed.

use crate::churn::DeclaredPool;

/// Share of the limit from which the sum of minimums is a warning.
const TIGHT: f64 = 0.6;

/// Share from which it is serious.
const SERIOUS: f64 = 0.8;

/// A rolling deployment with the usual surge of a quarter: so many more clients run while it lasts.
pub const USUAL_SURGE: f64 = 0.25;

/// Logins per second that a declared kind of pool causes when nothing is wrong: each session is replaced once in its
/// maximum lifetime (sessions ÷ lifetime, over all clients). Of a pool that grows, the least is by its minimum and the most
/// by its maximum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BaselineTurnover {
    /// With every pool at its minimum.
    pub least_per_s: Option<f64>,
    /// With every pool at its maximum.
    pub most_per_s: Option<f64>,
}

/// See [`BaselineTurnover`]; a lifetime of 0 or none is never reached.
pub fn baseline_turnover(pool: &DeclaredPool) -> BaselineTurnover {
    let clients = f64::from(pool.clients.unwrap_or(1));
    let replaced = |sessions: Option<u32>| match pool.lifetime_s {
        Some(lifetime_s) if lifetime_s > 0.0 => Some(clients * f64::from(sessions?) / lifetime_s),
        Some(_) => Some(0.0),
        None => None,
    };
    BaselineTurnover { least_per_s: replaced(pool.min.or(pool.max)), most_per_s: replaced(pool.max.or(pool.min)) }
}

/// Logins per second at most when the idle timeout closes what a burst opened and the next burst opens it again: sessions
/// above the minimum ÷ (idle timeout + half a sweep), over all clients.
pub fn idle_turnover(pool: &DeclaredPool) -> Option<f64> {
    let above_min = pool.max?.saturating_sub(pool.min.unwrap_or(0));
    per_idle_timeout(pool, above_min)
}

/// Logins per second of a pool that closes idle sessions under its own minimum and opens them again at once: minimum ÷
/// (idle timeout + half a sweep), over all clients, all day.
pub fn refill_turnover(pool: &DeclaredPool) -> Option<f64> {
    per_idle_timeout(pool, pool.min?)
}

fn per_idle_timeout(pool: &DeclaredPool, sessions: u32) -> Option<f64> {
    let idle_s = pool.idle_s.filter(|idle_s| *idle_s > 0.0)?;
    let clients = f64::from(pool.clients.unwrap_or(1));
    Some(clients * f64::from(sessions) / (idle_s + pool.sweep_s.unwrap_or(0.0) / 2.0))
}

/// Time until all sessions are back after a failover, seconds. Most pools open one session after the other, so a client
/// needs sessions × login time; the server needs all sessions ÷ the logins that it can take in a second. The longer one
/// counts.
pub fn ramp_s(clients: u32, sessions_each: u32, login_s: f64, server_logins_per_s: Option<f64>) -> f64 {
    let by_client = f64::from(sessions_each) * login_s;
    let capacity = server_logins_per_s.filter(|per_s| *per_s > 0.0);
    let by_server = capacity.map_or(0.0, |per_s| f64::from(clients) * f64::from(sessions_each) / per_s);
    by_client.max(by_server)
}

/// Whether the minimums of all clients fit under a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Room {
    /// Below 60 % of it.
    Fits,
    /// From 60 %.
    Tight,
    /// From 80 %.
    Serious,
    /// From 100 %: the last clients are refused.
    Refused,
}

/// The sum of minimums against the limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SumOfMinimums {
    /// Sessions of all clients at their minimum.
    pub sessions: u64,
    /// The same while a deployment lasts, when old and new clients run side by side.
    pub in_deployment: u64,
    /// Share of the limit, now.
    pub share: f64,
    /// Share of the limit in a deployment.
    pub share_in_deployment: f64,
    /// What the share in a deployment means.
    pub room: Room,
}

/// Clients × minimum against the limit, and with `surge` more clients (0.25 = a quarter) in a rolling deployment.
pub fn sum_of_minimums(clients: u32, min: u32, limit: u64, surge: f64) -> SumOfMinimums {
    let sessions = u64::from(clients) * u64::from(min);
    let more = (f64::from(clients) * surge.max(0.0)).ceil() as u64;
    let in_deployment = sessions + more * u64::from(min);
    let of_limit = |sessions: u64| sessions as f64 / limit.max(1) as f64;
    let share_in_deployment = of_limit(in_deployment);
    let room = match share_in_deployment {
        share if share >= 1.0 => Room::Refused,
        share if share >= SERIOUS => Room::Serious,
        share if share >= TIGHT => Room::Tight,
        _ => Room::Fits,
    };
    SumOfMinimums { sessions, in_deployment, share: of_limit(sessions), share_in_deployment, room }
}

/// How many sessions a pool that opens one after the other can open before the client that waits longest gives up:
/// login timeout ÷ login time, rounded down. The timeout of most clients (15 s) includes the wait for the pool.
pub fn opened_within_timeout(login_timeout_s: f64, login_s: f64) -> Option<u64> {
    (login_s > 0.0).then(|| (login_timeout_s / login_s * (1.0 + 1e-12)).floor() as u64)
}

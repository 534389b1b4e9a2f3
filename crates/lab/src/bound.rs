//! Generator-bound or server-bound: whoever was saturated sets the rate.

use peaje_model::{Bound, BoundReason, BoundReasonCode as Code, BoundVerdict};

/// What was seen of both sides in a series. Shares are 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Signs {
    /// Seconds measured.
    pub elapsed_s: f64,
    /// Operations completed.
    pub completed: u64,
    /// CPU of the busiest worker thread, share of one core.
    pub busiest_thread: f64,
    /// CPU of the client, share of all cores.
    pub client_share: f64,
    /// CPU of the local server, share of all cores; `None` when it is elsewhere.
    pub server_share: Option<f64>,
    /// Time runnable worker threads waited for a core, share of elapsed time (of the worst thread).
    pub run_delay: Option<f64>,
    /// Operations started late, p99, microseconds (open loop only).
    pub lag_p99_us: Option<f64>,
    /// Service time, p50, microseconds.
    pub service_p50_us: Option<f64>,
    /// Connections for which this machine had no port or descriptor.
    pub no_local_port: u64,
    /// Connections dropped by full listen queues of this host, while the server was local.
    pub listen_overflows: u64,
    /// Operations in flight at most.
    pub workers: u32,
    /// Operations that were due (open loop only).
    pub due: Option<u64>,
    /// Operations that failed, when the server was gone before the end.
    pub failed_by_server_gone: Option<u64>,
}

const SHORTEST_S: f64 = 0.2;
const FEWEST: u64 = 20;
/// A thread above this share of a core has no capacity left.
const SATURATED: f64 = 0.9;
/// All cores together, when both sides run on this machine.
const MACHINE_SATURATED: f64 = 0.85;
/// Who uses this many times the CPU of the other is the one to blame for a saturated machine.
const CLEARLY_MORE: f64 = 1.5;
/// Waiting for a core this long means that the generator did not run when it wanted to.
const DELAYED: f64 = 0.3;
/// An open loop that completes this share of what was due is limited by nothing but its schedule.
const REACHED: f64 = 0.97;

/// Decides from the signs. Only signs that speak for the verdict, or make it undecided, are listed.
pub fn judge(signs: &Signs) -> Bound {
    if signs.no_local_port > 0 {
        return bound(BoundVerdict::Generator, &[(Code::NoLocalPort, signs.no_local_port as f64, 0.0)]);
    }
    if let Some(failed) = signs.failed_by_server_gone {
        // A part of the time nobody answered: neither CPU nor waiting says what the rate would have been.
        return bound(BoundVerdict::Undecided, &[(Code::ServerGone, failed as f64, 0.0)]);
    }
    if signs.elapsed_s < SHORTEST_S || signs.completed < FEWEST {
        return bound(BoundVerdict::Undecided, &[(Code::TooShort, signs.elapsed_s, SHORTEST_S)]);
    }
    if let Some(due) = signs.due
        && signs.completed as f64 >= due as f64 * REACHED
    {
        let lag = signs.lag_p99_us.unwrap_or(0.0);
        let waiting = (Code::Waiting, signs.service_p50_us.unwrap_or(0.0), 0.0);
        return bound(BoundVerdict::Undecided, &[waiting, (Code::Lag, lag, 0.0)]);
    }
    let client = (Code::ClientCpu, signs.busiest_thread, SATURATED);
    let machine = (Code::ClientShareOfMachine, signs.client_share, MACHINE_SATURATED);
    let Some(server_share) = signs.server_share else { return judge_remote(signs, client) };
    let server = (Code::ServerShareOfMachine, server_share, MACHINE_SATURATED);
    if signs.client_share + server_share >= MACHINE_SATURATED {
        let verdict = if server_share >= signs.client_share * CLEARLY_MORE {
            BoundVerdict::Server
        } else if signs.client_share >= server_share * CLEARLY_MORE {
            BoundVerdict::Generator
        } else {
            BoundVerdict::Undecided
        };
        return bound(verdict, &[server, machine]);
    }
    if signs.busiest_thread >= SATURATED {
        return bound(BoundVerdict::Generator, &[client]);
    }
    if signs.listen_overflows > 0 {
        let overflows = (Code::ListenOverflows, signs.listen_overflows as f64, 0.0);
        return bound(BoundVerdict::Server, &[overflows, client]);
    }
    judge_delay(signs, &[client, server])
}

fn judge_remote(signs: &Signs, client: (Code, f64, f64)) -> Bound {
    if signs.busiest_thread >= SATURATED {
        return bound(BoundVerdict::Generator, &[client]);
    }
    judge_delay(signs, &[client])
}

/// So many workers that wait show that it is the server (or the way to it) that takes its time; fewer are just few.
const ENOUGH_WORKERS: u32 = 4;

/// Nothing was saturated: the workers wait for the server, unless this machine kept them from running. That a local
/// server had cores left, or that a few workers wait one after the other, is no limit of the server.
fn judge_delay(signs: &Signs, seen: &[(Code, f64, f64)]) -> Bound {
    let mut reasons = seen.to_vec();
    if let Some(delay) = signs.run_delay.filter(|delay| *delay >= DELAYED) {
        reasons.push((Code::RunQueueDelay, delay, DELAYED));
        let verdict = if signs.server_share.is_some() { BoundVerdict::Undecided } else { BoundVerdict::Generator };
        return bound(verdict, &reasons);
    }
    reasons.push((Code::Waiting, signs.service_p50_us.unwrap_or(0.0), 0.0));
    let server_is_idle = signs.server_share.is_some() || signs.workers < ENOUGH_WORKERS;
    bound(if server_is_idle { BoundVerdict::Undecided } else { BoundVerdict::Server }, &reasons)
}

fn bound(verdict: BoundVerdict, reasons: &[(Code, f64, f64)]) -> Bound {
    let reasons = reasons.iter().map(|&(code, value, limit)| BoundReason { code, value, limit }).collect();
    Bound { verdict, reasons }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs() -> Signs {
        Signs {
            elapsed_s: 5.0,
            completed: 5_000,
            busiest_thread: 0.2,
            client_share: 0.1,
            workers: 50,
            run_delay: Some(0.05),
            ..Signs::default()
        }
    }

    #[test]
    fn whoever_is_saturated_sets_the_rate() {
        use BoundVerdict::{Generator, Server, Undecided};
        let table: [(&str, Signs, BoundVerdict); 13] = [
            ("remote, one client", Signs { workers: 1, ..signs() }, Undecided),
            ("local, both idle", Signs { server_share: Some(0.3), ..signs() }, Undecided),
            ("remote, client idle", signs(), Server),
            ("remote, thread saturated", Signs { busiest_thread: 0.97, ..signs() }, Generator),
            ("remote, thread kept from running", Signs { run_delay: Some(0.5), ..signs() }, Generator),
            ("local, server eats the machine", Signs { server_share: Some(0.85), ..signs() }, Server),
            ("local, client eats it", Signs { client_share: 0.7, server_share: Some(0.25), ..signs() }, Generator),
            ("local, both", Signs { client_share: 0.5, server_share: Some(0.45), ..signs() }, Undecided),
            ("ports ran out", Signs { no_local_port: 1, ..signs() }, Generator),
            ("too short", Signs { elapsed_s: 0.1, ..signs() }, Undecided),
            ("too few", Signs { completed: 19, ..signs() }, Undecided),
            ("the server went away", Signs { failed_by_server_gone: Some(60), ..signs() }, Undecided),
            ("the schedule is the limit", Signs { due: Some(5_010), ..signs() }, Undecided),
        ];
        for (name, signs, expected) in table {
            let bound = judge(&signs);
            assert_eq!(bound.verdict, expected, "{name}: {bound:?}");
            assert!(!bound.reasons.is_empty(), "{name}: a verdict without reasons");
        }
    }
}

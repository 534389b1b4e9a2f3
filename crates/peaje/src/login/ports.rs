//! Local ports are planned before the run: a generator that runs out of them measures itself.

use peaje_host::Host;
use peaje_model::{CloseMode, LoginSettings};

use crate::defaults::operations_of_each;

/// How long a closed connection keeps its port on Linux (`TCP_TIMEWAIT_LEN`).
const TIME_WAIT_S: f64 = 60.0;

/// A warning when the ports of this machine will not do for the rate.
pub(crate) fn warning(settings: &LoginSettings, rate_per_s: f64, host: &dyn Host) -> Option<String> {
    // With a polite close the server closes first and keeps TIME_WAIT; a reset leaves none.
    if settings.close != CloseMode::Quick {
        return None;
    }
    let (low, high) = host.ephemeral_ports()?;
    let ports = (f64::from(high) - f64::from(low) + 1.0) * f64::from(settings.source_addresses);
    let seconds = settings.duration_s.map_or(TIME_WAIT_S, |s| s.min(TIME_WAIT_S));
    let needed =
        operations_of_each(settings).map_or(rate_per_s * seconds, |n| (n as f64).min(rate_per_s * TIME_WAIT_S));
    (needed > ports * 0.8).then(|| {
        format!(
            "about {needed:.0} local ports are needed at the same time and {ports:.0} are there: \
             use --close polite, a lower --rate, or more --source-addresses"
        )
    })
}

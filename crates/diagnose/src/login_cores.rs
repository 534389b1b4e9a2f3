//! What logging in alone costs the server: the one place that computes it, for findings and reports alike.
//!
//! Server CPU is known for an operation, never for a login: an unpooled operation holds its query too. Only the
//! difference to an operation on a kept connection is the login's; without such a series nobody may blame the login.

use peaje_model::{Mode, Run, Series};

use crate::series::At;
use crate::view::{US_PER_S, find};

/// Cores that the server spends on the operations of an unpooled series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LoginCores {
    /// On logging in alone: what the same operation costs on a kept connection is subtracted.
    LoginsAlone(f64),
    /// On operations that each log in, their queries included: no series tells what these cost.
    WholeOperations(f64),
}

/// The server CPU of one login: an unpooled operation less an operation on a kept connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoginCpu<'r> {
    /// The series that keeps its connections.
    pub(crate) kept: At<'r>,
    /// Server CPU of an unpooled operation, microseconds.
    pub(crate) unpooled_us: f64,
    /// Server CPU of an operation on a kept connection, microseconds.
    pub(crate) kept_us: f64,
}

impl LoginCpu<'_> {
    /// Of logging in, microseconds; more than 0.
    pub(crate) fn login_us(&self) -> f64 {
        self.unpooled_us - self.kept_us
    }
}

/// What a login of this unpooled series costs the server; `None` when there is no series with the same TLS that keeps
/// its connections (pooled before persistent), the CPU of one is unknown, or they do not differ as they must.
pub(crate) fn login_cpu<'r>(run: &'r Run, unpooled: &Series) -> Option<LoginCpu<'r>> {
    let unpooled_us = operation_us(unpooled).filter(|_| unpooled.mode == Mode::Unpooled)?;
    let kept = [Mode::Pooled, Mode::Persistent].into_iter().filter_map(|mode| find(run, mode, unpooled.tls));
    let mut known = kept.filter_map(|kept| Some(LoginCpu { kept, unpooled_us, kept_us: operation_us(&kept)? }));
    known.find(|cpu| cpu.login_us() > 0.0)
}

/// Cores of the server that an unpooled series keeps busy: its rate times the server CPU of a login, or of a whole
/// operation when the login's own is unknown. `None` for other series, and when rate or CPU are unknown.
pub fn login_cores(run: &Run, series: &Series) -> Option<LoginCores> {
    let whole_us = operation_us(series).filter(|_| series.mode == Mode::Unpooled)?;
    let per_us = series.throughput_per_s.value? / US_PER_S;
    Some(match login_cpu(run, series) {
        Some(cpu) => LoginCores::LoginsAlone(per_us * cpu.login_us()),
        None => LoginCores::WholeOperations(per_us * whole_us),
    })
}

/// CPU seconds of the server for 1,000 logins; `None` when the login's own cost is unknown.
pub fn cpu_s_per_1000_logins(run: &Run, series: &Series) -> Option<f64> {
    Some(login_cpu(run, series)?.login_us() * 1000.0 / US_PER_S)
}

/// Server CPU of one completed operation, microseconds.
fn operation_us(series: &Series) -> Option<f64> {
    series.server.as_ref()?.cpu_us_per_operation
}

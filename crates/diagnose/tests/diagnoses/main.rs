//! Every diagnosis against runs that show it, runs that do not, and runs that cannot tell; and what holds for all of
//! them: evidence that resolves, pages that are complete, an order that does not change.

mod build;
mod checks;
mod cores;
mod cost;
mod engines;
mod held;
mod honesty;
mod hooks;
mod reach;
mod rules;
mod samples;
mod sessions;
mod waits;
mod watched;

use peaje_model::{Param, Run, Severity, Verdict};

/// A run and what one diagnosis must say about it.
pub(crate) struct Case {
    /// The diagnosis.
    pub(crate) code: &'static str,
    /// The verdict, with the severity when found.
    pub(crate) expect: Expect,
    /// The variant.
    pub(crate) variant: &'static str,
    /// The run.
    pub(crate) run: Run,
    /// Parameters that must stand in the finding; others may.
    pub(crate) params: Vec<(&'static str, Param)>,
    /// Parameters that must not.
    pub(crate) absent: Vec<&'static str>,
}

/// A verdict, with its severity when found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    Info,
    Warning,
    Critical,
    Healthy,
    CannotSay,
}

impl Expect {
    pub(crate) fn verdict(self) -> Verdict {
        match self {
            Expect::Info | Expect::Warning | Expect::Critical => Verdict::Found,
            Expect::Healthy => Verdict::Healthy,
            Expect::CannotSay => Verdict::CannotSay,
        }
    }

    pub(crate) fn severity(self) -> Severity {
        match self {
            Expect::Critical => Severity::Critical,
            Expect::Warning => Severity::Warning,
            Expect::Info | Expect::Healthy | Expect::CannotSay => Severity::Info,
        }
    }
}

/// A case of a diagnosis.
pub(crate) fn case(code: &'static str, expect: Expect, variant: &'static str, run: Run) -> Case {
    Case { code, expect, variant, run, params: Vec::new(), absent: Vec::new() }
}

impl Case {
    /// A parameter that must stand in the finding.
    pub(crate) fn param(mut self, key: &'static str, value: Param) -> Self {
        self.params.push((key, value));
        self
    }

    /// A parameter that must not stand in the finding.
    pub(crate) fn absent(mut self, key: &'static str) -> Self {
        self.absent.push(key);
        self
    }

    pub(crate) fn us(self, key: &'static str, us: f64) -> Self {
        self.param(key, Param::Us(us))
    }

    pub(crate) fn ratio(self, key: &'static str, ratio: f64) -> Self {
        self.param(key, Param::Ratio(ratio))
    }

    pub(crate) fn share(self, key: &'static str, share: f64) -> Self {
        self.param(key, Param::Share(share))
    }

    pub(crate) fn count(self, key: &'static str, count: u64) -> Self {
        self.param(key, Param::Count(count))
    }

    pub(crate) fn text(self, key: &'static str, text: &str) -> Self {
        self.param(key, Param::Text(text.to_owned()))
    }

    pub(crate) fn cores_of(self, cores: f64) -> Self {
        self.param("cores", Param::Cores(cores))
    }

    pub(crate) fn bytes(self, key: &'static str, bytes: f64) -> Self {
        self.param(key, Param::Bytes(bytes))
    }

    pub(crate) fn per_s(self, key: &'static str, rate: f64) -> Self {
        self.param(key, Param::PerS(rate))
    }
}

/// Every case.
pub(crate) fn cases() -> Vec<Case> {
    [
        cost::cases(),
        waits::cases(),
        reach::cases(),
        honesty::cases(),
        engines::cases(),
        hooks::cases(),
        checks::cases(),
        watched::cases(),
        sessions::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

//! Building one finding: verdict and variant first, then parameters, then the observations behind them.
//!
//! Every finding has a `variant`, the healthy ones too: code, verdict and variant choose the sentence.

use std::collections::BTreeMap;

use peaje_model::{Evidence, Finding, Param, Severity, Verdict};

/// A finding under construction.
#[derive(Debug)]
pub(crate) struct Draft(Finding);

impl Draft {
    /// The condition is there.
    pub(crate) fn found(code: &str, variant: &str, severity: Severity) -> Self {
        Self::new(code, Verdict::Found, severity, variant)
    }

    /// It was looked for and is not there.
    pub(crate) fn healthy(code: &str, variant: &str) -> Self {
        Self::new(code, Verdict::Healthy, Severity::Info, variant)
    }

    /// The run does not hold what is needed; the variant names what is missing.
    pub(crate) fn cannot_say(code: &str, variant: &str) -> Self {
        Self::new(code, Verdict::CannotSay, Severity::Info, variant)
    }

    /// Found or healthy with the same parameters.
    pub(crate) fn judged(code: &str, variant: &str, found: Option<Severity>) -> Self {
        match found {
            Some(severity) => Self::found(code, variant, severity),
            None => Self::healthy(code, variant),
        }
    }

    /// No series of this run could tell.
    pub(crate) fn not_measured(code: &str) -> Self {
        Self::cannot_say(code, "not-measured")
    }

    /// Too few logins behind the mean.
    pub(crate) fn too_few_logins(code: &str, logins: u64, needed: u64) -> Self {
        Self::cannot_say(code, "too-few-logins").count("logins", logins).count("needed", needed)
    }

    fn new(code: &str, verdict: Verdict, severity: Severity, variant: &str) -> Self {
        let finding =
            Finding { code: code.to_owned(), verdict, severity, params: BTreeMap::new(), evidence: Vec::new() };
        Self(finding).text("variant", variant)
    }

    fn param(mut self, key: &str, value: Param) -> Self {
        self.0.params.insert(key.to_owned(), value);
        self
    }

    /// A whole number.
    pub(crate) fn count(self, key: &str, value: impl Into<Option<u64>>) -> Self {
        self.maybe(key, value.into().map(Param::Count))
    }

    /// A ratio, or a number that need not be whole.
    pub(crate) fn ratio(self, key: &str, value: impl Into<Option<f64>>) -> Self {
        self.maybe(key, value.into().map(Param::Ratio))
    }

    /// A share, 0 to 1.
    pub(crate) fn share(self, key: &str, value: impl Into<Option<f64>>) -> Self {
        self.maybe(key, value.into().map(Param::Share))
    }

    /// A time, microseconds.
    pub(crate) fn us(self, key: &str, value: impl Into<Option<f64>>) -> Self {
        self.maybe(key, value.into().map(Param::Us))
    }

    /// A rate.
    pub(crate) fn per_s(self, key: &str, value: impl Into<Option<f64>>) -> Self {
        self.maybe(key, value.into().map(Param::PerS))
    }

    /// Cores.
    pub(crate) fn cores(self, key: &str, value: impl Into<Option<f64>>) -> Self {
        self.maybe(key, value.into().map(Param::Cores))
    }

    /// CPU seconds.
    pub(crate) fn cpu_s(self, key: &str, value: impl Into<Option<f64>>) -> Self {
        self.maybe(key, value.into().map(Param::CpuS))
    }

    /// Memory.
    pub(crate) fn bytes(self, key: &str, value: impl Into<Option<f64>>) -> Self {
        self.maybe(key, value.into().map(Param::Bytes))
    }

    /// A word that is not translated.
    pub(crate) fn text(self, key: &str, value: impl Into<String>) -> Self {
        self.param(key, Param::Text(value.into()))
    }

    /// A value that may be unknown: the key is absent then.
    pub(crate) fn maybe(self, key: &str, value: Option<Param>) -> Self {
        match value {
            Some(value) => self.param(key, value),
            None => self,
        }
    }

    /// Adds observations.
    pub(crate) fn see(mut self, evidence: impl IntoIterator<Item = Evidence>) -> Self {
        self.0.evidence.extend(evidence);
        self
    }

    /// The finding.
    pub(crate) fn finish(self) -> Finding {
        self.0
    }

    /// The finding, alone.
    pub(crate) fn alone(self) -> Vec<Finding> {
        vec![self.finish()]
    }
}

/// A time seen at a place of the run file.
pub(crate) fn saw_us(path: impl Into<String>, us: impl Into<Option<f64>>) -> Option<Evidence> {
    saw(path, us.into().map(Param::Us))
}

/// A count seen at a place of the run file.
pub(crate) fn saw_count(path: impl Into<String>, count: impl Into<Option<u64>>) -> Option<Evidence> {
    saw(path, count.into().map(Param::Count))
}

/// A word seen at a place of the run file.
pub(crate) fn saw_text(path: impl Into<String>, text: impl Into<String>) -> Option<Evidence> {
    saw(path, Some(Param::Text(text.into())))
}

/// Any value seen at a place of the run file; `None` when it was `null` there.
pub(crate) fn saw(path: impl Into<String>, value: Option<Param>) -> Option<Evidence> {
    value.map(|value| Evidence { path: path.into(), value })
}

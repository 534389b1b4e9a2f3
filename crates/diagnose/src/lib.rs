//! Diagnoses: what a run says, as findings with typed parameters and the observations behind them.
//!
//! A diagnosis reads the run and nothing else, so any finding can be reproduced from a saved run file on another
//! machine. It stores no sentence: `peaje-report` renders code, variant and parameters in English or Spanish; the page
//! behind a code (`peaje explain CODE`) lives here, beside the diagnosis. A newcomer would expect silence when a figure
//! is missing. "Cannot say" is an answer, and it names what was missing.

mod account_limit;
pub mod churn;
mod diagnoses;
mod distance;
mod draft;
mod engine;
mod facts;
pub mod held;
mod login_cores;
mod series;
mod shortage;
mod targets;
mod view;
mod watched;

pub use account_limit::{AccountLimit, LimitOwner, stopped_at_account_limit};
pub use diagnoses::DIAGNOSES;
pub use distance::{Distance, login_distance};
pub use login_cores::{LoginCores, cpu_s_per_1000_logins, login_cores};
use peaje_model::{Experiment, Finding, Param, Run, Severity, Verdict};
pub use shortage::{LocalShortage, local_shortage};

/// The language of a page or a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Spanish.
    Spanish,
}

/// One diagnosis: its name, its page in both languages, and the function that examines a run.
#[derive(Debug, Clone, Copy)]
pub struct Diagnosis {
    /// The code of its findings, in a DBA's words.
    pub code: &'static str,
    /// The English page.
    pub page_en: &'static str,
    /// The Spanish page.
    pub page_es: &'static str,
    /// Examines a run. At least one finding, unless its subject does not occur in the run at all (each says which).
    pub examine: fn(&Run) -> Vec<Finding>,
}

impl Diagnosis {
    /// The page in a language.
    pub fn page(&self, language: Language) -> &'static str {
        match language {
            Language::English => self.page_en,
            Language::Spanish => self.page_es,
        }
    }
}

/// Codes that compare loads, or judge one: the few logins of a check, made one after the other, are none.
const OF_A_LOAD: [&str; 8] = [
    "counts-disagree",
    "generator-bound",
    "late-starts",
    "listen-queue-overflows",
    "pooling-pays",
    "resumption-not-happening",
    "serial-client",
    "tls-multiplies-login",
];

/// Codes that say what makes a login dear: how much that matters is a question of how many there are, which a check does
/// not know.
const COSTS: [&str; 4] =
    ["distance-dominates", "full-authentication-each-time", "rsa-key-dominates", "scram-derivation-dominates"];

/// What all diagnoses say about a run: found by severity, then healthy, then cannot say; within that in the order of
/// [`DIAGNOSES`]. The findings that the run already holds are not looked at. Each finding names the engine, because
/// what to do about the same condition has other names in each.
pub fn diagnose(run: &Run) -> Vec<Finding> {
    let of_a_load = |code: &str| run.experiment == Experiment::Check && OF_A_LOAD.contains(&code);
    let of_others = |code: &str| match run.experiment {
        Experiment::Watch => !watched::CODES.contains(&code),
        Experiment::Sessions => !targets::CODES.contains(&code),
        Experiment::Login | Experiment::Check => targets::CODES.contains(&code),
    };
    let asked = DIAGNOSES.iter().filter(|diagnosis| !of_a_load(diagnosis.code) && !of_others(diagnosis.code));
    let mut findings: Vec<Finding> = asked.flat_map(|diagnosis| (diagnosis.examine)(run)).collect();
    for finding in &mut findings {
        if run.experiment == Experiment::Check && COSTS.contains(&finding.code.as_str()) {
            finding.severity = Severity::Info;
        }
        finding.params.insert("engine".to_owned(), Param::Text(run.target.engine.clone()));
    }
    findings.sort_by_key(|finding| rank(finding.verdict, finding.severity));
    findings
}

/// Place in the order of a report; smaller comes first.
fn rank(verdict: Verdict, severity: Severity) -> u8 {
    match (verdict, severity) {
        (Verdict::Found, Severity::Critical) => 0,
        (Verdict::Found, Severity::Warning) => 1,
        (Verdict::Found, Severity::Info) => 2,
        (Verdict::Healthy, _) => 3,
        (Verdict::CannotSay, _) => 4,
    }
}

/// The page of a finding; `None` when no diagnosis has this code.
pub fn page(code: &str, language: Language) -> Option<&'static str> {
    DIAGNOSES.iter().find(|diagnosis| diagnosis.code == code).map(|diagnosis| diagnosis.page(language))
}

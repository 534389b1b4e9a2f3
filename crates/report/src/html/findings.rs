//! Findings: short on the first screen, with parameters and evidence below.

use peaje_model::{Finding, Run, Severity};

use super::markup::{Html, all, element, nothing, simple, text};
use crate::{
    catalogue::Catalogue,
    findings::{sentence, verdict_name},
    sections, words,
};

const fn class(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "finding",
        Severity::Warning => "finding warning",
        Severity::Critical => "finding critical",
    }
}

/// Title and sentence; the next step stands among the actions.
pub(super) fn short(cat: &Catalogue, finding: &Finding) -> Html {
    let said = sentence(cat, finding);
    let badge = element("span", &[("class", "badge")], text(&words::severity(cat, finding.severity)));
    let title = element("h3", &[], all([badge, text(&said.title)]));
    element("div", &[("class", class(finding.severity))], all([title, simple("p", &said.sentence)]))
}

/// Every finding, whatever its verdict, unless the run was stopped or empty.
pub(super) fn with_evidence(cat: &Catalogue, run: &Run) -> Html {
    all(run.findings.iter().filter(|finding| sections::shows(run, finding.verdict)).map(|finding| long(cat, finding)))
}

fn long(cat: &Catalogue, finding: &Finding) -> Html {
    let said = sentence(cat, finding);
    let verdict = cat.word(&format!("verdict-{}", verdict_name(finding.verdict)));
    let badge = element("span", &[("class", "badge")], text(&verdict));
    let code = element("code", &[], text(&finding.code));
    let title = element("h3", &[], all([badge, text(&said.title), text(" "), code]));
    let next = said.next_step.map_or_else(nothing, |step| {
        let step = cat.say("finding-next", &[("step", step.into())]);
        element("p", &[("class", "next")], text(&step))
    });
    let inside = all([title, simple("p", &said.sentence), next, evidence(cat, finding)]);
    element("div", &[("class", class(finding.severity))], inside)
}

fn evidence(cat: &Catalogue, finding: &Finding) -> Html {
    if finding.evidence.is_empty() {
        return nothing();
    }
    let items = finding.evidence.iter().map(|one| {
        let path = element("code", &[], text(&one.path));
        element("li", &[], all([path, text(" = "), text(&cat.units.param(&one.value))]))
    });
    let summary = simple("summary", &cat.word("page-evidence"));
    element("details", &[], all([summary, element("ul", &[], all(items))]))
}

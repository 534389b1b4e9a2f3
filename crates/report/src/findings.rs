//! The sentences of findings, made from code, verdict, variant and typed parameters.
//!
//! A code is a message; its attributes are the wordings: `.found-VARIANT`, then `.found-VARIANT-more1`, `-more2`, … for
//! what can only be said when an optional parameter is there, `.next-VARIANT` (or `.next`) for the next step,
//! `.healthy-VARIANT` (or `.healthy`), `.cannot-say-VARIANT` (or `.cannot-say`). The cannot-say variants that mean the
//! same for every code are the message `cannot-say`.

use std::collections::BTreeMap;

use fluent_bundle::FluentValue;
use peaje_model::{Finding, Param, Verdict};

use crate::{
    Language,
    catalogue::{Arg, Catalogue, without_controls},
    words,
};

/// A finding as a reader sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingSentence {
    /// A few words: what it is about.
    pub title: String,
    /// What was decided, in one or a few sentences.
    pub sentence: String,
    /// What to do; `None` unless found.
    pub next_step: Option<String>,
}

/// The words of `finding` in `language`. A code without words in the catalogue is shown as itself.
pub fn finding_sentence(finding: &Finding, language: Language) -> FindingSentence {
    sentence(&Catalogue::of(language), finding)
}

/// Whether the catalogue of `language` has words for `code` with this verdict and variant (`""`: no variant).
pub fn catalogue_has(language: Language, code: &str, verdict: Verdict, variant: &str) -> bool {
    let cat = Catalogue::of(language);
    let next = verdict != Verdict::Found || id_of(&cat, code, "next", variant).is_some();
    cat.has(code) && next && id_of(&cat, code, verdict_name(verdict), variant).is_some()
}

pub(crate) fn sentence(cat: &Catalogue, finding: &Finding) -> FindingSentence {
    let code = finding.code.as_str();
    let variant = variant(finding);
    let args = args(cat, &finding.params);
    let said = |kind: &str| id_of(cat, code, kind, variant).and_then(|id| cat.look_up(&id, &args));
    let next_step = (finding.verdict == Verdict::Found).then(|| said("next")).flatten();
    let fallback = || without_controls(&[code, verdict_name(finding.verdict), variant].join(" "));
    let mut sentences = vec![said(verdict_name(finding.verdict)).unwrap_or_else(fallback)];
    sentences.extend(more(cat, &format!("{code}.{}-{variant}", verdict_name(finding.verdict)), &args));
    // Where a run measured several servers, a finding says first of which it speaks.
    if let Some(Param::Text(target)) = finding.params.get("target") {
        sentences[0] = format!("{}: {}", without_controls(target), sentences[0]);
    }
    FindingSentence {
        title: title(cat, finding).unwrap_or_else(|| without_controls(code)),
        sentence: sentences.join(" "),
        next_step,
    }
}

/// The title; what was not found has one that does not read like an alarm, and a variant may have its own.
fn title(cat: &Catalogue, finding: &Finding) -> Option<String> {
    let code = finding.code.as_str();
    let special = match finding.verdict {
        Verdict::Found => format!("{code}.title-{}", variant(finding)),
        Verdict::Healthy | Verdict::CannotSay => format!("{code}.title"),
    };
    let special = cat.has(&special).then(|| cat.look_up(&special, &[])).flatten();
    special.or_else(|| cat.look_up(code, &[]))
}

/// The title with the code.
pub(crate) fn title_and_code(cat: &Catalogue, finding: &Finding) -> String {
    let code = without_controls(&finding.code);
    match title(cat, finding) {
        Some(title) => cat.say("finding-title", &[("title", title.into()), ("code", code.into())]),
        None => code,
    }
}

/// The codes, and why they cannot be judged in a few words, each reason once:
/// `pooling-pays (no pooled series: --mode unpooled,pooled); no-pooling, session-leak (not enough seen yet)`.
pub(crate) fn codes_and_reasons<'f>(cat: &Catalogue, findings: impl Iterator<Item = &'f Finding>) -> String {
    let mut groups: Vec<(Option<String>, Vec<String>)> = Vec::new();
    for finding in findings {
        let (reason, code) = (reason(cat, finding), without_controls(&finding.code));
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, codes)) if codes.contains(&code) => {}
            Some((_, codes)) => codes.push(code),
            None => groups.push((reason, vec![code])),
        }
    }
    let said = groups.into_iter().map(|(reason, codes)| match reason {
        Some(reason) => format!("{} ({reason})", codes.join(", ")),
        None => codes.join(", "),
    });
    said.collect::<Vec<_>>().join("; ")
}

/// Why a finding cannot say, and when it will.
fn reason(cat: &Catalogue, finding: &Finding) -> Option<String> {
    let short =
        id_of(cat, &finding.code, "short", variant(finding)).filter(|_| finding.verdict == Verdict::CannotSay)?;
    let reason = cat.look_up(&short, &[])?;
    Some(match finding.params.get("verdict_at") {
        Some(Param::Text(at)) => {
            cat.say("codes-reason-until", &[("reason", reason.into()), ("at", without_controls(at).into())])
        }
        _ => reason,
    })
}

fn variant(finding: &Finding) -> &str {
    match finding.params.get("variant") {
        Some(Param::Text(variant)) => variant,
        _ => "",
    }
}

/// The additional sentences whose parameters are all there.
fn more(cat: &Catalogue, stem: &str, args: &[Arg<'_>]) -> Vec<String> {
    let ids = (1..).map(|n| format!("{stem}-more{n}")).take_while(|id| cat.has(id));
    ids.filter_map(|id| cat.look_up(&id, args)).collect()
}

/// The most special wording there is: for the variant, for the code, for every code.
fn id_of(cat: &Catalogue, code: &str, kind: &str, variant: &str) -> Option<String> {
    [format!("{code}.{kind}-{variant}"), format!("{kind}.{variant}"), format!("{code}.{kind}")]
        .into_iter()
        .find(|id| cat.has(id))
}

pub(crate) const fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Found => "found",
        Verdict::Healthy => "healthy",
        Verdict::CannotSay => "cannot-say",
    }
}

/// Parameters that choose between wordings; a finding without them gets the general one.
const CHOOSERS: [&str; 5] = ["engine", "stage", "cpu_change", "pooled_change", "hosts"];

/// Times that are shown as lives are (`12 min`): nobody reads 1,800 s.
const LIVES: [&str; 8] =
    ["closed_after_us", "every_us", "for_us", "full_in_us", "idle_us", "life_us", "ramp_us", "sweep_us"];

/// Whole numbers stay numbers, so that a sentence can choose between one and many.
fn args<'a>(cat: &Catalogue, params: &'a BTreeMap<String, Param>) -> Vec<Arg<'a>> {
    // An empty word is no word: a sentence that needs it is left out, as if the parameter were not there.
    let said = params.iter().filter(|(_, param)| !matches!(param, Param::Text(text) if text.is_empty()));
    let general = CHOOSERS.into_iter().filter(|key| !params.contains_key(*key)).map(|key| (key, "".into()));
    said.map(|(key, param)| (key.as_str(), value(cat, key, param))).chain(general).collect()
}

fn value<'a>(cat: &Catalogue, key: &str, param: &'a Param) -> FluentValue<'a> {
    match param {
        Param::Count(n) => (*n).into(),
        Param::Us(us) if LIVES.contains(&key) => cat.units.life(us / 1e6).into(),
        Param::Text(text) if key.starts_with("series") => words::quoted_labels(cat, text).into(),
        Param::Text(text) if key == "phase" || key == "undivided" => named(cat, "phase", text).into(),
        Param::Text(text) if key == "reasons" => {
            text.split(", ").map(|reason| named(cat, "cause", reason)).collect::<Vec<_>>().join(", ").into()
        }
        Param::Text(text) => text.as_str().into(),
        other => cat.units.param(other).into(),
    }
}

/// A word of the run file in the reader's language, itself when it is unknown.
fn named(cat: &Catalogue, kind: &str, word: &str) -> String {
    cat.look_up(&format!("{kind}-{word}"), &[]).unwrap_or_else(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use peaje_model::{Param, Severity};

    use super::*;
    use crate::catalogue::sources;

    const LANGUAGES: [Language; 2] = [Language::English, Language::Spanish];

    /// A line of the contract.
    struct Line {
        code: &'static str,
        verdict: Verdict,
        variant: &'static str,
        params: Vec<(&'static str, Param, Presence)>,
    }

    #[derive(Clone, Copy, PartialEq)]
    enum Presence {
        Always,
        Optional,
    }

    fn contract() -> Vec<Line> {
        let text = include_str!("../tests/contract.txt");
        text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(line).collect()
    }

    fn line(line: &'static str) -> Line {
        let (head, params) = line.split_once(':').unwrap();
        let [code, verdict, variant] = head.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let verdict = match verdict {
            "found" => Verdict::Found,
            "healthy" => Verdict::Healthy,
            "cannot-say" => Verdict::CannotSay,
            other => panic!("{other}"),
        };
        Line { code, verdict, variant, params: params.split_whitespace().map(param).collect() }
    }

    fn param(word: &'static str) -> (&'static str, Param, Presence) {
        let (key, kind) = word.split_once(':').unwrap();
        let value = match kind.trim_end_matches('?') {
            "C" => Param::Count(77),
            "R" => Param::Ratio(2.4),
            "S" => Param::Share(0.42),
            "U" => Param::Us(4_200.0),
            "P" => Param::PerS(412.0),
            "K" => Param::Cores(1.4),
            "Q" => Param::CpuS(3.2),
            "B" => Param::Bytes(1_887_436.8),
            "T" => Param::Text("unpooled, TLS full".into()),
            other => panic!("{other}"),
        };
        (key, value, if kind.ends_with('?') { Presence::Optional } else { Presence::Always })
    }

    fn finding(line: &Line, with: &[Presence]) -> Finding {
        let there = line.params.iter().filter(|(_, _, presence)| with.contains(presence));
        let mut params: BTreeMap<String, Param> = there.map(|(key, p, _)| ((*key).to_owned(), p.clone())).collect();
        params.insert("variant".into(), Param::Text(line.variant.into()));
        let (code, verdict) = (line.code.to_owned(), line.verdict);
        Finding { code, verdict, severity: Severity::Info, params, evidence: Vec::new() }
    }

    #[test]
    fn every_finding_of_the_contract_has_its_words_with_and_without_what_is_optional() {
        use Presence::{Always, Optional};
        for language in LANGUAGES {
            let cat = Catalogue::of(language);
            for line in contract() {
                let name = format!("{} {} {} {language:?}", line.code, verdict_name(line.verdict), line.variant);
                assert!(catalogue_has(language, line.code, line.verdict, line.variant), "{name}: not in the catalogue");
                let bare = sentence(&cat, &finding(&line, &[Always]));
                let full = sentence(&cat, &finding(&line, &[Always, Optional]));
                for said in [&bare, &full] {
                    assert!(!said.sentence.starts_with(line.code), "{name}: a parameter is missing: {}", said.sentence);
                    assert_ne!(said.title, line.code, "{name}");
                    assert_eq!(said.next_step.is_some(), line.verdict == Verdict::Found, "{name}");
                }
                let stem = format!("{}.{}-{}", line.code, verdict_name(line.verdict), line.variant);
                let all = finding(&line, &[Always, Optional]);
                let said = more(&cat, &stem, &args(&cat, &all.params)).len();
                let there = (1..100).take_while(|n| cat.has(&format!("{stem}-more{n}"))).count();
                assert_eq!(said, there, "{name}: an additional sentence needs a parameter that never comes");
            }
        }
    }

    /// One finding for each code, verdict and variant, as the diagnoses make them from their own sample runs.
    fn real_findings() -> Vec<Finding> {
        include_str!("../tests/findings.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn real_findings_obey_the_contract_and_are_said_in_full() {
        let lines = contract();
        for finding in real_findings() {
            let Param::Text(variant) = &finding.params["variant"] else { panic!("{finding:?}") };
            let is_it = |l: &&Line| l.code == finding.code && l.verdict == finding.verdict && l.variant == variant;
            let line = lines.iter().find(is_it).unwrap_or_else(|| panic!("not in the contract: {finding:?}"));
            for (key, kind, presence) in &line.params {
                let value = finding.params.get(*key);
                assert!(value.is_some() || *presence == Presence::Optional, "{key} is missing: {finding:?}");
                let same_kind = |v: &Param| std::mem::discriminant(v) == std::mem::discriminant(kind);
                assert!(value.is_none_or(same_kind), "{key} is of another kind: {finding:?}");
            }
            for key in finding.params.keys().filter(|key| *key != "variant" && *key != "engine") {
                assert!(line.params.iter().any(|(name, ..)| name == key), "{key} is not in the contract: {finding:?}");
            }
            for language in LANGUAGES {
                let said = sentence(&Catalogue::of(language), &finding);
                assert!(!said.sentence.starts_with(finding.code.as_str()), "{language:?}: {finding:?}");
                assert!(!said.sentence.contains('–') && !said.sentence.contains('{'), "{}", said.sentence);
            }
        }
    }

    #[test]
    fn the_contract_and_the_diagnoses_name_the_same_codes() {
        let ours: BTreeSet<&str> = contract().iter().map(|line| line.code).collect();
        let theirs: BTreeSet<&str> = peaje_diagnose::DIAGNOSES.iter().map(|d| d.code).collect();
        assert_eq!(ours, theirs);
        for language in LANGUAGES {
            let cat = Catalogue::of(language);
            for code in &theirs {
                assert!(cat.has(code), "{code} has no title in {language:?}");
            }
        }
    }

    /// Every message and attribute of a language with the variables it uses, read off the files.
    fn wordings(language: Language) -> BTreeMap<String, BTreeSet<String>> {
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let (mut message, mut current) = (String::new(), String::new());
        for line in sources(language).iter().flat_map(|source| source.lines()).filter(|l| !l.starts_with('#')) {
            let trimmed = line.trim_start();
            if !line.is_empty() && !line.starts_with([' ', '}']) {
                message = line.split(" =").next().unwrap().to_owned();
                current.clone_from(&message);
                if !trimmed.ends_with('=') {
                    all.entry(current.clone()).or_default();
                }
            } else if let Some(attribute) = trimmed.strip_prefix('.') {
                current = format!("{message}.{}", attribute.split(" =").next().unwrap());
                all.entry(current.clone()).or_default();
            }
            for variable in line.split('$').skip(1) {
                let name = variable.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap();
                all.entry(current.clone()).or_default().insert(name.to_owned());
            }
        }
        all
    }

    #[test]
    fn both_languages_have_the_same_messages_with_the_same_variables() {
        let (english, spanish) = (wordings(Language::English), wordings(Language::Spanish));
        assert!(english.len() > 300, "the reading of the files works: {}", english.len());
        for (id, variables) in &english {
            assert_eq!(spanish.get(id), Some(variables), "{id}");
        }
        assert_eq!(english.len(), spanish.len(), "Spanish has messages that English has not");
    }

    #[test]
    fn no_wording_of_a_finding_is_unused() {
        let mut used: BTreeSet<String> = BTreeSet::new();
        let cat = Catalogue::of(Language::English);
        for line in contract() {
            let kind = verdict_name(line.verdict);
            used.extend(id_of(&cat, line.code, kind, line.variant));
            used.extend(id_of(&cat, line.code, "next", line.variant).filter(|_| line.verdict == Verdict::Found));
            used.extend(id_of(&cat, line.code, "short", line.variant).filter(|_| line.verdict == Verdict::CannotSay));
            used.insert(format!("{}.title", line.code));
            used.insert(format!("{}.title-{}", line.code, line.variant));
            let stem = format!("{}.{kind}-{}", line.code, line.variant);
            used.extend((1..).map(|n| format!("{stem}-more{n}")).take_while(|id| cat.has(id)));
        }
        for id in wordings(Language::English).into_keys().filter(|id| id.contains('.')) {
            assert!(used.contains(&id), "{id} is never said");
        }
    }

    #[test]
    fn labels_phases_and_reasons_are_translated_inside_findings() {
        let mut found = finding(&line("slow-logins found waiting: series:T"), &[Presence::Always]);
        found.params.extend([
            ("phase".to_owned(), Param::Text("authenticate".into())),
            ("phase_us".to_owned(), Param::Us(2_000_000.0)),
            ("phase_share".to_owned(), Param::Share(0.9)),
            ("login_us".to_owned(), Param::Us(2_200_000.0)),
            ("query_us".to_owned(), Param::Us(300.0)),
            ("cpu_us".to_owned(), Param::Us(3_000.0)),
        ]);
        let said = finding_sentence(&found, Language::Spanish).sentence;
        assert!(said.contains("«autenticar» (2,00 s, 90 % del inicio)"), "{said}");
    }

    #[test]
    fn a_code_without_words_shows_itself() {
        let unknown = finding(&line("from-the-future found odd: x:C"), &[Presence::Always]);
        let said = finding_sentence(&unknown, Language::English);
        assert_eq!(said.title, "from-the-future");
        assert_eq!(said.sentence, "from-the-future found odd");
        assert_eq!(said.next_step, None);
        let hostile = Finding {
            code: "a\u{1b}]0;title\u{7}".to_owned(),
            params: [("variant".to_owned(), Param::Text("\u{1b}[2J\u{202e}x".to_owned()))].into(),
            ..unknown
        };
        let said = finding_sentence(&hostile, Language::English);
        let cat = Catalogue::of(Language::English);
        for text in [said.title, said.sentence, codes_and_reasons(&cat, [&hostile].into_iter())] {
            assert!(!text.contains(crate::catalogue::is_unsafe), "{text:?}");
        }
    }
}

//! The run file's own words (modes, phases, outcomes, reasons) as a reader sees them.
//!
//! The run file spells them in English kebab-case and stays so; only what is shown is translated. A label that is not
//! made of known words is shown as it stands.

use peaje_model::{BoundReasonCode, Mode, OutcomeKind, Phase, Series, Severity, TlsMode};

use crate::catalogue::{Catalogue, without_controls};

const MODES: [Mode; 3] = [Mode::Unpooled, Mode::Pooled, Mode::Persistent];
const TLS_MODES: [TlsMode; 4] = [TlsMode::AsUrl, TlsMode::Off, TlsMode::Full, TlsMode::Resumed];

/// The one letter of a phase, the same in every language and every output, so that a bar reads without colour.
pub(crate) const fn letter(phase: Phase) -> char {
    match phase {
        Phase::Resolve => 'R',
        Phase::Connect => 'C',
        Phase::Negotiate => 'N',
        Phase::Tls => 'T',
        Phase::Ticket => 'K',
        Phase::Authenticate => 'A',
        Phase::Session => 'S',
        Phase::FirstQuery => 'Q',
        Phase::Close => 'X',
    }
}

/// A phase's name.
pub(crate) fn phase(cat: &Catalogue, phase: Phase) -> String {
    cat.word(&format!("phase-{}", phase.name()))
}

/// How an attempt ended.
pub(crate) fn outcome(cat: &Catalogue, kind: OutcomeKind) -> String {
    cat.word(&format!("outcome-{}", kind.name()))
}

/// How much a finding matters.
pub(crate) fn severity(cat: &Catalogue, severity: Severity) -> String {
    cat.word(match severity {
        Severity::Info => "severity-info",
        Severity::Warning => "severity-warning",
        Severity::Critical => "severity-critical",
    })
}

/// The spelling of a reason in the run file and in message ids.
pub(crate) const fn reason_name(code: BoundReasonCode) -> &'static str {
    match code {
        BoundReasonCode::ClientCpu => "client-cpu",
        BoundReasonCode::ClientShareOfMachine => "client-share-of-machine",
        BoundReasonCode::ServerShareOfMachine => "server-share-of-machine",
        BoundReasonCode::RunQueueDelay => "run-queue-delay",
        BoundReasonCode::Lag => "lag",
        BoundReasonCode::NoLocalPort => "no-local-port",
        BoundReasonCode::ListenOverflows => "listen-overflows",
        BoundReasonCode::Waiting => "waiting",
        BoundReasonCode::TooShort => "too-short",
        BoundReasonCode::ServerGone => "server-gone",
    }
}

/// Where the server's figures come from, its known parts in the reader's language.
pub(crate) fn source(cat: &Catalogue, source: &str) -> String {
    let one = |part: &str| match part {
        "CPU of the server's processes" => cat.word("source-processes"),
        other => without_controls(other),
    };
    source.split(", ").map(one).collect::<Vec<_>>().join(", ")
}

/// A series' label in the reader's language.
pub(crate) fn series(cat: &Catalogue, series: &Series) -> String {
    label(cat, &series.label)
}

/// A label as it stands in the run (`unpooled, TLS full`, or `unpooled` alone), in the reader's language.
pub(crate) fn label(cat: &Catalogue, label: &str) -> String {
    if let Some(mode) = MODES.into_iter().find(|mode| mode.name() == label) {
        return cat.word(&format!("mode-{}", mode.name()));
    }
    known_label(label).map_or_else(
        || without_controls(label),
        |(mode, tls)| {
            let mode = cat.word(&format!("mode-{}", mode.name()));
            let tls = cat.word(&format!("tls-{}", tls.name()));
            cat.say("series-label", &[("mode", mode.into()), ("tls", tls.into())])
        },
    )
}

/// Several labels joined by `; `, as findings hold them; in quotes, because labels hold commas themselves.
pub(crate) fn quoted_labels(cat: &Catalogue, joined: &str) -> String {
    let quoted = |one| cat.say("quoted", &[("text", label(cat, one).into())]);
    joined.split("; ").map(quoted).collect::<Vec<_>>().join(", ")
}

fn known_label(label: &str) -> Option<(Mode, TlsMode)> {
    let (mode, tls) = label.split_once(", TLS ")?;
    let mode = MODES.into_iter().find(|m| m.name() == mode)?;
    let tls = TLS_MODES.into_iter().find(|t| t.name() == tls.replace(' ', "-"))?;
    Some((mode, tls))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn known_labels_are_translated_and_others_are_not() {
        let es = Catalogue::of(Language::Spanish);
        assert_eq!(label(&es, "unpooled, TLS full"), "sin pool, TLS completo");
        assert_eq!(label(&es, "pooled, TLS as-url"), "con pool, TLS según la URL");
        assert_eq!(
            quoted_labels(&es, "pooled, TLS off; persistent, TLS resumed"),
            "«con pool, sin TLS», «persistente, TLS reanudado»"
        );
        assert_eq!(label(&es, "persistent"), "persistente");
        assert_eq!(label(&es, "night shift, TLS full"), "night shift, TLS full");
        assert_eq!(label(&es, "a\u{1b}[31mb"), "a [31mb");
    }

    #[test]
    fn english_labels_stay_as_they_stand_in_the_run() {
        let en = Catalogue::of(Language::English);
        for mode in MODES {
            for tls in [TlsMode::Off, TlsMode::Full, TlsMode::Resumed] {
                let stored = format!("{}, TLS {}", mode.name(), tls.name());
                assert_eq!(label(&en, &stored), stored);
            }
        }
    }

    #[test]
    fn every_word_of_the_run_file_is_in_both_catalogues() {
        for language in [Language::English, Language::Spanish] {
            let cat = Catalogue::of(language);
            let reasons = [
                BoundReasonCode::ClientCpu,
                BoundReasonCode::ClientShareOfMachine,
                BoundReasonCode::ServerShareOfMachine,
                BoundReasonCode::RunQueueDelay,
                BoundReasonCode::Lag,
                BoundReasonCode::NoLocalPort,
                BoundReasonCode::ListenOverflows,
                BoundReasonCode::Waiting,
                BoundReasonCode::TooShort,
                BoundReasonCode::ServerGone,
            ];
            let ids = Phase::ALL
                .iter()
                .map(|p| format!("phase-{}", p.name()))
                .chain(OutcomeKind::ALL.iter().map(|k| format!("outcome-{}", k.name())))
                .chain(MODES.iter().map(|m| format!("mode-{}", m.name())))
                .chain(TLS_MODES.iter().map(|t| format!("tls-{}", t.name())))
                .chain(reasons.iter().map(|r| format!("cause-{}", reason_name(*r))))
                .chain(reasons.iter().map(|r| format!("reason-{}", reason_name(*r))));
            for id in ids {
                assert!(cat.has(&id), "{id} is missing in {language:?}");
            }
        }
    }
}

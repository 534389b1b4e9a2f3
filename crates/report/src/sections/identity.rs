//! What answered, and what must be known before any figure is read.

use peaje_diagnose::stopped_at_account_limit;
use peaje_model::{Ended, OutcomeKind, Run, Segment, Target, TargetKind, WhatAnswered};

use super::{Tone, is_reference};
use crate::{
    catalogue::{Catalogue, without_controls},
    sessions, watched,
};

/// A sentence that stands above the figures.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Notice {
    /// The sentence.
    pub(crate) sentence: String,
    /// How loudly.
    pub(crate) tone: Tone,
}

/// `PostgreSQL 15.4 at db.example.com:5432, database app, user bench`.
pub(crate) fn first_line(cat: &Catalogue, run: &Run) -> String {
    let place = place(cat, &run.target);
    let answered = match &run.what_answered {
        Some(what) => {
            let name = match &what.version {
                Some(version) => format!("{} {version}", what.product),
                None => what.product.clone(),
            };
            cat.say("at", &[("what", name.into()), ("place", place.into())])
        }
        None if answered(run) => {
            let args = [("what", engine(&run.target).into()), ("place", place.into())];
            cat.say("not-identified", &args)
        }
        None if run.watch.is_some() => watched::asked(cat, run).join(" "),
        None if turned_us_away(run) => cat.say("unidentified-answered", &[("place", place.into())]),
        None => cat.say("nothing-answered", &[("place", place.into())]),
    };
    let named = |id: &str, name: &Option<String>| {
        name.as_ref().map(|name| cat.say(id, &[("name", name.as_str().into())])).into_iter().collect::<Vec<_>>()
    };
    let mut words = vec![answered];
    words.extend(named("database", &run.target.database));
    words.extend(named("user", &run.target.user));
    words.join(", ")
}

/// Whether any login worked, though nobody looked at what answered.
fn answered(run: &Run) -> bool {
    if run.sessions.as_ref().is_some_and(|result| !sessions::nothing_opened(result)) {
        return true;
    }
    run.login.as_ref().is_some_and(|login| {
        let first = login.first_login.as_ref().is_some_and(|first| first.outcome == OutcomeKind::Ok);
        first || login.series.iter().any(|series| series.logins > 0)
    })
}

/// Whether somebody answered the first login, if only with an error.
fn turned_us_away(run: &Run) -> bool {
    use OutcomeKind as K;
    let first = run.login.as_ref().and_then(|login| login.first_login.as_ref());
    first.is_some_and(|first| {
        let answers = [K::Rejected, K::ServerFull, K::TlsNotOffered, K::TlsFailed, K::Unsupported, K::Protocol];
        answers.contains(&first.outcome)
    })
}

/// The engine as people call it; a throwaway server of MySQL's kind is a MariaDB.
fn engine(target: &Target) -> &str {
    match (target.engine.as_str(), target.kind) {
        ("postgres", _) => "PostgreSQL",
        ("mysql", TargetKind::Throwaway) => "MariaDB",
        ("mysql", _) => "MySQL",
        ("sqlserver", _) => "SQL Server",
        (other, _) => other,
    }
}

fn place(cat: &Catalogue, target: &Target) -> String {
    let one = |host: &String| {
        if host.starts_with('/') || host.starts_with('@') {
            return cat.say("socket", &[("path", host.as_str().into())]);
        }
        match target.port {
            Some(port) if host.contains(':') => format!("[{host}]:{port}"),
            Some(port) => format!("{host}:{port}"),
            None => host.clone(),
        }
    };
    without_controls(&target.hosts.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// The label of a server that peaje started; every output carries it.
pub(crate) fn origin(cat: &Catalogue, run: &Run) -> Option<String> {
    if is_reference(run) {
        Some(cat.word("reference-server"))
    } else {
        let product = || without_controls(engine(&run.target));
        let said = || cat.say("throwaway-server", &[("product", product().into())]);
        (run.target.kind == TargetKind::Throwaway).then(said)
    }
}

/// What must be known before any figure is read.
pub(crate) fn notices(cat: &Catalogue, run: &Run) -> Vec<Notice> {
    let plain = |sentence| Notice { sentence, tone: Tone::Plain };
    let mut notices: Vec<Notice> = origin(cat, run).map(plain).into_iter().collect();
    notices.extend(ended(cat, run).map(|sentence| Notice { sentence, tone: Tone::Alarm }));
    notices.extend(run.what_answered.as_ref().and_then(|what| segment_of(cat, what)).map(plain));
    notices.extend(tls_override(cat, run).map(plain));
    notices
}

fn ended(cat: &Catalogue, run: &Run) -> Option<String> {
    match &run.ended {
        Ended::Completed => None,
        Ended::Interrupted => Some(cat.word("interrupted")),
        Ended::Stopped { rule, message } => {
            let message = message.trim_end_matches('.');
            let said = cat.say("stopped", &[("rule", rule.as_str().into()), ("message", message.into())]);
            let next = stop_step(cat, run).map(|step| cat.say("finding-next", &[("step", step.into())]));
            Some([Some(said), next].into_iter().flatten().collect::<Vec<_>>().join(" "))
        }
    }
}

/// What to do after a stop rule; other stops carry their advice in their message.
pub(crate) fn stop_step(cat: &Catalogue, run: &Run) -> Option<String> {
    let Ended::Stopped { rule, .. } = &run.ended else { return None };
    if let Some(limit) = stopped_at_account_limit(run) {
        let args = [("owner", limit.owner.name().into()), ("resource", limit.resource.into())];
        return Some(cat.say("stopped-next-account-limit", &args));
    }
    cat.look_up(&format!("stopped-next-{rule}"), &[("engine", run.target.engine.as_str().into())])
}

/// Said only when something stands between the user and the server.
fn segment_of(cat: &Catalogue, what: &WhatAnswered) -> Option<String> {
    let segment = match (what.segment, &what.pooler) {
        (Segment::Server | Segment::Unknown, _) => return None,
        (Segment::PoolerConsole, _) => cat.word("segment-console"),
        (Segment::Pooler, Some(name)) => cat.say("segment-pooler", &[("name", name.as_str().into())]),
        (Segment::Pooler | Segment::SomethingBetween, _) => cat.word("segment-through"),
    };
    Some(cat.say("segment", &[("segment", segment.into())]))
}

fn tls_override(cat: &Catalogue, run: &Run) -> Option<String> {
    run.settings.login()?.tls_overrides_url.then(|| match &run.target.tls_setting {
        Some(setting) => {
            let setting = if setting.contains('=') { setting.clone() } else { format!("sslmode={setting}") };
            cat.say("tls-overrides", &[("setting", setting.into())])
        }
        None => cat.word("tls-overrides-default"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn every_segment_is_said_in_both_languages() {
        let said = |language, segment, pooler: Option<&str>| {
            let what = WhatAnswered {
                product: "PostgreSQL".into(),
                version: None,
                banner: None,
                reference_server: false,
                segment,
                pooler: pooler.map(str::to_owned),
            };
            segment_of(&Catalogue::of(language), &what)
        };
        for silent in [Segment::Server, Segment::Unknown] {
            assert_eq!(said(Language::English, silent, None), None);
        }
        for (segment, pooler, english, spanish) in [
            (Segment::PoolerConsole, None, "you and the pooler's console", "usted y la consola del pooler"),
            (
                Segment::SomethingBetween,
                None,
                "you and the server, through a pooler, proxy or address translation",
                "usted y el servidor, a través de un pooler, un proxy o una traducción de direcciones",
            ),
            (
                Segment::Pooler,
                Some("Pgpool-II 4.5.0"),
                "you and the server, through Pgpool-II 4.5.0",
                "usted y el servidor, a través de Pgpool-II 4.5.0",
            ),
        ] {
            let wanted = Some(format!("Every figure speaks of the way between {english}."));
            assert_eq!(said(Language::English, segment, pooler), wanted);
            let wanted = Some(format!("Todas las cifras se refieren al tramo entre {spanish}."));
            assert_eq!(said(Language::Spanish, segment, pooler), wanted);
        }
    }
}

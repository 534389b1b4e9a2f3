//! The HTML page: well formed, self-contained, and deaf to hostile names.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may write the page for a look at it; the crate stays pure"
)]

use peaje_model::{Ended, FactValue, Param, Run};
use peaje_report::{Language, html};

const LANGUAGES: [Language; 2] = [Language::English, Language::Spanish];

fn samples() -> Vec<(&'static str, Run)> {
    vec![
        ("sample", crate::common::sample()),
        ("interrupted", crate::common::interrupted()),
        ("empty", crate::common::empty()),
        ("open", crate::common::open_loop()),
    ]
}

/// Elements without an end tag.
const VOID: [&str; 1] = ["meta"];

/// Every tag is closed in order, and every `<` begins a tag.
fn balanced(page: &str) -> Result<usize, String> {
    let mut open: Vec<&str> = Vec::new();
    let mut tags = 0;
    let mut rest = page.strip_prefix("<!DOCTYPE html>\n").ok_or("no doctype")?;
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, after) = after.split_once('>').ok_or("a tag without end")?;
        let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap_or_default();
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(format!("not a tag: <{tag}>"));
        }
        tags += 1;
        if tag.starts_with('/') {
            let last = open.pop();
            if last != Some(name) {
                return Err(format!("</{name}> closes {last:?}"));
            }
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
        rest = after;
    }
    if open.is_empty() { Ok(tags) } else { Err(format!("still open: {open:?}")) }
}

#[test]
fn every_page_is_balanced_and_fetches_nothing() {
    for (name, run) in samples() {
        for language in LANGUAGES {
            let page = html(&run, language);
            if let Some(folder) = std::env::var_os("PEAJE_PAGES") {
                let file = format!("{name}.{language:?}.html");
                std::fs::write(std::path::Path::new(&folder).join(file), &page).unwrap();
            }
            assert!(balanced(&page).unwrap() > 100, "{name}");
            for forbidden in ["<script", "src=", "@import", "url(", "<link", "<iframe", "⟨", "NaN", "\u{2068}"] {
                assert!(!page.contains(forbidden), "{name} {language:?} holds {forbidden}");
            }
            // The only address is the SVG name space, which is a name and is not fetched.
            let addresses = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!addresses.contains("http://") && !addresses.contains("https://"), "{name}");
        }
    }
}

#[test]
fn the_balance_check_can_fail() {
    for broken in ["<p></p>", "<!DOCTYPE html>\n<p>", "<!DOCTYPE html>\n<p></b>", "<!DOCTYPE html>\n1 < 2 <p></p>"] {
        assert!(balanced(broken).is_err(), "{broken}");
    }
}

const HOSTILE: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;\u{1b}[2J";

#[test]
fn a_hostile_name_stays_text_everywhere() {
    let mut run = crate::common::sample();
    run.target.database = Some(HOSTILE.into());
    run.target.user = Some(HOSTILE.into());
    run.target.hosts = vec![HOSTILE.into()];
    run.target.url = HOSTILE.into();
    run.target.tls_setting = Some(HOSTILE.into());
    run.started_at = HOSTILE.into();
    run.schema = HOSTILE.into();
    run.ended = Ended::Stopped { rule: HOSTILE.into(), message: HOSTILE.into() };
    run.environment.hostname = Some(HOSTILE.into());
    run.environment.command_line = vec![HOSTILE.into()];
    run.environment.peaje_version = HOSTILE.into();
    let answered = run.what_answered.as_mut().unwrap();
    answered.product = HOSTILE.into();
    answered.version = Some(HOSTILE.into());
    answered.segment = peaje_model::Segment::Pooler;
    answered.pooler = Some(HOSTILE.into());
    run.facts[0].name = HOSTILE.into();
    run.facts[0].value = FactValue::Text(HOSTILE.into());
    run.facts[0].source = HOSTILE.into();
    run.gaps[0].what = HOSTILE.into();
    run.gaps[0].next_step = Some(HOSTILE.into());
    for finding in &mut run.findings {
        finding.params.insert("series_off".into(), Param::Text(HOSTILE.into()));
        finding.evidence[0].path = HOSTILE.into();
        finding.evidence[0].value = Param::Text(HOSTILE.into());
    }
    run.findings[4].code = HOSTILE.into();
    for series in &mut run.login.as_mut().unwrap().series {
        series.label = HOSTILE.into();
        series.settings.query = HOSTILE.into();
        series.counts.failed = 1;
        series.outcomes =
            vec![crate::common::outcome(peaje_model::OutcomeKind::Rejected, Some(HOSTILE), 1, Some(HOSTILE))];
        series.auth_seen[0].method = HOSTILE.into();
        for seen in &mut series.tls_seen {
            seen.cipher = HOSTILE.into();
        }
    }
    for language in LANGUAGES {
        let page = html(&run, language);
        balanced(&page).unwrap();
        assert!(page.contains("&lt;script&gt;"), "the name is shown");
        assert!(!page.contains("<script") && !page.contains("<img") && !page.contains('\u{1b}'));
    }
}

#[test]
fn the_reference_server_is_labelled_on_page_and_plots() {
    let mut run = crate::common::sample();
    run.target.kind = peaje_model::TargetKind::Embedded;
    for (language, label) in [
        (Language::English, "reference server: these numbers describe this machine, not your database"),
        (Language::Spanish, "servidor de referencia: estas cifras describen esta máquina, no su base de datos"),
    ] {
        let page = html(&run, language);
        // The notice, the three plots and the footer.
        assert_eq!(page.matches(label).count(), 5, "{language:?}");
        assert_eq!(page.matches("<svg").count(), 3);
    }
}

#[test]
fn a_run_that_is_not_whole_never_says_that_nothing_needs_doing() {
    for run in [crate::common::interrupted(), crate::common::empty()] {
        let page = html(&run, Language::English);
        assert!(!page.contains("Nothing needs doing"));
        assert!(page.contains("This run is not whole"));
    }
    let page = html(&crate::common::interrupted(), Language::English);
    let first_screen = page.split("<nav").next().unwrap();
    assert!(first_screen.contains("11 × server full (53300)"), "failures stand on the first screen");
    assert!(!html(&crate::common::sample(), Language::English).contains("This run is not whole"));
}

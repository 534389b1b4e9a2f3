//! The terminal summary, for somebody tired: what answered, one line for each series, then sentences.
//!
//! Nothing depends on colour: bars carry letters, alarms carry words. Lines fit the width asked for; text that cannot
//! be broken (a long path) may overhang.

mod bar;
mod layout;

use peaje_model::{Run, Verdict};

use crate::{
    Language,
    catalogue::Catalogue,
    findings, parts,
    sections::{self, Tone},
    tables, words,
};
use layout::{Page, Style};

/// Whether colours are written (ANSI escape sequences).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Styling {
    /// Text alone.
    #[default]
    Plain,
    /// With colours; they repeat what the words say.
    Colour,
}

/// How the summary is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextOptions {
    /// The language of the sentences.
    pub language: Language,
    /// Colours or none.
    pub styling: Styling,
    /// Columns of the terminal; less than 60 is taken as 60, prose never runs beyond 120.
    pub width: usize,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { language: Language::English, styling: Styling::Plain, width: 100 }
    }
}

/// The summary of a run, ending in a newline: the rates, what went wrong, what was found; then the details.
pub fn text(run: &Run, options: &TextOptions) -> String {
    let cat = Catalogue::of(options.language);
    let mut page = Page::new(options.styling, options.width);
    head(&mut page, &cat, run);
    let measured = !sections::nothing_completed(run);
    if measured {
        rates(&mut page, &cat, run);
    }
    let (alarms, details): (Vec<_>, Vec<_>) =
        sections::all(&cat, run).into_iter().partition(|section| section.tone == Tone::Alarm);
    for section in &alarms {
        paragraphs(&mut page, section);
    }
    found(&mut page, &cat, run);
    if measured {
        clocks(&mut page, &cat, run);
    }
    for section in &details {
        paragraphs(&mut page, section);
    }
    page.finish()
}

fn paragraphs(page: &mut Page, section: &sections::Section) {
    page.heading(&section.heading, style_of(section.tone));
    if let Some(table) = &section.table {
        page.table(table);
    }
    for line in &section.lines {
        page.item(line);
    }
}

const fn style_of(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::Heading,
        Tone::Alarm => Style::Alarm,
    }
}

fn head(page: &mut Page, cat: &Catalogue, run: &Run) {
    page.paragraph(&sections::first_line(cat, run), Style::Heading);
    for notice in sections::notices(cat, run) {
        let style = match notice.tone {
            Tone::Plain => Style::Strong,
            Tone::Alarm => Style::Alarm,
        };
        page.paragraph(&notice.sentence, style);
    }
}

fn rates(page: &mut Page, cat: &Catalogue, run: &Run) {
    let table = tables::rates(cat, run);
    let bars: Vec<_> = sections::series(run).iter().map(|s| parts::of(cat, s)).collect();
    page.blank();
    page.table_with_bars(&table, &cat.word("col-where"), &bars);
    for note in sections::table_notes(cat, run) {
        page.paragraph(&note, Style::Note);
    }
}

fn clocks(page: &mut Page, cat: &Catalogue, run: &Run) {
    page.heading(&cat.word("head-clocks"), Style::Heading);
    page.table(&tables::clocks(cat, run));
    for note in sections::clock_notes(cat, run) {
        page.paragraph(&note, Style::Note);
    }
}

fn found(page: &mut Page, cat: &Catalogue, run: &Run) {
    let of = |verdict: Verdict| run.findings.iter().filter(move |f| f.verdict == verdict);
    let none = of(Verdict::Found).next().is_none().then(|| sections::nothing_found(cat, run));
    let others = others(cat, run);
    if none == Some(None) && others.is_empty() {
        return;
    }
    page.heading(&cat.word("head-findings"), Style::Heading);
    if let Some(Some(none)) = none {
        page.item(&none);
    }
    for finding in of(Verdict::Found) {
        let said = findings::sentence(cat, finding);
        let style = if finding.severity > peaje_model::Severity::Info { Style::Alarm } else { Style::Strong };
        let args = [("title", said.title.into()), ("code", finding.code.as_str().into())];
        page.labelled(&words::severity(cat, finding.severity), &cat.say("finding-title", &args), style);
        page.deeper(&said.sentence);
        if let Some(step) = said.next_step {
            page.deeper(&cat.say("finding-next", &[("step", step.into())]));
        }
    }
    if !others.is_empty() {
        page.item(&others.join(" "));
    }
}

/// The codes of what was not found: the healthy ones, then what cannot be said, with the reasons.
fn others(cat: &Catalogue, run: &Run) -> Vec<String> {
    let mut others = Vec::new();
    for (verdict, id) in [(Verdict::Healthy, "codes-healthy"), (Verdict::CannotSay, "codes-cannot-say")] {
        let shown = run.findings.iter().filter(|f| f.verdict == verdict && sections::shows(run, verdict));
        let mut codes: Vec<String> = shown.map(|f| findings::code_and_reason(cat, f)).collect();
        codes.dedup();
        if !codes.is_empty() {
            others.push(cat.say(id, &[("list", codes.join(", ").into())]));
        }
    }
    others
}

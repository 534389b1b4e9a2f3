//! The terminal summary, for somebody tired: what answered, one line for each series, then sentences.
//!
//! Nothing depends on colour: bars carry letters, alarms carry words. Lines fit the width asked for; text that cannot
//! be broken (a long path) may overhang.

mod bar;
mod layout;

use peaje_model::{Finding, Run, SessionsResult, Severity, Verdict, WatchResult};

use crate::{
    Language,
    catalogue::Catalogue,
    checked, findings, parts,
    sections::{self, Tone},
    sessions, tables, watched, words,
};
use layout::{Page, Style};

/// Findings of a check that are said in full: all serious ones up to some, and notes when there are few.
const LEAST_IN_FULL: usize = 2;
const MOST_IN_FULL: usize = 5;

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
    written(run, options, Ladders::Shown)
}

/// The same without the ladders of held sessions, which were written step by step while they were climbed.
pub fn text_after_steps(run: &Run, options: &TextOptions) -> String {
    written(run, options, Ladders::LeftOut)
}

/// Whether the ladders of held sessions are part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ladders {
    Shown,
    LeftOut,
}

fn written(run: &Run, options: &TextOptions, shown: Ladders) -> String {
    let cat = Catalogue::of(options.language);
    let mut page = Page::new(options.styling, options.width);
    head(&mut page, &cat, run);
    if run.check.is_some() {
        check(&mut page, &cat, run);
        return page.finish();
    }
    let measured = !sections::nothing_completed(run);
    match (&run.watch, &run.sessions) {
        (Some(watch), _) => groups(&mut page, &cat, run, watch),
        (None, Some(result)) => ladders(&mut page, &cat, run, result, shown),
        (None, None) if measured => rates(&mut page, &cat, run),
        (None, None) => {}
    }
    let (alarms, details): (Vec<_>, Vec<_>) =
        sections::all(&cat, run).into_iter().partition(|section| section.tone == Tone::Alarm);
    for section in &alarms {
        paragraphs(&mut page, section);
    }
    found(&mut page, &cat, run);
    if measured && run.login.is_some() {
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

/// One screen: what stands out, then what there is, then three commands.
fn check(page: &mut Page, cat: &Catalogue, run: &Run) {
    page.heading(&cat.word("head-findings"), Style::Heading);
    let found: Vec<&Finding> = run.findings.iter().filter(|f| f.verdict == Verdict::Found).collect();
    let serious = found.iter().take_while(|f| f.severity > Severity::Info).count();
    if serious == 0 {
        page.item(&cat.word("check-nothing-serious"));
    }
    let (full, brief) = found.split_at(found.len().min(serious.clamp(LEAST_IN_FULL, MOST_IN_FULL)));
    for finding in full {
        one_found(page, cat, finding);
    }
    if !brief.is_empty() {
        let titles: Vec<String> = brief.iter().map(|f| findings::title_and_code(cat, f)).collect();
        let args = [("n", (brief.len() as u64).into()), ("list", titles.join("; ").into())];
        page.item(&cat.say("check-findings-more", &args));
    }
    let healthy = run.findings.iter().filter(|f| f.verdict == Verdict::Healthy).count();
    let healthy = (healthy > 0).then(|| cat.say("check-healthy", &[("n", (healthy as u64).into())]));
    let others: Vec<String> = healthy.into_iter().chain(others(cat, run, Verdict::CannotSay)).collect();
    if !others.is_empty() {
        page.item(&others.join(" "));
    }
    for section in sections::all(cat, run) {
        paragraphs(page, &section);
    }
    page.heading(&cat.word("head-check-next"), Style::Heading);
    for (command, what) in checked::next_commands(cat, run) {
        page.command(&command, &what);
    }
}

fn groups(page: &mut Page, cat: &Catalogue, run: &Run, watch: &WatchResult) {
    page.heading(&cat.word("head-watched"), Style::Heading);
    page.table(&watched::table(cat, watch));
    for note in watched::notes(cat, run, watch) {
        page.paragraph(&note, Style::Note);
    }
}

fn ladders(page: &mut Page, cat: &Catalogue, run: &Run, result: &SessionsResult, shown: Ladders) {
    let tables = match shown {
        Ladders::Shown => sessions::tables(cat, run, result),
        Ladders::LeftOut => sessions::side_by_side(cat, result).into_iter().collect(),
    };
    for section in tables {
        page.heading(&section.heading, Style::Heading);
        section.table.iter().for_each(|table| page.table(table));
        section.lines.iter().for_each(|note| page.paragraph(note, Style::Note));
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
    let others: Vec<String> =
        [Verdict::Healthy, Verdict::CannotSay].into_iter().filter_map(|verdict| others(cat, run, verdict)).collect();
    if none == Some(None) && others.is_empty() {
        return;
    }
    page.heading(&cat.word("head-findings"), Style::Heading);
    if let Some(Some(none)) = none {
        page.item(&none);
    }
    for finding in of(Verdict::Found) {
        one_found(page, cat, finding);
    }
    if !others.is_empty() {
        page.item(&others.join(" "));
    }
}

/// Title, sentence and next step.
fn one_found(page: &mut Page, cat: &Catalogue, finding: &Finding) {
    let said = findings::sentence(cat, finding);
    let style = if finding.severity > Severity::Info { Style::Alarm } else { Style::Strong };
    let args = [("title", said.title.into()), ("code", finding.code.as_str().into())];
    page.labelled(&words::severity(cat, finding.severity), &cat.say("finding-title", &args), style);
    page.deeper(&said.sentence);
    if let Some(step) = said.next_step {
        page.deeper(&cat.say("finding-next", &[("step", step.into())]));
    }
}

/// The codes of what was not found, with the reasons of those that cannot be said.
fn others(cat: &Catalogue, run: &Run, verdict: Verdict) -> Option<String> {
    let id = if verdict == Verdict::Healthy { "codes-healthy" } else { "codes-cannot-say" };
    let shown = run.findings.iter().filter(|f| f.verdict == verdict && sections::says(run, f));
    let codes = findings::codes_and_reasons(cat, shown);
    (!codes.is_empty()).then(|| cat.say(id, &[("list", codes.into())]))
}

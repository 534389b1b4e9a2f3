//! The page: one file, no script, nothing fetched, for a manager first and an engineer below.
//!
//! Strings of a run are hostile until escaped: a database may be called `<script>`. [`markup`] lets text in only
//! through its escaping; a content security policy forbids scripts and the network on top.

mod details;
mod findings;
mod first_screen;
mod markup;
mod numbers;

use peaje_model::{Run, SessionsResult};

use crate::{
    Language,
    catalogue::{Catalogue, tag},
    plot, sections, sessions,
};
use markup::{Html, all, element, nothing, simple, text, trusted};

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The page of a run.
pub fn html(run: &Run, language: Language) -> String {
    let cat = Catalogue::of(language);
    let title = sections::page_title(&cat, run);
    let head = all([
        trusted("<meta charset=\"utf-8\">\n"),
        trusted(format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n")),
        trusted("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"),
        simple("title", &title),
        element("style", &[], trusted(include_str!("style.css"))),
    ]);
    let page = element("html", &[("lang", tag(language))], all([element("head", &[], head), body(&cat, run)]));
    format!("<!DOCTYPE html>\n{}", page.into_string())
}

fn body(cat: &Catalogue, run: &Run) -> Html {
    let chapters = [
        ("plots", "page-plots", plots(cat, run)),
        ("details", "page-details", details::sentences(cat, run)),
        ("numbers", "page-numbers", numbers::table(cat, run)),
        ("settings", "page-settings", details::settings(cat, run)),
        ("environment", "page-environment", details::environment(cat, run)),
        ("facts", "page-facts", details::facts(cat, run)),
        ("findings", "page-findings-all", findings::with_evidence(cat, run)),
    ];
    let present = || chapters.iter().filter(|(_, _, content)| !content.is_empty());
    let links = present().map(|(id, title, _)| element("a", &[("href", &format!("#{id}"))], text(&cat.word(title))));
    let nav = element("nav", &[("aria-label", &cat.word("page-toc"))], all(links));
    let rest = present().map(|(id, title, content)| {
        element("section", &[("id", id)], all([simple("h2", &cat.word(title)), content.clone()]))
    });
    let main = all([first_screen::first_screen(cat, run), nav].into_iter().chain(rest));
    element("body", &[], all([element("main", &[], main), footer(cat, run)]))
}

fn plots(cat: &Catalogue, run: &Run) -> Html {
    if run.sessions.is_some() {
        let drawn = plot::sessions(cat, run).into_iter();
        return all(drawn.filter_map(|(svg, alt)| svg.map(|svg| figure(svg, &cat.word(alt)))));
    }
    let heading = cat.word("head-time");
    let drawn = [
        (plot::phases(cat, run), cat.say("plot-phases-alt", &[("heading", heading.into())])),
        (plot::distribution(cat, run), cat.word("plot-distribution-alt")),
        (plot::timeline(cat, run), cat.word("plot-timeline-alt")),
    ];
    let (shown, of) = (plot::MOST_SERIES, sections::series(run).len());
    let args = [("shown", shown.into()), ("of", of.into())];
    let note = (of > shown).then(|| simple("p", &cat.say("plots-of-some", &args)));
    let figures = drawn.into_iter().filter_map(|(svg, alt)| svg.map(|svg| figure(svg, &alt)));
    all(note.into_iter().chain(figures))
}

fn figure(svg: String, alt: &str) -> Html {
    element("figure", &[("role", "img"), ("aria-label", alt)], trusted(svg))
}

fn footer(cat: &Catalogue, run: &Run) -> Html {
    let args = [("version", run.environment.peaje_version.as_str().into()), ("schema", run.schema.as_str().into())];
    let origin = sections::origin(cat, run).map_or_else(nothing, |label| simple("p", &label));
    element("footer", &[], all([origin, simple("p", &cat.say("footer", &args))]))
}

/// The tables of a ladder, each under its heading.
fn ladders(cat: &Catalogue, run: &Run, result: &SessionsResult) -> Html {
    let one = |section: sections::Section| {
        let table = section.table.map_or_else(nothing, |table| grid("", &table.header, &table.rows));
        let notes = section.lines.into_iter().map(|note| element("p", &[("class", "soft")], text(&note)));
        all([simple("h3", &section.heading), table].into_iter().chain(notes))
    };
    all(sessions::tables(cat, run, result).into_iter().map(one))
}

/// A list of sentences.
fn list(sentences: &[String]) -> Html {
    element("ul", &[], all(sentences.iter().map(|sentence| simple("li", sentence))))
}

/// A table of names and what stands for them.
fn pairs(rows: &[(String, String)]) -> Html {
    let row = |(name, value): &(String, String)| {
        element("tr", &[], all([element("th", &[("scope", "row")], text(name)), simple("td", value)]))
    };
    let body = element("tbody", &[], all(rows.iter().map(row)));
    element("div", &[("class", "scroll")], element("table", &[("class", "words")], body))
}

/// A table with a header row; the first cell of each row names it.
fn grid(class: &str, header: &[String], rows: &[Vec<String>]) -> Html {
    let head = all(header.iter().map(|title| element("th", &[("scope", "col")], text(title))));
    let row = |cells: &Vec<String>| {
        let cells = cells.iter().enumerate().map(|(i, cell)| match i {
            0 => element("th", &[("scope", "row")], text(cell)),
            _ => simple("td", cell),
        });
        element("tr", &[], all(cells))
    };
    let head = element("thead", &[], element("tr", &[], head));
    let body = element("tbody", &[], all(rows.iter().map(row)));
    element("div", &[("class", "scroll")], element("table", &[("class", class)], all([head, body])))
}

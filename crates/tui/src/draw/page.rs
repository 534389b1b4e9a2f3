//! The page of a finding: its Markdown as a reader of a terminal wants it.

use peaje_diagnose::page;
use peaje_report::Value;
use ratatui::text::Line;

use super::{page_lines, text::line};
use crate::look::Role;
use crate::wrap::{left, wrap};
use crate::{Size, State};

/// Wider lines are hard to read.
const WIDEST: usize = 100;

pub(crate) fn lines(state: &State, size: Size, code: &str, scroll: usize) -> Vec<Line<'static>> {
    let width = usize::from(size.width);
    let body = body(page(code, state.look.language).unwrap_or_default(), width);
    let room = page_lines(size);
    let (first, last) = (scroll + 1, (scroll + room).min(body.len()));
    let place = state.words.say(
        "screen-page",
        &[
            ("code", Value::Text(code)),
            ("first", Value::Count(first as u64)),
            ("last", Value::Count(last as u64)),
            ("of", Value::Count(body.len() as u64)),
        ],
    );
    let mut lines = vec![Line::styled(left(&format!(" {place}"), width), state.look.style(Role::Title))];
    let shown = body.iter().skip(scroll).take(room);
    lines.extend(shown.map(|(text, role)| line(state.look, text, *role, width)));
    lines.resize(usize::from(size.height) - 1, Line::default());
    lines.push(line(state.look, &state.words.word("screen-page-keys"), Role::Note, width));
    lines
}

/// The lines of a page: paragraphs and items are filled anew, code stays as it is.
pub(crate) fn body(markdown: &str, width: usize) -> Vec<(String, Role)> {
    let width = width.min(WIDEST);
    let mut lines = Vec::new();
    let mut block = String::new();
    let mut in_code = false;
    for raw in markdown.lines() {
        if raw.trim_start().starts_with("```") {
            flush(&mut lines, &mut block, width);
            in_code = !in_code;
        } else if in_code {
            lines.push((format!("    {raw}"), Role::Note));
        } else if raw.trim().is_empty() {
            flush(&mut lines, &mut block, width);
            lines.push((String::new(), Role::Body));
        } else if raw.starts_with('#') {
            flush(&mut lines, &mut block, width);
            lines.push((raw.trim_start_matches('#').trim().to_owned(), Role::Heading));
        } else {
            if is_item(raw) {
                flush(&mut lines, &mut block, width);
            }
            if !block.is_empty() {
                block.push(' ');
            }
            block.push_str(raw.trim());
        }
    }
    flush(&mut lines, &mut block, width);
    lines
}

/// `- …` or `1. …`
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ") || (number.len() < line.len() && number.starts_with(". "))
}

fn flush(lines: &mut Vec<(String, Role)>, block: &mut String, width: usize) {
    if block.is_empty() {
        return;
    }
    let text = std::mem::take(block);
    let indent = if is_item(&text) { text.find(' ').map_or(0, |at| at + 1) } else { 0 };
    for (i, part) in wrap(&text, width.saturating_sub(indent)).into_iter().enumerate() {
        let before = " ".repeat(if i == 0 { 0 } else { indent });
        lines.push((before + &part, Role::Body));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_filled_and_code_stays() {
        let page = "# Title\n\nOne two\nthree four.\n- an item that\n  goes on\n1. first\n```\nselect  1;\n```\nend";
        let lines: Vec<String> = body(page, 14).into_iter().map(|(text, _)| text).collect();
        let wanted =
            ["Title", "", "One two three", "four.", "- an item", "  that goes on", "1. first", "    select  1;", "end"];
        assert_eq!(lines, wanted);
    }

    #[test]
    fn every_page_fits_the_width() {
        for diagnosis in peaje_diagnose::DIAGNOSES {
            for text in [diagnosis.page_en, diagnosis.page_es] {
                let wide = body(text, 80).into_iter().find(|(line, _)| crate::wrap::columns(line) > 80);
                assert!(
                    wide.is_none_or(|(line, role)| role == Role::Note && line.starts_with("    ")),
                    "{}",
                    diagnosis.code
                );
            }
        }
    }
}

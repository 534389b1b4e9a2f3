//! Text that fits: wrapped at spaces, or cut with a sign that it was.

use peaje_report::pieces;
use ratatui::text::Line;

/// Columns that `text` takes on a terminal.
pub(crate) fn columns(text: &str) -> usize {
    Line::from(text).width()
}

/// `text` in at most `width` columns; an ellipsis stands for what is missing.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        let longer = format!("{out}{c}");
        if columns(&longer) + 1 > width {
            break;
        }
        out = longer;
    }
    if width > 0 {
        out.push('…');
    }
    out
}

/// `text` cut or filled to exactly `width` columns, to the left.
pub(crate) fn left(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let fill = width - columns(&text).min(width);
    text + &" ".repeat(fill)
}

/// `text` cut or filled to exactly `width` columns, to the right.
pub(crate) fn right(text: &str, width: usize) -> String {
    let text = cut(text, width);
    " ".repeat(width - columns(&text).min(width)) + &text
}

/// Greedy wrapping at spaces; a number keeps its unit, and a word that is wider than the line is broken.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for piece in pieces(text, &UNITS) {
        if !line.is_empty() && columns(&line) + 1 + columns(&piece) > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for c in piece.chars() {
            if columns(&line) >= width {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    lines.push(line);
    lines
}

const UNITS: [&str; 8] = ["µs", "ms", "s", "min", "h", "d", "%", "×"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_counts_columns_and_says_that_it_cut() {
        let table = [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本語", 5, "日本…"), ("abc", 1, "…"), ("abc", 0, "")];
        for (text, width, shown) in table {
            assert_eq!(cut(text, width), shown);
        }
        assert_eq!(left("日本語", 6), "日本語");
        assert_eq!(left("日本語", 4), "日… ");
        assert_eq!(right("7", 3), "  7");
    }

    #[test]
    fn lines_stay_within_the_width_and_units_with_their_number() {
        assert_eq!(wrap("a life of 40 s, then", 9), ["a life of", "40 s,", "then"]);
        assert_eq!(wrap("/a/long/path x", 6), ["/a/lon", "g/path", "x"]);
        assert_eq!(wrap("", 5), [""]);
    }
}

//! Lines made of styled pieces.

use ratatui::text::{Line, Span};

use crate::look::{Look, Role};
use crate::wrap::{columns, cut};

/// A piece of a line: what stands together or not at all.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    parts: Vec<(String, Role)>,
}

impl Piece {
    pub(crate) fn new(text: impl Into<String>, role: Role) -> Self {
        Self { parts: vec![(text.into(), role)] }
    }

    pub(crate) fn body(text: impl Into<String>) -> Self {
        Self::new(text, Role::Body)
    }

    pub(crate) fn and(mut self, text: impl Into<String>, role: Role) -> Self {
        self.parts.push((text.into(), role));
        self
    }

    /// The same with another piece right behind it.
    pub(crate) fn append(mut self, other: Piece) -> Self {
        self.parts.extend(other.parts);
        self
    }

    pub(crate) fn columns(&self) -> usize {
        self.parts.iter().map(|(text, _)| columns(text)).sum()
    }

    fn spans(self, look: Look) -> Vec<Span<'static>> {
        self.parts.into_iter().map(|(text, role)| Span::styled(text, look.style(role))).collect()
    }
}

/// As many pieces as fit, two spaces apart, most important first; the first is cut when even it does not fit.
pub(crate) fn fit(look: Look, indent: usize, pieces: Vec<Piece>, width: usize) -> Line<'static> {
    let mut spans = vec![Span::raw(" ".repeat(indent))];
    let mut taken = indent;
    for (i, piece) in pieces.into_iter().enumerate() {
        let gap = if i == 0 { 0 } else { 2 };
        if i == 0 && taken + piece.columns() > width {
            spans.extend(
                piece
                    .parts
                    .first()
                    .map(|(text, role)| Span::styled(cut(text, width.saturating_sub(indent)), look.style(*role))),
            );
            break;
        }
        if taken + gap + piece.columns() > width {
            continue;
        }
        taken += gap + piece.columns();
        spans.push(Span::raw(" ".repeat(gap)));
        spans.extend(piece.spans(look));
    }
    Line::from(spans)
}

/// A line of one role, cut to the width.
pub(crate) fn line(look: Look, text: &str, role: Role, width: usize) -> Line<'static> {
    Line::styled(cut(text, width), look.style(role))
}

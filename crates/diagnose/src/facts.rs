//! Facts of a run as diagnoses read them: settings and views in the engine's own words.
//!
//! A fact that is not there was not read. A newcomer would take that for "off"; whoever asks here gets `None` and must
//! say that it is not known.

use peaje_model::{Evidence, FactValue, Param, Run};

/// A fact and where it stands in the run file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FactAt<'r> {
    index: usize,
    value: &'r FactValue,
}

/// The fact of this name; `None` when it was not read.
pub(crate) fn find<'r>(run: &'r Run, name: &str) -> Option<FactAt<'r>> {
    let (index, fact) = run.facts.iter().enumerate().find(|(_, fact)| fact.name == name)?;
    Some(FactAt { index, value: &fact.value })
}

impl<'r> FactAt<'r> {
    /// Whether a switch is on; `None` when it is no switch.
    pub(crate) fn is_on(self) -> Option<bool> {
        if let FactValue::Bool(on) = self.value { Some(*on) } else { None }
    }

    /// A number.
    pub(crate) fn number(self) -> Option<f64> {
        if let FactValue::Number(number) = self.value { Some(*number) } else { None }
    }

    /// A word, without blanks around it; empty when nothing is set.
    pub(crate) fn text(self) -> Option<&'r str> {
        if let FactValue::Text(text) = self.value { Some(text.trim()) } else { None }
    }

    /// It as evidence; a switch as `true` or `false`.
    pub(crate) fn saw(self) -> Evidence {
        let value = match self.value {
            FactValue::Bool(on) => Param::Text(on.to_string()),
            FactValue::Number(number) => Param::Ratio(*number),
            FactValue::Text(text) => Param::Text(text.clone()),
        };
        Evidence { path: format!("/facts/{}/value", self.index), value }
    }
}

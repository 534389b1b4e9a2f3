//! Facts looked up by their names.

use crate::{Fact, FactValue};

/// What was read of a server, by name.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a>(pub &'a [Fact]);

impl<'a> Facts<'a> {
    /// The value of this name; `None` = it was not read.
    pub fn value(self, name: &str) -> Option<&'a FactValue> {
        self.0.iter().find(|fact| fact.name == name).map(|fact| &fact.value)
    }

    /// The number of this name.
    pub fn number(self, name: &str) -> Option<f64> {
        if let Some(FactValue::Number(n)) = self.value(name) { Some(*n) } else { None }
    }

    /// The text of this name.
    pub fn text(self, name: &str) -> Option<&'a str> {
        if let Some(FactValue::Text(text)) = self.value(name) { Some(text) } else { None }
    }
}

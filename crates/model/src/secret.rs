//! A password or token. It has no `Serialize` and a masked `Debug`, so that it cannot reach an output by accident.

/// A value that must appear in no output. [`Secret::expose`] is the only way to read it.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The secret itself: for the wire, never for a person.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether it is the empty string.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_is_masked() {
        assert_eq!(format!("{:?}", Some(Secret::new("hunter2"))), "Some(Secret(***))");
    }
}

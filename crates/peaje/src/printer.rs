//! Where words go: results to stdout, talk to stderr. Nothing else in the command writes to either.

use std::io::{IsTerminal, Write};

use crate::exit::Hinted;

/// Prints; silent about everything but results and errors with `--quiet`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    quiet: bool,
}

#[expect(clippy::unused_self, reason = "where words go is the printer's business, whatever it needs to know for it")]
impl Printer {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { quiet }
    }

    /// A result. A reader that has gone away (`| head`) is no error.
    pub(crate) fn result(self, text: &str) -> std::io::Result<()> {
        let mut stdout = anstream::stdout().lock();
        let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        match written {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }

    /// Talk.
    pub(crate) fn say(self, text: &str) {
        if !self.quiet {
            self.always_say(text);
        }
    }

    /// Talk that must be seen.
    pub(crate) fn always_say(self, text: &str) {
        // Nobody is left to tell when stderr is closed.
        let _ = writeln!(anstream::stderr(), "{text}");
    }

    /// An error with its causes and the next step.
    pub(crate) fn error(self, error: &anyhow::Error) {
        let mut words = format!("error: {error}");
        for cause in error.chain().skip(1) {
            let cause = cause.to_string();
            if !words.contains(&cause) {
                words.push_str(": ");
                words.push_str(&cause);
            }
        }
        if let Some(hinted) = error.chain().find_map(|cause| cause.downcast_ref::<Hinted>()) {
            words.push_str("\n  next: ");
            words.push_str(&hinted.hint);
        }
        self.always_say(&words);
    }

    /// Whether a progress line may be drawn.
    pub(crate) fn draws_progress(self) -> bool {
        !self.quiet && std::io::stderr().is_terminal()
    }

    /// Whether results may be coloured.
    pub(crate) fn colours(self) -> bool {
        anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
    }

    /// Whether a question can be asked.
    pub(crate) fn can_ask(self) -> bool {
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }
}

//! Where words go: results to stdout, talk to stderr. Nothing else in the command writes to either.
//!
//! With `--redact`, talk and errors hold aliases: whoever pastes a terminal into a ticket pastes its errors as well.
//! Results come redacted already, by the same [`Redactor`], so that a name has one alias everywhere.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use peaje_model::{Redactor, Run};

use crate::exit::Hinted;

/// Prints; silent about everything but results and errors with `--quiet`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    quiet: bool,
    redactor: Option<&'static Mutex<Redactor>>,
}

/// Whether somebody reads a stream of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    /// As far as can be known.
    Yes,
    /// The reader has closed its end: whatever comes next is for nobody.
    ReaderGone,
}

#[expect(clippy::unused_self, reason = "where words go is the printer's business, whatever it needs to know for it")]
impl Printer {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { quiet, redactor: None }
    }

    /// The same, with aliases for the names in everything that is said; `arguments` hold the first of them.
    pub(crate) fn redacting(self, arguments: impl Iterator<Item = String>) -> Self {
        let mut redactor = Redactor::default();
        arguments.for_each(|argument| redactor.learn_argument(&argument));
        // One for the whole process: printers are copied freely.
        Self { redactor: Some(Box::leak(Box::new(Mutex::new(redactor)))), ..self }
    }

    /// Lends the redactor, where there is one.
    pub(crate) fn redact<T>(self, with: impl FnOnce(&mut Redactor) -> T) -> Option<T> {
        self.redactor.map(|redactor| with(&mut redactor.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Takes the names out of a run, with the aliases that they have in this process.
    pub(crate) fn redact_run(self, run: &mut Run) {
        self.redact(|redactor| redactor.run(run)).unwrap_or_else(|| peaje_model::redact(run));
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

    /// A line of a stream of results.
    pub(crate) fn stream(self, line: &str) -> std::io::Result<Heard> {
        let mut stdout = anstream::stdout().lock();
        match writeln!(stdout, "{line}").and_then(|()| stdout.flush()) {
            Ok(()) => Ok(Heard::Yes),
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(Heard::ReaderGone),
            Err(error) => Err(error),
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
        let redacted = self.redact(|redactor| redactor.text(text));
        say_as_it_is(redacted.as_deref().unwrap_or(text));
    }

    /// Talk that is redacted already, where it has to be.
    pub(crate) fn say_redacted(self, text: &str) {
        if !self.quiet {
            say_as_it_is(text);
        }
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

fn say_as_it_is(text: &str) {
    // Nobody is left to tell when stderr is closed.
    let _ = writeln!(anstream::stderr(), "{text}");
}

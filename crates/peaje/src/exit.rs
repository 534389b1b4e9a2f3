//! Exit codes: 0 measured, 1 the answer is "not healthy", 2 it could not be done, 130 interrupted.

use std::process::ExitCode;

use crate::printer::Printer;

/// How a command ended, when it did what it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// Done.
    Done,
    /// Done, and `--fail-on` was met.
    NotHealthy,
    /// It could not be done; the words have been printed with the results.
    CouldNot,
    /// Interrupted by a signal.
    Interrupted,
}

/// An error with what to do next.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Hinted {
    pub(crate) message: String,
    pub(crate) hint: String,
}

/// A message with a next step.
pub(crate) fn hinted(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    anyhow::Error::new(Hinted { message: message.into(), hint: hint.into() })
}

/// Prints the error, if there is one, and gives the exit code.
pub(crate) fn code(result: anyhow::Result<Status>, printer: Printer) -> ExitCode {
    match result {
        Ok(Status::Done) => ExitCode::SUCCESS,
        Ok(Status::NotHealthy) => ExitCode::from(1),
        Ok(Status::CouldNot) => ExitCode::from(2),
        Ok(Status::Interrupted) => ExitCode::from(130),
        Err(error) => {
            printer.error(&error);
            ExitCode::from(2)
        }
    }
}

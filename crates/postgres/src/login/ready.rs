//! The phase `session`: from the accepted credentials until the server waits for a query.

use peaje_engine::{Failure, Trace, Wire};
use peaje_model::{OutcomeKind, Phase};

use super::dialogue::{await_message, first_message};
use super::endpoint::Missed;
use super::failures;
use crate::config::TargetSessionAttrs;
use crate::protocol::backend::BackendMessage;

/// What the server told before it was ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Told {
    pub(super) process_id: Option<i32>,
    /// `in_hot_standby` (version 14 and later).
    standby: Option<bool>,
    /// `default_transaction_read_only` (version 14 and later).
    read_only: Option<bool>,
}

/// Reads until the server is ready.
pub(super) async fn await_ready(wire: &mut Wire, trace: &mut Trace) -> Result<Told, Missed> {
    trace.enter(Phase::Session);
    let mut told = Told::default();
    loop {
        await_message(wire, trace).await?;
        let (message, length) = first_message(wire, trace)?;
        match message {
            BackendMessage::ParameterStatus { name, value } => told.note(&name, &value),
            BackendMessage::BackendKeyData { process_id, .. } => told.process_id = Some(process_id),
            BackendMessage::ReadyForQuery(_) => {
                wire.consume(length);
                return Ok(told);
            }
            BackendMessage::Error(error) => {
                let failure = failures::rejected(&error, None, trace.current());
                return Err(match error.code.as_str() {
                    failures::CANNOT_CONNECT_NOW => Missed::TryNext(failure),
                    _ => Missed::GiveUp(failure),
                });
            }
            BackendMessage::Notice(_) | BackendMessage::NegotiateProtocolVersion { .. } => {}
            _ => return Err(failures::not_postgres("unexpected message before the session", trace.current()).into()),
        }
        wire.consume(length);
    }
}

/// Whether this server will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    Yes,
    No,
    /// The server does not say (before version 14, or a pooler).
    Unknown,
}

impl Told {
    fn note(&mut self, name: &str, value: &str) {
        match name {
            "in_hot_standby" => self.standby = Some(value == "on"),
            "default_transaction_read_only" => self.read_only = Some(value == "on"),
            _ => {}
        }
    }

    /// Holds it against `target_session_attrs`, as libpq does from version 14 on.
    pub(super) fn fit(&self, wanted: TargetSessionAttrs) -> Fit {
        let read_only = match (self.standby, self.read_only) {
            (Some(standby), Some(default)) => Some(standby || default),
            _ => None,
        };
        let fits = match wanted {
            TargetSessionAttrs::Any => Some(true),
            TargetSessionAttrs::ReadWrite => read_only.map(|r| !r),
            TargetSessionAttrs::ReadOnly => read_only,
            TargetSessionAttrs::Primary => self.standby.map(|s| !s),
            TargetSessionAttrs::Standby | TargetSessionAttrs::PreferStandby => self.standby,
        };
        match fits {
            Some(true) => Fit::Yes,
            Some(false) => Fit::No,
            None => Fit::Unknown,
        }
    }
}

/// The server is not of the kind that was asked for.
pub(super) fn unfit(fit: Fit, wanted: TargetSessionAttrs, host: &str) -> Failure {
    let wanted = wanted.name();
    match fit {
        Fit::Unknown => Failure::new(
            OutcomeKind::Unsupported,
            format!(
                "{host}: target_session_attrs={wanted} cannot be checked: the server does not report its state at login"
            ),
        )
        .hint("PostgreSQL 14 and later do; with an older one, or through a pooler, name one host and leave it out"),
        Fit::No | Fit::Yes => {
            Failure::new(OutcomeKind::Rejected, format!("{host}: the session is not `{wanted}` (target_session_attrs)"))
                .hint("name the host that is, or change target_session_attrs")
        }
    }
    .phase(Some(Phase::Session))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_session_attrs_table() {
        use TargetSessionAttrs as T;
        // (in_hot_standby, default_transaction_read_only) and which attributes fit.
        let table: [(Option<bool>, Option<bool>, &[T]); 4] = [
            (Some(false), Some(false), &[T::Any, T::ReadWrite, T::Primary]),
            (Some(false), Some(true), &[T::Any, T::ReadOnly, T::Primary]),
            (Some(true), Some(false), &[T::Any, T::ReadOnly, T::Standby, T::PreferStandby]),
            (Some(true), Some(true), &[T::Any, T::ReadOnly, T::Standby, T::PreferStandby]),
        ];
        for (standby, read_only, fitting) in table {
            let told = Told { process_id: None, standby, read_only };
            for wanted in [T::Any, T::ReadWrite, T::ReadOnly, T::Primary, T::Standby, T::PreferStandby] {
                let expected = if fitting.contains(&wanted) { Fit::Yes } else { Fit::No };
                assert_eq!(told.fit(wanted), expected, "{told:?} {wanted:?}");
            }
        }
        let silent = Told::default();
        assert_eq!(silent.fit(T::Any), Fit::Yes);
        assert_eq!(silent.fit(T::ReadWrite), Fit::Unknown);
        assert_eq!(silent.fit(T::Standby), Fit::Unknown);
    }
}

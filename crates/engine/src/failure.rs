//! Why a login, a query or a close did not work: an outcome with its words.

use peaje_model::{OutcomeKind, Phase};

/// How an attempt failed. The message holds no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The outcome it counts as.
    pub kind: OutcomeKind,
    /// The engine's code (SQLSTATE), or the operating system's (`ECONNREFUSED`).
    pub code: Option<String>,
    /// The server's or the system's words.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// The phase it happened in.
    pub phase: Option<Phase>,
}

impl Failure {
    /// A failure without code, hint and phase.
    pub fn new(kind: OutcomeKind, message: impl Into<String>) -> Self {
        Self { kind, code: None, message: message.into(), hint: None, phase: None }
    }

    /// With a code.
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// With a next step.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// In a phase, unless one is set.
    pub fn phase(mut self, phase: Option<Phase>) -> Self {
        self.phase = self.phase.or(phase);
        self
    }

    /// The login timeout ran out.
    pub fn timed_out(timeout: std::time::Duration, phase: Option<Phase>) -> Self {
        let during = phase.map(|p| format!(" during `{p}`")).unwrap_or_default();
        Self::new(
            OutcomeKind::TimedOut,
            format!("no answer within the login timeout of {} s{during}", timeout.as_secs_f64()),
        )
        .hint("check that the address is reachable, or give more time with --login-timeout")
        .phase(phase)
    }

    /// Classifies an I/O error.
    pub fn from_io(error: &std::io::Error, phase: Option<Phase>) -> Self {
        use std::io::ErrorKind as K;
        let errno = error.raw_os_error().map(rustix::io::Errno::from_raw_os_error);
        let generator = matches!(
            errno,
            Some(
                rustix::io::Errno::ADDRNOTAVAIL
                    | rustix::io::Errno::ADDRINUSE
                    | rustix::io::Errno::MFILE
                    | rustix::io::Errno::NFILE
                    | rustix::io::Errno::NOBUFS
                    | rustix::io::Errno::NOMEM
            )
        ) || (errno == Some(rustix::io::Errno::AGAIN) && phase == Some(Phase::Connect));
        let kind = match error.kind() {
            _ if generator => OutcomeKind::Generator,
            K::ConnectionRefused | K::NotFound => OutcomeKind::Refused,
            K::TimedOut => OutcomeKind::TimedOut,
            K::ConnectionReset | K::ConnectionAborted | K::BrokenPipe | K::UnexpectedEof | K::NotConnected => {
                OutcomeKind::Reset
            }
            K::InvalidData => OutcomeKind::Protocol,
            _ => OutcomeKind::Unreachable,
        };
        let mut failure = Self::new(kind, error.to_string()).phase(phase);
        if let Some(name) = errno.and_then(errno_name) {
            failure = failure.code(name);
        }
        match kind {
            OutcomeKind::Refused => failure.hint("nothing listens there: check host and port, and that the server runs"),
            OutcomeKind::Generator => failure.hint(
                "this machine ran out of local ports or file descriptors: lower --concurrency or --rate, raise `ulimit -n`, or spread over --source-addresses",
            ),
            _ => failure,
        }
    }
}

fn errno_name(errno: rustix::io::Errno) -> Option<&'static str> {
    use rustix::io::Errno as E;
    Some(match errno {
        E::CONNREFUSED => "ECONNREFUSED",
        E::CONNRESET => "ECONNRESET",
        E::CONNABORTED => "ECONNABORTED",
        E::PIPE => "EPIPE",
        E::TIMEDOUT => "ETIMEDOUT",
        E::NETUNREACH => "ENETUNREACH",
        E::HOSTUNREACH => "EHOSTUNREACH",
        E::ADDRNOTAVAIL => "EADDRNOTAVAIL",
        E::ADDRINUSE => "EADDRINUSE",
        E::MFILE => "EMFILE",
        E::NFILE => "ENFILE",
        E::NOENT => "ENOENT",
        E::ACCESS => "EACCES",
        E::PERM => "EPERM",
        E::AGAIN => "EAGAIN",
        E::NOBUFS => "ENOBUFS",
        E::INVAL => "EINVAL",
        _ => return None,
    })
}

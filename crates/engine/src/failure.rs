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

    /// The message, with the code behind it.
    pub fn words(&self) -> String {
        match &self.code {
            Some(code) => format!("{} ({code})", self.message),
            None => self.message.clone(),
        }
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

    /// In a phase, unless one is set. What to do about a login timeout depends on it.
    pub fn phase(mut self, phase: Option<Phase>) -> Self {
        if self.phase.is_none()
            && self.kind == OutcomeKind::TimedOut
            && self.hint.as_deref() == Some(after_waiting(None))
        {
            self.hint = Some(after_waiting(phase).to_owned());
        }
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
        .hint(after_waiting(phase))
        .phase(phase)
    }

    /// A Unix socket that cannot be connected to: what is wrong is its path or its server, never a port.
    pub fn from_unix(error: &std::io::Error, path: &std::path::Path) -> Self {
        let failure = Self::from_io(error, Some(Phase::Connect));
        let failure = Failure { message: format!("{}: {}", path.display(), failure.message), ..failure };
        match error.kind() {
            std::io::ErrorKind::NotFound => failure.hint(
                "no socket has this path: check it (MySQL: SELECT @@socket; PostgreSQL: SHOW unix_socket_directories), \
                 and that the server runs",
            ),
            std::io::ErrorKind::ConnectionRefused => {
                failure.hint("the socket's file is there and no server listens on it: check that the server runs")
            }
            std::io::ErrorKind::PermissionDenied => {
                failure.hint("this user may not use the socket: check the rights of the file and of its folder")
            }
            _ => failure,
        }
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

/// What to do when nothing came, by what was waited for.
fn after_waiting(phase: Option<Phase>) -> &'static str {
    match phase {
        None | Some(Phase::Connect) => "check that the address is reachable, or give more time with --login-timeout",
        Some(Phase::Resolve) => {
            "the name is not resolved in time: check the name servers in /etc/resolv.conf, or give more time with \
             --login-timeout"
        }
        Some(Phase::Negotiate) => {
            "connected, but nothing greeted: check that the port is not another service's (a client of MySQL is greeted \
             by MySQL only; PostgreSQL, SQL Server and ports of TLS wait), or give more time with --login-timeout"
        }
        Some(_) => {
            "the server accepted the connection and did not answer: look at its log and load, or give more time with \
             --login-timeout"
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

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};
    use std::path::Path;
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_to_do_depends_on_what_was_waited_for() {
        let table = [
            (None, "address is reachable"),
            (Some(Phase::Connect), "address is reachable"),
            (Some(Phase::Resolve), "resolv.conf"),
            (Some(Phase::Negotiate), "nothing greeted"),
            (Some(Phase::Tls), "accepted the connection and did not answer"),
            (Some(Phase::Authenticate), "accepted the connection and did not answer"),
            (Some(Phase::Session), "accepted the connection and did not answer"),
        ];
        for (phase, words) in table {
            let failure = Failure::timed_out(Duration::from_secs(3), phase);
            let hint = failure.hint.expect("a hint");
            assert!(hint.contains(words) && hint.contains("--login-timeout"), "{phase:?}: {hint}");
            assert_eq!((failure.kind, failure.phase), (OutcomeKind::TimedOut, phase));
            let told_later = Failure::timed_out(Duration::from_secs(3), None).phase(phase);
            assert_eq!(told_later.hint, Some(hint));
        }
    }

    #[test]
    fn a_socket_has_a_path_and_no_port() {
        let table = [
            (ErrorKind::NotFound, OutcomeKind::Refused, "unix_socket_directories"),
            (ErrorKind::ConnectionRefused, OutcomeKind::Refused, "no server listens"),
            (ErrorKind::PermissionDenied, OutcomeKind::Unreachable, "rights"),
        ];
        for (kind, outcome, words) in table {
            let failure = Failure::from_unix(&Error::from(kind), Path::new("/run/x.sock"));
            let hint = failure.hint.expect("a hint");
            assert!(hint.contains(words) && !hint.contains("port"), "{hint}");
            assert!(failure.message.starts_with("/run/x.sock: "), "{}", failure.message);
            assert_eq!((failure.kind, failure.phase), (outcome, Some(Phase::Connect)));
        }
    }
}

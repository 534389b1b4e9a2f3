//! What this machine ran out of: the run's sign `no-local-port` covers ports, file descriptors and memory alike, and
//! only the operating system's codes of the failed operations tell them apart.

use peaje_model::{OutcomeKind, Series};

/// What the load generator had none left of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalShortage {
    /// Local ports; also when no code says otherwise.
    Ports,
    /// File descriptors, of the process or of the machine.
    FileDescriptors,
    /// Memory or socket buffers.
    Memory,
}

impl LocalShortage {
    /// The word in variants and message ids.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ports => "no-local-port",
            Self::FileDescriptors => "no-file-descriptor",
            Self::Memory => "no-local-memory",
        }
    }
}

/// What the operations of a series lacked that failed for want of something local: the kind that most of them name.
pub fn local_shortage(series: &Series) -> LocalShortage {
    let failed = series.outcomes.iter().filter(|outcome| outcome.kind == OutcomeKind::Generator);
    let most = failed.max_by_key(|outcome| outcome.count).and_then(|outcome| outcome.code.as_deref());
    match most {
        Some("EMFILE" | "ENFILE") => LocalShortage::FileDescriptors,
        Some("ENOMEM" | "ENOBUFS") => LocalShortage::Memory,
        _ => LocalShortage::Ports,
    }
}

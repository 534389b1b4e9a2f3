//! How a connection ends, whichever protocol it speaks.

use std::io;
use std::sync::atomic::Ordering::Relaxed;

use crate::counters::Counters;

/// How a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The client has left.
    Left,
    /// It only wanted to cancel a query.
    Cancel,
    /// The server ends it; the reason is in the output.
    Told,
    /// The server ends it without a word.
    Silent,
    /// The server ends it by TCP reset.
    Reset,
}

impl End {
    /// Counts a login that came to this end.
    pub(crate) fn count(self, counters: &Counters) {
        let counter = match self {
            End::Left => &counters.abandoned,
            End::Cancel => &counters.cancels,
            End::Told | End::Silent | End::Reset => &counters.failed,
        };
        counter.fetch_add(1, Relaxed);
    }

    /// Counts a session that came to this end.
    pub(crate) fn count_session(self, counters: &Counters) {
        if matches!(self, End::Told | End::Silent | End::Reset) {
            counters.sessions_ended.fetch_add(1, Relaxed);
        }
    }
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // Records that do not decrypt.
            io::ErrorKind::Other => End::Silent,
            _ => End::Left,
        }
    }
}

//! What can go wrong with a recording, and what to do then.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why a recording cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// There is no such file (to replay), or no such folder (to record into).
    #[error("{path}: no such file or folder; check the path")]
    NotFound {
        /// The path.
        path: PathBuf,
    },
    /// The file is something else.
    #[error(
        "{path} is no recording of peaje: {what}; name another file (peaje never writes over a file that is not its own)"
    )]
    NotARecording {
        /// The path.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// A part of the file is missing or damaged.
    #[error(
        "{path} is damaged: {what}; copy it from where it was recorded, with its -wal file, or record into a new file"
    )]
    Damaged {
        /// The path.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// It was written by a later version.
    #[error("{path} has recording format {found}, and this peaje reads up to {known}; use the peaje that wrote it")]
    NewerFormat {
        /// The path.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The highest format that is known here.
        known: i64,
    },
    /// Another watch records into it.
    #[error("another peaje records into {path}; stop it, or name another file (replaying it meanwhile is fine)")]
    InUse {
        /// The path.
        path: PathBuf,
    },
    /// The disk is full, read-only, or denied.
    #[error("{path} cannot be written: {what}")]
    NotWritable {
        /// The path.
        path: PathBuf,
        /// Why, and what to do.
        what: String,
    },
    /// Rows that waited for a disk could not be written when the watch ended.
    #[error("{path}: the last {rows} rows could not be written ({what}); everything before them is in the file")]
    RowsLeft {
        /// The path.
        path: PathBuf,
        /// How many.
        rows: u64,
        /// Why.
        what: String,
    },
    /// Reading or writing failed otherwise.
    #[error("{path}: {source}")]
    Sqlite {
        /// The path.
        path: PathBuf,
        /// The library's error.
        source: rusqlite::Error,
    },
    /// The system failed otherwise.
    #[error("{path}: {source}")]
    Io {
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

impl RecordError {
    pub(super) fn sqlite(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::NotARecording { path, what: "it is no SQLite database" },
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged { path, what: source.to_string() },
            Some(code) if waits(code) => Self::NotWritable { path, what: Why::of(&source).at_start() },
            _ => Self::Sqlite { path, source },
        }
    }

    pub(super) fn io(path: &Path, source: std::io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            std::io::ErrorKind::NotFound => Self::NotFound { path },
            std::io::ErrorKind::PermissionDenied => {
                Self::NotWritable { path, what: "no permission; name a file in a folder of yours".to_owned() }
            }
            _ => Self::Io { path, source },
        }
    }
}

/// Writing, growing or mapping a file failed.
const NO_ROOM: [i32; 4] = [
    rusqlite::ffi::SQLITE_IOERR_WRITE,
    rusqlite::ffi::SQLITE_IOERR_TRUNCATE,
    rusqlite::ffi::SQLITE_IOERR_SHMSIZE,
    rusqlite::ffi::SQLITE_IOERR_SHMMAP,
];

/// Whether it may work again later, when somebody has made room.
pub(super) fn waits(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::DiskFull
            | ErrorCode::SystemIoFailure
            | ErrorCode::ReadOnly
            | ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
    )
}

/// Why it cannot be written now, and what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Why {
    what: &'static str,
    next: &'static str,
}

impl Why {
    pub(super) fn of(error: &rusqlite::Error) -> Self {
        let why = |what, next| Self { what, next };
        let otherwise = why("the disk does not answer as it should", "look after it");
        let Some(error) = error.sqlite_error() else { return otherwise };
        match error.code {
            ErrorCode::DiskFull => why("the disk is full", "make room"),
            // What no disk refuses but a quota or a limit does: SQLite knows `ENOSPC` alone as a full disk.
            ErrorCode::SystemIoFailure if NO_ROOM.contains(&error.extended_code) => why(
                "there is no room for more: a full disk, a quota, or a limit of file sizes (ulimit -f)",
                "make room",
            ),
            ErrorCode::ReadOnly => why("the file or its disk is read-only", "make it writable"),
            ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
                why("it cannot be opened", "check the permissions of the file and its folder")
            }
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                why("another program holds a lock on it", "close that program")
            }
            _ => otherwise,
        }
    }

    /// The reason alone.
    pub(super) fn what(self) -> String {
        self.what.to_owned()
    }

    /// Of a recording that waits.
    pub(super) fn waiting(self) -> String {
        format!("{}; {}, and recording goes on", self.what, self.next)
    }

    /// Of one that could not begin.
    fn at_start(self) -> String {
        format!("{}; {}, and start again", self.what, self.next)
    }
}

//! The file of a recording: an SQLite database with one packed row per interval.
//!
//! Rows are read in the order they were written. A file that is not ours is never written to, whatever its name.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};

use crate::db::error::RecordError;

/// `peaj`: marks the file as ours.
const APPLICATION_ID: i64 = 0x7065_616a;
/// The format this version writes, and the highest it reads.
const FORMAT: i64 = 1;
/// How long a lock of a reader is waited for.
const BUSY: Duration = Duration::from_secs(5);

const TABLES: &str = "
    CREATE TABLE server (
        id INTEGER PRIMARY KEY,
        label TEXT NOT NULL UNIQUE,
        -- Rows up to this one were merged where they could be.
        merged_id INTEGER NOT NULL DEFAULT 0
    );
    -- One per interval. whole: 1 = a record of the server can begin with it, 2 = what was learnt at a login.
    -- width: intervals that were merged into it.
    CREATE TABLE row (
        id INTEGER PRIMARY KEY,
        server INTEGER NOT NULL REFERENCES server (id),
        at_us INTEGER NOT NULL,
        whole INTEGER NOT NULL,
        width INTEGER NOT NULL,
        body BLOB NOT NULL
    );
    CREATE INDEX row_server ON row (server, id);
    CREATE INDEX row_whole ON row (server, whole, id) WHERE whole > 0;
";

/// Opens a file for writing; makes it when there is none.
pub(super) fn open_to_write(path: &Path) -> Result<(Connection, WriterLock), RecordError> {
    let lock = WriterLock::take(path)?;
    let existed = path.exists();
    let fresh = check_head(path)? == Head::Empty;
    let db = Connection::open(path).map_err(|error| RecordError::sqlite(path, error))?;
    let set_up = |db: &Connection| -> Result<(), rusqlite::Error> {
        db.busy_timeout(BUSY)?;
        distrust(db)?;
        if fresh {
            // Has no effect once there is a table.
            db.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        }
        db.pragma_update(None, "journal_mode", "WAL")?;
        // A commit is on the disk when it is reported: also after a power failure.
        db.pragma_update(None, "synchronous", "FULL")?;
        db.pragma_update(None, "wal_autocheckpoint", 1000)?;
        db.pragma_update(None, "journal_size_limit", 16 << 20)?;
        if fresh {
            let make = format!(
                "BEGIN; {TABLES} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT}; COMMIT;"
            );
            db.execute_batch(&make)?;
        }
        Ok(())
    };
    if !fresh {
        check_marks(&db, path)?;
    }
    if let Err(error) = set_up(&db) {
        drop(db);
        if fresh {
            remove_half(path, existed);
        }
        return Err(RecordError::sqlite(path, error));
    }
    Ok((db, lock))
}

/// A file may come from a stranger: nothing that its schema holds may call functions with side effects.
fn distrust(db: &Connection) -> Result<(), rusqlite::Error> {
    db.pragma_update(None, "trusted_schema", "OFF")
}

/// Takes away what was made of a recording that could not begin: half a page would be called damaged next time.
fn remove_half(path: &Path, existed: bool) {
    // Nothing better can be done when this fails too; the error that led here is told.
    let _ = if existed {
        File::options().write(true).open(path).and_then(|file| file.set_len(0))
    } else {
        std::fs::remove_file(path)
    };
    for end in ["-wal", "-shm", "-journal"] {
        let _ = std::fs::remove_file(beside(path, end));
    }
}

/// Opens a file for reading; another peaje may be writing it.
pub(super) fn open_to_read(path: &Path) -> Result<Connection, RecordError> {
    if !path.exists() {
        return Err(RecordError::NotFound { path: path.to_owned() });
    }
    if check_head(path)? == Head::Empty {
        return Err(RecordError::NotARecording { path: path.to_owned(), what: "it is empty" });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags).map_err(|error| RecordError::sqlite(path, error))?;
    db.busy_timeout(BUSY).and_then(|()| distrust(&db)).map_err(|error| RecordError::sqlite(path, error))?;
    check_marks(&db, path)?;
    Ok(db)
}

#[derive(Debug, PartialEq, Eq)]
enum Head {
    Empty,
    Database,
}

/// What the first bytes say, before the library touches the file.
fn check_head(path: &Path) -> Result<Head, RecordError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Head::Empty),
        Err(error) => return Err(RecordError::io(path, error)),
    };
    let not_ours = |what| RecordError::NotARecording { path: path.to_owned(), what };
    let metadata = file.metadata().map_err(|error| RecordError::io(path, error))?;
    if metadata.is_dir() {
        return Err(not_ours("it is a folder"));
    }
    if metadata.len() == 0 {
        return Ok(Head::Empty);
    }
    let mut head = Vec::new();
    file.by_ref().take(100).read_to_end(&mut head).map_err(|error| RecordError::io(path, error))?;
    let magic = b"SQLite format 3\0";
    if !head.starts_with(&magic[..head.len().min(magic.len())]) {
        return Err(not_ours("it is no SQLite database"));
    }
    let Some(pages) = head.get(28..32).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes) else {
        return Err(RecordError::Damaged { path: path.to_owned(), what: "it ends within its first page".to_owned() });
    };
    let page = match u16::from_be_bytes([head[16], head[17]]) {
        1 => 65_536,
        page => u64::from(page),
    };
    let whole = u64::from(pages) * page;
    // With a log beside it the file itself may be behind.
    if metadata.len() < whole && !beside(path, "-wal").exists() {
        let what = format!("it has {} bytes of {whole}", metadata.len());
        return Err(RecordError::Damaged { path: path.to_owned(), what });
    }
    Ok(Head::Database)
}

fn check_marks(db: &Connection, path: &Path) -> Result<(), RecordError> {
    let mark = |name: &str| -> Result<i64, RecordError> {
        db.pragma_query_value(None, name, |row| row.get(0)).map_err(|error| RecordError::sqlite(path, error))
    };
    if mark("application_id")? != APPLICATION_ID {
        let what = "it is an SQLite database of another program";
        return Err(RecordError::NotARecording { path: path.to_owned(), what });
    }
    let found = mark("user_version")?;
    if found > FORMAT {
        return Err(RecordError::NewerFormat { path: path.to_owned(), found, known: FORMAT });
    }
    Ok(())
}

/// The number of a server in the file, made when it is new.
pub(super) fn server_id(db: &Connection, label: &str) -> Result<i64, rusqlite::Error> {
    db.execute("INSERT OR IGNORE INTO server (label) VALUES (?1)", params![label])?;
    db.query_row("SELECT id FROM server WHERE label = ?1", params![label], |row| row.get(0))
}

/// A file beside the recording.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// Held by whoever writes. The system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct WriterLock {
    _file: File,
}

impl WriterLock {
    fn take(path: &Path) -> Result<Self, RecordError> {
        let lock = beside(path, "-lock");
        let open = File::options().create(true).truncate(false).write(true).open(&lock);
        let file = open.map_err(|error| RecordError::io(path, error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(std::fs::TryLockError::WouldBlock) => Err(RecordError::InUse { path: path.to_owned() }),
            Err(std::fs::TryLockError::Error(error)) => Err(RecordError::io(path, error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_of_a_file_is_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.db");
        let trusted =
            |db: &Connection| -> bool { db.pragma_query_value(None, "trusted_schema", |row| row.get(0)).unwrap() };
        let (db, lock) = open_to_write(&path).unwrap();
        assert!(!trusted(&db));
        drop((db, lock));
        assert!(!trusted(&open_to_read(&path).unwrap()));
    }
}

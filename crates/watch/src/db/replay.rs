//! Reads a recording back, row by row, into the same record that a live watch keeps.

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use rusqlite::Connection;

use crate::codec;
use crate::db::error::RecordError;
use crate::db::file::open_to_read;
use crate::record::Record;
use crate::row::Row;

/// Rows that are handed over together.
const CHUNK: usize = 256;
/// Chunks that may wait.
const CHUNKS: usize = 8;

/// The record of a file, as a watch that had recorded it would hold it at its end.
pub fn replay_db(path: &Path, window: Duration) -> Result<Record, RecordError> {
    let mut record = Record::new(window);
    let mut places: HashMap<String, usize> = HashMap::new();
    read_rows(path, &mut |label, row| {
        let place = if let Some(place) = places.get(label) {
            *place
        } else {
            let place = record.server(label);
            places.insert(label.to_owned(), place);
            place
        };
        record.push(place, row);
    })?;
    Ok(record)
}

/// Every row of a file in the order it was written, with its server's label.
pub fn read_rows(path: &Path, look: &mut dyn FnMut(&str, &Row)) -> Result<(), RecordError> {
    each_row(open_to_read(path)?, path, look)
}

/// Unpacking takes as long as what is done with the rows, so it has a thread of its own.
fn each_row(db: Connection, path: &Path, look: &mut dyn FnMut(&str, &Row)) -> Result<(), RecordError> {
    let failed = |error| RecordError::sqlite(path, error);
    // One read transaction: a watch that goes on recording does not change what is read here.
    db.execute_batch("BEGIN").map_err(failed)?;
    let labels = labels(&db).map_err(failed)?;
    std::thread::scope(|scope| {
        let (sender, chunks) = sync_channel(CHUNKS);
        let reader = scope.spawn(move || unpack(&db, path, &sender));
        for (server, row) in chunks.into_iter().flatten() {
            let label = labels.get(&server).ok_or_else(|| damaged(path, "a row of no server"))?;
            look(label, &row);
        }
        reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn labels(db: &Connection) -> Result<HashMap<i64, String>, rusqlite::Error> {
    let mut servers = db.prepare("SELECT id, label FROM server")?;
    servers.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

fn unpack(db: &Connection, path: &Path, chunks: &SyncSender<Vec<(i64, Row)>>) -> Result<(), RecordError> {
    let failed = |error| RecordError::sqlite(path, error);
    let mut statement = db.prepare("SELECT id, server, at_us, body FROM row ORDER BY id").map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut chunk = Vec::with_capacity(CHUNK);
    while let Some(found) = rows.next().map_err(failed)? {
        let (id, server, at_us): (i64, i64, i64) =
            (found.get(0).map_err(failed)?, found.get(1).map_err(failed)?, found.get(2).map_err(failed)?);
        let body = found.get_ref(3).map_err(failed)?.as_blob().ok().filter(|_| codec::past(at_us).is_ok());
        let row = body.and_then(|body| codec::decode(at_us, body).ok());
        chunk.push((server, row.ok_or_else(|| damaged(path, &format!("row {id} cannot be read")))?));
        if chunk.len() == CHUNK && chunks.send(std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK))).is_err() {
            // Whoever looked has had enough.
            return Ok(());
        }
    }
    let _ = chunks.send(chunk);
    Ok(())
}

fn damaged(path: &Path, what: &str) -> RecordError {
    RecordError::Damaged { path: path.to_owned(), what: what.to_owned() }
}

//! Forgets and merges old rows.
//!
//! Removal ends at a row with a whole picture, so that the file can still be read from its beginning. Merging adds the
//! differences of neighbouring rows; it never reaches into the last two windows, so verdicts at the end stay exact.

use std::collections::HashSet;

use rusqlite::{Connection, Transaction, params};

use crate::codec;
use crate::db::recorder::RecordingPlan;
use crate::row::{Changes, Counter, Interval, Picture, Row, What};

/// Rows that are looked at in one transaction, so that no lock is held for long.
const ROWS_AT_ONCE: i64 = 2000;
/// Transactions in one cleaning.
const MOST_TRANSACTIONS: usize = 50;
/// Free pages that are given back to the disk in one cleaning.
const PAGES_AT_ONCE: u32 = 4000;

/// One round. Later rounds do what this one left.
pub(super) fn clean(db: &mut Connection, plan: &RecordingPlan) -> Result<(), rusqlite::Error> {
    let Some(end_us) = db.query_row("SELECT max(at_us) FROM row", [], |row| row.get::<_, Option<i64>>(0))? else {
        return Ok(());
    };
    let before = |age: std::time::Duration| end_us.saturating_sub(i64::try_from(age.as_micros()).unwrap_or(i64::MAX));
    let servers: Vec<i64> =
        db.prepare("SELECT id FROM server")?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let exact = plan.keep.exact.max(plan.window.saturating_mul(2));
    for server in servers {
        if let Some(keep) = plan.keep.keep {
            remove(db, server, before(keep.max(plan.window.saturating_mul(2))))?;
        }
        let slot_us = i64::try_from(plan.keep.merged.as_micros()).unwrap_or(i64::MAX);
        for _ in 0..MOST_TRANSACTIONS {
            let transaction = db.transaction()?;
            let more = merge(&transaction, server, before(exact), slot_us)?;
            transaction.commit()?;
            if !more {
                break;
            }
        }
    }
    db.execute_batch(&format!("PRAGMA incremental_vacuum({PAGES_AT_ONCE})"))
}

fn remove(db: &Connection, server: i64, cut_us: i64) -> Result<(), rusqlite::Error> {
    let first: Option<i64> = db.query_row(
        "SELECT max(id) FROM row WHERE server = ?1 AND whole = 1 AND at_us <= ?2",
        params![server, cut_us],
        |row| row.get(0),
    )?;
    let Some(first) = first else { return Ok(()) };
    // What was learnt at the last login before it still holds.
    db.execute(
        "DELETE FROM row WHERE server = ?1 AND id < ?2 AND id IS NOT
             (SELECT max(id) FROM row WHERE server = ?1 AND whole = 2 AND id < ?2)",
        params![server, first],
    )?;
    Ok(())
}

/// Merges some rows that end before a moment. True when there may be more.
fn merge(db: &Transaction<'_>, server: i64, cut_us: i64, slot_us: i64) -> Result<bool, rusqlite::Error> {
    let after: i64 = db.query_row("SELECT merged_id FROM server WHERE id = ?1", params![server], |row| row.get(0))?;
    let mut statement = db.prepare(
        "SELECT id, at_us, width, body FROM row WHERE server = ?1 AND id > ?2 AND at_us < ?3 ORDER BY id LIMIT ?4",
    )?;
    let found = statement.query_map(params![server, after, cut_us, ROWS_AT_ONCE], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?, row.get::<_, Vec<u8>>(3)?))
    })?;
    let mut run: Vec<(i64, i64, Row)> = Vec::new();
    let (mut done, mut count) = (after, 0);
    for found in found {
        let (id, at_us, width, body) = found?;
        count += 1;
        // A damaged row stays what it is.
        let row = codec::decode(at_us, &body).ok().filter(mergeable);
        let same_slot = run.last().is_none_or(|(_, _, last)| last.at_us / slot_us == at_us / slot_us);
        if row.is_none() || !same_slot {
            done = run.last().map_or(done, |(id, _, _)| *id);
            write(db, std::mem::take(&mut run))?;
        }
        match row {
            Some(row) => run.push((id, width, row)),
            None => done = id,
        }
    }
    // More than is looked at in one transaction lies in one stretch: it becomes several.
    if count == ROWS_AT_ONCE && done == after {
        done = run.last().map_or(done, |(id, _, _)| *id);
        write(db, run)?;
    }
    // The last stretch may go on behind what was read; it waits for the next round.
    db.execute("UPDATE server SET merged_id = ?2 WHERE id = ?1", params![server, done])?;
    Ok(count == ROWS_AT_ONCE && done > after)
}

fn mergeable(row: &Row) -> bool {
    row.interval().is_some_and(|row| {
        let whole = matches!(row.picture, Some(Picture::Whole(_)));
        row.cut.is_none() && row.identity.is_none() && row.totals.is_none() && row.missing.is_none() && !whole
    })
}

fn write(db: &Transaction<'_>, run: Vec<(i64, i64, Row)>) -> Result<(), rusqlite::Error> {
    if run.len() < 2 {
        return Ok(());
    }
    let width = run.iter().fold(0_i64, |sum, (_, width, _)| sum.saturating_add(*width));
    let ids: Vec<i64> = run.iter().map(|(id, _, _)| *id).collect();
    let rows: Vec<Row> = run.into_iter().map(|(_, _, row)| row).collect();
    let Some(merged) = merged(&rows) else { return Ok(()) };
    let Ok(body) = codec::encode(&merged) else { return Ok(()) };
    let (last, others) = (ids[ids.len() - 1], &ids[..ids.len() - 1]);
    for id in others {
        db.prepare("DELETE FROM row WHERE id = ?1")?.execute(params![id])?;
    }
    db.prepare("UPDATE row SET at_us = ?2, width = ?3, body = ?4 WHERE id = ?1")?.execute(params![
        last,
        merged.at_us,
        width,
        body
    ])?;
    Ok(())
}

/// Several rows as one. A session that came and went within it is no longer told apart.
fn merged(rows: &[Row]) -> Option<Row> {
    let mut all = Interval { seen: true, ..Interval::default() };
    for (number, row) in rows.iter().enumerate() {
        let next = row.interval()?;
        let mut changes = Changes::default();
        for counter in Counter::ALL {
            let sum =
                |next: u64| if number == 0 { Some(next) } else { Some(all.changes.get(counter)?.saturating_add(next)) };
            changes.set(counter, next.changes.get(counter).and_then(sum));
        }
        all.changes = changes;
        all.server_us = next.server_us;
        all.length_us = all.length_us.saturating_add(next.length_us);
        (all.sessions, all.active, all.waiting) = (next.sessions, next.active, next.waiting);
        all.seen &= next.seen;
        all.origins.extend(next.origins.iter().cloned());
        all.births.extend(&next.births);
        all.deaths.extend(&next.deaths);
        all.busy.clone_from(&next.busy);
    }
    let born: HashSet<u64> = all.births.iter().map(|birth| birth.serial).collect();
    let gone: HashSet<u64> = all.deaths.iter().map(|death| death.serial).collect();
    all.births.retain(|birth| !gone.contains(&birth.serial));
    all.deaths.retain(|death| !born.contains(&death.serial));
    all.deaths.sort_by_key(|death| death.serial);
    Some(Row { at_us: rows.last()?.at_us, what: What::Interval(Box::new(all)) })
}

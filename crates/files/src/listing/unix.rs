//! Lists of `find` and `ls -f`.
//!
//! `find` writes a folder right before what is in it: one entry is held back, and is a folder when the next one is in it.

use std::io::Read;
use std::ops::ControlFlow;

use super::decode::Records;
use super::{Entry, ListingError, Sink, What};

/// Paths: one a line, or between zeros.
pub(super) fn find<R: Read>(records: &mut Records<R>, sink: &mut Sink<'_>) -> Result<ControlFlow<()>, ListingError> {
    let (mut held, mut path, mut root) = (Vec::new(), Vec::new(), Vec::new());
    let mut joins = None;
    while records.next(&mut path)? {
        // `find .` and `find /data` have a separator in each line but the first: a line without one is the rest of a name.
        let slash = path.contains(&b'/');
        let joins = *joins.get_or_insert(slash || matches!(&path[..], b"." | b".."));
        if joins && !slash && records.line() > 1 {
            held.push(b'\n');
            held.extend_from_slice(&path);
            continue;
        }
        while path.len() > 1 && path.last() == Some(&b'/') {
            path.pop();
        }
        let what = if !held.is_empty() && split(&path).0 == held { What::Folder } else { What::Unknown };
        if give(&held, what, &mut root, sink).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        std::mem::swap(&mut held, &mut path);
    }
    Ok(give(&held, What::Unknown, &mut root, sink))
}

/// The start of a search is no entry of a folder that the list is about.
fn give(path: &[u8], what: What, root: &mut Vec<u8>, sink: &mut Sink<'_>) -> ControlFlow<()> {
    if path.is_empty() {
        return ControlFlow::Continue(());
    }
    let below = !root.is_empty()
        && path.strip_prefix(&root[..]).is_some_and(|rest| rest.starts_with(b"/") || &root[..] == b"/");
    if what == What::Folder && !below {
        path.clone_into(root);
        return ControlFlow::Continue(());
    }
    let (folder, name) = split(path);
    if matches!(name, b"" | b"." | b"..") {
        return ControlFlow::Continue(());
    }
    sink.give(Entry { folder, name, what, size: None, mtime: None, short: None })
}

/// Folder and name.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(0) if path.len() > 1 => (b"/", &path[1..]),
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (b"", path),
    }
}

/// The names of one folder.
pub(super) fn names<R: Read>(
    records: &mut Records<R>,
    folder: &[u8],
    sink: &mut Sink<'_>,
) -> Result<ControlFlow<()>, ListingError> {
    let mut line = Vec::new();
    while records.next(&mut line)? {
        let name = line.strip_suffix(b"\r").unwrap_or(&line);
        if matches!(name, b"" | b"." | b"..") {
            continue;
        }
        let entry = Entry { folder, name, what: What::Unknown, size: None, mtime: None, short: None };
        if sink.give(entry).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

//! The record: what is known of each server over one window, digested from rows.
//!
//! A live watch, a replayed file and a CSV all push rows here, and everything that is said afterwards is read from here:
//! that is why they say the same. It keeps one window and forgets the rest, so its size is bounded. A newcomer would use
//! the present time somewhere; the record's own last moment takes its place.

mod digest;
mod failures;
mod server;

use std::time::Duration;

use peaje_model::GroupKind;

pub(crate) use server::{Figures, Lived, ServerRecord, UNKNOWN, known};

use crate::row::Row;

/// Most sessions that ended which are kept for all servers together.
const MOST_LIVES: usize = 400_000;

/// What is known of the servers that are watched.
#[derive(Debug, Clone)]
pub struct Record {
    pub(crate) window_us: i64,
    pub(crate) servers: Vec<ServerRecord>,
}

impl Record {
    /// An empty record that keeps a window of this length (of the clock on the wall).
    pub fn new(window: Duration) -> Self {
        Self { window_us: i64::try_from(window.as_micros()).unwrap_or(i64::MAX / 4), servers: Vec::new() }
    }

    /// The place of a server, made when it is new.
    pub fn server(&mut self, label: &str) -> usize {
        self.group(label, label, GroupKind::Instance)
    }

    /// The place of a group that comes with counters of its own, as an application in a CSV file does.
    pub(crate) fn group(&mut self, label: &str, name: &str, kind: GroupKind) -> usize {
        let same = |server: &ServerRecord| server.label == label && server.name == name && server.kind == kind;
        self.servers.iter().position(same).unwrap_or_else(|| {
            self.servers.push(ServerRecord::new(label, name, kind));
            self.servers.len() - 1
        })
    }

    /// Adds a row to the server at a place.
    pub fn push(&mut self, server: usize, row: &Row) {
        let most_lives = MOST_LIVES / self.servers.len().max(1);
        let window_us = self.window_us;
        if let Some(server) = self.servers.get_mut(server) {
            server.push(row);
            server.trim(window_us, most_lives);
        }
    }

    /// The servers' labels, in the order they were added.
    pub fn servers(&self) -> Vec<&str> {
        let mut labels: Vec<&str> = Vec::new();
        for server in &self.servers {
            if !labels.contains(&server.label.as_str()) {
                labels.push(&server.label);
            }
        }
        labels
    }

    /// What answered at a server, as far as the record knows.
    pub fn what_answered(&self, label: &str) -> Option<&peaje_model::WhatAnswered> {
        self.servers.iter().find(|server| server.label == label)?.note.what_answered.as_ref()
    }

    /// The last moment, microseconds since 1970 on the watch's clock; `None` while it is empty.
    pub fn end_us(&self) -> Option<i64> {
        self.servers.iter().filter_map(ServerRecord::last_us).max()
    }

    /// The first moment it still holds.
    pub fn begin_us(&self) -> Option<i64> {
        self.servers.iter().filter_map(|server| server.rows.front().map(|row| row.from_us)).min()
    }
}

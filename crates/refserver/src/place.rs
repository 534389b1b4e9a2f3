//! A session's place: one of those that are limited, and the memory that a session of a database would have.

use crate::connection::Connection;
use crate::counters::Count;
use crate::seats::Bit;
use crate::server::Shared;
use crate::system::Map;

/// A place, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    /// Given back before the place is, so that whoever is let in next finds it free.
    memory: Option<Map>,
    _count: Count<'a>,
}

/// Takes a place for a connection; `None` when the server is full, or has no memory for one more session.
pub(crate) fn take<'a, P>(shared: &'a Shared<P>, connection: &Connection) -> Option<Place<'a>> {
    let count = shared.counters.take_place(shared.session_limit, &shared.seats, connection.seat())?;
    let memory = match shared.options.session_memory {
        0 => None,
        bytes => Some(Map::private(usize::try_from(bytes).ok()?).ok()?),
    };
    let place = Place { memory, _count: count };
    place.work();
    Some(place)
}

/// Counts the session as encrypted, if it is.
pub(crate) fn encrypted<'a, P>(shared: &'a Shared<P>, connection: &Connection) -> Option<Count<'a>> {
    let count = || Count::of(&shared.counters.encrypted, Bit::Encrypted, &shared.seats, connection.seat());
    connection.is_encrypted().then(count)
}

impl Place<'_> {
    /// A session that works uses its memory: all of it is written to, and comes back from where it had been swapped to.
    pub(crate) fn work(&self) {
        if let Some(memory) = &self.memory {
            memory.touch();
        }
    }
}

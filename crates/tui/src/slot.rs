//! A place for the newest view: putting one there never waits, and one that nobody has fetched is replaced.
//!
//! It counts as dropped when it is replaced while a frame is being drawn: the screen was too slow for it. That readings
//! of many servers come in quicker succession than frames is no loss.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::View;

#[derive(Debug, Default)]
struct Slot {
    view: Option<View>,
    drawing: bool,
    dropped: u64,
}

/// The side of whoever reads the servers.
#[derive(Debug, Clone)]
pub struct Views(Arc<Mutex<Slot>>);

/// The side of the screen.
#[derive(Debug)]
pub struct Screen(Arc<Mutex<Slot>>);

/// A slot's two sides.
pub fn views() -> (Views, Screen) {
    let slot = Arc::new(Mutex::new(Slot::default()));
    (Views(slot.clone()), Screen(slot))
}

impl Views {
    /// Shows `view` as soon as the screen can. Never waits for it.
    pub fn show(&self, view: View) {
        let mut slot = lock(&self.0);
        let before = slot.view.replace(view);
        slot.dropped += u64::from(before.is_some() && slot.drawing);
    }

    /// Views that the screen was too slow for.
    pub fn dropped(&self) -> u64 {
        lock(&self.0).dropped
    }
}

impl Screen {
    /// Does what takes long: a terminal that is slow to take a frame holds up whoever draws it.
    pub(crate) fn while_drawing<T>(&self, draw: impl FnOnce() -> T) -> T {
        lock(&self.0).drawing = true;
        let drawn = draw();
        lock(&self.0).drawing = false;
        drawn
    }

    /// The newest view, unless it was fetched already, and how many were dropped so far.
    pub(crate) fn fetch(&self) -> (Option<View>, u64) {
        let mut slot = lock(&self.0);
        (slot.view.take(), slot.dropped)
    }
}

/// Nothing panics while it is held; if it did, a view would still be a view.
fn lock(slot: &Mutex<Slot>) -> MutexGuard<'_, Slot> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_view_wins_and_those_a_slow_frame_costs_are_counted() {
        let (views, screen) = views();
        let named = |at: &str| View { at: at.to_owned(), ..View::default() };
        assert_eq!(screen.fetch(), (None, 0));
        views.show(named("1"));
        assert_eq!(screen.fetch(), (Some(named("1")), 0));
        screen.while_drawing(|| ["2", "3", "4"].map(|at| views.show(named(at))));
        assert_eq!(screen.fetch(), (Some(named("4")), 2));
        assert_eq!(screen.fetch(), (None, 2));
        for at in ["5", "6"] {
            views.show(named(at));
        }
        assert_eq!(screen.fetch(), (Some(named("6")), 2), "nobody was slow");
        assert_eq!(views.dropped(), 2);
    }
}

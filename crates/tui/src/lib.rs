//! The live screen of `peaje watch`: draws what it is given, and never holds up a reading.
//!
//! [`State`] and [`draw`] are pure; [`run`] is the only part that touches the terminal. Whoever reads servers puts a
//! [`View`] into a [`slot`](views) and goes on; a screen that is too slow loses views, and says how many. Where stdout
//! is no terminal, [`Plain`] says the same in lines.

mod ascii;
mod clock;
mod draw;
mod keys;
mod look;
mod plain;
mod run;
mod sayings;
mod slot;
mod spark;
mod state;
mod terminal;
mod view;
mod wrap;

pub use draw::draw;
pub use keys::{Action, Key};
pub use look::{Colours, Glyphs, Look};
pub use plain::Plain;
pub use run::{Ended, run};
pub use slot::{Screen, Views, views};
pub use state::{Size, Sort, State};
pub use terminal::{ScreenError, restore};
pub use view::{Ages, Exactness, Figures, GroupView, History, ServerStatus, ServerView, View};

//! The phase `session`: what follows the accepted credentials until the server waits for a query.
//!
//! A newcomer would look for `init_connect` before the OK. The server runs it after the OK, without a word: whatever is
//! sent next waits for it.

use peaje_engine::{Failure, Trace, Wire};

use super::AwaitInit;
use super::prepared::{PING, Prepared};
use super::query::read_answer;

/// Waits for `init_connect` when that is wanted, and runs the statements of the settings.
pub(super) async fn begin(
    prepared: &Prepared,
    capabilities: u32,
    wire: &mut Wire,
    trace: &mut Trace,
) -> Result<(), Failure> {
    if prepared.await_init == AwaitInit::Ping {
        wire.queue(PING, trace);
        read_answer(wire, capabilities, trace).await?;
    }
    for statement in &prepared.init {
        wire.queue(statement, trace);
        read_answer(wire, capabilities, trace).await?;
    }
    Ok(())
}

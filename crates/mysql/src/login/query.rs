//! The answer to a query, read to its end. Rows are dropped here, however many and however long.

use peaje_engine::{Failure, Trace, Wire};
use peaje_model::OutcomeKind;

use super::dialogue::{await_header, await_packet, consume, payload, skip};
use super::failures;
use crate::protocol::MAX_CONTROL;
use crate::protocol::answer::{Answer, Next, Step};
use crate::protocol::packet::Header;

/// Reads until the server waits for the next query. An error of the query is a failure.
pub(super) async fn read_answer(wire: &mut Wire, capabilities: u32, trace: &mut Trace) -> Result<(), Failure> {
    let mut answer = Answer::new(capabilities);
    let mut expected = 1u8;
    loop {
        let (header, first) = await_header(wire, expected, trace).await?;
        expected = expected.wrapping_add(1);
        if answer.next(header.length, first) == Next::Skip {
            skip(wire, header, trace).await?;
            answer.skipped(header.length).map_err(|e| failures::protocol(&e, trace.current()))?;
        } else if control(wire, header, &mut answer, trace).await? == Step::Ended {
            return Ok(());
        }
    }
}

/// Reads a packet that says how the answer goes on.
pub(super) async fn control(
    wire: &mut Wire,
    header: Header,
    answer: &mut Answer,
    trace: &mut Trace,
) -> Result<Step<'static>, Failure> {
    await_packet(wire, header.sequence, MAX_CONTROL, trace).await?;
    let step = answer.packet(payload(wire, header)).map_err(|e| failures::protocol(&e, trace.current()))?;
    let step = match step {
        Step::More => Ok(Step::More),
        Step::Ended => Ok(Step::Ended),
        Step::Failed(error) => Err(failures::rejected(&error, trace.current())),
        Step::WantsFile => Err(wants_file(trace)),
    };
    consume(wire, header);
    step
}

fn wants_file(trace: &Trace) -> Failure {
    Failure::new(OutcomeKind::Unsupported, "the server asks for a file of this machine")
        .hint("give a query that returns rows; no file is ever sent")
        .phase(trace.current())
}

//! What neither the standard library nor a safe wrapper does: CPU clocks of other threads, memory by the page, `fork`.
//!
//! A newcomer would add a call to the system wherever it is needed. All that is `unsafe` in this crate stands in this
//! folder, behind functions that cannot be used wrongly.
#![allow(
    unsafe_code,
    reason = "mmap, fork, signalfd and thread clocks have no safe wrapper; each call says why it is sound"
)]

mod cpu;
mod fork;
mod map;

pub(crate) use cpu::CpuClock;
pub(crate) use fork::{Alone, Deaths};
pub(crate) use map::Map;

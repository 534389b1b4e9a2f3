//! The codec against recorded bytes, against itself, and against bytes that are nobody's.

mod arbitrary;
pub(crate) mod recorded;
mod round_trip;

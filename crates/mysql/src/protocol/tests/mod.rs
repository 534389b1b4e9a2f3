//! The codecs against recorded bytes, published vectors, a second implementation, and arbitrary bytes.

mod answers;
mod arbitrary;
pub(crate) mod recorded;
mod round_trip;
pub(crate) mod rsa_key;
mod scrambles;

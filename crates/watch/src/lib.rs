//! Collects, records and replays who logs in and out of a server.
//!
//! Live figures and a replayed recording go the same way, so that they give the same verdicts.

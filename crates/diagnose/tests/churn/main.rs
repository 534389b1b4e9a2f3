//! The rules over simulated clients: what a DBA tells, what is told wrongly elsewhere, and figures computed by hand.

#[allow(dead_code, reason = "the example uses the rest")]
#[path = "../../examples/simulate/simulator/mod.rs"]
mod simulator;

mod classes;
mod cross;
mod figures;
mod made;
mod prediction;
mod stories;
mod traps;

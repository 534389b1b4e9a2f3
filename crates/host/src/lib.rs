//! Everything that is read from the operating system, behind one trait, [`Host`].
//!
//! A reading that this system does not give is `None`, not zero: "no drops" and "drops unknown" are different answers.

mod host;
#[cfg(target_os = "linux")]
mod linux;
mod local;
mod memory;
#[cfg(any(not(target_os = "linux"), test))]
mod unsupported;

use std::sync::Arc;

pub use host::{CpuTime, Host, HostError, Identity, ListenQueue, NetworkReading};
#[cfg(target_os = "linux")]
pub use linux::LinuxHost;
pub use memory::{ClientUse, LimitsOf, MemoryLook, ProcessSet};

/// The machine this process runs on.
#[cfg(target_os = "linux")]
pub fn this_host() -> Arc<dyn Host> {
    Arc::new(LinuxHost::default())
}

/// The machine this process runs on; of this system only what the standard library knows is read.
#[cfg(not(target_os = "linux"))]
pub fn this_host() -> Arc<dyn Host> {
    Arc::new(unsupported::UnsupportedHost)
}

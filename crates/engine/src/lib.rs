//! What every engine needs and shares: the traits the experiments speak to, the clock and the phase trace, dialling,
//! and TLS.
//!
//! A newcomer would expect a login to return an error when it fails. It returns a [`Failure`], which is *data*: the
//! experiment counts it as an outcome and goes on.

mod calendar;
pub mod census;
mod clock;
#[cfg(feature = "conformance")]
pub mod conformance;
mod connector;
mod dial;
mod envelope;
mod failure;
#[cfg(target_os = "linux")]
mod no_port;
mod observer;
mod origin;
mod pairs;
mod pem;
mod percent;
mod program;
mod server_key;
mod sessions;
mod stranger;
mod surroundings;
mod tls;
mod trace;
mod vendor;
mod watcher;
mod wire;

pub use calendar::civil_from_days;
pub use clock::{Clock, ProcessCpu, ThreadCpu};
pub use connector::Connector;
pub use dial::{DialPlan, Endpoint, SourceAddresses, probe_addresses, resolve};
pub use envelope::{Envelope, Opened};
pub use failure::Failure;
pub use observer::{
    Covers, OBSERVE_THERE, Observer, SESSION_MEMORY, SessionCounters, SessionLimits, SessionMemory, SessionSample,
    Troubles, gap_of,
};
pub use origin::PasswordOrigin;
pub use pairs::{Grammar, Pair, PairError, folded, pairs};
pub use pem::{ClientIdentity, PemError, certificates, private_key};
pub use percent::{Plus, Undecodable, Zero, percent_decode};
pub use program::program_name;
pub use server_key::{ServerKey, SignatureHash, certificate_not_after, signature_hash};
pub use stranger::stranger;
pub use surroundings::{BareSurroundings, FileKind, Metadata, ProcessSurroundings, Surroundings};
pub use tls::{ClientTls, Resume, Roots, ServerNameIndication, TlsOptions, TlsSetupError, Verify, provider};
pub use trace::{AuthFacts, TlsFacts, Trace};
pub use vendor::{Vendor, is_guess, vendor};
pub use watcher::{
    AccountCounters, Apart, OpenWatcher, ServerIdentity, SessionRow, SessionState, Snapshot, WatchCounters,
    WatchOptions, WatchReading, Watcher, Watching,
};
pub use wire::{Socket, Wire};

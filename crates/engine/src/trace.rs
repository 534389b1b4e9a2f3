//! The course of one login: a lap timer over its phases.
//!
//! A phase ends exactly where the next begins, so the phases always add up to the total: there is no gap that a
//! login could hide time in.

use std::time::{Duration, Instant};

use peaje_model::{PerPhase, Phase, TlsScope};

use crate::ServerKey;

/// What happened in the authentication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AuthFacts {
    /// Method, as the run file spells it (`scram-sha-256`).
    pub method: &'static str,
    /// Iterations asked for by the server (SCRAM).
    pub iterations: Option<u32>,
    /// Whether the derived key came from the cache.
    pub cached: bool,
}

/// What the TLS handshake agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TlsFacts {
    /// Protocol version.
    pub version: rustls::ProtocolVersion,
    /// Cipher suite.
    pub cipher: rustls::CipherSuite,
    /// Key exchange group.
    pub key_exchange: Option<rustls::NamedGroup>,
    /// Kind of the server's key.
    pub server_key: Option<ServerKey>,
    /// Whether the session was resumed.
    pub resumed: bool,
    /// What it protects.
    pub scope: TlsScope,
}

/// Lap timer, round-trip counter and cryptography clock of one login (or of one query on an open session).
#[derive(Debug, Clone)]
pub struct Trace {
    started: Instant,
    lap_started: Instant,
    current: Option<Phase>,
    laps: PerPhase<Duration>,
    round_trips: PerPhase<u32>,
    crypto: Duration,
    /// Whether a first server sent the login on to another one: all phases from `resolve` on were gone through again,
    /// and add up.
    pub redirected: bool,
    /// What TLS agreed on.
    pub tls: Option<TlsFacts>,
    /// When the server's certificate ends, seconds since 1970.
    pub certificate_ends_s: Option<u64>,
    /// How the login was authenticated.
    pub auth: Option<AuthFacts>,
}

impl Trace {
    /// Starts the clock; no phase is open yet.
    pub fn start() -> Self {
        let now = Instant::now();
        Self {
            started: now,
            lap_started: now,
            current: None,
            laps: PerPhase::default(),
            round_trips: PerPhase::default(),
            crypto: Duration::ZERO,
            redirected: false,
            tls: None,
            certificate_ends_s: None,
            auth: None,
        }
    }

    /// Ends the open phase and begins `phase`. A phase entered twice adds up. Time before the first phase belongs to
    /// the first phase.
    pub fn enter(&mut self, phase: Phase) {
        if self.current == Some(phase) {
            return;
        }
        let now = Instant::now();
        if let Some(open) = self.current.replace(phase) {
            self.laps[open] += now - self.lap_started;
            self.lap_started = now;
        }
    }

    /// Ends the open phase and returns the instant at which it ended; again, it returns the same instant.
    pub fn stop(&mut self) -> Instant {
        if let Some(open) = self.current.take() {
            let now = Instant::now();
            self.laps[open] += now - self.lap_started;
            self.lap_started = now;
        }
        self.lap_started
    }

    /// The open phase.
    pub fn current(&self) -> Option<Phase> {
        self.current
    }

    /// Counts one network round trip in the open phase: something was sent, and the answer has to be waited for.
    pub fn count_round_trip(&mut self) {
        if let Some(open) = self.current {
            self.round_trips[open] += 1;
        }
    }

    /// Adds CPU time of cryptography.
    pub fn add_crypto(&mut self, cpu: Duration) {
        self.crypto += cpu;
    }

    /// When the clock was started.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Time of each phase.
    pub fn laps(&self) -> &PerPhase<Duration> {
        &self.laps
    }

    /// Round trips of each phase.
    pub fn round_trips(&self) -> &PerPhase<u32> {
        &self.round_trips
    }

    /// CPU time of cryptography.
    pub fn crypto(&self) -> Duration {
        self.crypto
    }

    /// All phases added up.
    pub fn total(&self) -> Duration {
        self.laps.iter().map(|(_, d)| *d).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_add_up_to_the_time_between_start_and_stop() {
        let mut trace = Trace::start();
        for phase in [Phase::Resolve, Phase::Connect, Phase::Authenticate, Phase::Connect, Phase::Close] {
            trace.enter(phase);
            std::thread::sleep(Duration::from_millis(1));
        }
        let ended = trace.stop();
        assert_eq!(trace.total(), ended - trace.started());
        assert!(trace.laps()[Phase::Connect] >= Duration::from_millis(2), "entered twice, it adds up");
        assert_eq!(trace.laps()[Phase::Tls], Duration::ZERO);
        assert_eq!(trace.stop(), ended, "stopping again changes nothing");
    }

    #[test]
    fn a_round_trip_belongs_to_the_open_phase() {
        let mut trace = Trace::start();
        trace.count_round_trip();
        trace.enter(Phase::Tls);
        trace.count_round_trip();
        trace.count_round_trip();
        assert_eq!(trace.round_trips()[Phase::Tls], 2);
        assert_eq!(trace.round_trips().iter().map(|(_, n)| n).sum::<u32>(), 2);
    }
}

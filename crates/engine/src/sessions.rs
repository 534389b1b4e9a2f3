//! TLS sessions to resume, for many logins in flight at the same time.
//!
//! The library's own store keeps eight tickets for each server. Tickets of TLS 1.3 are used once, so fifty logins in
//! flight would find it empty and make full handshakes in a series that is called resumed.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;

/// More than enough for any number of logins in flight; the oldest tickets go first.
const MOST_TICKETS: usize = 16_384;

/// Sessions of one server name: a run measures one server.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    server: Option<ServerName<'static>>,
    group: Option<NamedGroup>,
    tls12: Option<Tls12ClientSessionValue>,
    tickets: VecDeque<Tls13ClientSessionValue>,
}

impl Sessions {
    /// What is kept for this server; another name forgets the one before.
    fn of(&self, server: &ServerName<'_>) -> MutexGuard<'_, Kept> {
        // Nothing panics while it is held; if it did, tickets would still be tickets.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.server.as_ref() != Some(server) {
            *kept = Kept { server: Some(server.to_owned()), ..Kept::default() };
        }
        kept
    }
}

impl ClientSessionStore for Sessions {
    fn set_kx_hint(&self, server_name: ServerName<'static>, group: NamedGroup) {
        self.of(&server_name).group = Some(group);
    }

    fn kx_hint(&self, server_name: &ServerName<'_>) -> Option<NamedGroup> {
        self.of(server_name).group
    }

    fn set_tls12_session(&self, server_name: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.of(&server_name).tls12 = Some(value);
    }

    fn tls12_session(&self, server_name: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.of(server_name).tls12.clone()
    }

    fn remove_tls12_session(&self, server_name: &ServerName<'static>) {
        self.of(server_name).tls12 = None;
    }

    fn insert_tls13_ticket(&self, server_name: ServerName<'static>, value: Tls13ClientSessionValue) {
        let mut kept = self.of(&server_name);
        if kept.tickets.len() == MOST_TICKETS {
            kept.tickets.pop_front();
        }
        kept.tickets.push_back(value);
    }

    fn take_tls13_ticket(&self, server_name: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.of(server_name).tickets.pop_back()
    }
}

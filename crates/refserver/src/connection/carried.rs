//! TLS whose handshake travels inside the protocol's own messages, and TLS that ends while the connection goes on.
//!
//! A newcomer would wrap the whole TLS session. Only the handshake is carried; from the first encrypted message on, TLS's
//! records stand bare on the socket.

use std::sync::Arc;

use rustls::{HandshakeKind, ServerConfig, ServerConnection};

use super::{Connection, HandshakeEnd, Tls};

/// How the protocol carries the records of a handshake.
pub(crate) trait Carrier {
    /// Takes whole messages from the front of what has come, and appends the records in them. Returns how many bytes
    /// were taken; `None` = these are no messages of the protocol.
    fn unpack(&mut self, received: &[u8], records: &mut Vec<u8>) -> Option<usize>;

    /// Appends messages that carry these records.
    fn pack(&self, records: &[u8], out: &mut Vec<u8>);
}

impl Connection {
    /// TLS handshake in messages of the protocol. Afterwards everything is encrypted.
    pub(crate) async fn handshake_carried(
        &mut self,
        config: Arc<ServerConfig>,
        carrier: &mut (impl Carrier + Send),
    ) -> Result<HandshakeKind, HandshakeEnd> {
        let session = ServerConnection::new(config).map_err(|_| HandshakeEnd::Failed)?;
        let mut tls = Box::new(Tls::new(session, &[]));
        let mut outcome = Ok(());
        while outcome.is_ok() && tls.session.is_handshaking() {
            let Some(taken) = carrier.unpack(self.input.rest(), &mut tls.records) else {
                return Err(HandshakeEnd::Failed);
            };
            self.input.consume(taken);
            if taken == 0 && self.fill().await.unwrap_or(0) == 0 {
                return Err(HandshakeEnd::Left);
            }
            outcome = tls.open(&mut self.input).map(drop);
            if !tls.sealed.is_empty() {
                // An alert too: the client should learn why.
                carrier.pack(&tls.sealed, &mut self.output);
                tls.sealed.clear();
            }
        }
        self.flush().await.map_err(|_| HandshakeEnd::Left)?;
        outcome.map_err(|_| HandshakeEnd::Failed)?;
        // A client that resumes a session sends its first records right behind the handshake.
        tls.records.extend_from_slice(self.input.rest());
        self.input.consume(self.input.rest().len());
        tls.open(&mut self.input).map_err(|_| HandshakeEnd::Failed)?;
        let kind = tls.session.handshake_kind().unwrap_or(HandshakeKind::Full);
        self.tls = Some(tls);
        Ok(kind)
    }

    /// Goes on without TLS: nothing of it may be left on either side.
    pub(crate) async fn end_tls(&mut self) -> std::io::Result<()> {
        if let Some(tls) = self.tls.take() {
            self.stream.write_all(&tls.sealed).await?;
        }
        Ok(())
    }
}

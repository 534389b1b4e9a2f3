//! Stands between a client and the server, and keeps what the client sends.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use peaje_sqlserver::protocol::packet::{Assembler, Message, PacketKind, peek};
use rustls::ServerConfig;

/// A proxy for one connection.
pub struct Recorder {
    pub port: u16,
    thread: JoinHandle<Vec<u8>>,
}

impl Recorder {
    /// Passes bytes on as they are.
    pub fn plain(server: SocketAddr) -> Self {
        Self::new(server, None)
    }

    /// Ends TLS that comes first (strict encryption): the server gets what is in it.
    pub fn behind_tls(server: SocketAddr, tls: Arc<ServerConfig>) -> Self {
        Self::new(server, Some(tls))
    }

    fn new(server: SocketAddr, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = super::listen();
        let port = listener.local_addr().unwrap().port();
        let thread = std::thread::spawn(move || {
            let (client, _) = listener.accept().unwrap();
            let server = TcpStream::connect(server).unwrap();
            match tls {
                None => pass_on(client, &server),
                Some(tls) => pass_on_decrypted(client, server, tls),
            }
        });
        Self { port, thread }
    }

    /// What the client sent, when it has left: whole messages up to the first byte of TLS.
    pub fn messages(self) -> Vec<Message> {
        messages(&self.thread.join().unwrap())
    }
}

pub fn messages(mut bytes: &[u8]) -> Vec<Message> {
    let mut assembler = Assembler::new(1 << 20);
    let mut messages = Vec::new();
    while let Ok(Some(header)) = peek(bytes) {
        let Some(packet) = bytes.get(..header.length) else { break };
        messages.extend(assembler.take(packet).unwrap().1);
        bytes = &bytes[header.length..];
    }
    messages
}

fn pass_on(client: TcpStream, server: &TcpStream) -> Vec<u8> {
    let (mut from_server, mut to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    let back = std::thread::spawn(move || {
        let _ = std::io::copy(&mut from_server, &mut to_client);
        let _ = to_client.shutdown(Shutdown::Write);
    });
    let kept = keep(client, &mut &*server);
    let _ = server.shutdown(Shutdown::Write);
    back.join().unwrap();
    kept
}

fn keep(mut from: impl Read, to: &mut impl Write) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut buffer = [0; 8192];
    while let Ok(got) = from.read(&mut buffer) {
        if got == 0 {
            break;
        }
        kept.extend_from_slice(&buffer[..got]);
        if to.write_all(&buffer[..got]).is_err() {
            break;
        }
    }
    kept
}

/// One thread for both directions: TDS takes turns.
fn pass_on_decrypted(client: TcpStream, mut server: TcpStream, tls: Arc<ServerConfig>) -> Vec<u8> {
    let connection = rustls::ServerConnection::new(tls).unwrap();
    let mut client = rustls::StreamOwned::new(connection, client);
    let mut kept = Vec::new();
    server.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    while let Some(request) = one_message(&mut client) {
        kept.extend_from_slice(&request);
        server.write_all(&request).unwrap();
        let Some(answer) = one_message(&mut server) else { break };
        if client.write_all(&answer).is_err() {
            break;
        }
    }
    kept
}

/// The packets of one message.
fn one_message(from: &mut impl Read) -> Option<Vec<u8>> {
    let mut message = Vec::new();
    loop {
        let start = message.len();
        message.resize(start + 8, 0);
        from.read_exact(&mut message[start..]).ok()?;
        let header = peek(&message[start..]).ok()??;
        message.resize(start + header.length, 0);
        from.read_exact(&mut message[start + 8..]).ok()?;
        if header.last {
            return Some(message);
        }
    }
}

/// Messages as text: a line each, its kind and its bytes.
pub fn to_text(messages: &[Message]) -> String {
    let line = |m: &Message| {
        let hex = m.payload.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        format!("{:?} {:?} {hex}\n", m.kind, m.reset)
    };
    messages.iter().map(line).collect()
}

/// The messages of a text that [`to_text`] wrote; lines with `#` are comments.
pub fn from_text(text: &str) -> Vec<Message> {
    use PacketKind as K;
    let kinds = [K::Batch, K::Rpc, K::Attention, K::TransactionManager, K::Login7, K::Prelogin];
    let resets = [
        peaje_sqlserver::protocol::packet::Reset::No,
        peaje_sqlserver::protocol::packet::Reset::Session,
        peaje_sqlserver::protocol::packet::Reset::KeepTransaction,
    ];
    let message = |line: &str| {
        let mut words = line.split(' ');
        let (kind, reset, hex) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
        let payload = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
        Message {
            kind: kinds.into_iter().find(|k| format!("{k:?}") == kind).unwrap(),
            reset: resets.into_iter().find(|r| format!("{r:?}") == reset).unwrap(),
            ignore: false,
            payload,
        }
    };
    text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(message).collect()
}

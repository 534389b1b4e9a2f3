//! A scripted server: each connection is a closure that plays it. Blocking, on its own thread.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use peaje_engine::conformance::{self, Scripted};
use peaje_engine::provider;
use peaje_sqlserver::protocol::login7::Login7;
use peaje_sqlserver::protocol::packet::{Assembler, Framing, Message, PacketKind, peek};
use peaje_sqlserver::protocol::prelogin::{Encryption, Prelogin};
use peaje_sqlserver::protocol::token::{Done, DoneKind, EnvChange, LoginAck, ServerMessage, write};
use peaje_sqlserver::protocol::{MAX_MESSAGE, request};
use rustls::{ServerConfig, ServerConnection};

/// One scripted connection.
pub(crate) type Play = conformance::Play<Peer>;

pub(crate) fn play(script: impl FnOnce(&mut Peer) + Send + 'static) -> Play {
    Box::new(script)
}

/// A running script.
pub(crate) type Server = Scripted<Peer>;

/// The server's end of one connection.
pub(crate) struct Peer {
    pub(crate) socket: TcpStream,
    tls: Option<ServerConnection>,
    plain: Vec<u8>,
    pub(crate) packet_size: usize,
}

impl From<TcpStream> for Peer {
    fn from(socket: TcpStream) -> Self {
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        socket.set_nodelay(true).unwrap();
        Self { socket, tls: None, plain: Vec::new(), packet_size: 4096 }
    }
}

impl Peer {
    /// More bytes; 0 = the client has closed or reset.
    fn read(&mut self) -> usize {
        let mut buffer = [0; 8192];
        let got = self.socket.read(&mut buffer).unwrap_or(0);
        let mut rest = &buffer[..got];
        let Some(tls) = &mut self.tls else {
            self.plain.extend_from_slice(rest);
            return got;
        };
        while !rest.is_empty() {
            tls.read_tls(&mut rest).unwrap();
            tls.process_new_packets().expect("a sane client");
            take_plain(tls, &mut self.plain);
        }
        got
    }

    /// The next whole message.
    pub(crate) fn message(&mut self) -> Message {
        let mut assembler = Assembler::new(MAX_MESSAGE);
        loop {
            let (taken, message) = assembler.take(&self.plain).expect("a sane client");
            self.plain.drain(..taken);
            if let Some(message) = message {
                return message;
            }
            assert_ne!(self.read(), 0, "the client left before its message");
        }
    }

    /// Bytes as they are.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        match &mut self.tls {
            None => self.socket.write_all(bytes).unwrap(),
            Some(tls) => {
                tls.writer().write_all(bytes).unwrap();
                let mut records = Vec::new();
                while tls.wants_write() {
                    tls.write_tls(&mut records).unwrap();
                }
                self.socket.write_all(&records).unwrap();
            }
        }
    }

    /// An answer of these tokens.
    pub(crate) fn say(&mut self, fill: impl FnOnce(&mut Vec<u8>)) {
        let (mut tokens, mut packets) = (Vec::new(), Vec::new());
        fill(&mut tokens);
        Framing::new(PacketKind::Response).packet_size(self.packet_size).spid(51).write(&mut packets, &tokens);
        self.send(&packets);
    }

    /// Waits for PRELOGIN and answers it.
    pub(crate) fn prelogin(&mut self, word: Encryption) -> Prelogin {
        self.prelogin_with(|answer| answer.encryption = Some(word))
    }

    pub(crate) fn prelogin_with(&mut self, change: impl FnOnce(&mut Prelogin)) -> Prelogin {
        let message = self.message();
        assert_eq!(message.kind, PacketKind::Prelogin);
        let mut answer = Prelogin {
            version: [16, 0, 0x10, 0x36, 0, 0],
            instance: Some(vec![0]),
            thread_id: Some(Vec::new()),
            mars: Some(false),
            ..Prelogin::default()
        };
        change(&mut answer);
        self.say(|out| answer.encode(out));
        Prelogin::decode(&message.payload).unwrap()
    }

    /// Handshake within packets of the kind PRELOGIN; afterwards records are bare.
    pub(crate) fn tls_within(&mut self, config: &Arc<ServerConfig>) {
        let mut tls = ServerConnection::new(config.clone()).unwrap();
        while tls.is_handshaking() {
            let message = self.message();
            assert_eq!(message.kind, PacketKind::Prelogin);
            let mut records = message.payload.as_slice();
            let mut outcome = Ok(());
            while !records.is_empty() {
                tls.read_tls(&mut records).unwrap();
                outcome = outcome.and(tls.process_new_packets().map(|_| ()));
            }
            let (mut out, mut packets) = (Vec::new(), Vec::new());
            while tls.wants_write() {
                tls.write_tls(&mut out).unwrap();
            }
            if !out.is_empty() {
                Framing::new(PacketKind::Prelogin).write(&mut packets, &out);
                self.socket.write_all(&packets).unwrap();
            }
            if outcome.is_err() {
                // The client does not like us: the script goes on with a client that leaves.
                return;
            }
        }
        // What came behind the handshake is bare records.
        let mut rest = std::mem::take(&mut self.plain);
        assert!(rest.first().is_none_or(|b| *b == 0x17), "application data");
        while !rest.is_empty() {
            let mut records = rest.as_slice();
            tls.read_tls(&mut records).unwrap();
            let left = records.len();
            rest.drain(..rest.len() - left);
            tls.process_new_packets().expect("a sane client");
        }
        take_plain(&mut tls, &mut self.plain);
        self.tls = Some(tls);
    }

    /// Handshake from the first byte on.
    pub(crate) fn tls(&mut self, config: &Arc<ServerConfig>) {
        let mut tls = ServerConnection::new(config.clone()).unwrap();
        while tls.is_handshaking() {
            if tls.complete_io(&mut self.socket).is_err() {
                return;
            }
        }
        // The first message may have come with the end of the handshake.
        take_plain(&mut tls, &mut self.plain);
        self.tls = Some(tls);
    }

    pub(crate) fn alpn(&self) -> Option<&[u8]> {
        self.tls.as_ref()?.alpn_protocol()
    }

    /// From here on nothing is encrypted.
    pub(crate) fn leave_tls(&mut self) {
        self.tls = None;
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// Waits for LOGIN7.
    pub(crate) fn login(&mut self) -> Login7 {
        let message = self.message();
        assert_eq!(message.kind, PacketKind::Login7);
        Login7::decode(&message.payload).unwrap()
    }

    /// Accepts the login.
    pub(crate) fn welcome(&mut self) {
        self.welcome_with(|_| {});
    }

    pub(crate) fn welcome_with(&mut self, more: impl FnOnce(&mut Vec<u8>)) {
        self.say(|out| {
            write::env_change(out, &EnvChange::Database { new: "shop".into(), old: "master".into() });
            let changed = ServerMessage {
                number: 5701,
                severity: 0,
                state: 2,
                message: "Changed database".into(),
                ..ServerMessage::default()
            };
            write::info(out, &changed);
            write::login_ack(out, &ack());
            more(out);
            finish(out, 0);
        });
    }

    pub(crate) fn error(&mut self, number: i32, text: &str) {
        self.say(|out| {
            error(out, number, 14, text);
            finish(out, 2);
        });
    }

    /// Waits for a batch and returns its text.
    pub(crate) fn batch(&mut self) -> String {
        let message = self.message();
        assert_eq!(message.kind, PacketKind::Batch);
        request::decode_batch(&message.payload).unwrap()
    }

    /// Everything the client still sends, until it closes.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        while self.read() > 0 {}
        std::mem::take(&mut self.plain)
    }

    /// The lengths of the packets of the next message.
    pub(crate) fn packet_lengths(&mut self) -> Vec<usize> {
        let mut lengths = Vec::new();
        loop {
            while let Some(header) = peek(&self.plain).unwrap() {
                if self.plain.len() < header.length {
                    break;
                }
                self.plain.drain(..header.length);
                lengths.push(header.length);
                if header.last {
                    return lengths;
                }
            }
            assert_ne!(self.read(), 0, "the client left within a message");
        }
    }
}

/// Moves what is decrypted.
fn take_plain(tls: &mut ServerConnection, plain: &mut Vec<u8>) {
    let mut text = [0; 8192];
    while let Ok(n) = tls.reader().read(&mut text) {
        if n == 0 {
            break;
        }
        plain.extend_from_slice(&text[..n]);
    }
}

pub(crate) fn ack() -> LoginAck {
    LoginAck {
        interface: 1,
        tds_version: peaje_sqlserver::protocol::TDS_7_4,
        program: "Microsoft SQL Server".into(),
        version: [16, 0, 0x10, 0x36],
    }
}

pub(crate) fn error(out: &mut Vec<u8>, number: i32, severity: u8, text: &str) {
    let message = ServerMessage {
        number,
        state: 1,
        severity,
        message: text.into(),
        server: "DB1".into(),
        procedure: String::new(),
        line: 1,
    };
    write::error(out, &message);
}

pub(crate) fn finish(out: &mut Vec<u8>, status: u16) {
    write::done(out, &Done { kind: DoneKind::Statement, status, command: 0, rows: 0 });
}

/// A server's certificate for `localhost`, and its key.
pub(crate) struct Identity {
    certificate: rcgen::Certificate,
    key: rcgen::KeyPair,
}

impl Identity {
    pub(crate) fn new(name: &str) -> Self {
        let key = rcgen::KeyPair::generate().unwrap();
        let params = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
        Self { certificate: params.self_signed(&key).unwrap(), key }
    }

    pub(crate) fn pem(&self) -> String {
        self.certificate.pem()
    }

    pub(crate) fn der(&self) -> Vec<u8> {
        self.certificate.der().to_vec()
    }

    pub(crate) fn config(&self, version: &'static rustls::SupportedProtocolVersion) -> Arc<ServerConfig> {
        let key = rustls::pki_types::PrivateKeyDer::try_from(self.key.serialize_der()).unwrap();
        let mut config = ServerConfig::builder_with_provider(provider())
            .with_protocol_versions(&[version])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.der().clone()], key)
            .unwrap();
        config.alpn_protocols = vec![b"tds/8.0".to_vec()];
        Arc::new(config)
    }
}

/// A server's TLS for those who do not check it.
pub(crate) fn tls_config(version: &'static rustls::SupportedProtocolVersion) -> Arc<ServerConfig> {
    Identity::new("localhost").config(version)
}

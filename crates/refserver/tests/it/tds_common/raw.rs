//! A client without a driver: messages out, tokens in.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use peaje_model::Secret;
use peaje_refserver::RefServer;
use peaje_sqlserver::protocol::login7::Login7;
use peaje_sqlserver::protocol::packet::{Assembler, Framing, Message, PacketKind, Reset, peek};
use peaje_sqlserver::protocol::prelogin::{Encryption, Prelogin};
use peaje_sqlserver::protocol::request::batch;
use peaje_sqlserver::protocol::token::{Rows, Token, TokenReader};
use peaje_sqlserver::protocol::types::Value;

use super::{PASSWORD, USER};

/// A connection.
pub struct Raw {
    pub stream: TcpStream,
    received: Vec<u8>,
    /// Lengths of the packets of the last answer.
    pub packets: Vec<usize>,
}

impl Raw {
    pub fn to(server: &RefServer) -> Self {
        let stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, received: Vec::new(), packets: Vec::new() }
    }

    pub fn send(&mut self, kind: PacketKind, payload: &[u8]) {
        self.send_with(kind, payload, Reset::No);
    }

    pub fn send_with(&mut self, kind: PacketKind, payload: &[u8], reset: Reset) {
        let mut out = Vec::new();
        Framing::new(kind).reset(reset).write(&mut out, payload);
        self.stream.write_all(&out).unwrap();
    }

    /// The next message; `None` = closed or reset.
    pub fn receive(&mut self) -> Option<Message> {
        let mut assembler = Assembler::new(1 << 20);
        self.packets.clear();
        loop {
            while let Ok(Some(header)) = peek(&self.received) {
                if self.received.len() < header.length {
                    break;
                }
                self.packets.push(header.length);
                let (taken, message) = assembler.take(&self.received[..header.length]).unwrap();
                self.received.drain(..taken);
                if message.is_some() {
                    return message;
                }
            }
            let mut buffer = [0; 8192];
            match self.stream.read(&mut buffer) {
                Ok(0) => return None,
                Ok(got) => self.received.extend_from_slice(&buffer[..got]),
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => panic!("still silent after 20 s"),
                Err(_) => return None,
            }
        }
    }

    /// The tokens of the next answer; none = closed.
    pub fn tokens(&mut self) -> Vec<Token> {
        let Some(message) = self.receive() else { return Vec::new() };
        let mut reader = TokenReader::new(Rows::Keep { bytes: 1 << 20 });
        reader.push(&message.payload);
        let tokens = std::iter::from_fn(|| reader.next_token().unwrap()).collect();
        assert!(reader.is_between_tokens());
        tokens
    }

    pub fn prelogin(&mut self, encryption: Encryption) -> Option<Encryption> {
        let mut payload = Vec::new();
        Prelogin { encryption: Some(encryption), ..Prelogin::default() }.encode(&mut payload);
        self.send(PacketKind::Prelogin, &payload);
        Prelogin::decode(&self.receive()?.payload).unwrap().encryption
    }

    /// Logs in without TLS.
    pub fn log_in(&mut self, login: &Login7) -> Vec<Token> {
        if self.prelogin(Encryption::NotSupported).is_none() {
            return Vec::new();
        }
        let mut payload = Vec::new();
        login.encode(&mut payload);
        self.send(PacketKind::Login7, &payload);
        self.tokens()
    }

    /// Runs a batch.
    pub fn query(&mut self, sql: &str) -> Vec<Token> {
        let mut payload = Vec::new();
        batch(&mut payload, sql);
        self.send(PacketKind::Batch, &payload);
        self.tokens()
    }

    /// The only row of a batch.
    pub fn row(&mut self, sql: &str) -> Vec<Value> {
        let tokens = self.query(sql);
        let mut rows = tokens.iter().filter_map(|t| if let Token::Row(row) = t { Some(row.clone()) } else { None });
        rows.next().unwrap_or_else(|| panic!("{sql}: {tokens:?}"))
    }
}

/// The login of the only user.
pub fn login() -> Login7 {
    Login7 {
        user: USER.to_owned(),
        password: Secret::new(PASSWORD),
        program: "raw".to_owned(),
        host_name: "here".to_owned(),
        ..Login7::default()
    }
}

/// Logs in, and panics when that fails.
pub fn session(server: &RefServer, login: &Login7) -> Raw {
    let mut raw = Raw::to(server);
    let tokens = raw.log_in(login);
    assert!(tokens.iter().any(|t| matches!(t, Token::LoginAck(_))), "{tokens:?}");
    raw
}

/// Numbers of the errors.
pub fn errors(tokens: &[Token]) -> Vec<i32> {
    tokens.iter().filter_map(|t| if let Token::Error(e) = t { Some(e.number) } else { None }).collect()
}

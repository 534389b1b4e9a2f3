//! A server that answers the observer's statements from a table: it plays versions and editions that nobody has here.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use peaje_engine::conformance::free_listener as listener;
use peaje_sqlserver::counters::recognise;
use peaje_sqlserver::protocol::packet::{Assembler, Framing, PacketKind};
use peaje_sqlserver::protocol::prelogin::{Encryption, Prelogin};
use peaje_sqlserver::protocol::request::decode_batch;
use peaje_sqlserver::protocol::token::{Done, DoneKind, LoginAck, ServerMessage, write};
use peaje_sqlserver::protocol::types::{Column, TypeInfo, Value};
use peaje_sqlserver::protocol::{MAX_MESSAGE, TDS_7_4};

/// What a statement is answered with.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// Rows: names and values, as text; an empty value is null.
    Rows(Vec<Vec<(&'static str, String)>>),
    /// Number and text of an error.
    Error(i32, &'static str),
}

/// One row.
pub(crate) fn row(pairs: &[(&'static str, &str)]) -> Answer {
    rows(&[pairs])
}

pub(crate) fn rows(rows: &[&[(&'static str, &str)]]) -> Answer {
    let of = |pairs: &&[(&'static str, &str)]| pairs.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Answer::Rows(rows.iter().map(of).collect())
}

/// Answers by the statement's name, in order; the last one is given again.
pub(crate) type Table = Vec<(&'static str, Vec<Answer>)>;

/// A running server for one connection.
pub(crate) struct Server {
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<&'static str>>>,
}

impl Server {
    pub(crate) fn start(table: Table) -> Self {
        let listener = listener();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let notes = asked.clone();
        // It ends with its client; nobody waits for it.
        std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            serve(stream, table, &notes);
        });
        Self { port, asked }
    }

    /// Names of the statements that came.
    pub(crate) fn asked(&self) -> Vec<&'static str> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, table: Table, asked: &Mutex<Vec<&'static str>>) {
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut table: Vec<(&str, VecDeque<Answer>)> = table.into_iter().map(|(name, all)| (name, all.into())).collect();
    let mut received = Vec::new();
    let mut assembler = Assembler::new(MAX_MESSAGE);
    loop {
        let (taken, message) = assembler.take(&received).unwrap();
        received.drain(..taken);
        let Some(message) = message else {
            let mut buffer = [0; 8192];
            match stream.read(&mut buffer) {
                Ok(got) if got > 0 => received.extend_from_slice(&buffer[..got]),
                _ => return,
            }
            continue;
        };
        let mut tokens = Vec::new();
        match message.kind {
            PacketKind::Prelogin => {
                let word = Some(Encryption::NotSupported);
                Prelogin { version: [16, 0, 0, 0, 0, 0], encryption: word, ..Prelogin::default() }.encode(&mut tokens);
            }
            PacketKind::Login7 => {
                let program = "Microsoft SQL Server".to_owned();
                write::login_ack(
                    &mut tokens,
                    &LoginAck { interface: 1, tds_version: TDS_7_4, program, version: [16, 0, 0, 0] },
                );
                done(&mut tokens, 0);
            }
            _ => {
                let text = decode_batch(&message.payload).unwrap();
                let (statement, _) = recognise(&text).expect("one of the observer's");
                asked.lock().unwrap().push(statement.name);
                let found = table.iter_mut().find(|(name, _)| *name == statement.name);
                let answers = found.unwrap_or_else(|| panic!("{} was not expected", statement.name));
                let answer = if answers.1.len() > 1 { answers.1.pop_front() } else { answers.1.front().cloned() };
                write_answer(&mut tokens, &answer.expect("there is one"));
            }
        }
        let mut packets = Vec::new();
        Framing::new(PacketKind::Response).write(&mut packets, &tokens);
        if stream.write_all(&packets).is_err() {
            return;
        }
    }
}

fn done(out: &mut Vec<u8>, status: u16) {
    write::done(out, &Done { kind: DoneKind::Statement, status, command: 0, rows: 0 });
}

fn write_answer(out: &mut Vec<u8>, answer: &Answer) {
    match answer {
        Answer::Error(number, text) => {
            let message = (*text).to_owned();
            write::error(out, &ServerMessage { number: *number, severity: 14, message, ..ServerMessage::default() });
            done(out, 2);
        }
        Answer::Rows(rows) => {
            let names = rows.first().map(|row| row.iter().map(|(name, _)| *name).collect()).unwrap_or(vec!["nothing"]);
            let columns: Vec<Column> =
                names.into_iter().map(|name| Column::new(name, TypeInfo::nvarchar(500))).collect();
            write::col_metadata(out, &columns);
            for row in rows {
                let value =
                    |(_, text): &(&str, String)| if text.is_empty() { Value::Null } else { Value::Text(text.clone()) };
                write::row(out, &columns, &row.iter().map(value).collect::<Vec<_>>());
            }
            done(out, 0x10);
        }
    }
}

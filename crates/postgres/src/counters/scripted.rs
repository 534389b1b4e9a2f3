//! A server played by a script: versions that are not installed, and answers that no server here would give.

use std::sync::{Arc, Mutex, PoisonError};

use peaje_engine::{Snapshot, WatchOptions, Watcher};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{open_watcher, recognise};
use crate::config::{BareSurroundings, Config};
use crate::protocol::backend::{self, Column, TransactionStatus};
use crate::protocol::frontend::{FrontendMessage, decode_frontend, decode_startup};

/// An answer: the statement's name, its columns, its rows; cells are separated by `|`, and `-` is null.
type Answer = (&'static str, &'static str, Vec<&'static str>);

/// What the server answers now, changed by the test between two readings. What it has no answer to is refused.
#[derive(Debug, Clone, Default)]
pub(super) struct Script(Arc<Mutex<Vec<Answer>>>);

impl Script {
    /// Gives a statement another answer.
    pub(super) fn set(&self, statement: &'static str, columns: &'static str, rows: &[&'static str]) {
        self.refuse(statement);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((statement, columns, rows.to_vec()));
    }

    /// Gives a statement no answer.
    pub(super) fn refuse(&self, statement: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, ..)| *known != statement);
    }

    /// A watcher of this server.
    pub(super) async fn watch(&self, database: &str) -> Box<dyn Watcher> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let script = self.clone();
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.expect("the watcher comes");
            script.serve(stream).await;
        });
        let url = format!("postgresql://stat@127.0.0.1:{port}/{database}?sslmode=disable");
        let config = Config::parse(&url, &BareSurroundings).expect("well formed");
        let options = WatchOptions { program_name: "peaje watch".to_owned(), sessions: Snapshot::Sessions };
        open_watcher(&config, &options).await.expect("the script lets it in")
    }

    async fn serve(&self, mut stream: TcpStream) {
        let (mut input, mut buffer) = (Vec::new(), [0; 4096]);
        let mut started = false;
        loop {
            let mut out = Vec::new();
            if started {
                while let Some((message, used)) = decode_frontend(&input).expect("a driver speaks the protocol") {
                    match message {
                        FrontendMessage::Query(sql) => self.answer(&mut out, sql),
                        FrontendMessage::Terminate => return,
                        other => panic!("only simple queries: {other:?}"),
                    }
                    input.drain(..used);
                }
            } else if let Some((_, used)) = decode_startup(&input).expect("a driver speaks the protocol") {
                input.drain(..used);
                started = true;
                backend::authentication_ok(&mut out);
                backend::backend_key_data(&mut out, 1, &[0; 4]);
                backend::ready_for_query(&mut out, TransactionStatus::Idle);
            }
            if stream.write_all(&out).await.is_err() {
                return;
            }
            match stream.read(&mut buffer).await {
                Ok(n @ 1..) => input.extend_from_slice(&buffer[..n]),
                _ => return,
            }
        }
    }

    fn answer(&self, out: &mut Vec<u8>, sql: &str) {
        let script = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let name = recognise(sql).map(|statement| statement.name);
        match script.iter().find(|(known, ..)| Some(*known) == name) {
            None => backend::error(out, "ERROR", "42501", "permission denied", None),
            Some((_, columns, rows)) => {
                let column = |name: &'static str| Column { name: name.into(), type_oid: 25, type_size: -1, format: 0 };
                let columns: Vec<Column<'_>> = columns.split('|').map(column).collect();
                backend::row_description(out, &columns);
                for row in rows {
                    let cell = |cell: &'static str| (cell != "-").then_some(cell.as_bytes());
                    let cells: Vec<Option<&[u8]>> = row.split('|').map(cell).collect();
                    backend::data_row(out, &cells);
                }
                backend::command_complete(out, "SELECT");
            }
        }
        backend::ready_for_query(out, TransactionStatus::Idle);
    }
}

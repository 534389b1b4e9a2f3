//! Waiting until the server lets somebody in, proving that it is the right one, and making its logins.

use std::path::Path;
use std::time::{Duration, Instant};

use peaje_model::Secret;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use super::ThrowawayError;
use super::contents::{ADMIN, statements};
use super::guard::{Event, Guard};

const READY_LIMIT: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(15);

/// The server that was started.
pub(super) struct Started<'a> {
    pub(super) folder: &'a Path,
    pub(super) port: u16,
    pub(super) pid: u32,
    pub(super) password: &'a Secret,
}

impl Started<'_> {
    /// Polls with a real login over the socket in the folder, then proves and prepares over the port.
    pub(super) async fn prepare(&self, guard: &Guard) -> Result<(), ThrowawayError> {
        self.wait(guard).await?;
        let client = self.log_in_by_port().await?;
        self.prove(&client).await?;
        for statement in statements(self.password) {
            client.simple_query(&statement).await.map_err(|e| ThrowawayError::Prepare(words(&e)))?;
        }
        Ok(())
    }

    async fn wait(&self, guard: &Guard) -> Result<(), ThrowawayError> {
        let started = Instant::now();
        loop {
            let reason = match self.log_in_by_socket().await {
                Ok(()) => return Ok(()),
                Err(reason) => reason,
            };
            if let Some(Event::Exited(status)) = guard.event_now() {
                return Err(ThrowawayError::Exited { status, log: log_tail(self.folder) });
            }
            if started.elapsed() > READY_LIMIT {
                let log = log_tail(self.folder);
                return Err(ThrowawayError::NotReady { limit_s: READY_LIMIT.as_secs(), reason, log });
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn settings(&self) -> tokio_postgres::Config {
        let mut settings = tokio_postgres::Config::new();
        settings.user(ADMIN).password(self.password.expose()).dbname("postgres").application_name("peaje throwaway");
        settings
    }

    async fn log_in_by_socket(&self) -> Result<(), String> {
        let socket = self.folder.join(format!(".s.PGSQL.{}", self.port));
        let stream = tokio::net::UnixStream::connect(socket).await.map_err(|e| e.to_string())?;
        let login = tokio::time::timeout(Duration::from_secs(5), self.settings().connect_raw(stream, NoTls)).await;
        match login {
            Ok(Ok((client, connection))) => {
                drop(client);
                let _ = connection.await;
                Ok(())
            }
            Ok(Err(error)) => Err(words(&error)),
            Err(_) => Err("no answer within 5 s".to_owned()),
        }
    }

    async fn log_in_by_port(&self) -> Result<Client, ThrowawayError> {
        let stream = tokio::net::TcpStream::connect((std::net::Ipv4Addr::LOCALHOST, self.port))
            .await
            .map_err(|e| ThrowawayError::Prepare(e.to_string()))?;
        let (client, connection) = self.settings().connect_raw(stream, NoTls).await.map_err(|e| {
            // A server that does not know our password was not started by us.
            ThrowawayError::NotOurs { port: self.port, difference: words(&e) }
        })?;
        tokio::spawn(connection);
        Ok(client)
    }

    /// The server on the port must have our data folder, and our folder must name the process that was started.
    async fn prove(&self, client: &Client) -> Result<(), ThrowawayError> {
        let not_ours = |difference: String| ThrowawayError::NotOurs { port: self.port, difference };
        let answer = client.simple_query("show data_directory").await.map_err(|e| not_ours(words(&e)))?;
        let shown = answer.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        });
        let data = self.folder.join("data");
        if shown.as_deref().map(Path::new) != Some(&data) {
            return Err(not_ours(format!("its data folder is {}", shown.unwrap_or_else(|| "unknown".to_owned()))));
        }
        let pid_file = std::fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default();
        let lines: Vec<&str> = pid_file.lines().map(str::trim).collect();
        let (pid, port) = (self.pid.to_string(), self.port.to_string());
        if lines.first() != Some(&pid.as_str()) || lines.get(3) != Some(&port.as_str()) {
            return Err(not_ours("postmaster.pid names another process or port".to_owned()));
        }
        Ok(())
    }
}

/// The last lines of the server's output.
pub(super) fn log_tail(folder: &Path) -> String {
    const LINES: usize = 20;
    let text = std::fs::read(folder.join("log")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

fn words(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(|| error.to_string(), |db| format!("{} ({})", db.message(), db.code().code()))
}

//! Logging in to the new server: whether it lets somebody in, whether it is the right one, and making its logins.

use std::path::Path;
use std::time::Duration;

use peaje_model::Secret;
use peaje_throwaway::{Started, ThrowawayError};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use super::contents::{ADMIN, statements};

/// The superuser's login to a server that was started.
pub(super) struct Login<'a> {
    pub(super) started: &'a Started,
    pub(super) password: &'a Secret,
}

impl Login<'_> {
    /// Over the socket in the folder: nobody else's server is there.
    pub(super) async fn by_socket(&self) -> Result<(), String> {
        let socket = self.started.folder.join(format!(".s.PGSQL.{}", self.started.port));
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

    /// Over the port: proves that the server is ours, then makes its logins.
    pub(super) async fn prepare(&self) -> Result<(), ThrowawayError> {
        let client = self.by_port().await?;
        self.prove(&client).await?;
        for statement in statements(self.password) {
            client.simple_query(&statement).await.map_err(|e| ThrowawayError::Prepare(words(&e)))?;
        }
        Ok(())
    }

    fn settings(&self) -> tokio_postgres::Config {
        let mut settings = tokio_postgres::Config::new();
        settings.user(ADMIN).password(self.password.expose()).dbname("postgres").application_name("peaje throwaway");
        settings
    }

    async fn by_port(&self) -> Result<Client, ThrowawayError> {
        let stream = tokio::net::TcpStream::connect((std::net::Ipv4Addr::LOCALHOST, self.started.port))
            .await
            .map_err(|e| ThrowawayError::Prepare(e.to_string()))?;
        // A server that does not know our password was not started by us.
        let connected = self.settings().connect_raw(stream, NoTls).await;
        let (client, connection) = connected.map_err(|e| self.started.not_ours(words(&e)))?;
        tokio::spawn(connection);
        Ok(client)
    }

    /// The server on the port must have our data folder, and our folder must name the process that was started.
    async fn prove(&self, client: &Client) -> Result<(), ThrowawayError> {
        let not_ours = |difference: String| self.started.not_ours(difference);
        let answer = client.simple_query("show data_directory").await.map_err(|e| not_ours(words(&e)))?;
        let shown = answer.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        });
        let data = self.started.folder.join("data");
        if shown.as_deref().map(Path::new) != Some(&data) {
            return Err(not_ours(format!("its data folder is {}", shown.unwrap_or_else(|| "unknown".to_owned()))));
        }
        let pid_file = std::fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default();
        let lines: Vec<&str> = pid_file.lines().map(str::trim).collect();
        let (pid, port) = (self.started.pid.to_string(), self.started.port.to_string());
        if lines.first() != Some(&pid.as_str()) || lines.get(3) != Some(&port.as_str()) {
            return Err(not_ours("postmaster.pid names another process or port".to_owned()));
        }
        Ok(())
    }
}

fn words(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(|| error.to_string(), |db| format!("{} ({})", db.message(), db.code().code()))
}

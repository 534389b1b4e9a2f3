//! psql as the client: a script to its end, or a session that stays.

use std::io::Write;
use std::process::{Child, Command, Stdio};

use peaje_model::Secret;

fn psql(connection: &str, name: &str) -> Command {
    let mut command = Command::new("psql");
    command.args(["--no-psqlrc", "-At", "-v", "ON_ERROR_STOP=1", connection]).env("PGAPPNAME", name);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a script to its end.
pub(crate) fn run(connection: &Secret, name: &str, sql: &str) -> Result<String, String> {
    let mut child = psql(connection.expose(), name).spawn().expect("psql is installed (package postgresql-client)");
    // A psql that may not log in does not read its script.
    let _ = child.stdin.take().expect("piped").write_all(sql.as_bytes());
    let ended = child.wait_with_output().expect("psql ends");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim().to_owned();
    if ended.status.success() { Ok(text(ended.stdout)) } else { Err(text(ended.stderr)) }
}

/// A psql that stays logged in until its input is closed.
pub(crate) fn stay(connection: &Secret, name: &str) -> Child {
    psql(connection.expose(), name).spawn().expect("psql is installed (package postgresql-client)")
}

/// Gives such a psql something to do.
pub(crate) fn tell(session: &mut Child, sql: &str) {
    let input = session.stdin.as_mut().expect("piped, and not yet closed");
    writeln!(input, "{sql}").expect("psql still runs");
}

/// Lets it go, and waits until it has.
pub(crate) fn leave(mut session: Child) {
    drop(session.stdin.take());
    session.wait().expect("psql ends");
}

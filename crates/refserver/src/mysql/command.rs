//! The commands of a session, and what each is answered with.

use std::sync::atomic::Ordering::Relaxed;

use crate::end::End;

use super::capabilities::Capabilities;
use super::login::find_database;
use super::packet::Writer;
use super::reply::{Format, SqlError, eof, ok, status};
use super::session::{Next, Session};
use super::sql::parse;

impl Session<'_> {
    pub(super) fn command(&mut self, body: &[u8], writer: &mut Writer<'_>) -> Next {
        self.entered.listed.works();
        self.place.work();
        let Some((command, rest)) = body.split_first() else { return end_with(&unknown_command(), writer) };
        if counts_as_question(*command) {
            self.shared.protocol.status.questions.fetch_add(1, Relaxed);
        }
        match command {
            0x01 => {
                self.said_goodbye = true;
                return Next::End(End::Left);
            }
            0x02 => self.tell(|session| session.use_database(&String::from_utf8_lossy(rest)), writer),
            0x03 => return self.query(rest, writer),
            0x04 => self.end_of_fields(writer),
            0x09 => self.statistics(writer),
            0x0e => ok(writer, self.status),
            0x11 => return Next::ChangeUser(rest.to_vec()),
            0x16 => self.prepare(rest, writer),
            0x17 => return self.execute_prepared(rest, writer),
            // A part of a parameter, and the end of a statement: neither is answered.
            0x18 => self.keep_long_data(rest),
            0x19 => self.close_prepared(rest),
            0x1a => self.reset_prepared(rest, writer),
            0x1b => self.set_option(rest, writer),
            0x1f => {
                self.reset();
                ok(writer, self.status);
            }
            _ => unknown_command().write(writer),
        }
        Next::Go
    }

    fn query(&mut self, text: &[u8], writer: &mut Writer<'_>) -> Next {
        self.pause_for_query();
        if self.status == status::AUTOCOMMIT && is_select_one(text) {
            let without_marks = self.client.capabilities.has(Capabilities::DEPRECATE_EOF);
            writer.out.extend_from_slice(&self.shared.protocol.select_one[usize::from(without_marks)]);
            return Next::Answered;
        }
        if let Err(error) = self.run_all(&String::from_utf8_lossy(text), writer) {
            error.write(writer);
        }
        Next::Answered
    }

    /// A statement of the client has come, and waits as long as the options want.
    pub(super) fn pause_for_query(&mut self) {
        self.pause += self.shared.options.delays.query;
    }

    fn run_all(&mut self, sql: &str, writer: &mut Writer<'_>) -> Result<(), SqlError> {
        let statements = parse(sql)?;
        let last = statements.len() - 1;
        if last > 0 && !self.client.capabilities.has(Capabilities::MULTI_STATEMENTS) {
            return Err(SqlError::syntax("this client has not asked to send more than one statement at once"));
        }
        for (n, statement) in statements.iter().enumerate() {
            let reply = self.execute(statement, &[])?;
            let more = if n < last { status::MORE_RESULTS } else { 0 };
            reply.write(writer, Format::Text, self.client.capabilities, self.status | more);
        }
        Ok(())
    }

    fn tell(&mut self, what: impl FnOnce(&mut Self) -> Result<(), SqlError>, writer: &mut Writer<'_>) {
        match what(self) {
            Ok(()) => ok(writer, self.status),
            Err(error) => error.write(writer),
        }
    }

    pub(super) fn use_database(&mut self, name: &str) -> Result<(), SqlError> {
        find_database(name)?;
        name.clone_into(&mut self.client.database);
        self.entered.listed.set_database(name);
        Ok(())
    }

    /// There are no tables, and so no fields of a table.
    fn end_of_fields(&self, writer: &mut Writer<'_>) {
        eof(writer, self.status);
    }

    fn statistics(&self, writer: &mut Writer<'_>) {
        let uptime = self.shared.started.elapsed().unwrap_or_default().as_secs();
        let threads = self.shared.counters.sessions.load(Relaxed);
        let questions = self.shared.protocol.status.questions.load(Relaxed);
        let rate = questions as f64 / uptime.max(1) as f64;
        let text = format!(
            "Uptime: {uptime}  Threads: {threads}  Questions: {questions}  Slow queries: 0  Opens: 0  \
             Open tables: 0  Queries per second avg: {rate:.3}"
        );
        writer.packet(|out| out.extend_from_slice(text.as_bytes()));
    }

    fn set_option(&mut self, rest: &[u8], writer: &mut Writer<'_>) {
        let flag = Capabilities::MULTI_STATEMENTS;
        let client = &mut self.client.capabilities;
        match rest {
            [0, 0] => *client = client.with(flag),
            [1, 0] => *client = client.without(flag),
            _ => return unknown_command().write(writer),
        }
        eof(writer, self.status);
    }
}

/// The query that nearly every measurement sends, as clients spell it.
fn is_select_one(sql: &[u8]) -> bool {
    sql.strip_suffix(b";").unwrap_or(sql).eq_ignore_ascii_case(b"select 1")
}

/// The real servers count every command that a client waits for in `Questions`, its goodbye too; not statistics, pings,
/// and what is done to prepared statements beside running them.
fn counts_as_question(command: u8) -> bool {
    !matches!(command, 0x09 | 0x0e | 0x16 | 0x18 | 0x19 | 0x1a)
}

pub(super) fn end_with(error: &SqlError, writer: &mut Writer<'_>) -> Next {
    error.write(writer);
    Next::End(End::Told)
}

fn unknown_command() -> SqlError {
    SqlError::new(1047, "08S01", "Unknown command")
}

//! `peaje` alone: the questions it answers, and what to try first.

use crate::exit::Status;
use crate::printer::Printer;

const OVERVIEW: &str = "\
peaje measures what a database charges around the query.

  peaje check URL…        Everything that can be found without load, on one screen (`peaje URL` is the same)
  peaje watch URL…        Who logs in and out right now; who does not pool? (live screen, recorder, Prometheus endpoint)
  peaje login [TARGET]    What does a login cost, phase by phase; pooled, unpooled, over TLS; how many a second?
  peaje serve             The embedded reference server: logins without a database
  peaje report RUN        A saved run as text, JSON, CSV or an HTML page
  peaje explain CODE      The page of a finding: what it means, what to do, when it is wrong

Try first:
  peaje login                                   no database needed: see what the answer looks like
  peaje postgresql://USER@HOST/DATABASE         look at your server, read-only, in under a minute;
                                                also mysql://…, mssql://…, or a string pasted from an application
  peaje login postgres:                         a throwaway PostgreSQL on this machine, under load (or mariadb:)

`peaje COMMAND --help` shows everything a command can do.
";

pub(crate) fn run(printer: Printer) -> anyhow::Result<Status> {
    printer.result(OVERVIEW)?;
    Ok(Status::Done)
}

//! Whose session is whose: the server keeps the program's name of each session, where it watches sessions at all.
//!
//! A newcomer would look for it in the list of processes, where SQL Server and PostgreSQL have it.

use peaje_model::{Fact, Gap};

use super::opened::Opened;
use super::rights::View;
use super::{OWN_SESSIONS, OWN_SESSIONS_BY_USER, Statement, facts};

/// How the measured sessions are told apart from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// By the program name among the attributes of each session.
    ByProgram,
    /// By the login name, and by being younger than the observer.
    ByUser,
}

impl Whose {
    /// The statement that counts our sessions.
    pub(super) fn statement(self) -> &'static Statement {
        match self {
            Whose::ByProgram => &OWN_SESSIONS,
            Whose::ByUser => &OWN_SESSIONS_BY_USER,
        }
    }

    /// The view it reads.
    pub(super) fn source(self) -> &'static str {
        match self {
            Whose::ByProgram => ATTRIBUTES,
            Whose::ByUser => "information_schema.processlist",
        }
    }
}

const ATTRIBUTES: &str = "performance_schema.session_connect_attrs";
/// The setting without which there are no such views.
const SCHEMA: &str = "performance_schema";

/// Decides how to tell our sessions apart, and notes what is missing for the better way.
pub(super) async fn decide(opened: &mut Opened) -> Whose {
    if facts::is_on(&opened.settings, SCHEMA) != Some(true) {
        return Whose::ByUser;
    }
    // Both are looked for, so that every missing right is named at once.
    let threads = opened.rights.need(View::Threads);
    let attributes = match opened.rights.need(View::Attributes) {
        Ok(()) => opened.session.row(&OWN_SESSIONS, ATTRIBUTES).await.map(drop),
        Err(gap) => Err(gap),
    };
    let whose = if attributes.is_ok() { Whose::ByProgram } else { Whose::ByUser };
    opened.gaps.extend([attributes, threads].into_iter().filter_map(Result::err));
    whose
}

/// Why the encryption of our sessions cannot be seen.
pub(super) fn no_sample(settings: &[Fact], gaps: &[Gap]) -> Gap {
    let what = "encryption of the sessions, in the server's view".to_owned();
    if facts::is_on(settings, SCHEMA) == Some(false) {
        let why = "performance_schema is off, and the server shows the encryption of other sessions nowhere else";
        let next_step = "start the server with performance_schema=ON, or compare Ssl_accepts of SHOW GLOBAL STATUS \
                         before and after";
        return Gap { what, why: why.to_owned(), next_step: Some(next_step.to_owned()) };
    }
    let denied = gaps.iter().find(|gap| gap.what == ATTRIBUTES);
    Gap {
        what,
        why: "the sessions of this run cannot be told apart".to_owned(),
        next_step: denied.and_then(|gap| gap.next_step.clone()),
    }
}

//! From the first server to the one that takes the login.
//!
//! A newcomer would expect a redirect to be cheap. It is a second login: name, connection, TLS and all, and the phases
//! of both add up.

use peaje_engine::{Endpoint, Failure, Trace, Wire};
use peaje_model::{OutcomeKind, Phase};

use super::authenticate::{Answered, authenticate};
use super::negotiate::negotiate;
use super::prepared::Prepared;
use super::session::SqlServerSession;

/// Servers that send a login on more often than this send it in a circle.
const MOST_REDIRECTS: u32 = 4;

/// Logs in, wherever the server sends the login.
pub(super) async fn log_in(prepared: &Prepared, attempt: u64, trace: &mut Trace) -> Result<SqlServerSession, Failure> {
    if prepared.lacks_password {
        return Err(no_password(trace));
    }
    trace.redirected = false;
    let mut redirects = 0;
    let mut target: Option<(String, Endpoint)> = None;
    loop {
        // What an earlier server agreed on does not describe this one.
        trace.tls = None;
        trace.auth = None;
        let (mut wire, host) = dial(prepared, target.as_ref().map(|t| &t.1), attempt, trace).await?;
        let negotiated = negotiate(prepared, &host, &mut wire, trace).await?;
        let server = target.as_ref().map(|t| t.0.as_str());
        match authenticate(prepared, server, &negotiated, &mut wire, trace).await? {
            Answered::LoggedIn(welcome) => return Ok(SqlServerSession::new(wire, welcome)),
            Answered::Redirected { server, port } => {
                trace.redirected = true;
                redirects += 1;
                if redirects > MOST_REDIRECTS {
                    return Err(in_a_circle(trace));
                }
                // It is not needed any more, however the close ends.
                let _ = wire.close_quickly(trace).await;
                let host = server.split('\\').next().unwrap_or_default().to_owned();
                if host.is_empty() || port == 0 {
                    return Err(super::failures::not_sql_server("a redirect to nowhere", trace.current()));
                }
                target = Some((server, Endpoint::Tcp { host, address: None, port }));
            }
        }
    }
}

/// Without a code: it is not the server that rejected.
fn no_password(trace: &mut Trace) -> Failure {
    trace.enter(Phase::Authenticate);
    Failure::new(OutcomeKind::Rejected, "no password is known for this login, and none was sent")
        .hint("write Password=… (an empty one is allowed), or set SQLCMDPASSWORD")
        .phase(Some(Phase::Authenticate))
}

async fn dial(
    prepared: &Prepared,
    redirected: Option<&Endpoint>,
    attempt: u64,
    trace: &mut Trace,
) -> Result<(Wire, String), Failure> {
    let plan = match redirected {
        None => prepared.dial_plan(trace).await?,
        Some(endpoint) => prepared.redirected_plan(endpoint.clone(), trace).await,
    };
    let host = plan.endpoints.first().map(Endpoint::host).unwrap_or_default();
    Ok((plan.dial(0, attempt, trace).await?, host))
}

fn in_a_circle(trace: &Trace) -> Failure {
    Failure::new(
        OutcomeKind::Protocol,
        format!("the login was sent on to another server more than {MOST_REDIRECTS} times"),
    )
    .code("redirects")
    .hint("look at the read-only routing lists of the availability group: they lead in a circle")
    .phase(trace.current().or(Some(Phase::Session)))
}

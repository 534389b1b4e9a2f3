//! `peaje serve`, and the reference server that `peaje login` starts: options become a server.

use std::num::NonZeroU64;
use std::time::Duration;

use peaje_model::Secret;
use peaje_refserver::{
    Auth, Delays, DropAfter, Faults, KeyKind, RefServer, Refusal, RefuseHow, Resumption, ServerOptions, Step,
    TlsSetting,
};

use crate::args::{AuthArg, DelayArgs, KeyArg, OwnServerArgs, ServeArgs, StepArg};
use crate::exit::{Status, hinted};
use crate::files;
use crate::printer::Printer;

pub(crate) fn run(args: &ServeArgs, printer: Printer) -> anyhow::Result<Status> {
    let _ = peaje_host::this_host().raise_open_files_limit();
    let server = RefServer::start(options(args)?)?;
    if let Some(path) = &args.write_root_cert {
        let pem = server.root_certificate_pem().ok_or_else(|| {
            hinted("there is no certificate to write", "leave --no-tls out; with --tls-cert, use that file itself")
        })?;
        files::write(path, &pem, printer)?;
    }
    let address = server.address();
    if !address.ip().is_loopback() {
        printer.say("note: this server can be reached from other machines");
    }
    printer.result(&format!("postgresql://{}@{address}/peaje\n", args.user))?;
    printer.say("reference server: its numbers describe this machine, not your database. Ctrl-C stops it.");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(until_stopped(args.for_time))?;
    let counters = server.counters();
    drop(server);
    printer.say(&format!("{} logins, {} failed", counters.logins, counters.failed));
    Ok(Status::Done)
}

/// A signal is the usual end of a server, not an interruption of a measurement.
async fn until_stopped(limit: Option<Duration>) -> std::io::Result<()> {
    let stop = peaje_lab::Stop::new();
    crate::signals::watch(stop.clone(), peaje_host::this_host().as_ref())?;
    tokio::select! {
        () = stop.aborted() => {}
        () = async { match limit { Some(time) => tokio::time::sleep(time).await, None => std::future::pending().await } } => {}
    }
    Ok(())
}

fn options(args: &ServeArgs) -> anyhow::Result<ServerOptions> {
    let credentials = args.password.as_ref().map(|password| (args.user.clone(), Secret::new(password.clone())));
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(cert), Some(key)) => TlsSetting::Files { cert: cert.clone(), key: key.clone() },
        _ if args.no_tls => TlsSetting::Off,
        _ => TlsSetting::SelfMade(key_kind(args.own.server_key)),
    };
    Ok(ServerOptions {
        listen: args.listen,
        auth: auth(args.own.auth, credentials)?,
        tls,
        max_sessions: args.own.max_sessions,
        delays: delays(&args.delays),
        faults: faults(&args.delays),
        threads: args.delays.server_threads as usize,
        resumption: Resumption::Tickets,
    })
}

/// The reference server of `peaje login`: on a free loopback port, with TLS. Gives the password when one is needed.
pub(crate) fn embedded(own: &OwnServerArgs, delay_args: &DelayArgs) -> anyhow::Result<(RefServer, Option<Secret>)> {
    let password = match own.auth {
        None | Some(AuthArg::Trust) => None,
        // Nobody needs to know it: client and server are the same process.
        Some(_) => Some(Secret::new("reference")),
    };
    let credentials = password.clone().map(|password| (EMBEDDED_USER.to_owned(), password));
    let server = RefServer::start(ServerOptions {
        auth: auth(own.auth, credentials)?,
        tls: TlsSetting::SelfMade(key_kind(own.server_key)),
        max_sessions: own.max_sessions,
        delays: delays(delay_args),
        faults: faults(delay_args),
        threads: delay_args.server_threads as usize,
        ..ServerOptions::default()
    })?;
    Ok((server, password))
}

/// The user of the embedded server.
pub(crate) const EMBEDDED_USER: &str = "peaje";

fn auth(asked: Option<AuthArg>, credentials: Option<(String, Secret)>) -> anyhow::Result<Auth> {
    let needed = || hinted("this authentication needs a password", "set PEAJE_SERVE_PASSWORD, or give --password");
    Ok(match (asked, credentials) {
        (Some(AuthArg::Trust) | None, None) | (Some(AuthArg::Trust), Some(_)) => Auth::Trust,
        (Some(AuthArg::Scram) | None, Some((user, password))) => Auth::Scram { user, password },
        (Some(AuthArg::Md5), Some((user, password))) => Auth::Md5 { user, password },
        (Some(AuthArg::Password), Some((user, password))) => Auth::Password { user, password },
        (Some(_), None) => return Err(needed()),
    })
}

fn key_kind(asked: Option<KeyArg>) -> KeyKind {
    match asked {
        Some(KeyArg::Rsa) => KeyKind::Rsa2048,
        Some(KeyArg::Ecdsa) | None => KeyKind::EcdsaP256,
    }
}

fn delays(args: &DelayArgs) -> Delays {
    Delays {
        negotiate: args.negotiate_delay.unwrap_or_default(),
        tls: args.tls_delay.unwrap_or_default(),
        authenticate: args.auth_delay.unwrap_or_default(),
        session: args.session_delay.unwrap_or_default(),
        query: args.query_delay.unwrap_or_default(),
    }
}

fn faults(args: &DelayArgs) -> Faults {
    let every = NonZeroU64::new(args.drop_every).unwrap_or(NonZeroU64::MIN);
    Faults {
        drop: args.drop_after.map(|step| DropAfter { step: after(step), every }),
        refuse: args.refuse_every.and_then(NonZeroU64::new).map(|every| Refusal { every, how: RefuseHow::ServerFull }),
        reset_every: args.reset_every.and_then(NonZeroU64::new),
    }
}

fn after(step: StepArg) -> Step {
    match step {
        StepArg::Connect => Step::Connect,
        StepArg::Negotiate => Step::Negotiate,
        StepArg::Tls => Step::Tls,
        StepArg::Authenticate => Step::Authenticate,
        StepArg::Session => Step::Session,
        StepArg::Query => Step::Query,
    }
}

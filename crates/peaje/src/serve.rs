//! `peaje serve`, and the reference server that `peaje login` starts: options become a server.

use std::num::NonZeroU64;
use std::time::Duration;

use anyhow::Context;
use peaje_model::Secret;
use peaje_refserver::{
    Auth, Delays, DropAfter, Faults, Home, KeyKind, Launch, Model, Protocol, RefServer, Refusal, RefuseHow, Resumption,
    ServerOptions, Step, TlsSetting,
};

use crate::args::{AuthArg, DelayArgs, KeyArg, ModelArg, OwnServerArgs, ProtocolArg, ServeArgs, StepArg, typed};
use crate::engines::{self, Entrance};
use crate::exit::{Status, hinted};
use crate::files;
use crate::printer::Printer;

/// The hidden command that is a reference server in processes of its own.
pub(crate) const WORD: &str = "reference-server";

/// Files that `peaje serve` needs beside its sessions' sockets.
const OTHER_FILES: u64 = 64;

/// How a reference server is started in processes of its own.
pub(crate) fn apart() -> anyhow::Result<Launch> {
    let program = std::env::current_exe().context("cannot find this program, which the server's process is to run")?;
    Ok(Launch::new(program, [WORD]))
}

/// [`WORD`]: this process becomes the server.
pub(crate) fn run_apart() -> anyhow::Result<Status> {
    peaje_refserver::run_apart()?;
    Ok(Status::Done)
}

pub(crate) fn run(args: &ServeArgs, printer: Printer) -> anyhow::Result<Status> {
    let _ = peaje_host::this_host().raise_open_files_limit();
    let servers = start_all(args)?;
    if let Some(path) = &args.write_root_cert {
        files::write(path, &root_certificates(&servers)?, printer)?;
    }
    if servers.iter().any(|s| !s.server.address().ip().is_loopback()) {
        printer.say("note: this server can be reached from other machines");
    }
    announce(&servers, args, printer)?;
    for served in servers.iter().filter(|served| served.server.top_process() != std::process::id()) {
        let (engine, process) = (Protocol::from(served.word).engine(), served.server.top_process());
        printer.say(&format!("{engine}: {} (process {process} and its children)", model_words(args.model)));
    }
    let who = match &args.password {
        Some(_) => format!("user {}, with the password given", args.user),
        None => "without a password: any user gets in".to_owned(),
    };
    printer.say(&format!("{who}; databases whose names begin with missing_ do not exist"));
    printer.say("reference server: its numbers describe this machine, not your database. Ctrl-C stops it.");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(until_stopped(args.for_time))?;
    for Served { word, server } in servers {
        let counters = server.counters();
        drop(server);
        printer.say(&format!(
            "{}: {} logins, {} failed",
            Protocol::from(word).engine(),
            counters.logins,
            counters.failed
        ));
    }
    Ok(Status::Done)
}

/// One server of the command.
struct Served {
    word: ProtocolArg,
    server: RefServer,
}

/// One server for each protocol, each on its own port.
fn start_all(args: &ServeArgs) -> anyhow::Result<Vec<Served>> {
    let mut words: Vec<ProtocolArg> = Vec::new();
    for &word in &args.protocol {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    if words.len() > 1 && args.listen.port() != 0 {
        return Err(hinted(
            "several protocols cannot share one port",
            "leave the port out of --listen (127.0.0.1:0): each protocol gets a free one, and they are printed",
        ));
    }
    words.into_iter().map(|word| Ok(Served { word, server: RefServer::start(options(args, word.into())?)? })).collect()
}

fn root_certificates(servers: &[Served]) -> anyhow::Result<String> {
    let pems: Option<Vec<String>> = servers.iter().map(|s| s.server.root_certificate_pem()).collect();
    pems.map(|pems| pems.concat()).ok_or_else(|| {
        hinted("there is no certificate to write", "leave --no-tls out; with --tls-cert, use that file itself")
    })
}

/// Tells where each server can be reached, as text or as JSON.
fn announce(servers: &[Served], args: &ServeArgs, printer: Printer) -> anyhow::Result<()> {
    let urls = servers.iter().map(|s| {
        let (needs_password, address) = (args.password.is_some(), s.server.address());
        let engine = engines::of_protocol(s.word.into());
        (engine.reference_url)(Entrance { user: &args.user, needs_password, address })
    });
    let Some(path) = &args.json else {
        return Ok(printer.result(&urls.map(|url| url + "\n").collect::<String>())?);
    };
    let list: Vec<_> = servers
        .iter()
        .zip(urls)
        .map(|(s, url)| {
            let address = s.server.address();
            serde_json::json!({
                "protocol": typed(&s.word),
                "address": address.ip().to_string(),
                "port": address.port(),
                "user": args.user,
                "url": url,
                "model": typed(&args.model),
                "process": s.server.top_process(),
            })
        })
        .collect();
    files::write(path, &format!("{:#}\n", serde_json::Value::Array(list)), printer)
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

fn options(args: &ServeArgs, protocol: Protocol) -> anyhow::Result<ServerOptions> {
    let credentials = args.password.as_ref().map(|password| (args.user.clone(), Secret::new(password.clone())));
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(cert), Some(key)) => TlsSetting::Files { cert: cert.clone(), key: key.clone() },
        _ if args.no_tls => TlsSetting::Off,
        _ => TlsSetting::SelfMade(key_kind(args.own.server_key)),
    };
    let sessions = args.own.max_sessions.unwrap_or_else(|| protocol.default_sessions());
    Ok(ServerOptions {
        protocol,
        listen: args.listen,
        auth: auth(protocol, args.own.auth, credentials)?,
        tls,
        max_sessions: Some(sessions),
        model: Model::from(args.model),
        home: home(args.model, sessions)?,
        session_memory: args.session_memory,
        shared_memory: args.shared_memory,
        delays: delays(&args.delays),
        faults: faults(&args.delays),
        threads: args.delays.server_threads as usize,
        resumption: Resumption::Tickets,
        ..ServerOptions::default()
    })
}

/// This process serves as long as it can alone; what has threads or processes of its own is apart.
fn home(model: ModelArg, sessions: u32) -> anyhow::Result<Home> {
    let files = peaje_host::this_host().open_files_limit().unwrap_or(u64::MAX);
    if model == ModelArg::Event && u64::from(sessions).saturating_add(OTHER_FILES) <= files {
        return Ok(Home::Here);
    }
    Ok(Home::Apart(apart()?))
}

fn model_words(model: ModelArg) -> &'static str {
    match model {
        ModelArg::Thread => "a thread for each session",
        ModelArg::Process => "a process for each session",
        ModelArg::Event => "event loops in several processes, because one may not open so many files",
    }
}

/// The reference server of `peaje login`: on a free loopback port, with TLS. Gives the password when one is needed.
pub(crate) fn embedded(own: &OwnServerArgs, delay_args: &DelayArgs) -> anyhow::Result<(RefServer, Option<Secret>)> {
    // Nobody needs to know it: client and server are the same process.
    let password = needs_password(own).then(|| Secret::new("reference"));
    let credentials = password.clone().map(|password| (EMBEDDED_USER.to_owned(), password));
    let server = RefServer::start(ServerOptions {
        auth: auth(Protocol::default(), own.auth, credentials)?,
        tls: TlsSetting::SelfMade(key_kind(own.server_key)),
        max_sessions: own.max_sessions,
        delays: delays(delay_args),
        faults: faults(delay_args),
        threads: delay_args.server_threads as usize,
        ..ServerOptions::default()
    })?;
    Ok((server, password))
}

/// Whether a server of peaje's own asks for a password.
pub(crate) fn needs_password(own: &OwnServerArgs) -> bool {
    !matches!(own.auth, None | Some(AuthArg::Trust))
}

/// The user of the embedded server.
pub(crate) const EMBEDDED_USER: &str = "peaje";

/// How users prove who they are, with these credentials.
pub(crate) fn auth(
    protocol: Protocol,
    asked: Option<AuthArg>,
    credentials: Option<(String, Secret)>,
) -> anyhow::Result<Auth> {
    let (asked, (user, password)) = match (asked, credentials) {
        (None | Some(AuthArg::Trust), None) | (Some(AuthArg::Trust), Some(_)) => return Ok(Auth::Trust),
        (None, Some((user, password))) => return Ok(protocol.default_auth(user, password)),
        (Some(_), None) => {
            let next = "set PEAJE_SERVE_PASSWORD, or give --password";
            return Err(hinted("this authentication needs a password", next));
        }
        (Some(asked), Some(credentials)) => (asked, credentials),
    };
    let auth = match asked {
        AuthArg::Trust => Auth::Trust,
        AuthArg::Password => Auth::Password { user, password },
        AuthArg::Md5 => Auth::Md5 { user, password },
        AuthArg::Scram => Auth::Scram { user, password },
        AuthArg::Native => Auth::MysqlNative { user, password },
        AuthArg::CachingSha2 => Auth::CachingSha2 { user, password },
        AuthArg::Sha256 => Auth::Sha256 { user, password },
        AuthArg::Ed25519 => Auth::Ed25519 { user, password },
        AuthArg::Socket => {
            let next = "leave --auth out, or use a throwaway server";
            return Err(hinted("the reference server listens on no Unix socket", next));
        }
    };
    if protocol.has(&auth) {
        return Ok(auth);
    }
    Err(hinted(
        format!("{} has no authentication `{}`", protocol.engine(), auth.name()),
        "leave --auth out: each protocol then takes its engine's own",
    ))
}

/// Kind of the key of a server's own certificate.
pub(crate) fn key_kind(asked: Option<KeyArg>) -> KeyKind {
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

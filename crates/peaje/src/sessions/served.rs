//! The embedded server of `serve:MODEL`: a process of its own (or many), so that its memory is not peaje's.

use std::path::{Path, PathBuf};

use peaje_model::Secret;
use peaje_refserver::{Auth, Home, Model, RefServer, ServerOptions, TlsSetting};

use super::args::{ModelArgs, SessionsArgs};
use crate::args::ModelArg;
use crate::engines::{self, Engine, Entrance};
use crate::exit::hinted;
use crate::serve;

/// What a session touches when nobody says how much: that of the story's two machines.
const THREAD_SESSION: u64 = 700 << 10;
const PROCESS_SESSION: u64 = 1_887_437;

/// An embedded server, ended when dropped.
pub(super) struct Served {
    pub(super) server: RefServer,
    pub(super) engine: &'static Engine,
    pub(super) url: String,
}

/// Starts one that takes `sessions` and a few more.
pub(super) fn start(model: ModelArg, args: &SessionsArgs, sessions: u32) -> anyhow::Result<Served> {
    let own = &args.own;
    let protocol = args.model.protocol.into();
    let mut launch = serve::apart()?;
    if let Some(folder) = &args.model.cgroup {
        let list = processes_of(folder)?;
        launch = launch.spawned(move |pid| std::fs::write(&list, pid.to_string()));
    }
    let password = serve::needs_password(own).then(|| Secret::new("reference"));
    let server = RefServer::start(ServerOptions {
        protocol,
        model: Model::from(model),
        home: Home::Apart(launch),
        session_memory: session_memory(model, &args.model),
        shared_memory: args.model.shared_memory.unwrap_or(0),
        max_sessions: Some(own.max_sessions.unwrap_or(sessions)),
        auth: Auth::Trust,
        tls: TlsSetting::SelfMade(serve::key_kind(own.server_key)),
        ..ServerOptions::default()
    })?;
    let engine = engines::of_protocol(protocol);
    let at = Entrance { user: serve::EMBEDDED_USER, needs_password: password.is_some(), address: server.address() };
    Ok(Served { url: (engine.reference_url)(at), engine, server })
}

fn session_memory(model: ModelArg, args: &ModelArgs) -> u64 {
    args.session_memory.unwrap_or(match model {
        ModelArg::Thread => THREAD_SESSION,
        ModelArg::Process => PROCESS_SESSION,
        ModelArg::Event => 0,
    })
}

/// The list of a control group's processes.
fn processes_of(folder: &Path) -> anyhow::Result<PathBuf> {
    let list = folder.join("cgroup.procs");
    if list.is_file() {
        return Ok(list);
    }
    Err(hinted(
        format!("{} is no control group: it has no file cgroup.procs", folder.display()),
        "make one first (mkdir /sys/fs/cgroup/memory/try, then write its limit), and give its folder",
    ))
}

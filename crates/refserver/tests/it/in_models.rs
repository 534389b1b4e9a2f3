//! One test on a server of each model.
#![allow(unreachable_pub, clippy::unwrap_used, missing_docs)]

use std::ffi::OsString;

use peaje_refserver::{Home, Launch, Model, RefServer, ServerOptions};

/// More than one process may open files: event loops in several processes.
pub const MANY: u32 = 40_000;

pub fn launch() -> Launch {
    Launch::new(env!("CARGO_BIN_EXE_peaje-refserver"), Vec::<OsString>::new())
}

/// A server in processes of its own.
pub fn apart(model: Model, options: &ServerOptions) -> RefServer {
    let home = Home::Apart(launch());
    RefServer::start(ServerOptions { model, home, ..options.clone() }).unwrap()
}

/// Runs a test on a server here, and on servers apart of each model. Where the options name no number of sessions, the
/// event loops are in several processes.
pub fn in_every_model(options: &ServerOptions, test: impl Fn(&RefServer)) {
    test(&RefServer::start(options.clone()).unwrap());
    test(&apart(Model::Thread, options));
    test(&apart(Model::Process, options));
    let max_sessions = Some(options.max_sessions.unwrap_or(MANY));
    test(&apart(Model::Event, &ServerOptions { max_sessions, ..options.clone() }));
}

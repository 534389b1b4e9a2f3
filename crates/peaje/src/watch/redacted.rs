//! `--redact` while a watch runs: the same figures under aliases, before anything is made of them.
//!
//! Lines, screen and Prometheus are made of the snapshot and the run so far, so that is where names are replaced. The
//! recording keeps them: it is judged again later, and never shown as it is.

use std::sync::Arc;

use peaje_model::{Gap, Redactor, Run};
use peaje_watch::{GroupSnapshot, RecordingState, ServerSnapshot, ServerState, Snapshot};

use crate::printer::Printer;

/// Snapshot and run with aliases; `None` where nothing has to be redacted.
pub(super) fn both(seen: &Snapshot, judged: &Run, printer: Printer) -> Option<(Snapshot, Run)> {
    printer.redact(|redactor| {
        let mut run = judged.clone();
        // What the run names first has the first aliases, in the lines as in the run file.
        redactor.run(&mut run);
        (snapshot(seen, redactor), run)
    })
}

fn snapshot(seen: &Snapshot, redactor: &mut Redactor) -> Snapshot {
    for group in seen.servers.iter().flat_map(|server| &server.groups).filter(|group| !group.host.is_empty()) {
        redactor.learn_application(&group.application);
        redactor.learn_host(&group.host);
    }
    Snapshot {
        servers: seen.servers.iter().map(|one| Arc::new(server(one, redactor))).collect(),
        recording: seen.recording.clone().map(|state| recording(state, redactor)),
        ..*seen
    }
}

fn server(seen: &ServerSnapshot, redactor: &mut Redactor) -> ServerSnapshot {
    let mut server = seen.clone();
    rewrite(&mut server.server, redactor);
    if let Some(banner) = server.what_answered.as_mut().and_then(|what| what.banner.as_mut()) {
        rewrite(banner, redactor);
    }
    match &mut server.state {
        ServerState::Lost { message, hint, .. } | ServerState::GivenUp { message, hint } => {
            for text in [message].into_iter().chain(hint) {
                rewrite(text, redactor);
            }
        }
        ServerState::Starting | ServerState::Watching => {}
    }
    for Gap { what, why, next_step } in &mut server.missing {
        for text in [what, why].into_iter().chain(next_step) {
            rewrite(text, redactor);
        }
    }
    for GroupSnapshot { name, application, host, .. } in &mut server.groups {
        for text in [name, application, host] {
            rewrite(text, redactor);
        }
    }
    server
}

fn recording(state: RecordingState, redactor: &mut Redactor) -> RecordingState {
    match state {
        RecordingState::Failed { message } => RecordingState::Failed { message: redactor.text(&message) },
        // Its words are peaje's own.
        state @ (RecordingState::Recording { .. } | RecordingState::Waiting { .. }) => state,
    }
}

fn rewrite(text: &mut String, redactor: &mut Redactor) {
    *text = redactor.text(text);
}

//! The server's own account beside ours: its login counter, its view of our sessions, the CPU of both sides.
//!
//! The figures stand in a table; sentences say only what the figures mean. Server CPU is that of a whole operation: what
//! of it is the login's is computed in one place, `peaje_diagnose::login_cores`.

use std::collections::BTreeSet;

use peaje_diagnose::LoginCores;
use peaje_model::{Mode, Run, Series};

use super::{Section, Tone, series};
use crate::{catalogue::Catalogue, tables, words};

/// The section; `None` when nothing is known of either side. A run in which no counter could be read: its gaps say so.
pub(super) fn section(cat: &Catalogue, run: &Run) -> Option<Section> {
    let table = tables::account(cat, run)?;
    let cores = series(run).iter().filter_map(|s| {
        let args = [
            ("label", words::series(cat, s).into()),
            ("sentences", login_cores(cat, run, s, CoresFor::Engineer)?.into()),
        ];
        Some(cat.say("cost-series", &args))
    });
    let client = series(run).iter().any(|s| tables::client_cpu_us(s).is_some());
    let note = client.then(|| cat.say("client-note", &[("engine", run.target.engine.as_str().into())]));
    let sampled = series(run).iter().filter_map(|s| s.server.as_ref());
    let unclear = sampled.filter(|a| a.sampled_encrypted > 0).any(|a| a.sampled_encrypted < a.sampled_sessions);
    let encrypted = unclear.then(|| cat.word("note-encrypted"));
    Some(Section {
        heading: heading(cat, run),
        table: Some(table),
        lines: cores.chain(encrypted).chain(note).collect(),
        tone: Tone::Plain,
    })
}

/// With where the server's figures come from.
fn heading(cat: &Catalogue, run: &Run) -> String {
    let accounts = series(run).iter().filter_map(|s| s.server.as_ref());
    let sources: BTreeSet<&str> = accounts.map(|a| a.source.as_str()).filter(|source| !source.is_empty()).collect();
    if sources.is_empty() {
        return cat.word("head-server");
    }
    let sources = sources.into_iter().map(|source| words::source(cat, source)).collect::<Vec<_>>().join("; ");
    cat.say("head-server-source", &[("source", sources.into())])
}

/// Who reads a sentence about cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CoresFor {
    /// The first screen of the page.
    Manager,
    /// Everything else.
    Engineer,
}

/// `1.4 of 2 cores of this machine go into logins` (for a manager: do nothing but log people in), when the login's own
/// cost is known; else what the operations cost that each log in.
pub(crate) fn login_cores(cat: &Catalogue, run: &Run, series: &Series, reader: CoresFor) -> Option<String> {
    let (id, used) = match (peaje_diagnose::login_cores(run, series)?, run.target.local) {
        (LoginCores::LoginsAlone(cores), true) if reader == CoresFor::Manager => ("server-cores-manager", cores),
        (LoginCores::LoginsAlone(cores), true) => ("server-cores", cores),
        (LoginCores::LoginsAlone(cores), false) => ("server-cores-elsewhere", cores),
        (LoginCores::WholeOperations(cores), true) => ("server-cores-whole", cores),
        (LoginCores::WholeOperations(cores), false) => ("server-cores-whole-elsewhere", cores),
    };
    let used = cat.units.cores(used);
    Some(cat.say(id, &[("used", used.into()), ("cores", run.environment.cores.into())]))
}

/// `1,000 logins cost 3.42 s of server CPU`, or what 1,000 operations cost that each log in.
pub(crate) fn per_thousand(cat: &Catalogue, run: &Run, series: &Series) -> Option<String> {
    if let Some(cpu_s) = peaje_diagnose::cpu_s_per_1000_logins(run, series) {
        return Some(cat.say("cost-per-thousand", &[("cpu", cat.units.elapsed(cpu_s).into())]));
    }
    let cpu_us = series.server.as_ref()?.cpu_us_per_operation.filter(|_| series.mode == Mode::Unpooled)?;
    let cpu = cat.units.elapsed(cpu_us * 1000.0 / 1e6);
    Some(cat.say("cost-per-thousand-whole", &[("cpu", cpu.into())]))
}

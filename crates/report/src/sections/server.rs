//! The server's own account beside ours: its login counter, its view of our sessions, its CPU.

use peaje_model::{Mode, Run, Series, ServerAccount};

use super::series;
use crate::{catalogue::Catalogue, words};

/// One line for each series. A run in which no counter could be read says nothing here: its gaps do.
pub(super) fn lines(cat: &Catalogue, run: &Run) -> Vec<String> {
    if series(run).iter().all(|s| s.server.is_none()) {
        return Vec::new();
    }
    series(run).iter().map(|s| one_series(cat, run, s)).collect()
}

fn one_series(cat: &Catalogue, run: &Run, series: &Series) -> String {
    let Some(account) = &series.server else {
        return cat.say("server-none", &[("label", words::series(cat, series).into())]);
    };
    let mut sentences = vec![counted(cat, series, account)];
    sentences.extend(sampled(cat, account));
    sentences.extend(cpu(cat, series, account));
    sentences.extend(cores(cat, run, series, account));
    if !account.source.is_empty() {
        sentences.push(cat.say("server-source", &[("source", account.source.as_str().into())]));
    }
    sentences.join(" ")
}

fn counted(cat: &Catalogue, series: &Series, account: &ServerAccount) -> String {
    let logins = |n: u64| cat.say("n-logins", &[("n", n.into())]);
    let id = match account.logins {
        Some(n) if n == series.logins => "server-logins-agree",
        Some(_) => "server-logins-differ",
        None => "server-logins-unknown",
    };
    let args = [
        ("label", words::series(cat, series).into()),
        ("server", logins(account.logins.unwrap_or_default()).into()),
        ("own", logins(series.logins).into()),
    ];
    cat.say(id, &args)
}

fn sampled(cat: &Catalogue, account: &ServerAccount) -> Option<String> {
    let args = [("encrypted", account.sampled_encrypted.into()), ("sampled", account.sampled_sessions.into())];
    (account.sampled_sessions > 0).then(|| cat.say("server-sampled", &args))
}

fn cpu(cat: &Catalogue, series: &Series, account: &ServerAccount) -> Option<String> {
    let (id, us) = match series.mode {
        Mode::Unpooled => ("server-cpu-login", account.cpu_us_per_login?),
        Mode::Pooled | Mode::Persistent => ("server-cpu-operation", account.cpu_us_per_operation?),
    };
    Some(cat.say(id, &[("cpu", cat.units.time(us).into())]))
}

fn cores(cat: &Catalogue, run: &Run, series: &Series, account: &ServerAccount) -> Option<String> {
    if series.mode == Mode::Unpooled {
        return login_cores(cat, run, series);
    }
    let used = cat.units.cores(account.cpu_percent? / 100.0);
    run.target.local.then(|| cat.say("server-busy", &[("used", used.into()), ("cores", run.environment.cores.into())]))
}

/// `1.4 of 2 cores of this machine do nothing but log people in`: server CPU per login times logins per second.
pub(crate) fn login_cores(cat: &Catalogue, run: &Run, series: &Series) -> Option<String> {
    let cpu_us = series.server.as_ref()?.cpu_us_per_login?;
    if series.mode != Mode::Unpooled || series.elapsed_s <= 0.0 {
        return None;
    }
    let used = cat.units.cores(cpu_us * series.logins as f64 / series.elapsed_s / 1e6);
    Some(if run.target.local {
        cat.say("server-cores", &[("used", used.into()), ("cores", run.environment.cores.into())])
    } else {
        cat.say("server-cores-elsewhere", &[("used", used.into())])
    })
}

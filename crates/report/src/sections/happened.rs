//! TLS and authentication as they really happened, a sentence for each distinct kind.
//!
//! What was asked for and did not happen (a resumption, say) is a sentence of its own.

use std::collections::BTreeMap;

use peaje_model::{AuthSeen, Run, Series, TlsMode, TlsScope, TlsSeen};

use super::series;
use crate::{catalogue::Catalogue, words};

pub(super) fn lines(cat: &Catalogue, run: &Run) -> Vec<String> {
    let all = series(run);
    let mut kinds = tls(cat, all);
    kinds.extend(without_tls(cat, all));
    kinds.extend(authentication(cat, all));
    let kinds = (!kinds.is_empty()).then(|| kinds.join(" "));
    kinds.into_iter().chain(all.iter().filter_map(|s| resumption(cat, s))).collect()
}

fn logins(cat: &Catalogue, n: u64) -> String {
    cat.say("n-logins", &[("n", n.into())])
}

/// Version, cipher, key exchange, server key, and what is protected.
type Kind<'a> = (&'a String, &'a String, &'a Option<String>, &'a Option<String>, TlsScope);

/// Kinds of TLS over all series, the resumed share of each; the order is stable.
fn tls(cat: &Catalogue, all: &[Series]) -> Vec<String> {
    let mut kinds: BTreeMap<Kind<'_>, (u64, u64)> = BTreeMap::new();
    for seen in all.iter().flat_map(|s| &s.tls_seen) {
        let TlsSeen { version, cipher, key_exchange, server_key, resumed, scope, count } = seen;
        let kind = kinds.entry((version, cipher, key_exchange, server_key, *scope)).or_default();
        kind.0 += count;
        kind.1 += if *resumed { *count } else { 0 };
    }
    let one = |((version, cipher, exchange, key, scope), (n, resumed)): (Kind<'_>, (u64, u64))| {
        let key = key.as_ref().map_or_else(
            || cat.word("seen-key-unknown"),
            |name| cat.say("seen-key", &[("name", name.as_str().into())]),
        );
        let exchange = exchange
            .as_ref()
            .map_or_else(String::new, |name| cat.say("seen-exchange", &[("name", name.as_str().into())]));
        let args = [
            ("version", version.as_str().into()),
            ("cipher", cipher.as_str().into()),
            ("exchange", exchange.into()),
            ("key", key.into()),
            ("logins", logins(cat, n).into()),
            ("resumed", cat.units.share(share(resumed, n)).into()),
        ];
        let seen = cat.say("seen-tls", &args);
        if scope == TlsScope::LoginOnly { format!("{seen} {}", cat.word("seen-login-only")) } else { seen }
    };
    kinds.into_iter().map(one).collect()
}

fn without_tls(cat: &Catalogue, all: &[Series]) -> Option<String> {
    let plain: u64 = all.iter().map(|s| s.logins.saturating_sub(s.tls_seen.iter().map(|t| t.count).sum())).sum();
    (plain > 0).then(|| cat.say("seen-no-tls", &[("logins", logins(cat, plain).into())]))
}

fn resumption(cat: &Catalogue, series: &Series) -> Option<String> {
    let total: u64 = series.tls_seen.iter().map(|t| t.count).sum();
    let resumed: u64 = series.tls_seen.iter().filter(|t| t.resumed).map(|t| t.count).sum();
    if series.tls != TlsMode::Resumed || total == 0 || resumed == total {
        return None;
    }
    let label = words::series(cat, series);
    if resumed == 0 {
        return Some(cat.say("not-resumed", &[("label", label.into()), ("logins", logins(cat, total).into())]));
    }
    let share = cat.units.share(share(resumed, total));
    let args = [("label", label.into()), ("share", share.into()), ("logins", logins(cat, total).into())];
    Some(cat.say("partly-resumed", &args))
}

fn authentication(cat: &Catalogue, all: &[Series]) -> Vec<String> {
    let mut kinds: BTreeMap<_, u64> = BTreeMap::new();
    for AuthSeen { method, iterations, cached, count } in all.iter().flat_map(|s| &s.auth_seen) {
        *kinds.entry((method, iterations, cached)).or_default() += count;
    }
    let one = |((method, iterations, cached), n): ((&String, &Option<u32>, &bool), u64)| {
        let (method, logins) = (method.as_str(), logins(cat, n));
        let Some(iterations) = iterations else {
            return cat.say("seen-auth", &[("method", method.into()), ("logins", logins.into())]);
        };
        let args = [
            ("method", method.into()),
            ("iterations", (*iterations).into()),
            ("cached", if *cached { "yes" } else { "no" }.into()),
            ("logins", logins.into()),
        ];
        cat.say("seen-auth-iterations", &args)
    };
    kinds.into_iter().map(one).collect()
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

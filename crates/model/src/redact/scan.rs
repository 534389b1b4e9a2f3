//! Finds names in free text, from left to right: connection strings, paths, addresses, known names, host names.
//!
//! The order matters: the longest thing that can begin at a place wins, so that a host's name inside a path does not
//! leave the rest of the path standing.

use std::net::IpAddr;

use super::names::{self, Kind, Names};
use super::url;

/// A piece of text and what replaces it.
struct Hit {
    length: usize,
    replacement: String,
}

/// Rewrites a text. `field` is what the field it stands in holds, if that is known.
pub(super) fn rewrite(text: &str, field: Option<Kind>, names: &mut Names) -> String {
    if names.is_kept(text) {
        return text.to_owned();
    }
    if let Some(alias) = field.and_then(|kind| whole(text, kind, names)) {
        return alias;
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let hit = if begins_word(&text[..at]) { hit(text, at, names) } else { None };
        let (length, piece) = hit.map_or_else(|| (c.len_utf8(), c.to_string()), |hit| (hit.length, hit.replacement));
        out.push_str(&piece);
        at += length;
    }
    out
}

/// A field that holds nothing but a name.
fn whole(text: &str, kind: Kind, names: &Names) -> Option<String> {
    let kind = if kind == Kind::Host { Kind::of_host(text) } else { kind };
    names.known(kind, text).map(str::to_owned)
}

/// Whether a name can begin after `before`.
fn begins_word(before: &str) -> bool {
    !before.chars().next_back().is_some_and(char::is_alphanumeric)
}

fn hit(text: &str, at: usize, names: &mut Names) -> Option<Hit> {
    let rest = &text[at..];
    let found = |(length, replacement)| Hit { length, replacement };
    if let Some(connection) = url::rewrite_prefix(rest, names) {
        return Some(found(connection));
    }
    let path = path_at(text, at, names);
    let known = known_at(text, at, names);
    let longest = match (path, known) {
        (Some(path), Some(known)) => Some(if known.0 > path.0 { known } else { path }),
        (path, known) => path.or(known),
    };
    longest.or_else(|| address_at(rest, names)).or_else(|| host_at(text, at, names)).map(found)
}

/// A known name; the word before it decides between a login and a database of the same name.
fn known_at(text: &str, at: usize, names: &Names) -> Option<(usize, String)> {
    let dotted = word(&text[at..]);
    let (length, candidates) = names.longest_prefix(&text[at..])?;
    // A longer host name of the same domain is a host of its own.
    if dotted.len() > length && names.is_sibling(dotted) {
        return None;
    }
    let wanted = Kind::of_field(last_word(&text[..at]));
    let (_, alias) = candidates.iter().find(|(kind, _)| Some(*kind) == wanted).or(candidates.first())?;
    Some((length, (*alias).to_owned()))
}

/// The last word before a name, behind quotes, `=` and spaces.
fn last_word(before: &str) -> &str {
    let before = before.trim_end_matches(|c: char| !c.is_alphanumeric());
    before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
}

/// An absolute path, `~/…`, `./…`, `C:\…` or `\\server\share`. In quotes it may hold spaces.
fn path_at(text: &str, at: usize, names: &mut Names) -> Option<(usize, String)> {
    let (before, rest) = (&text[..at], &text[at..]);
    if !begins_path(rest) || before.ends_with('/') || (before.ends_with(':') && rest.starts_with("//")) {
        return None;
    }
    let quote = before.chars().next_back().filter(|c| matches!(c, '"' | '\'' | '`'));
    let path = if let Some(end) = quote.and_then(|quote| rest.find(quote)) {
        &rest[..end]
    } else {
        let end = rest.find(|c: char| c.is_whitespace() || "\"'`,;()[]{}<>|".contains(c)).unwrap_or(rest.len());
        rest[..end].trim_end_matches(['.', ':'])
    };
    // `//run/acme` leaves `/path-1` behind: what begins with an alias was redacted before.
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    if names::is_kernel_path(path) || names::is_alias(first) {
        return Some((path.len(), path.to_owned()));
    }
    // A PostgreSQL socket is named by its folder in connection strings.
    let (folder, socket) = path.split_at(path.find("/.s.PGSQL.").unwrap_or(path.len()));
    Some((path.len(), names.alias(Kind::Path, folder) + socket))
}

fn begins_path(rest: &str) -> bool {
    let name = |c: char| c.is_alphanumeric() || "._-~%".contains(c);
    let mut chars = rest.chars();
    match (chars.next(), chars.next(), chars.next()) {
        // One character alone is a unit: "(/s)".
        (Some('/'), Some(first), Some(second)) => name(first) && (name(second) || second == '/'),
        (Some('~'), Some('/'), Some(_)) | (Some('\\'), Some('\\'), Some(_)) | (Some('.'), Some('.'), Some('/')) => true,
        (Some('.'), Some('/'), Some(first)) => name(first),
        (Some(drive), Some(':'), Some('\\')) => drive.is_ascii_alphabetic(),
        _ => false,
    }
}

/// An IP address; its port or prefix length stays.
fn address_at(rest: &str, names: &mut Names) -> Option<(usize, String)> {
    let end = rest.find(|c: char| !(c.is_ascii_hexdigit() || c == ':' || c == '.')).unwrap_or(rest.len());
    let candidate = rest[..end].trim_end_matches('.');
    if rest[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let (length, ip) = parse_longest(candidate)?;
    let original = &rest[..length];
    let zone = rest[length..]
        .strip_prefix('%')
        .map_or(0, |zone| 1 + zone.find(|c: char| !(c.is_alphanumeric() || "-._".contains(c))).unwrap_or(zone.len()));
    let kept = names::is_harmless(ip);
    let shown = if kept { original.to_owned() } else { names.alias(Kind::Address, original) };
    Some((length + zone, shown))
}

/// The whole candidate (`2001:db8::1`), or what stands before a port or a final colon (`10.0.0.1:5432`).
fn parse_longest(candidate: &str) -> Option<(usize, IpAddr)> {
    let parse = |text: &str| text.parse::<IpAddr>().ok().map(|ip| (text.len(), ip));
    let trimmed = candidate.strip_suffix(':').filter(|text| !text.ends_with(':')).unwrap_or(candidate);
    parse(trimmed).or_else(|| parse(trimmed.split_once(':')?.0))
}

/// A dotted name that is a host's: in the domain of a known host, of three labels, or of two in quotes.
fn host_at(text: &str, at: usize, names: &mut Names) -> Option<(usize, String)> {
    let name = word(&text[at..]);
    let quoted = text[..at].ends_with(['"', '\'', '`', '«', '»', '“', '„']);
    let labels = name.split('.').count();
    let looks_so = looks_like_host(name) && (labels >= 3 || labels == 2 && quoted);
    (looks_so || labels >= 2 && names.is_sibling(name)).then(|| (name.len(), names.alias(Kind::Host, name)))
}

/// Letters, digits, dots, hyphens and underscores, without a final dot.
fn word(rest: &str) -> &str {
    let end = rest.find(|c: char| !(c.is_alphanumeric() || "._-".contains(c))).unwrap_or(rest.len());
    rest[..end].trim_end_matches(['.', '-', '_'])
}

fn looks_like_host(name: &str) -> bool {
    const FILES: [&str; 12] = ["conf", "crt", "csv", "html", "json", "key", "log", "md", "pem", "rs", "so", "sql"];
    let label = |l: &str| !l.is_empty() && l.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let last = name.rsplit('.').next().unwrap_or_default();
    name.split('.').all(label)
        && last.len() >= 2
        && last.bytes().all(|b| b.is_ascii_alphabetic())
        && !FILES.contains(&last)
}

/// Learns `user "bob"`, `database "x"`, `user 'bob'@'db1'`: what a server's message names.
pub(super) fn learn_quoted(text: &str, names: &mut Names) {
    for quote in ['"', '\''] {
        for (at, _) in text.match_indices(quote) {
            let (before, rest) = (&text[..at], &text[at + 1..]);
            let Some(kind) = Kind::of_field(last_word(before)).filter(|_| before.ends_with(' ')) else { continue };
            let Some((inside, after)) = rest.split_once(quote) else { continue };
            names.learn(kind, inside);
            let host = after.strip_prefix('@').and_then(|host| host.strip_prefix(quote)?.split_once(quote));
            if let Some((host, _)) = host {
                names.learn(Kind::Host, host);
            }
        }
    }
}

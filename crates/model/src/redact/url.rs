//! Names in connection strings: `scheme://user@host:port,host/database?parameter=value`, and `key=value` lists.

use super::names::{Kind, Names};
use super::scan;

/// Schemes of databases. Links to web pages are not connection strings.
const SCHEMES: [&str; 11] = [
    "postgresql",
    "postgres",
    "mysql",
    "mariadb",
    "mssql",
    "sqlserver",
    "oracle",
    "jdbc:postgresql",
    "jdbc:mysql",
    "jdbc:mariadb",
    "jdbc:sqlserver",
];

/// The parts of a connection URL, still percent-encoded.
struct Parts<'a> {
    scheme: &'a str,
    user: Option<&'a str>,
    hosts: Vec<(&'a str, &'a str)>,
    database: Option<&'a str>,
    parameters: Vec<(&'a str, &'a str)>,
    /// What stands before the parameters, and between them.
    marks: (char, char),
    length: usize,
}

impl<'a> Parts<'a> {
    /// The URL that `text` begins with; it ends at a space or a quote.
    fn parse(text: &'a str) -> Option<Self> {
        let scheme =
            *SCHEMES.iter().find(|scheme| text.strip_prefix(**scheme).is_some_and(|t| t.starts_with("://")))?;
        let end = text.find(|c: char| c.is_whitespace() || "\"'`<>".contains(c)).unwrap_or(text.len());
        let body = &text[scheme.len() + 3..end];
        // `jdbc:sqlserver://host:port;user=bob;…`
        let marks = if scheme == "jdbc:sqlserver" { (';', ';') } else { ('?', '&') };
        let (front, query) = body.split_once(marks.0).map_or((body, None), |(front, query)| (front, Some(query)));
        let (authority, database) = front.split_once('/').map_or((front, None), |(a, d)| (a, Some(d)));
        let (user, hosts) = authority.rsplit_once('@').map_or((None, authority), |(user, hosts)| (Some(user), hosts));
        Some(Self {
            scheme,
            // A password has no business here; it is dropped.
            user: user.map(|user| user.split_once(':').map_or(user, |(user, _)| user)),
            hosts: hosts.split(',').map(split_port).collect(),
            database,
            parameters: query.map(|query| parameters(query, marks.1)).unwrap_or_default(),
            marks,
            length: end,
        })
    }
}

/// Host and `:port` (or nothing). An IPv6 address stands in brackets.
fn split_port(host: &str) -> (&str, &str) {
    let from = host.find(']').unwrap_or(0);
    host.split_at(host[from..].find(':').map_or(host.len(), |at| from + at))
}

fn parameters(query: &str, separator: char) -> Vec<(&str, &str)> {
    query.split(separator).map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect()
}

/// Learns the names in a connection string of either form.
pub(super) fn learn(text: &str, names: &mut Names) {
    let Some(parts) = Parts::parse(text) else { return learn_pairs(text, names) };
    names.learn_all(Kind::Login, &parts.user.map(decode));
    names.learn_all(Kind::Database, &parts.database.map(decode));
    for (host, _) in parts.hosts {
        names.learn(Kind::Host, &decode(host.trim_matches(['[', ']'])));
    }
    for (key, value) in parts.parameters {
        learn_value(key, &decode(value), names);
    }
}

/// `host=db1 user=bob`, `Server=db1;User Id=bob`.
fn learn_pairs(text: &str, names: &mut Names) {
    let separator = if text.contains(';') { ';' } else { ' ' };
    for (key, value) in text.split(separator).filter_map(|pair| pair.split_once('=')) {
        if !key.trim().starts_with('-') {
            learn_value(key.trim(), value.trim().trim_matches(['\'', '"']), names);
        }
    }
}

fn learn_value(key: &str, value: &str, names: &mut Names) {
    if let Some(kind) = Kind::of_field(key) {
        value.split(',').for_each(|one| names.learn(kind, one));
    }
}

/// Rewrites the connection URL that `text` begins with: its length and its replacement.
pub(super) fn rewrite_prefix(text: &str, names: &mut Names) -> Option<(usize, String)> {
    let parts = Parts::parse(text)?;
    let mut out = format!("{}://", parts.scheme);
    if let Some(user) = parts.user {
        out += &shown(Kind::Login, user, names);
        out.push('@');
    }
    let hosts: Vec<String> = parts.hosts.iter().map(|(host, port)| shown_host(host, names) + port).collect();
    out += &hosts.join(",");
    if let Some(database) = parts.database {
        out.push('/');
        out += &shown(Kind::Database, database, names);
    }
    let parameters: Vec<String> = parts.parameters.iter().map(|(key, value)| shown_pair(key, value, names)).collect();
    if !parameters.is_empty() {
        out.push(parts.marks.0);
        out += &parameters.join(&parts.marks.1.to_string());
    }
    Some((parts.length, out))
}

/// The alias of a part, or the part itself when it may stay.
fn shown(kind: Kind, encoded: &str, names: &mut Names) -> String {
    let original = decode(encoded);
    names.learn(kind, &original);
    let kind = if kind == Kind::Host { Kind::of_host(&original) } else { kind };
    names.known(kind, &original).map_or_else(|| encoded.to_owned(), str::to_owned)
}

fn shown_host(host: &str, names: &mut Names) -> String {
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => format!("[{}]", shown(Kind::Host, address, names)),
        None => shown(Kind::Host, host, names),
    }
}

fn shown_pair(key: &str, value: &str, names: &mut Names) -> String {
    // It has no business here either.
    if ["password", "pwd"].iter().any(|secret| key.eq_ignore_ascii_case(secret)) {
        return format!("{key}=***");
    }
    let shown = if let Some(kind) = Kind::of_field(key) {
        value.split(',').map(|one| shown(kind, one, names)).collect::<Vec<_>>().join(",")
    } else {
        let decoded = decode(value);
        let rewritten = scan::rewrite(&decoded, None, names);
        if rewritten == decoded { value.to_owned() } else { rewritten }
    };
    format!("{key}={shown}")
}

/// Percent-decoding (RFC 3986, 2.1); what is not an escape stays as it is.
fn decode(encoded: &str) -> String {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = tail.get(..2).filter(|_| *first == b'%').and_then(|digits| {
            let text = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(text, 16).ok()
        });
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

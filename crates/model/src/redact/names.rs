//! The names found in a run and their aliases.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// What a name names; the word its alias begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A machine.
    Host,
    /// An IP address.
    Address,
    /// Somebody who logs in.
    Login,
    /// A database.
    Database,
    /// A file, folder or socket.
    Path,
    /// `--tag`.
    Tag,
    /// A client's program.
    Application,
}

impl Kind {
    const ALL: [Kind; 7] =
        [Kind::Host, Kind::Address, Kind::Login, Kind::Database, Kind::Path, Kind::Tag, Kind::Application];

    const fn word(self) -> &'static str {
        match self {
            Kind::Host => "host",
            Kind::Address => "address",
            Kind::Login => "login",
            Kind::Database => "database",
            Kind::Path => "path",
            Kind::Tag => "tag",
            Kind::Application => "application",
        }
    }

    /// What stands where a host is expected: a name, an address, or a socket's folder.
    pub(super) fn of_host(text: &str) -> Kind {
        if text.starts_with(['/', '@']) {
            Kind::Path
        } else if text.parse::<IpAddr>().is_ok() {
            Kind::Address
        } else {
            Kind::Host
        }
    }

    /// What a field or a parameter of a connection string holds, by its name.
    pub(super) fn of_field(name: &str) -> Option<Kind> {
        match name.to_ascii_lowercase().as_str() {
            "host" | "hosts" | "hostname" | "server" | "servername" | "hostaddr" | "data source" => Some(Kind::Host),
            "user" | "users" | "username" | "role" | "login" | "uid" | "user id" => Some(Kind::Login),
            "database" | "databasename" | "dbname" | "db" | "initial catalog" => Some(Kind::Database),
            "tag" => Some(Kind::Tag),
            "application" | "application name" | "application_name" => Some(Kind::Application),
            _ => None,
        }
    }
}

/// Short names of hosts that are ordinary words: alone they identify nobody, and sentences are made of them.
const ORDINARY: [&str; 12] =
    ["server", "db", "database", "postgres", "postgresql", "pg", "sql", "host", "login", "primary", "replica", "www"];

/// Originals with their aliases.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Aliases by original and kind: a login and a database may share a name.
    aliases: BTreeMap<(String, Kind), String>,
    /// Domains of the hosts, to know their siblings by.
    domains: Vec<String>,
    /// The run as text: an alias that stands in it is taken.
    text: String,
    last: BTreeMap<Kind, u32>,
    kept: BTreeSet<String>,
}

impl Names {
    /// The text that is redacted next.
    pub(super) fn read_in(&mut self, text: &str) {
        text.clone_into(&mut self.text);
    }

    /// A whole text of peaje's own that must stay as it is: labels of series, which findings refer to.
    pub(super) fn keep(&mut self, text: &str) {
        self.kept.insert(text.to_owned());
    }

    pub(super) fn is_kept(&self, text: &str) -> bool {
        self.kept.contains(text)
    }

    /// Gives a name its alias, unless it may stay.
    pub(super) fn learn(&mut self, kind: Kind, original: &str) {
        let kind = if kind == Kind::Host { Kind::of_host(original) } else { kind };
        if may_stay(kind, original) {
            return;
        }
        let alias = self.alias(kind, original);
        if kind == Kind::Host && original.contains('.') {
            self.learn_parts(&original.to_ascii_lowercase(), alias);
        }
    }

    pub(super) fn learn_all<'a>(&mut self, kind: Kind, originals: impl IntoIterator<Item = &'a String>) {
        originals.into_iter().for_each(|original| self.learn(kind, original));
    }

    /// The short name of a full one is the same host; the rest is a domain.
    fn learn_parts(&mut self, full: &str, alias: String) {
        let Some((short, rest)) = full.split_once('.') else { return };
        if !ORDINARY.contains(&short) && short.chars().any(char::is_alphabetic) {
            self.aliases.entry((short.to_owned(), Kind::Host)).or_insert(alias);
        }
        let domain = if rest.contains('.') { rest } else { full };
        if !self.domains.iter().any(|known| known == domain) {
            self.domains.push(domain.to_owned());
        }
    }

    /// The alias of an original, a new one the first time.
    pub(super) fn alias(&mut self, kind: Kind, original: &str) -> String {
        let key = (normal(kind, original), kind);
        if let Some(alias) = self.aliases.get(&key) {
            return alias.clone();
        }
        let alias = self.next_alias(kind);
        self.aliases.insert(key, alias.clone());
        alias
    }

    fn next_alias(&mut self, kind: Kind) -> String {
        let last = self.last.entry(kind).or_default();
        loop {
            *last += 1;
            let alias = format!("{}-{last}", kind.word());
            if !self.text.contains(&alias) {
                return alias;
            }
        }
    }

    /// The alias of a whole string, if it is a known name.
    pub(super) fn known(&self, kind: Kind, original: &str) -> Option<&str> {
        self.aliases.get(&(normal(kind, original), kind)).map(String::as_str)
    }

    /// The longest known name that `rest` begins with: its length and its aliases by kind. The caller has seen that a
    /// name can begin here.
    pub(super) fn longest_prefix(&self, rest: &str) -> Option<(usize, Vec<(Kind, &str)>)> {
        let begins = |(original, kind): &(String, Kind)| {
            rest.get(..original.len()).is_some_and(|head| normal(*kind, head) == *original)
                && !continues(*kind, rest[original.len()..].chars().next())
        };
        let length = self.aliases.keys().filter(|key| begins(key)).map(|(original, _)| original.len()).max()?;
        let of_length = self.aliases.iter().filter(|(key, _)| key.0.len() == length && begins(key));
        Some((length, of_length.map(|(key, alias)| (key.1, alias.as_str())).collect()))
    }

    /// Whether a dotted name lies in the domain of a known host.
    pub(super) fn is_sibling(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        self.domains.iter().any(|domain| {
            name.strip_suffix(domain.as_str()).is_some_and(|front| front.is_empty() || front.ends_with('.'))
        })
    }
}

/// Host names ignore case; an address has many spellings.
fn normal(kind: Kind, original: &str) -> String {
    match kind {
        Kind::Host => original.to_ascii_lowercase(),
        Kind::Address => original.parse::<IpAddr>().map_or_else(|_| original.to_owned(), |ip| ip.to_string()),
        _ => original.to_owned(),
    }
}

/// Whether the character after a name shows that the name goes on. Identifiers of databases may hold `_`.
fn continues(kind: Kind, next: Option<char>) -> bool {
    next.is_some_and(|c| c.is_alphanumeric() || c == '_' && matches!(kind, Kind::Login | Kind::Database))
}

/// Names that tell nothing: empty, this machine itself, wildcards, and what is an alias already.
fn may_stay(kind: Kind, original: &str) -> bool {
    let harmless = match kind {
        Kind::Address => original.parse().is_ok_and(|ip: IpAddr| is_harmless(ip)),
        Kind::Host => original.eq_ignore_ascii_case("localhost") || original == "*",
        Kind::Path => is_kernel_path(original) || original == "-",
        _ => false,
    };
    harmless || original.is_empty() || is_alias(original)
}

/// Loopback and wildcard addresses.
pub(super) fn is_harmless(ip: IpAddr) -> bool {
    let ip = ip.to_canonical();
    ip.is_loopback() || ip.is_unspecified()
}

/// Folders that are the same on every machine.
pub(super) fn is_kernel_path(path: &str) -> bool {
    ["/proc", "/sys", "/dev"]
        .iter()
        .any(|root| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// `host-1` and the like.
pub(super) fn is_alias(text: &str) -> bool {
    Kind::ALL.iter().any(|kind| {
        text.strip_prefix(kind.word())
            .and_then(|rest| rest.strip_prefix('-'))
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    })
}

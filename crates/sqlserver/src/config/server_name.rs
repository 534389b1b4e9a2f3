//! The value of `Server=`: `tcp:host\instance,port` and its shorter forms.

use std::net::Ipv6Addr;

/// The default instance's name.
const DEFAULT_INSTANCE: &str = "MSSQLSERVER";

/// A server as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServerName {
    pub(super) host: String,
    pub(super) instance: Option<String>,
    pub(super) port: Option<u16>,
}

/// What is wrong with it, and what to do.
pub(super) type Problem = (&'static str, &'static str);

const NOT_TCP: Problem = ("asks for another transport than TCP", "use tcp:HOST,PORT");

impl ServerName {
    /// Reads the form of ADO.NET and ODBC.
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        if lower.starts_with("(localdb)") {
            return Err(("asks for LocalDB, which is only reached by a pipe", "use a server that listens on TCP"));
        }
        if lower.starts_with("admin:") {
            return Err(("asks for the administrator's own connection", "leave `admin:` out: there is only one of it"));
        }
        if lower.starts_with("np:") || lower.starts_with("lpc:") || text.starts_with(r"\\") {
            return Err(NOT_TCP);
        }
        let text = if lower.starts_with("tcp:") { text[4..].trim() } else { text };
        let (name, port) = match text.rsplit_once(',') {
            Some((name, port)) => (name, Some(parse_port(port)?)),
            None => (text, None),
        };
        let (host, instance) = split_instance(name);
        if host.matches(':').count() == 1 {
            return Err(("has a colon", "a port follows a comma: Server=HOST,PORT"));
        }
        Self::new(host, instance, port)
    }

    /// Reads the form of URLs and JDBC: `host\instance:port`.
    pub(super) fn parse_with_colon(text: &str) -> Result<Self, Problem> {
        let text = text.trim();
        // In an IPv6 address only what follows the bracket is a port.
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') && (name.ends_with(']') || !name.contains(':')) => {
                (name, if port.is_empty() { None } else { Some(parse_port(port)?) })
            }
            _ => match text.rsplit_once(',') {
                Some((name, port)) => (name, Some(parse_port(port)?)),
                None => (text, None),
            },
        };
        let (host, instance) = split_instance(name);
        Self::new(host, instance, port)
    }

    fn new(host: &str, instance: Option<&str>, port: Option<u16>) -> Result<Self, Problem> {
        let host = host.trim().trim_start_matches('[').trim_end_matches(']');
        let host = match host {
            "" | "." => "localhost",
            name if name.eq_ignore_ascii_case("(local)") => "localhost",
            name => name,
        };
        if !is_host(host) {
            return Err(("is not the name of a host", "write Server=HOST,PORT"));
        }
        let instance = instance.map(str::trim).filter(|i| !i.is_empty() && !i.eq_ignore_ascii_case(DEFAULT_INSTANCE));
        Ok(Self { host: host.to_owned(), instance: instance.map(str::to_owned), port })
    }
}

/// A name, or an address (of IPv6 perhaps with its zone). Anything else is more likely a part of a password.
fn is_host(host: &str) -> bool {
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let (address, zone) = host.split_once('%').unwrap_or((host, "0"));
    is_name(host) || (address.parse::<Ipv6Addr>().is_ok() && is_name(zone))
}

fn split_instance(name: &str) -> (&str, Option<&str>) {
    name.split_once('\\').map_or((name, None), |(host, instance)| (host, Some(instance)))
}

pub(super) fn parse_port(text: &str) -> Result<u16, Problem> {
    text.trim()
        .parse()
        .ok()
        .filter(|port| *port != 0)
        .ok_or(("has something else than a port behind the comma or colon", "write a number from 1 to 65535"))
}

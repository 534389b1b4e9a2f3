//! Network counters. The kernel adds columns from release to release: they are found by name, never by position.

use crate::NetworkReading;

/// From `/proc/net/netstat`, `/proc/net/snmp` and `/proc/net/sockstat`.
pub(super) fn reading(netstat: &str, snmp: &str, sockstat: &str) -> NetworkReading {
    NetworkReading {
        listen_overflows: column(netstat, "TcpExt", "ListenOverflows"),
        listen_drops: column(netstat, "TcpExt", "ListenDrops"),
        syn_cookies_sent: column(netstat, "TcpExt", "SyncookiesSent"),
        retransmits: column(snmp, "Tcp", "RetransSegs"),
        time_wait: labelled(sockstat, "TCP", "tw"),
    }
}

/// A table of two lines, names and values, both headed by `group:`.
fn column(text: &str, group: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':')).filter(|(head, _)| *head == group);
    let (names, values) = (lines.next()?.1, lines.next()?.1);
    let position = names.split_ascii_whitespace().position(|candidate| candidate == name)?;
    values.split_ascii_whitespace().nth(position)?.parse().ok()
}

/// `TCP: inuse 14 orphan 0 tw 27 …`: names and values alternate.
fn labelled(text: &str, group: &str, name: &str) -> Option<u64> {
    let (_, rest) = text.lines().filter_map(|line| line.split_once(':')).find(|(head, _)| *head == group)?;
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    words.chunks_exact(2).find(|pair| pair[0] == name)?[1].parse().ok()
}

/// First and last port, separated by a tab.
pub(super) fn port_range(text: &str) -> Option<(u16, u16)> {
    let mut numbers = text.split_ascii_whitespace().map(str::parse);
    match (numbers.next()?, numbers.next()?) {
        (Ok(first), Ok(last)) if first <= last => Some((first, last)),
        _ => None,
    }
}

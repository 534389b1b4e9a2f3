//! Network counters. The kernel adds columns from release to release: they are found by name, never by position.

use super::fields::labelled;
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

/// First and last port, separated by a tab.
pub(super) fn port_range(text: &str) -> Option<(u16, u16)> {
    let mut numbers = text.split_ascii_whitespace().map(str::parse);
    match (numbers.next()?, numbers.next()?) {
        (Ok(first), Ok(last)) if first <= last => Some((first, last)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NETSTAT: &str = "\
TcpExt: SyncookiesSent SyncookiesRecv ListenOverflows ListenDrops TCPReqQFullDrop
TcpExt: 4 5 17 19 0
IpExt: InNoRoutes ListenDrops
IpExt: 1 999
";
    /// Another kernel: other columns, another order, another group first.
    const REORDERED: &str = "\
MPTcpExt: ListenOverflows
MPTcpExt: 777
TcpExt: New ListenDrops ListenOverflows Newer SyncookiesSent
TcpExt: 1 19 17 3 4
";
    const SNMP: &str = "\
Ip: Forwarding DefaultTTL
Ip: 1 64
Tcp: RtoAlgorithm RtoMin MaxConn OutSegs RetransSegs InErrs
Tcp: 1 200 -1 1000 23 0
Udp: InDatagrams RetransSegs
Udp: 5 6
";
    const SOCKSTAT: &str = "sockets: used 200\nTCP: inuse 14 orphan 0 tw 27 alloc 16 mem 3\nUDP: inuse 2 mem 1\n";

    #[test]
    fn columns_are_found_by_name() {
        let expected = NetworkReading {
            listen_overflows: Some(17),
            listen_drops: Some(19),
            syn_cookies_sent: Some(4),
            retransmits: Some(23),
            time_wait: Some(27),
        };
        assert_eq!(reading(NETSTAT, SNMP, SOCKSTAT), expected);
        assert_eq!(reading(REORDERED, SNMP, SOCKSTAT), expected);
    }

    #[test]
    fn what_is_not_there_is_none() {
        assert_eq!(reading("", "", ""), NetworkReading::default());
        let cut = reading("TcpExt: SyncookiesSent ListenDrops\nTcpExt: 4\n", "Tcp: RetransSegs\n", "TCP: inuse 1 tw\n");
        assert_eq!(cut, NetworkReading { syn_cookies_sent: Some(4), ..NetworkReading::default() });
        assert_eq!(reading("TcpExt: ListenDrops\nTcpExt: many\n", "", "").listen_drops, None);
    }

    #[test]
    fn a_measurement_is_a_difference() {
        let (then, now) = (reading(NETSTAT, "", SOCKSTAT), reading("TcpExt: ListenDrops\nTcpExt: 25", SNMP, SOCKSTAT));
        let expected = NetworkReading { listen_drops: Some(6), time_wait: Some(27), ..NetworkReading::default() };
        assert_eq!(now.since(then), expected, "what one of the two does not know is unknown");
        assert_eq!(then.since(now).listen_drops, Some(0), "a counter that was reset gives no huge number");
    }

    #[test]
    fn port_ranges() {
        let table = [
            ("32768\t60999\n", Some((32_768, 60_999))),
            ("1024 1024", Some((1024, 1024))),
            ("60999 32768", None),
            ("32768", None),
            ("32768 70000", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(port_range(text), expected, "{text}");
        }
    }
}

//! Whether an address belongs to this host, asked of the kernel itself: a socket can be bound to local addresses only.

use std::net::{IpAddr, UdpSocket};

/// Whether the kernel lets a socket be bound to an address that is not its own (`ip_nonlocal_bind`, set where a
/// floating address moves between load balancers). Binding then proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ForeignBind {
    /// The usual case.
    Refused,
    /// `net.ipv4.ip_nonlocal_bind = 1`.
    #[cfg_attr(not(any(target_os = "linux", test)), expect(dead_code, reason = "a setting of Linux"))]
    Allowed,
}

/// Whether `ip` is loopback, unspecified (which a client reaches as loopback) or an address of an interface. Sends
/// nothing.
pub(crate) fn is_local(ip: IpAddr, foreign: ForeignBind) -> bool {
    let ip = ip.to_canonical();
    if ip.is_loopback() || ip.is_unspecified() {
        return true;
    }
    // A socket may be bound to any group address, to receive from it.
    if ip.is_multicast() {
        return false;
    }
    match foreign {
        ForeignBind::Refused => UdpSocket::bind((ip, 0)).is_ok(),
        ForeignBind::Allowed => is_own_source(ip),
    }
}

/// Whether the kernel would reach `ip` from `ip` itself. Misses secondary addresses of an interface.
fn is_own_source(ip: IpAddr) -> bool {
    let any: IpAddr = match ip {
        IpAddr::V4(_) => std::net::Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => std::net::Ipv6Addr::UNSPECIFIED.into(),
    };
    // Connecting a UDP socket looks up the route and sends nothing.
    UdpSocket::bind((any, 0))
        .and_then(|socket| socket.connect((ip, 9)).and_then(|()| socket.local_addr()))
        .is_ok_and(|own| own.ip() == ip)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [ForeignBind; 2] = [ForeignBind::Refused, ForeignBind::Allowed];

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn loopback_and_unspecified_are_local() {
        for foreign in BOTH {
            for text in ["127.0.0.1", "127.3.2.1", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1"] {
                assert!(is_local(ip(text), foreign), "{text} {foreign:?}");
            }
        }
    }

    #[test]
    fn documentation_and_group_addresses_are_not() {
        for foreign in BOTH {
            for text in ["192.0.2.1", "203.0.113.7", "2001:db8::1", "224.0.0.1", "ff02::1"] {
                assert!(!is_local(ip(text), foreign), "{text} {foreign:?}");
            }
        }
    }
}

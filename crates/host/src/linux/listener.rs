//! Who listens on an address: `/proc/net/tcp` gives the socket's inode, `/proc/PID/fd` who holds it.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::LinuxHost;

/// State of a listening socket (`TCP_LISTEN` in the kernel's `tcp_states.h`).
const LISTEN: &str = "0A";

/// A listening socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Listener {
    ip: IpAddr,
    port: u16,
    inode: u64,
}

/// How well a listener fits an address; the kernel prefers the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// Wildcard of the other family: a dual-stack listener.
    OtherWildcard,
    /// Wildcard.
    Wildcard,
    /// The very address.
    Exact,
}

impl Listener {
    fn fit(&self, address: SocketAddr) -> Option<Fit> {
        let wanted = address.ip().to_canonical();
        if self.port != address.port() {
            None
        } else if self.ip.to_canonical() == wanted {
            Some(Fit::Exact)
        } else if !self.ip.is_unspecified() {
            None
        } else if self.ip.is_ipv4() == wanted.is_ipv4() {
            Some(Fit::Wildcard)
        } else {
            // Only an IPv6 socket can take connections of the other family.
            self.ip.is_ipv6().then_some(Fit::OtherWildcard)
        }
    }
}

/// Listening sockets of `/proc/net/tcp` or `/proc/net/tcp6`.
pub(super) fn listeners(table: &str) -> Vec<Listener> {
    table.lines().filter_map(parse_line).collect()
}

/// `0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000  0  23456 1 …`; the heading does not
/// parse.
fn parse_line(line: &str) -> Option<Listener> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    if *fields.get(3)? != LISTEN {
        return None;
    }
    let (ip, port) = fields[1].split_once(':')?;
    Some(Listener { ip: parse_ip(ip)?, port: u16::from_str_radix(port, 16).ok()?, inode: fields.get(9)?.parse().ok()? })
}

/// Each group of eight digits is a 32-bit word of the address in this machine's byte order.
fn parse_ip(hex: &str) -> Option<IpAddr> {
    let word = |at: usize| {
        let digits = hex.get(at * 8..at * 8 + 8)?;
        Some(u32::from_str_radix(digits, 16).ok()?.to_ne_bytes())
    };
    match hex.len() {
        8 => Some(Ipv4Addr::from(word(0)?).into()),
        32 => {
            let words = [word(0)?, word(1)?, word(2)?, word(3)?];
            let octets: [u8; 16] = words.as_flattened().try_into().ok()?;
            Some(Ipv6Addr::from(octets).into())
        }
        _ => None,
    }
}

/// Inodes of the listeners that fit best.
fn best(listeners: &[Listener], address: SocketAddr) -> BTreeSet<u64> {
    let fit = listeners.iter().filter_map(|listener| listener.fit(address)).max();
    listeners.iter().filter(|l| fit.is_some() && l.fit(address) == fit).map(|l| l.inode).collect()
}

impl LinuxHost {
    pub(super) fn listener(&self, address: SocketAddr) -> Option<u32> {
        let tables = ["proc/net/tcp", "proc/net/tcp6"].map(|name| self.read(name).unwrap_or_default());
        let all: Vec<Listener> = tables.iter().flat_map(|table| listeners(table)).collect();
        let inodes = best(&all, address);
        if inodes.is_empty() {
            return None;
        }
        let holders: BTreeSet<u32> = self.pids().into_iter().filter(|pid| self.holds(*pid, &inodes)).collect();
        let inherited = |pid: &u32| self.stat(*pid).is_ok_and(|stat| holders.contains(&stat.parent));
        holders.iter().copied().find(|pid| !inherited(pid))
    }

    fn holds(&self, pid: u32, inodes: &BTreeSet<u64>) -> bool {
        let Ok(descriptors) = std::fs::read_dir(self.path(format!("proc/{pid}/fd"))) else { return false };
        descriptors
            .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
            .filter_map(|target| socket_inode(target.to_str()?))
            .any(|inode| inodes.contains(&inode))
    }
}

/// `socket:[23456]`.
fn socket_inode(link: &str) -> Option<u64> {
    link.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

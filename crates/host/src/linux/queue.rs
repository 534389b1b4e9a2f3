//! The queue of a listener, asked of the kernel over netlink as `ss -ltn` does: `/proc/net/tcp` does not tell how long it
//! may get.
//!
//! The layouts are those of `linux/netlink.h` and `linux/inet_diag.h`; numbers are in this machine's byte order, ports and
//! addresses in that of the network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with};

use super::listener::{Listener, best};
use crate::ListenQueue;

const HEADER: usize = 16;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
/// `NLM_F_REQUEST | NLM_F_DUMP`.
const REQUEST_ALL: u16 = 0x301;
/// `1 << TCP_LISTEN`.
const LISTENING: u32 = 1 << 10;
const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
const TCP: u8 = 6;
/// `NLMSG_ERROR` and `NLMSG_DONE`: nothing more comes.
const LAST_TYPES: [u16; 2] = [2, 3];
/// Answers that are read at most; one holds some hundred sockets.
const MOST_ANSWERS: usize = 64;

/// A listening socket with its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    listener: Listener,
    queue: ListenQueue,
}

/// The queue of the listener that takes connections to this address.
pub(super) fn of(address: SocketAddr) -> Option<ListenQueue> {
    let seen: Vec<Seen> = [AF_INET, AF_INET6].iter().flat_map(|family| ask(*family, address.port())).collect();
    choose(&seen, address)
}

fn choose(seen: &[Seen], address: SocketAddr) -> Option<ListenQueue> {
    let listeners: Vec<Listener> = seen.iter().map(|one| one.listener).collect();
    let inodes = best(&listeners, address);
    seen.iter().find(|one| inodes.contains(&one.listener.inode)).map(|one| one.queue)
}

fn ask(family: u8, port: u16) -> Vec<Seen> {
    let mut found = Vec::new();
    let answered = || -> rustix::io::Result<Vec<u8>> {
        let socket =
            socket_with(AddressFamily::NETLINK, SocketType::DGRAM, SocketFlags::CLOEXEC, Some(netlink::SOCK_DIAG))?;
        send(&socket, &request(family, port), SendFlags::empty())?;
        let mut all = Vec::new();
        let mut buffer = vec![0; 1 << 15];
        for _ in 0..MOST_ANSWERS {
            // The kernel has the answer ready when the request returns.
            let (_, length) = recv(&socket, &mut buffer[..], RecvFlags::DONTWAIT)?;
            let part = &buffer[..length.min(buffer.len())];
            all.extend_from_slice(part);
            if messages(part).any(|(kind, _)| LAST_TYPES.contains(&kind)) {
                break;
            }
        }
        Ok(all)
    };
    // A kernel without it (or a sandbox) refuses: then the queue is not known.
    let bytes = answered().unwrap_or_default();
    found.extend(messages(&bytes).filter(|(kind, _)| *kind == SOCK_DIAG_BY_FAMILY).filter_map(|(_, body)| parse(body)));
    found
}

/// `nlmsghdr`, then `inet_diag_req_v2`: listening TCP sockets of a family on a port.
fn request(family: u8, port: u16) -> Vec<u8> {
    const LENGTH: usize = HEADER + 56;
    let mut bytes = Vec::with_capacity(LENGTH);
    bytes.extend((LENGTH as u32).to_ne_bytes());
    bytes.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    bytes.extend(REQUEST_ALL.to_ne_bytes());
    bytes.extend([0; 8]);
    bytes.extend([family, TCP, 0, 0]);
    bytes.extend(LISTENING.to_ne_bytes());
    bytes.extend(port.to_be_bytes());
    bytes.resize(LENGTH, 0);
    bytes
}

/// Types and bodies of the messages in an answer; each begins at a multiple of four.
fn messages(bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let length = number(rest, 0)? as usize;
        let kind = u16::from_ne_bytes(rest.get(4..6)?.try_into().ok()?);
        let body = rest.get(HEADER..length)?;
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, body))
    })
}

/// `inet_diag_msg`: of a listener, `idiag_rqueue` is what waits and `idiag_wqueue` the length of the queue.
fn parse(body: &[u8]) -> Option<Seen> {
    let port = u16::from_be_bytes(body.get(4..6)?.try_into().ok()?);
    let ip: IpAddr = match *body.first()? {
        AF_INET => Ipv4Addr::from(<[u8; 4]>::try_from(body.get(8..12)?).ok()?).into(),
        AF_INET6 => Ipv6Addr::from(<[u8; 16]>::try_from(body.get(8..24)?).ok()?).into(),
        _ => return None,
    };
    let queue = ListenQueue { waiting: number(body, 56)?.into(), length: number(body, 60)?.into() };
    Some(Seen { listener: Listener { ip, port, inode: number(body, 68)?.into() }, queue })
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_queue_of_a_listener_of_this_test() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let somaxconn: u64 = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap().trim().parse().unwrap();
        // The standard library asks for 128, or for more than the kernel gives.
        let queue = of(address).expect("the kernel tells");
        assert!(queue.length == 128.min(somaxconn) || queue.length == somaxconn, "{queue:?}");
        assert_eq!(queue.waiting, 0);
        let _waits = std::net::TcpStream::connect(address).unwrap();
        assert_eq!(of(address).expect("the kernel tells").waiting, 1);
        drop(listener);
        assert_eq!(of(address), None);
    }

    #[test]
    fn the_listener_of_the_very_address_wins_over_the_wildcard() {
        let seen = |ip: &str, inode, length| Seen {
            listener: Listener { ip: ip.parse().unwrap(), port: 5432, inode },
            queue: ListenQueue { waiting: 0, length },
        };
        let both = [seen("0.0.0.0", 1, 10), seen("127.0.0.1", 2, 20)];
        assert_eq!(choose(&both, "127.0.0.1:5432".parse().unwrap()).map(|q| q.length), Some(20));
        assert_eq!(choose(&both, "10.0.0.1:5432".parse().unwrap()).map(|q| q.length), Some(10));
        assert_eq!(choose(&both, "127.0.0.1:5433".parse().unwrap()), None);
    }

    #[test]
    fn bytes_that_are_no_answer_are_no_sockets() {
        for bytes in [&[][..], &[0; 3], &[255; 40], &[16, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], &[0; 200]] {
            assert!(messages(bytes).take(1000).find_map(|(_, body)| parse(body)).is_none());
        }
    }
}

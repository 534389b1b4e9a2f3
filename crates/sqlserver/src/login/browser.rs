//! Asks the SQL Browser for an instance's port: phase `resolve`.
//!
//! A newcomer would follow the server's name in the answer. Only the port is taken: whoever answers first could send
//! the login anywhere.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use peaje_engine::{Endpoint, Failure, Trace, resolve};
use peaje_model::{OutcomeKind, Phase};
use tokio::net::UdpSocket;

use crate::config::Config;
use crate::protocol::browser::{self, Answered};

/// What an answer is waited for: longer than a name server takes, shorter than a person waits.
const PATIENCE: Duration = Duration::from_secs(1);
/// Datagrams get lost.
const TRIES: u32 = 2;
/// Longest datagram.
const LONGEST: usize = 65_507;

/// The endpoint with its port, if only the SQL Browser knows it.
pub(super) async fn located(endpoint: &Endpoint, instance: &str, trace: &mut Trace) -> Result<Endpoint, Failure> {
    located_by(endpoint, instance, browser::PORT, trace).await
}

/// The endpoints of a connection string with their ports: for those who dial before the first login. An instance
/// without a port costs a question to the SQL Browser.
pub async fn locate(config: &Config) -> Result<Vec<Endpoint>, Failure> {
    let Some(instance) = &config.instance else { return Ok(config.endpoints.clone()) };
    let mut trace = Trace::start();
    let mut endpoints = Vec::with_capacity(config.endpoints.len());
    for endpoint in &config.endpoints {
        endpoints.push(located(endpoint, instance, &mut trace).await?);
    }
    Ok(endpoints)
}

pub(super) async fn located_by(
    endpoint: &Endpoint,
    instance: &str,
    browser_port: u16,
    trace: &mut Trace,
) -> Result<Endpoint, Failure> {
    let Endpoint::Tcp { host, address, port: 0 } = endpoint else { return Ok(endpoint.clone()) };
    trace.enter(Phase::Resolve);
    let browser = Endpoint::Tcp { host: host.clone(), address: *address, port: browser_port };
    let mut answered = Answered::Nothing;
    for address in resolve(&browser).await? {
        trace.count_round_trip();
        answered = ask(address, instance).await;
        if let Answered::Port(port) = answered {
            return Ok(Endpoint::Tcp { host: host.clone(), address: browser_address(endpoint), port });
        }
        if answered == Answered::NoTcp {
            break;
        }
    }
    Err(unknown(host, instance, answered))
}

fn browser_address(endpoint: &Endpoint) -> Option<std::net::IpAddr> {
    match endpoint {
        Endpoint::Tcp { address, .. } => *address,
        Endpoint::Unix { .. } => None,
    }
}

/// One address, asked at most twice. An ICMP error is an answer too: nobody is there.
async fn ask(address: SocketAddr, instance: &str) -> Answered {
    let any: SocketAddr =
        if address.is_ipv4() { (Ipv4Addr::UNSPECIFIED, 0).into() } else { (Ipv6Addr::UNSPECIFIED, 0).into() };
    let Ok(socket) = UdpSocket::bind(any).await else { return Answered::Nothing };
    // Connected: the system drops what comes from anybody else.
    if socket.connect(address).await.is_err() {
        return Answered::Nothing;
    }
    let question = browser::question(instance);
    let mut datagram = vec![0; LONGEST];
    for _ in 0..TRIES {
        if socket.send(&question).await.is_err() {
            return Answered::Nothing;
        }
        match tokio::time::timeout(PATIENCE, socket.recv(&mut datagram)).await {
            Ok(Ok(length)) => match browser::decode_answer(&datagram[..length], instance) {
                Answered::Nothing => {}
                answered => return answered,
            },
            Ok(Err(_)) => return Answered::Nothing,
            Err(_) => {}
        }
    }
    Answered::Nothing
}

fn unknown(host: &str, instance: &str, answered: Answered) -> Failure {
    let (words, hint) = match answered {
        Answered::NoTcp => (
            format!("the instance `{instance}` on {host} listens on no TCP port"),
            "switch TCP/IP on in SQL Server's configuration manager, and restart the instance",
        ),
        _ => (
            format!("the SQL Browser on {host} does not tell the port of the instance `{instance}`"),
            "check the instance's name, that the service SQL Browser runs and UDP 1434 is open, or write \
             Server=HOST,PORT",
        ),
    };
    Failure::new(OutcomeKind::NotResolved, words).hint(hint).phase(Some(Phase::Resolve))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(port: u16) -> Endpoint {
        Endpoint::Tcp { host: "127.0.0.1".to_owned(), address: None, port }
    }

    /// Answers each question with what `answer` makes of it, and counts them.
    fn service(answers: Vec<Option<Vec<u8>>>) -> (u16, tokio::task::JoinHandle<usize>) {
        // Below the ephemeral ports, as every server of a test.
        let bound = (20_000..32_000).find_map(|port| std::net::UdpSocket::bind(("127.0.0.1", port)).ok()).unwrap();
        bound.set_nonblocking(true).unwrap();
        let socket = UdpSocket::from_std(bound).unwrap();
        let port = socket.local_addr().unwrap().port();
        let task = tokio::spawn(async move {
            let mut count = 0;
            let mut datagram = [0; 100];
            for answer in answers {
                let (length, from) = socket.recv_from(&mut datagram).await.unwrap();
                assert_eq!(browser::decode_question(&datagram[..length]).as_deref(), Some("SQL2022"));
                count += 1;
                if let Some(answer) = answer {
                    socket.send_to(&answer, from).await.unwrap();
                }
            }
            count
        });
        (port, task)
    }

    async fn ask_service(answers: Vec<Option<Vec<u8>>>) -> (Result<Endpoint, Failure>, Trace) {
        let (port, task) = service(answers);
        let mut trace = Trace::start();
        let located = located_by(&endpoint(0), "SQL2022", port, &mut trace).await;
        task.abort();
        trace.stop();
        (located, trace)
    }

    #[tokio::test]
    async fn the_port_comes_from_the_service_and_the_host_does_not() {
        let elsewhere = browser::answer("elsewhere.example.net", "SQL2022", "16.0", 1500);
        let (located, trace) = ask_service(vec![Some(elsewhere)]).await;
        assert_eq!(located, Ok(endpoint(1500)));
        assert_eq!(trace.round_trips()[Phase::Resolve], 1);
        assert!(trace.laps()[Phase::Resolve] > Duration::ZERO);
    }

    #[tokio::test]
    async fn a_lost_datagram_is_sent_again() {
        let answer = browser::answer("h", "sql2022", "16.0", 1500);
        let (located, _) = ask_service(vec![None, Some(answer)]).await;
        assert_eq!(located, Ok(endpoint(1500)));
    }

    #[tokio::test]
    async fn answers_that_help_nobody() {
        let pipe = b"\x05\x2f\0ServerName;h;InstanceName;SQL2022;np;\\\\h\\pipe;;".to_vec();
        let (no_tcp, _) = ask_service(vec![Some(pipe)]).await;
        let no_tcp = no_tcp.unwrap_err();
        assert_eq!((no_tcp.kind, no_tcp.phase), (OutcomeKind::NotResolved, Some(Phase::Resolve)));
        assert!(no_tcp.message.contains("no TCP port"), "{no_tcp:?}");
        let noise = vec![Some(b"noise".to_vec()), Some(browser::answer("h", "OTHER", "16.0", 1))];
        let (unknown, _) = ask_service(noise).await;
        let unknown = unknown.unwrap_err();
        assert!(unknown.message.contains("does not tell the port"), "{unknown:?}");
        assert!(unknown.hint.is_some_and(|hint| hint.contains("UDP 1434")));
    }

    #[tokio::test]
    async fn a_known_port_is_not_asked_for() {
        let mut trace = Trace::start();
        assert_eq!(located_by(&endpoint(1433), "SQL2022", 1, &mut trace).await, Ok(endpoint(1433)));
        assert_eq!(trace.round_trips()[Phase::Resolve], 0);
    }
}

//! The HTTP listener of `--listen`: `GET /metrics` and nothing that costs anything.
//!
//! It listens on this machine alone unless asked otherwise: what applications and hosts a server has is nobody else's
//! business, and there is no password here. A newcomer would read a server on each scrape; a scrape gets what the last
//! reading left, so that scraping has no effect on any server.
//!
//! Connections are few, and one that says nothing keeps nobody waiting: a newcomer takes the place of the oldest that has
//! not asked yet. All come from this machine as a rule, so that an address tells no good client from a bad one.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderMap};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

use crate::metrics::{Format, Published, render};

/// Connections at the same time.
const CONNECTIONS: usize = 32;
/// A client that has not sent its request by then is gone.
const REQUEST_WITHIN: Duration = Duration::from_secs(5);
/// A client that has not taken the answer by then is gone.
const ANSWER_WITHIN: Duration = Duration::from_secs(15);
/// Bytes of a request's head, and headers in it.
const HEAD_BYTES: usize = 16 * 1024;
const HEADERS: usize = 64;
/// After an error of the listening socket (no file descriptor left), so that it does not spin.
const AFTER_ERROR: Duration = Duration::from_millis(200);

/// Who may connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    /// This machine.
    #[default]
    LoopbackOnly,
    /// Whoever reaches the address: only when asked for.
    Anywhere,
}

/// Why nothing listens.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The address is not this machine's loopback.
    #[error(
        "{0} can be reached from other machines, and the figures (names of applications, hosts and logins) have no \
         password: listen on 127.0.0.1, or allow it explicitly"
    )]
    NotLoopback(SocketAddr),
    /// The address is in use, or not this machine's.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// What was asked for.
        address: SocketAddr,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// A socket that listens, and does not answer yet.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    reach: Reach,
}

/// Listens on `address`; port 0 takes a free one.
pub async fn bind(address: SocketAddr, reach: Reach) -> Result<Listener, ListenError> {
    if reach == Reach::LoopbackOnly && !address.ip().to_canonical().is_loopback() {
        return Err(ListenError::NotLoopback(address));
    }
    let failed = |source| ListenError::Bind { address, source };
    let socket = TcpListener::bind(address).await.map_err(failed)?;
    let address = socket.local_addr().map_err(failed)?;
    Ok(Listener { socket, address, reach })
}

impl Listener {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers with what is published, for as long as the future is polled. Connections run as tasks of their own.
    pub async fn serve(self, published: Published) -> Infallible {
        let mut open: VecDeque<Open> = VecDeque::new();
        loop {
            let Ok((stream, _)) = self.socket.accept().await else {
                tokio::time::sleep(AFTER_ERROR).await;
                continue;
            };
            make_room(&mut open);
            let asked = Arc::new(AtomicBool::new(false));
            let answered = answer(stream, self.reach, published.clone(), asked.clone());
            open.push_back(Open { task: tokio::spawn(answered).abort_handle(), asked });
        }
    }
}

/// A connection under way.
#[derive(Debug)]
struct Open {
    task: AbortHandle,
    /// Whether its request has come.
    asked: Arc<AtomicBool>,
}

/// Ends the oldest connection that has not asked yet, or the oldest of all, when there is no place for another.
fn make_room(open: &mut VecDeque<Open>) {
    open.retain(|one| !one.task.is_finished());
    if open.len() < CONNECTIONS {
        return;
    }
    let silent = open.iter().position(|one| !one.asked.load(Ordering::Relaxed)).unwrap_or(0);
    if let Some(one) = open.remove(silent) {
        one.task.abort();
    }
}

/// One connection, one request. What goes wrong is the client's loss.
fn answer(stream: TcpStream, reach: Reach, published: Published, asked: Arc<AtomicBool>) -> impl Future<Output = ()> {
    let service = service_fn(move |request: Request<Incoming>| {
        asked.store(true, Ordering::Relaxed);
        let response = respond(request.method(), request.uri().path(), request.headers(), reach, &published);
        async move { Ok::<_, Infallible>(response) }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_WITHIN)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEADERS)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    async move {
        let _ = tokio::time::timeout(REQUEST_WITHIN + ANSWER_WITHIN, connection).await;
    }
}

fn respond(
    method: &Method,
    path: &str,
    headers: &HeaderMap,
    reach: Reach,
    published: &Published,
) -> Response<Full<Bytes>> {
    if reach == Reach::LoopbackOnly && !names_this_machine(headers) {
        // A web page may make a browser on this machine ask for it, under a name of its own.
        return plain(StatusCode::FORBIDDEN, "ask for it as localhost or by its address\n");
    }
    if !matches!(*method, Method::GET | Method::HEAD) {
        let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "GET and HEAD only\n");
        response.headers_mut().insert(ALLOW, hyper::header::HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    match path {
        "/metrics" => {
            let accept: Vec<&str> = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
            let format = Format::accepted(Some(&accept.join(",")));
            text(StatusCode::OK, format.content_type(), render(&published.get(), format))
        }
        "/" => {
            plain(StatusCode::OK, "peaje watch\n\n/metrics    figures for Prometheus\n/-/healthy  whether it runs\n")
        }
        "/-/healthy" => plain(StatusCode::OK, "peaje watch runs\n"),
        _ => plain(StatusCode::NOT_FOUND, "see /metrics\n"),
    }
}

/// Whether `Host` is an address or `localhost`. Absent counts: only HTTP/1.0 does without, and no browser speaks it.
fn names_this_machine(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(HOST) else { return true };
    let Ok(host) = host.to_str() else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse::<std::net::IpAddr>().is_ok()
}

fn plain(status: StatusCode, body: &str) -> Response<Full<Bytes>> {
    text(status, "text/plain; charset=utf-8", body.to_owned())
}

fn text(status: StatusCode, content_type: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let fixed = hyper::header::HeaderValue::from_static;
    response.headers_mut().insert(CONTENT_TYPE, fixed(content_type));
    response.headers_mut().insert(CACHE_CONTROL, fixed("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_answered() {
        let table = [
            ("127.0.0.1:9187", true),
            ("localhost:9187", true),
            ("LOCALHOST", true),
            ("[::1]:9187", true),
            ("::1", true),
            ("evil.example:9187", false),
            ("127.0.0.1.evil.example", false),
            ("localhost.evil.example:80", false),
            ("", false),
        ];
        for (host, allowed) in table {
            let headers = HeaderMap::from_iter([(HOST, host.parse().unwrap())]);
            assert_eq!(names_this_machine(&headers), allowed, "{host}");
        }
        assert!(names_this_machine(&HeaderMap::new()));
    }

    #[tokio::test]
    async fn other_machines_are_let_in_only_when_asked() {
        for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
            let refused = bind(address.parse().unwrap(), Reach::LoopbackOnly).await;
            assert!(matches!(refused, Err(ListenError::NotLoopback(_))), "{address}: {refused:?}");
        }
        assert!(bind("127.0.0.1:0".parse().unwrap(), Reach::LoopbackOnly).await.is_ok());
        assert!(bind("[::ffff:127.0.0.1]:0".parse().unwrap(), Reach::LoopbackOnly).await.is_ok());
        let taken = bind("127.0.0.1:0".parse().unwrap(), Reach::LoopbackOnly).await.unwrap();
        let again = bind(taken.address(), Reach::LoopbackOnly).await;
        assert!(matches!(again, Err(ListenError::Bind { .. })), "{again:?}");
    }
}

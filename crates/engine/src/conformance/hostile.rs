//! Servers that misbehave.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// What a server does once it has accepted a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hostile {
    /// Closes at once.
    Closes,
    /// Resets at once.
    Resets,
    /// Never says a word.
    Silent,
    /// Answers as a web server does.
    WebServer,
    /// Sends this byte without end.
    Endless(u8),
    /// Sends bytes without order, without end.
    Noise,
    /// Sends a header that announces 4 GiB (or as much as its field can), in the places where protocols have lengths,
    /// and then bytes without end.
    HugeLength([u8; 9]),
    /// Sends one byte of a plausible beginning at a time, slowly.
    Drip(u8),
    /// Accepts TLS in whatever way it is asked for, then sends no TLS.
    TlsGarbage(&'static [u8]),
}

/// One of each kind, with the bytes that the engines' headers begin with.
pub const HOSTILE: &[Hostile] = &[
    Hostile::Closes,
    Hostile::Resets,
    Hostile::Silent,
    Hostile::WebServer,
    Hostile::Endless(0),
    Hostile::Endless(0xff),
    Hostile::Endless(b'R'),
    Hostile::Noise,
    // PostgreSQL: type, then a length of 32 bits.
    Hostile::HugeLength([b'R', 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
    Hostile::HugeLength([b'E', 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
    // MySQL: a length of 24 bits, then a sequence number.
    Hostile::HugeLength([0xff, 0xff, 0xff, 0, 10, b'8', b'.', b'0', 0]),
    // TDS: type, status, a length of 16 bits.
    Hostile::HugeLength([0x04, 0x00, 0xff, 0xff, 0, 0, 1, 0, 0]),
    Hostile::HugeLength([0x04, 0x01, 0x00, 0x00, 0, 0, 1, 0, 0]),
    Hostile::Drip(b'R'),
    Hostile::Drip(0x4a),
    Hostile::Drip(0x04),
    // PostgreSQL's yes; MySQL's and SQL Server's yes are part of longer dialogues.
    Hostile::TlsGarbage(b"S"),
    Hostile::TlsGarbage(&[0x16, 0x03, 0x03, 0xff, 0xff]),
];

impl Hostile {
    /// Whether only the login timeout can end a login there.
    pub fn may_be_waited_for(self) -> bool {
        matches!(self, Hostile::Silent | Hostile::Drip(_) | Hostile::TlsGarbage(_))
            // A message that is announced may still come; nothing of it must be kept beyond the limit.
            || matches!(self, Hostile::HugeLength(_))
    }
}

/// A listener on a free loopback port below the ephemeral range, where no client's own port can take it. The port is
/// chosen at random: tests run side by side, and a port that one of them has just left must not be the next one's.
pub fn free_listener() -> TcpListener {
    const TRIES: u32 = 2_000;
    let random = || RandomState::new().build_hasher().finish();
    let tried = (0..TRIES).find_map(|_| TcpListener::bind(("127.0.0.1", 12_000 + (random() % 20_000) as u16)).ok());
    tried.expect("a free port")
}

/// A server that treats every connection alike, until it is dropped.
pub(super) struct Server {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Time that one connection is held at most.
const HOLD: Duration = Duration::from_secs(3);

impl Server {
    pub(super) fn start(how: Hostile) -> Self {
        let listener = free_listener();
        let address = listener.local_addr().expect("it is bound");
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let Ok(stream) = stream else { return };
                treat(stream, how, &stopped);
            }
        });
        Self { address, stop, thread: Some(thread) }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // Wakes the thread from its accept.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The client may leave at any moment: errors end the treatment.
fn treat(mut stream: TcpStream, how: Hostile, stopped: &AtomicBool) {
    let started = std::time::Instant::now();
    let go_on = || !stopped.load(Ordering::Relaxed) && started.elapsed() < HOLD;
    let _ = stream.set_write_timeout(Some(Duration::from_millis(200)));
    let _ = stream.set_read_timeout(Some(Duration::from_millis(50)));
    match how {
        Hostile::Closes => {}
        Hostile::Resets => {
            let _ = socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO));
        }
        Hostile::Silent => wait_for_the_client(&mut stream, go_on),
        Hostile::WebServer => {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            linger(stream);
        }
        Hostile::Endless(byte) => flood(&mut stream, |block| block.fill(byte), go_on),
        Hostile::Noise => {
            let mut state = 0x9e37_79b9_7f4a_7c15_u64;
            let noise = |block: &mut [u8]| {
                for byte in block {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    *byte = state as u8;
                }
            };
            flood(&mut stream, noise, go_on);
        }
        Hostile::HugeLength(header) => {
            if stream.write_all(&header).is_ok() {
                flood(&mut stream, |block| block.fill(b' '), go_on);
            }
        }
        Hostile::Drip(byte) => {
            while go_on() && stream.write_all(&[byte]).is_ok() {
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        Hostile::TlsGarbage(yes) => {
            let _ = stream.read(&mut [0; 4096]);
            if stream.write_all(yes).is_ok() {
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(b"this is no TLS record, and it never will be one");
                linger(stream);
            }
        }
    }
}

/// As much as the client takes, up to a bound: a run must not fill the machine.
fn flood(stream: &mut TcpStream, mut fill: impl FnMut(&mut [u8]), go_on: impl Fn() -> bool) {
    const MOST: usize = 512 * 1024 * 1024;
    let mut block = vec![0; 64 * 1024];
    let mut sent = 0;
    while go_on() && sent < MOST {
        fill(&mut block);
        match stream.write(&block) {
            Ok(0) => return,
            Ok(n) => sent += n,
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
            Err(_) => return,
        }
    }
}

/// Closing with unread input would reset the connection, and the client might lose what was sent.
fn linger(mut stream: TcpStream) {
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let _ = stream.read(&mut [0; 4096]);
}

fn wait_for_the_client(stream: &mut TcpStream, go_on: impl Fn() -> bool) {
    let mut bytes = [0; 4096];
    while go_on() {
        match stream.read(&mut bytes) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
            Err(_) => return,
        }
    }
}

//! What the starter and the server's top process tell each other once: the options, and where it serves.
//!
//! A newcomer would put the options into arguments. Everybody on the machine can read those, and a password is among them.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use peaje_model::Secret;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};

use crate::{
    Auth, AuthCache, Delays, Faults, Model, Protocol, Resumption, ServerOptions, SqlServerOptions, TlsSetting,
};

use super::left;

/// Longest message.
const LONGEST: usize = 1 << 20;

/// The options, secrets included: for the socket between the two only.
#[derive(Serialize, Deserialize)]
struct Told {
    protocol: Protocol,
    listen: SocketAddr,
    auth: (String, String, String),
    tls: TlsSetting,
    max_sessions: Option<u32>,
    delays: Delays,
    faults: Faults,
    model: Model,
    session_memory: u64,
    shared_memory: u64,
    threads: usize,
    resumption: Resumption,
    auth_cache: AuthCache,
    sql_server: SqlServerOptions,
}

/// Where the server can be reached, or why not.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub(crate) address: SocketAddr,
    pub(crate) root_pem: Option<String>,
    pub(super) area_bytes: usize,
}

impl Told {
    fn new(options: &ServerOptions) -> Self {
        let (user, password) = match &options.auth {
            Auth::Trust => (String::new(), String::new()),
            Auth::Password { user, password }
            | Auth::Md5 { user, password }
            | Auth::Scram { user, password }
            | Auth::MysqlNative { user, password }
            | Auth::CachingSha2 { user, password }
            | Auth::Sha256 { user, password }
            | Auth::Ed25519 { user, password } => (user.clone(), password.expose().to_owned()),
        };
        Self {
            protocol: options.protocol,
            listen: options.listen,
            auth: (options.auth.name().to_owned(), user, password),
            tls: options.tls.clone(),
            max_sessions: options.max_sessions,
            delays: options.delays,
            faults: options.faults,
            model: options.model,
            session_memory: options.session_memory,
            shared_memory: options.shared_memory,
            threads: options.threads,
            resumption: options.resumption,
            auth_cache: options.auth_cache,
            sql_server: options.sql_server.clone(),
        }
    }

    fn options(self) -> io::Result<ServerOptions> {
        let (way, user, password) = self.auth;
        let password = Secret::new(password);
        let ways = [
            Auth::Trust,
            Auth::Password { user: user.clone(), password: password.clone() },
            Auth::Md5 { user: user.clone(), password: password.clone() },
            Auth::Scram { user: user.clone(), password: password.clone() },
            Auth::MysqlNative { user: user.clone(), password: password.clone() },
            Auth::CachingSha2 { user: user.clone(), password: password.clone() },
            Auth::Sha256 { user: user.clone(), password: password.clone() },
            Auth::Ed25519 { user, password },
        ];
        let auth = ways.into_iter().find(|auth| auth.name() == way);
        Ok(ServerOptions {
            protocol: self.protocol,
            listen: self.listen,
            auth: auth.ok_or_else(|| io::Error::other("an authentication that is not known"))?,
            tls: self.tls,
            max_sessions: self.max_sessions,
            delays: self.delays,
            faults: self.faults,
            model: self.model,
            session_memory: self.session_memory,
            shared_memory: self.shared_memory,
            threads: self.threads,
            resumption: self.resumption,
            auth_cache: self.auth_cache,
            sql_server: self.sql_server,
            ..ServerOptions::default()
        })
    }
}

/// The starter's first word.
pub(super) fn send_options(control: &UnixStream, options: &ServerOptions) -> io::Result<()> {
    (&mut &*control).write_all(&framed(&Told::new(options))?)
}

/// The server hears it.
pub(super) fn receive_options(control: &UnixStream) -> io::Result<ServerOptions> {
    let mut length = [0; 4];
    (&mut &*control).read_exact(&mut length)?;
    let told: Told = serde_json::from_slice(&body(control, Vec::new(), u32::from_le_bytes(length))?)?;
    told.options()
}

/// The server's answer, with the memory that both can read.
pub(super) fn send_hello(control: &UnixStream, hello: Result<&Hello, &str>, memory: BorrowedFd<'_>) -> io::Result<()> {
    let bytes = framed(&hello)?;
    let files = [memory];
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut with = SendAncillaryBuffer::new(&mut room);
    with.push(SendAncillaryMessage::ScmRights(&files));
    let sent = sendmsg(control, &[IoSlice::new(&bytes)], &mut with, SendFlags::NOSIGNAL)?;
    (&mut &*control).write_all(&bytes[sent..])
}

/// The starter hears it.
pub(super) fn receive_hello(control: &UnixStream) -> io::Result<(Result<Hello, String>, OwnedFd)> {
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut with = RecvAncillaryBuffer::new(&mut room);
    let mut first = [0; 4096];
    let got = recvmsg(control, &mut [IoSliceMut::new(&mut first)], &mut with, RecvFlags::CMSG_CLOEXEC)?.bytes;
    let memory = with.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    let (length, rest) = first[..got].split_first_chunk().ok_or_else(left)?;
    let hello = serde_json::from_slice(&body(control, rest.to_vec(), u32::from_le_bytes(*length))?)?;
    Ok((hello, memory.ok_or_else(left)?))
}

fn framed(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len()).map_err(io::Error::other)?;
    Ok([&length.to_le_bytes()[..], &body].concat())
}

/// The rest of a message, of which `begun` has come.
fn body(control: &UnixStream, mut begun: Vec<u8>, length: u32) -> io::Result<Vec<u8>> {
    let (length, has) = (length as usize, begun.len());
    if length > LONGEST || has > length {
        return Err(io::Error::other("this is no peaje"));
    }
    begun.resize(length, 0);
    (&mut &*control).read_exact(&mut begun[has..])?;
    Ok(begun)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn options_come_over_whole() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (user, password) = (String::from("ana"), Secret::new("pencil"));
        for auth in [
            Auth::Trust,
            Auth::Password { user: user.clone(), password: password.clone() },
            Auth::Md5 { user: user.clone(), password: password.clone() },
            Auth::Scram { user: user.clone(), password: password.clone() },
            Auth::MysqlNative { user: user.clone(), password: password.clone() },
            Auth::CachingSha2 { user: user.clone(), password: password.clone() },
            Auth::Sha256 { user: user.clone(), password: password.clone() },
            Auth::Ed25519 { user, password },
        ] {
            let options = ServerOptions {
                auth: auth.clone(),
                model: Model::Process,
                session_memory: 1 << 33,
                max_sessions: Some(7),
                ..ServerOptions::default()
            };
            send_options(&ours, &options).unwrap();
            let came = receive_options(&theirs).unwrap();
            assert_eq!(format!("{came:?}"), format!("{options:?}"));
            assert_eq!(came.auth, auth);
        }
    }

    #[test]
    fn long_answers_come_over_whole_with_their_memory() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], 5432));
        let root_pem = Some("x".repeat(50_000));
        let sender = std::thread::spawn(move || {
            let hello = Hello { address, root_pem, area_bytes: 8 };
            send_hello(&theirs, Ok(&hello), std::io::stdin().as_fd()).unwrap();
            send_hello(&theirs, Err("port taken"), std::io::stdin().as_fd()).unwrap();
        });
        let (hello, _memory) = receive_hello(&ours).unwrap();
        let hello = hello.unwrap();
        assert_eq!((hello.address, hello.root_pem.map(|pem| pem.len())), (address, Some(50_000)));
        assert_eq!(receive_hello(&ours).unwrap().0.unwrap_err(), "port taken");
        sender.join().unwrap();
        assert!(receive_hello(&ours).is_err(), "the other side has left");
    }
}

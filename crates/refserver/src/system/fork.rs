//! Processes made by `fork`, and word of their end.
//!
//! A newcomer would fork anywhere. A process with several threads may not: the child would have locks that nobody will
//! ever open. [`Alone`] is the proof that there is only one.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};

use rand::rngs::ThreadRng;
use rustix::process::{Pid, Signal};

/// This process has one thread, and its owner starts no other while it holds this.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Alone {
    process: Pid,
}

impl Alone {
    /// `None` when there are other threads.
    pub(crate) fn here() -> io::Result<Option<Self>> {
        Ok((std::fs::read_dir("/proc/self/task")?.count() == 1).then_some(Self { process: rustix::process::getpid() }))
    }

    /// Runs `child` in a process of its own, which ends with it, and with this process. Only the process's number comes
    /// back here; nothing that lives outside of `child` is dropped there.
    pub(crate) fn fork(self, child: impl FnOnce()) -> io::Result<Pid> {
        // SAFETY: the process has one thread (`self`), so that the child is a whole copy of it: no lock is held by a
        // thread that is not there.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                let code = i32::from(catch_unwind(AssertUnwindSafe(|| run(self.process, child))).is_err());
                // SAFETY: ends the process at once. What runs at the end of a process is the parent's to run.
                unsafe { libc::_exit(code) }
            }
            pid => Ok(Pid::from_raw(pid).expect("fork's result is a process")),
        }
    }
}

fn run(parent: Pid, child: impl FnOnce()) {
    let bound = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    // The parent may have ended before.
    if bound.is_err() || rustix::process::getppid() != Some(parent) {
        return;
    }
    // Every child would draw the same random numbers, keys and scrambles among them.
    let mut random: ThreadRng = rand::rng();
    if random.reseed().is_ok() {
        child();
    }
}

/// Tells when a child has ended: readable then.
#[derive(Debug)]
pub(crate) struct Deaths(OwnedFd);

impl Deaths {
    /// From now on, ends of children are told here.
    pub(crate) fn watch(_: Alone) -> io::Result<Self> {
        // SAFETY: `set` is a valid set of signals once `sigemptyset` has written it. The mask is that of the only thread.
        // `signalfd` makes a new descriptor, whose only owner is the value returned.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            libc::sigaddset(&raw mut set, libc::SIGCHLD);
            if libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) != 0 {
                return Err(io::Error::last_os_error());
            }
            match libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
                -1 => Err(io::Error::last_os_error()),
                fd => Ok(Self(OwnedFd::from_raw_fd(fd))),
            }
        }
    }

    /// The children that have ended since.
    pub(crate) fn take(&self) -> Vec<Pid> {
        // Several ends may be one signal: the signals only tell that it is time to ask.
        let mut signals = [0; 1024];
        while rustix::io::read(&self.0, &mut signals).is_ok_and(|got| got == signals.len()) {}
        let mut ended = Vec::new();
        while let Ok(Some((pid, _))) = rustix::process::wait(rustix::process::WaitOptions::NOHANG) {
            ended.push(pid);
        }
        ended
    }
}

impl AsFd for Deaths {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

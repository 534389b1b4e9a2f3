//! Where memory is read: processes of this machine, another peaje on the server's machine, or nowhere.
//!
//! Reading the processes of a server takes a millisecond for each, and more for one with a great deal of memory: it is
//! done once for each step. Guards look several times a second, and then at the machine alone.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use peaje_host::{ClientUse, Host, LimitsOf, ProcessSet};
use peaje_lab::StopRule;
use peaje_model::{Architecture, Gap, LimitRead, MemorySample, MemorySource, ProcessMemory};

use super::observe::Observed;

/// What is looked at.
pub(super) enum Place {
    /// The server's processes on this machine.
    Processes(ProcessSet),
    /// The server's machine, through another peaje.
    Elsewhere(Observed),
    /// This machine, on which the server runs too; its processes are not known.
    ThisMachine,
    /// Only this machine, which is not the server's.
    Nowhere,
}

/// Reads memory; its methods block for milliseconds.
pub(super) struct Eye {
    host: Arc<dyn Host>,
    place: Place,
    /// Why something could not be read, each reason once.
    gaps: Mutex<Vec<Gap>>,
}

impl Eye {
    pub(super) fn new(host: Arc<dyn Host>, place: Place) -> Arc<Self> {
        Arc::new(Self { host, place, gaps: Mutex::default() })
    }

    pub(super) fn source(&self) -> MemorySource {
        match self.place {
            Place::Processes(_) => MemorySource::Processes,
            Place::Elsewhere(_) => MemorySource::Observer,
            Place::ThisMachine | Place::Nowhere => MemorySource::None,
        }
    }

    /// The server's processes on this machine.
    pub(super) fn processes(&self) -> Option<&ProcessSet> {
        match &self.place {
            Place::Processes(set) => Some(set),
            _ => None,
        }
    }

    /// The server's machine now, its processes too; `None` when it cannot be looked at.
    pub(super) fn look(&self) -> Option<MemorySample> {
        match &self.place {
            Place::Processes(set) => {
                let look = self.host.memory_sample(Some(set));
                self.note(look.gap);
                Some(look.sample)
            }
            Place::Elsewhere(observed) => self.elsewhere(observed),
            Place::ThisMachine => Some(self.host.memory_sample(None).sample),
            Place::Nowhere => None,
        }
    }

    /// What a guard has to know: this machine, and the server's, which is last. An error: the server's machine was
    /// looked at through another peaje, and can no longer be.
    pub(super) fn guarded(&self) -> Result<Vec<MemorySample>, StopRule> {
        Ok(match &self.place {
            Place::Processes(set) => vec![self.host.memory_room(Some(set))],
            Place::Elsewhere(observed) => {
                let there = self.elsewhere(observed).ok_or_else(|| {
                    let why = "the memory of the server's machine can no longer be seen (--observed-by): nothing would stop \
                               the run before that machine suffers";
                    StopRule::MemoryFloor(why.to_owned())
                })?;
                vec![self.host.memory_room(None), there]
            }
            Place::ThisMachine | Place::Nowhere => vec![self.host.memory_room(None)],
        })
    }

    fn elsewhere(&self, observed: &Observed) -> Option<MemorySample> {
        match observed.at(Timestamp::now().as_microsecond()) {
            Ok(sample) => Some(sample),
            Err(error) => {
                self.note(Some(Gap {
                    what: "memory of the server's machine".to_owned(),
                    why: format!("{error:#}"),
                    next_step: Some("let `peaje sessions --observe` run there during the whole measurement".to_owned()),
                }));
                None
            }
        }
    }

    /// Limits that sessions run into, on this machine: the server's too when it is its own.
    pub(super) fn limits(&self, architecture: Option<Architecture>, client: ClientUse) -> Vec<LimitRead> {
        let server = self.processes().zip(architecture);
        self.host.session_limits(&LimitsOf { server, client: Some(client) })
    }

    /// Memory of peaje's own processes that hold sessions.
    pub(super) fn client(&self, pids: Vec<u32>) -> Option<ProcessMemory> {
        self.host.process_memory(&ProcessSet::only(pids)).ok()
    }

    /// Context switches of this machine so far.
    pub(super) fn context_switches(&self) -> Option<u64> {
        match self.place {
            Place::Processes(_) | Place::ThisMachine => self.host.memory_room(None).host.context_switches,
            Place::Elsewhere(_) | Place::Nowhere => None,
        }
    }

    fn note(&self, gap: Option<Gap>) {
        let Some(gap) = gap else { return };
        let mut gaps = self.gaps.lock().unwrap_or_else(PoisonError::into_inner);
        if !gaps.iter().any(|known| known.what == gap.what) {
            gaps.push(gap);
        }
    }

    /// Reasons noted so far.
    pub(super) fn gaps(&self) -> Vec<Gap> {
        self.gaps.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Does on a thread of its own what blocks.
pub(super) async fn blocking<T: Send + 'static>(
    eye: &Arc<Eye>,
    look: impl FnOnce(&Eye) -> T + Send + 'static,
) -> Option<T> {
    let eye = eye.clone();
    tokio::task::spawn_blocking(move || look(&eye)).await.ok()
}

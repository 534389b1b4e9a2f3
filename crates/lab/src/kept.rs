//! A session in use. When its task is dropped, as an interruption does it, the session stays behind for a goodbye.
//!
//! A newcomer would just let it go: the server then counts an aborted client, and its administrator looks for the reason.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use peaje_engine::{Connector, Trace};
use peaje_model::Phase;
use tokio::task::JoinSet;

/// Time for all goodbyes of an interrupted run: a person waits for the end.
pub(crate) const GOODBYE_LIMIT: Duration = Duration::from_millis(500);

/// Sessions of one thread whose tasks were dropped.
pub(crate) struct Behind<C: Connector>(Rc<RefCell<Vec<C::Session>>>);

impl<C: Connector> Default for Behind<C> {
    fn default() -> Self {
        Self(Rc::default())
    }
}

impl<C: Connector> Behind<C> {
    /// Holds a session while it is used.
    pub(crate) fn keep(&self, session: C::Session) -> Kept<C> {
        Kept { session: Some(session), behind: self.0.clone() }
    }

    /// Says goodbye to what stayed behind, within [`GOODBYE_LIMIT`]. What has not left by then is dropped.
    pub(crate) async fn say_goodbye(&self, connector: &C) {
        let mut running = JoinSet::new();
        for session in self.0.take() {
            let connector = connector.clone();
            running.spawn(async move {
                let mut trace = Trace::start();
                trace.enter(Phase::Close);
                let _ = connector.close(session, &mut trace).await;
            });
        }
        let all = async { while running.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(GOODBYE_LIMIT, all).await;
    }
}

/// A session in use.
pub(crate) struct Kept<C: Connector> {
    session: Option<C::Session>,
    behind: Rc<RefCell<Vec<C::Session>>>,
}

impl<C: Connector> Kept<C> {
    /// The session.
    pub(crate) fn session(&mut self) -> &mut C::Session {
        self.session.as_mut().expect("it is there until it is taken, which takes this too")
    }

    /// The session, for whoever closes it, or to drop it because it is broken.
    pub(crate) fn take(mut self) -> C::Session {
        self.session.take().expect("it is there until it is taken, which takes this too")
    }
}

impl<C: Connector> Drop for Kept<C> {
    fn drop(&mut self) {
        self.behind.borrow_mut().extend(self.session.take());
    }
}

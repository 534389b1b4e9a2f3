//! What wakes a thread when one of its idle sessions has something to say: wakers that leave the session's number.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};

use tokio::sync::Notify;

/// Numbers of sessions to look at.
#[derive(Debug, Default)]
pub(super) struct Bell {
    rung: Mutex<Vec<u32>>,
    notify: Notify,
}

/// The waker of one session. Its socket keeps the only copy, until it is woken.
struct Cord {
    bell: Arc<Bell>,
    index: u32,
}

impl Wake for Cord {
    fn wake(self: Arc<Self>) {
        self.bell.ring(self.index);
    }
}

impl Bell {
    /// A waker that rings for a session.
    pub(super) fn cord(self: &Arc<Self>, index: u32) -> Waker {
        Waker::from(Arc::new(Cord { bell: self.clone(), index }))
    }

    /// Asks for a look at a session.
    pub(super) fn ring(&self, index: u32) {
        let mut rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        rung.push(index);
        if rung.len() == 1 {
            self.notify.notify_one();
        }
    }

    /// Waits until it is rung, then gives the sessions to look at; a number may be there twice.
    pub(super) async fn rung(&self) -> Vec<u32> {
        loop {
            let rung = std::mem::take(&mut *self.rung.lock().unwrap_or_else(PoisonError::into_inner));
            if !rung.is_empty() {
                return rung;
            }
            self.notify.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nothing_rung_is_lost() {
        let bell = Arc::new(Bell::default());
        bell.ring(3);
        bell.cord(4).wake();
        assert_eq!(bell.rung().await, [3, 4]);
        let waiting = bell.rung();
        tokio::pin!(waiting);
        assert!(tokio::time::timeout(std::time::Duration::from_millis(5), &mut waiting).await.is_err());
        bell.cord(7).wake();
        assert_eq!(waiting.await, [7]);
    }
}

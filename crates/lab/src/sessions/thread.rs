//! A thread that holds sessions: a runtime of its own, orders in, reports out.

use std::rc::Rc;
use std::thread::JoinHandle;

use peaje_engine::Connector;
use tokio::sync::mpsc;
use tokio::task::LocalSet;

use super::HeldError;
use super::holder::{Holder, Parts};
use super::order::Order;
use super::report::Report;

/// What comes from a part of the crew, with its number.
#[derive(Debug)]
pub(super) enum Said {
    Report(Box<Report>),
    /// It has ended, and its sessions with it.
    Lost(String),
}

/// Where all parts of a crew report.
pub(super) type Reports = mpsc::UnboundedSender<(usize, Said)>;

/// A thread, as its crew sees it. Dropping it lets the sessions say goodbye in a short time, and waits for that.
#[derive(Debug)]
pub(super) struct Thread {
    orders: Option<mpsc::UnboundedSender<Order>>,
    handle: Option<JoinHandle<()>>,
}

impl Thread {
    pub(super) fn start<C: Connector>(number: usize, parts: Parts<C>, reports: Reports) -> Result<Self, HeldError> {
        // The runtime is made here, so that a thread that cannot hold sessions is known at once.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(HeldError::Thread)?;
        let (orders, take) = mpsc::unbounded_channel();
        let run = move || {
            let _last_words = LastWords { number, reports: reports.clone() };
            let local = LocalSet::new();
            local.block_on(&runtime, hold(number, parts, take, reports));
            drop(local);
            // A look-up that hangs in the resolver must not hold the end up.
            runtime.shutdown_background();
        };
        let handle =
            std::thread::Builder::new().name(format!("sessions-{number}")).spawn(run).map_err(HeldError::Thread)?;
        Ok(Self { orders: Some(orders), handle: Some(handle) })
    }

    pub(super) fn order(&self, order: Order) {
        // A thread that is gone has said so.
        let _ = self.orders.as_ref().map(|orders| orders.send(order));
    }

    /// Lets the thread end, without waiting for it.
    pub(super) fn dismiss(&mut self) {
        self.orders = None;
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.dismiss();
        if let Some(handle) = self.handle.take() {
            // A panic of the thread has been reported by the panic hook already.
            let _ = handle.join();
        }
    }
}

/// Whatever ends the thread, its crew hears of it.
struct LastWords {
    number: usize,
    reports: Reports,
}

impl Drop for LastWords {
    fn drop(&mut self) {
        let _ = self.reports.send((self.number, Said::Lost("a thread that held sessions broke down".to_owned())));
    }
}

async fn hold<C: Connector>(
    number: usize,
    parts: Parts<C>,
    mut orders: mpsc::UnboundedReceiver<Order>,
    reports: Reports,
) {
    parts.connector.prepare().await;
    let holder = Rc::new(Holder::new(parts));
    // It is woken by thousands of sessions: it takes its turns itself.
    let watch = tokio::task::spawn_local(tokio::task::unconstrained(holder.clone().watch()));
    while let Some(order) = orders.recv().await {
        let report = holder.obey(order).await;
        if reports.send((number, Said::Report(Box::new(report)))).is_err() {
            break;
        }
    }
    watch.abort();
    holder.leave().await;
}

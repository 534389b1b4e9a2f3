//! Those who hold the sessions, threads or processes: an order is divided among them, and their reports become one.

mod divide;

use peaje_model::DroppedSessions;
use tokio::sync::mpsc;

use super::gauge::Gauge;
use super::order::Order;
use super::process::Process;
use super::report::Report;
use super::thread::{Reports, Said, Thread};
use crate::stop::{Stop, StopRule};

use divide::divide;

/// Whom an order can be given to.
#[derive(Debug)]
pub(super) enum Part {
    Thread(Thread),
    Process(Process),
}

#[derive(Debug)]
struct Member {
    part: Part,
    /// Sessions, by its last report.
    held: u64,
    lost: bool,
}

/// All of them.
#[derive(Debug)]
pub(super) struct Crew {
    members: Vec<Member>,
    said: mpsc::UnboundedReceiver<(usize, Said)>,
    stop: Stop,
    gauge: Gauge,
    /// The stop rule that processes know of.
    told: Option<StopRule>,
}

impl Crew {
    /// A crew of those that `parts` starts; each reports under its number.
    pub(super) fn new<E>(
        stop: Stop,
        gauge: Gauge,
        parts: impl FnOnce(&Reports) -> Result<Vec<Part>, E>,
    ) -> Result<Self, E> {
        let (reports, said) = mpsc::unbounded_channel();
        let members = parts(&reports)?.into_iter().map(|part| Member { part, held: 0, lost: false }).collect();
        Ok(Self { members, said, stop, gauge, told: None })
    }

    pub(super) fn gauge(&self) -> &Gauge {
        &self.gauge
    }

    /// Sessions, by the last reports.
    pub(super) fn held(&self) -> u64 {
        self.members.iter().map(|member| member.held).sum()
    }

    /// Worker processes.
    pub(super) fn pids(&self) -> Vec<u32> {
        let pid = |member: &Member| match &member.part {
            Part::Thread(_) => None,
            Part::Process(process) => Some(process.pid()),
        };
        self.members.iter().filter_map(pid).collect()
    }

    /// Has one order carried out, and waits for its end. A stop ends it early.
    pub(super) async fn carry(&mut self, order: Order) -> Report {
        match order {
            Order::Close { .. } => self.gauge.close(),
            Order::Open { .. } => self.gauge.open(),
            _ => {}
        }
        let held: Vec<Option<u64>> = self.members.iter().map(|m| (!m.lost).then_some(m.held)).collect();
        let division = divide(order, &held);
        let mut waiting = division.parts.into_iter();
        let mut under_way: Vec<usize> = Vec::new();
        let mut whole = Report::default();
        loop {
            while under_way.len() < division.at_once
                && let Some((number, part)) = waiting.next()
            {
                if !self.members[number].lost {
                    self.give(number, part);
                    under_way.push(number);
                }
            }
            if under_way.is_empty() {
                whole.held = self.held();
                return whole;
            }
            tokio::select! {
                rule = self.stop.other_than(self.told.as_ref()) => self.tell(rule),
                Some((number, said)) = self.said.recv() => {
                    under_way.retain(|&other| other != number);
                    whole.merge(self.hear(number, said));
                }
            }
        }
    }

    fn give(&mut self, number: usize, order: Order) {
        match &mut self.members[number].part {
            Part::Thread(thread) => thread.order(order),
            Part::Process(process) => process.order(order),
        }
    }

    fn hear(&mut self, number: usize, said: Said) -> Report {
        let member = &mut self.members[number];
        match said {
            Said::Report(report) => {
                member.held = report.held;
                *report
            }
            Said::Lost(words) => {
                member.lost = true;
                member.held = 0;
                let count = match &member.part {
                    Part::Thread(_) => 0,
                    Part::Process(process) => process.counters().lose_all(),
                };
                self.stop.stop(StopRule::Generator(words.clone()));
                let dropped = DroppedSessions { reason: "worker-lost".to_owned(), message: Some(words), count };
                let drops = if count > 0 { vec![dropped] } else { Vec::new() };
                Report { drops, ..Report::default() }
            }
        }
    }

    /// Processes have a stop of their own; threads share this one.
    fn tell(&mut self, rule: Option<StopRule>) {
        if let Some(rule) = &rule {
            for member in &mut self.members {
                if let Part::Process(process) = &mut member.part {
                    process.stop(rule);
                }
            }
        }
        self.told = rule.or(self.told.take());
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        // All say goodbye at the same time; then each is waited for.
        for member in &mut self.members {
            match &mut member.part {
                Part::Thread(thread) => thread.dismiss(),
                Part::Process(process) => process.dismiss(),
            }
        }
    }
}

//! Watching servers: readings, verdicts, screen, lines, Prometheus, and the end of it.
//!
//! Readings have the main thread for themselves. The screen draws on a thread of its own, and verdicts are worked out
//! on another, no more often than a twentieth of their own cost allows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use jiff::Timestamp;
use peaje_engine::{OpenWatcher, Snapshot};
use peaje_lab::{Stop, StopRule};
use peaje_model::{Ended, Run};
use peaje_watch::{
    Analysis, Collector, CollectorPlan, Handle, Record, Recorder, RecordingPlan, Retention, Row, ServerPlan,
    ServerSnapshot, ServerState,
};
use tokio::sync::mpsc::UnboundedReceiver;

use super::rows::Rows;
use super::said::{Gone, Said};
use super::{WatchArgs, judging, metrics, outcome, redacted, view};
use crate::engines::Engine;
use crate::exit::{Status, hinted};
use crate::login;
use crate::printer::Printer;
use crate::reports;
use crate::signals;
use crate::subject::{Subject, Words};

/// Verdicts take at most this part of one core.
const SHARE_OF_CORE: f64 = 0.05;
/// A reading that takes longer is given up.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) fn run(servers: &[(&'static Engine, &str)], args: &WatchArgs, printer: Printer) -> anyhow::Result<Status> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let status = runtime.block_on(watch(servers, args, printer));
    // A look-up that hangs in the resolver must not hold the command up.
    runtime.shutdown_background();
    status
}

async fn watch(servers: &[(&'static Engine, &str)], args: &WatchArgs, printer: Printer) -> anyhow::Result<Status> {
    let analysis = judging::analysis(args)?;
    let stop = Stop::new();
    signals::watch(stop.clone(), peaje_host::this_host().as_ref())?;
    let recorder = recorder(args)?;
    let listener = metrics::bind(args).await?;
    let rows = Rows::open(&args.recording, printer)?;
    let started_at = Timestamp::now();
    let subjects = tokio::select! {
        biased;
        () = stop.aborted() => return Ok(Status::Interrupted),
        subjects = open(servers, args, printer) => subjects?,
    };
    let shown: Vec<_> =
        servers.iter().zip(&subjects).map(|((_, typed), subject)| (*typed, subject.target.url.as_str())).collect();
    let around = outcome::Around {
        target: subjects[0].target.clone(),
        what_answered: None,
        shown: &shown,
        started_at,
        finished_at: started_at,
        ended: Ended::Completed,
        gaps: Vec::new(),
    };
    let endpoint = listener.map(|listener| {
        metrics::Endpoint::open(listener, servers, &subjects, started_at.as_microsecond() as f64 / 1e6, printer)
    });
    let record = recorder.as_ref().map_or_else(|| Record::new(args.sampling.window), Recorder::record);
    let collector = Collector::spawn(plan(&subjects, args, started_at), record, recorder);
    let mut session = Session {
        coming: collector.rows(),
        handle: collector.handle(),
        snapshots: collector.snapshots(),
        judged: outcome::draft(args, &analysis, around),
        analysis,
        next_analysis: Instant::now(),
        next_show: Instant::now() + args.sampling.interval,
        shown_at_us: 0,
        waits: false,
        rows,
        said: Said::choose(args, printer, &stop)?,
        endpoint,
        args,
        printer,
    };
    let end = session.go_on(&stop).await;
    let (record, closed) = collector.stop().await;
    // Readings that came after the last look.
    let end = end.and_then(|()| session.write_rows());
    let Session { said, rows, judged: draft, snapshots, analysis, .. } = session;
    let snapshot = snapshots.borrow().clone();
    let refused = refusals(&snapshot);
    let draft = Run {
        what_answered: snapshot.servers.first().and_then(|server| server.what_answered.clone()),
        finished_at: Timestamp::now().to_string(),
        ended: match refused {
            _ if stop.rule() == Some(StopRule::Interrupted) => Ended::Interrupted,
            Some(message) => Ended::Stopped { rule: "rejected".to_owned(), message },
            None => Ended::Completed,
        },
        gaps: snapshot.servers.iter().flat_map(|server| server.missing.clone()).collect(),
        ..draft
    };
    let mut run = outcome::judged(draft, peaje_watch::result(&record, &analysis));
    // Files first: whoever reads the lines may sleep for long.
    reports::write_views(&mut run, &args.output, printer)?;
    let shown = said.finish();
    let rows = rows.finish();
    if !Rows::take_stdout(&args.recording) {
        reports::write_text(&mut run, &args.output, printer)?;
    }
    // The verdicts are told first: a disk that is full must not cost them.
    end.and(shown).and(rows)?;
    closed.context("the end of the recording could not be written")?;
    Ok(reports::status(&run, &args.output))
}

/// Opens every server. One that cannot be reached is waited for when there are others.
async fn open(servers: &[(&'static Engine, &str)], args: &WatchArgs, printer: Printer) -> anyhow::Result<Vec<Subject>> {
    let words = Words {
        tag: args.session.tag.clone(),
        access_token: login::access_token(args.session.access_token_file.as_deref())?,
        snapshot: if args.sampling.counters_only { Snapshot::CountersOnly } else { Snapshot::Sessions },
        printer,
    };
    let mut subjects: Vec<Subject> = Vec::new();
    for (engine, text) in servers {
        let subject = (engine.subject)(text, &words).await?;
        printer.redact(|redactor| redactor.learn_target(&subject.target));
        for warning in &subject.warnings {
            printer.say(&format!("note: {warning}"));
        }
        match &subject.failure {
            Some(failure) if servers.len() == 1 => {
                let message = format!("{}: {}", subject.label, failure.words());
                return Err(hinted(message, failure.hint.as_deref().unwrap_or("mend it, and watch again")));
            }
            Some(failure) => printer.say(&format!("note: {}: {}", subject.label, failure.words())),
            None => {}
        }
        // Their readings would go into one record, and be compared with each other.
        if subjects.iter().any(|other| other.label == subject.label) {
            let next = "name each server once: it is known by its host and port";
            return Err(hinted(format!("{} is to be watched twice", subject.label), next));
        }
        subjects.push(subject);
    }
    if subjects.iter().all(|subject| subject.failure.is_some()) {
        return Err(hinted("none of the servers could be read", "what each of them said stands above"));
    }
    Ok(subjects)
}

fn plan(subjects: &[Subject], args: &WatchArgs, started_at: Timestamp) -> CollectorPlan {
    let reconnect = |open: OpenWatcher| Box::new(move || open());
    let servers = subjects.iter().map(|subject| ServerPlan {
        label: subject.label.clone(),
        watcher: None,
        reconnect: reconnect(subject.open.clone()),
    });
    CollectorPlan {
        servers: servers.collect(),
        interval: args.sampling.interval,
        read_timeout: READ_TIMEOUT,
        window: args.sampling.window,
        started_us: started_at.as_microsecond(),
        // Which moments are read must not repeat from run to run: other things run by the clock as well.
        seed: started_at.as_nanosecond() as u64,
    }
}

fn recorder(args: &WatchArgs) -> anyhow::Result<Option<Recorder>> {
    let Some(path) = &args.recording.record else { return Ok(None) };
    let keep = args.recording.keep.map_or_else(Retention::everything, Retention::keep);
    Ok(Some(Recorder::open(path, RecordingPlan { window: args.sampling.window, keep })?))
}

/// A watch under way.
struct Session<'a> {
    coming: UnboundedReceiver<(String, Row)>,
    handle: Handle,
    snapshots: tokio::sync::watch::Receiver<Arc<peaje_watch::Snapshot>>,
    analysis: Analysis,
    /// The run so far.
    judged: Run,
    next_analysis: Instant,
    next_show: Instant,
    shown_at_us: i64,
    /// Whether something new waits to be shown.
    waits: bool,
    rows: Rows,
    said: Said,
    endpoint: Option<metrics::Endpoint>,
    args: &'a WatchArgs,
    printer: Printer,
}

impl Session<'_> {
    /// Shows every reading, until it is stopped.
    async fn go_on(&mut self, stop: &Stop) -> anyhow::Result<()> {
        let until = async {
            match self.args.sampling.for_time {
                Some(time) => tokio::time::sleep(time).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(until);
        loop {
            tokio::select! {
                biased;
                () = stop.aborted() => return Ok(()),
                () = &mut until => return Ok(()),
                gone = self.said.gone() => match gone {
                    Gone::Left => return Ok(()),
                    Gone::Failed => self.said.fall_back()?,
                },
                changed = self.snapshots.changed() => {
                    if changed.is_err() {
                        return Ok(());
                    }
                    self.show().await?;
                }
                () = tokio::time::sleep_until(self.next_show.into()), if self.waits => self.show().await?,
            }
            if self.all_given_up() {
                return Ok(());
            }
        }
    }

    /// Whether every server has refused us: there is nothing to wait for.
    fn all_given_up(&self) -> bool {
        refusals(&self.snapshots.borrow()).is_some()
    }

    fn write_rows(&mut self) -> anyhow::Result<()> {
        while let Ok((server, row)) = self.coming.try_recv() {
            self.rows.write(&server, &row)?;
        }
        Ok(())
    }

    async fn show(&mut self) -> anyhow::Result<()> {
        self.write_rows()?;
        let snapshot = self.snapshots.borrow_and_update().clone();
        let now = Instant::now();
        // Several servers are read at moments of their own: one look at all of them in an interval is enough.
        self.waits = now < self.next_show && !all_are_new(&snapshot, self.shown_at_us) && !self.all_given_up();
        if self.waits {
            return Ok(());
        }
        self.next_show = now + self.args.sampling.interval;
        self.shown_at_us = snapshot.at_us;
        if now >= self.next_analysis {
            let (handle, analysis, draft) = (self.handle.clone(), self.analysis.clone(), self.judged.clone());
            let judge = move || outcome::judged(draft, handle.result(&analysis));
            self.judged = tokio::task::spawn_blocking(judge).await?;
            self.next_analysis = now + now.elapsed().div_f64(SHARE_OF_CORE);
        }
        let redacted = redacted::both(&snapshot, &self.judged, self.printer);
        let (snapshot, judged) = redacted.as_ref().map_or((&*snapshot, &self.judged), |(seen, run)| (seen, run));
        if let Some(endpoint) = &mut self.endpoint {
            endpoint.show(snapshot, judged.watch.as_ref());
        }
        let mut view = view::view(snapshot, judged, self.args);
        view.notes.extend(self.rows.notes());
        view.recording = view.recording.map(|file| self.printer.redact(|r| r.text(&file)).unwrap_or(file));
        self.said.show(view)
    }
}

/// What the servers said, when all of them have refused us for good.
fn refusals(snapshot: &peaje_watch::Snapshot) -> Option<String> {
    let refusal = |server: &Arc<ServerSnapshot>| match &server.state {
        ServerState::GivenUp { message, .. } => Some(format!("{}: {message}", server.server)),
        _ => None,
    };
    let said: Option<Vec<String>> = snapshot.servers.iter().map(refusal).collect();
    said.filter(|said| !said.is_empty()).map(|said| said.join("; "))
}

/// Whether every server was read since a moment.
fn all_are_new(snapshot: &peaje_watch::Snapshot, since_us: i64) -> bool {
    snapshot.servers.iter().all(|server| server.at_us > since_us)
}

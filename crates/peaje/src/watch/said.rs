//! Where the figures are shown: on the live screen, or in plain lines.
//!
//! Both have a thread of their own and are given whole views without waiting: a terminal that stands still, or a pipe
//! whose reader sleeps (`| less`), holds up no reading. What they are too slow for is dropped, counted and said.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use peaje_lab::{Stop, StopRule};
use peaje_tui::{Look, Plain, ScreenError, View, Views};

use super::{WatchArgs, rows::Rows, view};
use crate::printer::Printer;

/// Views that may wait for whoever reads the lines.
const MOST_WAITING: usize = 64;

/// Where the figures are shown.
pub(super) struct Said {
    place: Place,
    /// What lines are written with, also when the screen gives up.
    lines: LinesPlan,
}

enum Place {
    Screen(OnScreen),
    Lines(InLines),
}

#[derive(Clone, Copy)]
struct LinesPlan {
    look: Look,
    printer: Printer,
    to_stdout: bool,
}

type ScreenEnd = Result<peaje_tui::Ended, ScreenError>;

/// How the screen went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gone {
    /// The viewer left it.
    Left,
    /// It could not go on.
    Failed,
}

struct OnScreen {
    views: Views,
    gone: tokio::sync::watch::Receiver<Option<Gone>>,
    leave: Arc<AtomicBool>,
    thread: JoinHandle<ScreenEnd>,
}

struct InLines {
    views: SyncSender<View>,
    thread: JoinHandle<std::io::Result<()>>,
    /// Views that were dropped since the last one that was taken.
    dropped: u64,
}

impl Said {
    pub(super) fn choose(args: &WatchArgs, printer: Printer, stop: &Stop) -> anyhow::Result<Self> {
        let look = view::look(args, printer);
        let others = [&args.output.json, &args.output.csv, &args.output.html].into_iter().flatten();
        let to_stdout = !Rows::take_stdout(&args.recording) && !others.into_iter().any(|p| crate::files::is_stdout(p));
        let lines = LinesPlan { look, printer, to_stdout };
        if args.screen.plain || !view::has_terminal() {
            return Ok(Self { place: Place::Lines(InLines::start(lines)?), lines });
        }
        let (views, screen) = peaje_tui::views();
        let stop = stop.clone();
        let draw = move |leave: &AtomicBool| {
            let ended = peaje_tui::run(&screen, &|| leave.load(Ordering::Relaxed) || stop.rule().is_some(), look);
            if matches!(ended, Ok(peaje_tui::Ended::Interrupted)) {
                stop.stop(StopRule::Interrupted);
            }
            ended
        };
        Self::on_screen(views, lines, draw)
    }

    fn on_screen(
        views: Views,
        lines: LinesPlan,
        draw: impl FnOnce(&AtomicBool) -> ScreenEnd + Send + 'static,
    ) -> anyhow::Result<Self> {
        let (end, gone) = tokio::sync::watch::channel(None);
        let leave = Arc::new(AtomicBool::new(false));
        let leaves = leave.clone();
        let draw = move || {
            let ended = draw(&leaves);
            end.send_replace(Some(if ended.is_ok() { Gone::Left } else { Gone::Failed }));
            ended
        };
        let thread = std::thread::Builder::new().name("screen".to_owned()).spawn(draw)?;
        Ok(Self { place: Place::Screen(OnScreen { views, gone, leave, thread }), lines })
    }

    /// Ends when there is no screen any more.
    pub(super) async fn gone(&mut self) -> Gone {
        match &mut self.place {
            // Its end without a word is a panic: the thread's own message says more.
            Place::Screen(screen) => {
                screen.gone.wait_for(Option::is_some).await.map_or(Gone::Failed, |gone| gone.unwrap_or(Gone::Failed))
            }
            Place::Lines(_) => std::future::pending().await,
        }
    }

    /// Goes on in lines where the screen could not.
    pub(super) fn fall_back(&mut self) -> anyhow::Result<()> {
        let before = std::mem::replace(&mut self.place, Place::Lines(InLines::start(self.lines)?));
        if let Place::Screen(screen) = before
            && let Some(error) = screen.finish()?
        {
            self.lines.printer.say(&format!("note: no live screen: {error}; plain lines follow"));
        }
        Ok(())
    }

    /// Shows a view as soon as the place can; never waits.
    pub(super) fn show(&mut self, view: View) -> anyhow::Result<()> {
        match &mut self.place {
            Place::Screen(screen) => {
                screen.views.show(view);
                Ok(())
            }
            Place::Lines(lines) => lines.show(view),
        }
    }

    /// Leaves the screen, or waits until the lines are taken.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        match self.place {
            Place::Screen(screen) => {
                if let Some(error) = screen.finish()? {
                    self.lines.printer.say(&format!("note: the screen ended: {error}"));
                }
                Ok(())
            }
            Place::Lines(lines) => lines.finish(),
        }
    }
}

impl OnScreen {
    /// What the screen could not do.
    fn finish(self) -> anyhow::Result<Option<ScreenError>> {
        self.leave.store(true, Ordering::Relaxed);
        match self.thread.join() {
            Ok(Err(ScreenError::Panicked)) | Err(_) => Err(anyhow::anyhow!("the screen's thread panicked")),
            Ok(ended) => Ok(ended.err()),
        }
    }
}

impl InLines {
    fn start(plan: LinesPlan) -> std::io::Result<Self> {
        let (views, coming) = sync_channel::<View>(MOST_WAITING);
        let LinesPlan { look, printer, to_stdout } = plan;
        let write = move || {
            let mut plain = Plain::new(look);
            for view in coming {
                for line in plain.lines(&view) {
                    // The names in it are redacted already.
                    if to_stdout { printer.result(&format!("{line}\n"))? } else { printer.say_redacted(&line) }
                }
            }
            Ok(())
        };
        let thread = std::thread::Builder::new().name("lines".to_owned()).spawn(write)?;
        Ok(Self { views, thread, dropped: 0 })
    }

    fn show(&mut self, mut view: View) -> anyhow::Result<()> {
        if self.dropped > 0 {
            let n = self.dropped;
            view.notes.push(format!("{n} readings have no line here: nobody took the lines for a while"));
        }
        match self.views.try_send(view) {
            Ok(()) => self.dropped = 0,
            Err(TrySendError::Full(_)) => self.dropped += 1,
            Err(TrySendError::Disconnected(_)) => anyhow::bail!("nothing more can be printed"),
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<()> {
        drop(self.views);
        match self.thread.join() {
            Ok(written) => Ok(written?),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> LinesPlan {
        LinesPlan { look: Look::default(), printer: Printer::new(true), to_stdout: false }
    }

    #[tokio::test]
    async fn a_screen_that_cannot_be_drawn_becomes_lines() {
        let (views, _screen) = peaje_tui::views();
        let mut said = Said::on_screen(views, lines(), |_| Err(ScreenError::NoTerminal)).expect("a thread");
        assert_eq!(said.gone().await, Gone::Failed);
        said.fall_back().expect("lines");
        assert!(matches!(said.place, Place::Lines(_)));
        said.show(View::default()).expect("it goes on");
        said.finish().expect("written");
    }

    #[tokio::test]
    async fn a_viewer_who_leaves_ends_the_watch() {
        let (views, _screen) = peaje_tui::views();
        let mut said = Said::on_screen(views, lines(), |_| Ok(peaje_tui::Ended::Quit)).expect("a thread");
        assert_eq!(said.gone().await, Gone::Left);
        said.finish().expect("left");
    }

    #[test]
    fn lines_that_nobody_takes_are_counted_and_told_later() {
        let (views, coming) = sync_channel(1);
        let thread = std::thread::spawn(|| Ok(()));
        let mut lines = InLines { views, thread, dropped: 0 };
        for _ in 0..4 {
            lines.show(View::default()).expect("a queue that is full is no error");
        }
        assert_eq!((lines.dropped, coming.recv().expect("the first").notes.len()), (3, 0));
        lines.show(View::default()).expect("room again");
        let told = coming.recv().expect("the next").notes;
        assert!(told.len() == 1 && told[0].starts_with("3 readings"), "{told:?}");
        assert_eq!(lines.dropped, 0);
        drop(coming);
        assert!(lines.show(View::default()).is_err());
    }
}

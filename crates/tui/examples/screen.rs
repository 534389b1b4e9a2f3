//! The screen with invented figures, for the test in a real terminal and for whoever wants to look at it:
//! `cargo run -p peaje-tui --example screen [panic]`. With `panic`, another thread panics after a while. SIGTERM ends it,
//! a second one at once.

#[path = "../tests/it/common/mod.rs"]
mod common;

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use peaje_diagnose::Language;
use peaje_tui::{Colours, Ended, Glyphs, Look, ScreenError, View, Views};
use tokio::signal::unix::{SignalKind, signal};

fn main() -> Result<(), ScreenError> {
    let panics = std::env::args().nth(1).is_some_and(|word| word == "panic");
    let stopped = Arc::new(AtomicBool::new(false));
    stop_on_sigterm(stopped.clone());
    let (views, screen) = peaje_tui::views();
    std::thread::spawn(move || show(&views, panics));
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    let look = Look {
        language: Language::English,
        colours: if set("NO_COLOR").is_some() { Colours::None } else { Colours::Sixteen },
        glyphs: Glyphs::of_locale(locale.as_deref()),
    };
    let ended = peaje_tui::run(&screen, &|| stopped.load(Ordering::SeqCst), look)?;
    let said = match ended {
        Ended::Quit => "quit",
        Ended::Interrupted => "interrupted",
        Ended::Stopped => "stopped",
    };
    writeln!(std::io::stdout(), "ended: {said}")?;
    Ok(())
}

/// A view every tenth of a second.
fn show(views: &Views, panics: bool) {
    for second in 0..600_u32 {
        let at = format!("2026-11-30T10:{:02}:{:02}Z", 40 + second / 60, second % 60);
        views.show(View { at, ..common::one() });
        assert!(!panics || second < 5, "a thread of the example panics");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[expect(clippy::exit, reason = "the second signal means: now, whatever is still going on")]
fn end_now() -> ! {
    std::process::exit(3)
}

fn stop_on_sigterm(stopped: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let mut signals = signal(SignalKind::terminate()).expect("a signal handler");
            signals.recv().await;
            stopped.store(true, Ordering::SeqCst);
            signals.recv().await;
            peaje_tui::restore();
            end_now();
        });
    });
}

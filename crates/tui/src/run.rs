//! The screen on a real terminal: keys and views in, frames out. The only part with a clock and a terminal.

use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::terminal::{FullScreen, ScreenError};
use crate::{Action, Key, Look, Screen, Size, State, draw};

/// How long a key, a new view or a stop may wait.
const ATTENTION: Duration = Duration::from_millis(50);
/// Frames are at least this far apart when nothing but views asks for them: a slow line is not flooded.
const LEAST_BETWEEN_VIEWS: Duration = Duration::from_millis(200);

/// How the viewer left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By the key for it.
    Quit,
    /// By Ctrl-C.
    Interrupted,
    /// `stop` said so.
    Stopped,
}

/// Shows the views that come, until the viewer quits or `stop` says so. Blocks: give it a thread of its own, whose
/// standstill holds up nothing else. The terminal is restored however it ends.
///
/// # Errors
/// No terminal, a terminal that is gone, or a panic elsewhere.
pub fn run(screen: &Screen, stop: &dyn Fn() -> bool, look: Look) -> Result<Ended, ScreenError> {
    let mut full = FullScreen::enter()?;
    let size = full.terminal.size()?;
    let mut state = State::new(look, Size { width: size.width, height: size.height });
    let mut last_view: Option<Instant> = None;
    let mut redraw = true;
    loop {
        if FullScreen::is_lost() {
            return Err(ScreenError::Panicked);
        }
        if stop() {
            return Ok(Ended::Stopped);
        }
        if last_view.is_none_or(|at| at.elapsed() >= LEAST_BETWEEN_VIEWS) && fetch(screen, &mut state) {
            last_view = Some(Instant::now());
            redraw = true;
        }
        if std::mem::take(&mut redraw) {
            screen.while_drawing(|| full.terminal.draw(|frame| draw(&state, frame)).map(|_| ()))?;
        }
        if event::poll(ATTENTION)? {
            match heard(&mut state, &event::read()?) {
                Action::Nothing => {}
                Action::Redraw => redraw = true,
                Action::Quit => return Ok(Ended::Quit),
                Action::Interrupt => return Ok(Ended::Interrupted),
            }
        }
    }
}

fn fetch(screen: &Screen, state: &mut State) -> bool {
    let (view, dropped) = screen.fetch();
    state.set_dropped(dropped);
    let Some(view) = view else { return false };
    state.show(view);
    true
}

fn heard(state: &mut State, event: &Event) -> Action {
    match event {
        Event::Resize(width, height) => {
            state.resize(Size { width: *width, height: *height });
            Action::Redraw
        }
        Event::Key(key) if key.kind != KeyEventKind::Release => key_of(*key).map_or(Action::Nothing, |k| state.key(k)),
        _ => Action::Nothing,
    }
}

fn key_of(key: KeyEvent) -> Option<Key> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return (key.code == KeyCode::Char('c')).then_some(Key::Interrupt);
    }
    Some(match key.code {
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Tab | KeyCode::BackTab => Key::Tab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_terminal_are_those_of_the_screen() {
        let pressed = |code, modifiers| key_of(KeyEvent::new(code, modifiers));
        assert_eq!(pressed(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Key::Interrupt));
        assert_eq!(pressed(KeyCode::Char('z'), KeyModifiers::CONTROL), None);
        assert_eq!(pressed(KeyCode::Char('c'), KeyModifiers::NONE), Some(Key::Char('c')));
        assert_eq!(pressed(KeyCode::BackTab, KeyModifiers::SHIFT), Some(Key::Tab));
        assert_eq!(pressed(KeyCode::F(5), KeyModifiers::NONE), None);
    }

    #[test]
    fn a_released_key_is_no_second_press() {
        let mut state = State::new(Look::default(), Size::LEAST);
        let mut key = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE);
        key.kind = KeyEventKind::Release;
        assert_eq!(heard(&mut state, &Event::Key(key)), Action::Nothing);
        assert_eq!(heard(&mut state, &Event::Resize(90, 30)), Action::Redraw);
        assert_eq!(state.size, Size { width: 90, height: 30 });
    }
}

//! What the viewer has chosen, and what is shown: pure, driven by keys and views.
//!
//! A frozen screen keeps the view it had; the newest one waits behind it, so that thawing shows the present at once.

use peaje_diagnose::page;
use peaje_model::{Finding, GroupKind, Verdict};
use peaje_report::Words;

use crate::view::GroupView;
use crate::{Action, Key, Look, View, draw};

/// The order of the applications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// Most logins first.
    #[default]
    Logins,
    /// Most sessions first.
    Sessions,
    /// Shortest mean session life first.
    Life,
    /// What was found first, the surest first.
    Verdict,
    /// By name.
    Name,
}

impl Sort {
    const ALL: [Sort; 5] = [Sort::Logins, Sort::Sessions, Sort::Life, Sort::Verdict, Sort::Name];

    fn next(self) -> Self {
        let at = Self::ALL.iter().position(|sort| *sort == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }

    /// The word in message ids.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Sort::Logins => "logins",
            Sort::Sessions => "sessions",
            Sort::Life => "life",
            Sort::Verdict => "verdict",
            Sort::Name => "name",
        }
    }
}

/// Columns and lines of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub width: u16,
    /// Lines.
    pub height: u16,
}

impl Size {
    /// The least that everything has its place in.
    pub const LEAST: Size = Size { width: 60, height: 15 };

    pub(crate) fn is_enough(self) -> bool {
        self.width >= Self::LEAST.width && self.height >= Self::LEAST.height
    }
}

/// Which list the arrows move in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Focus {
    #[default]
    Applications,
    Findings,
}

/// What covers the lists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Over {
    #[default]
    Nothing,
    Help,
    /// The page of a finding.
    Page {
        code: String,
        scroll: usize,
    },
    /// The filter is being typed; what it was before.
    Filter(String),
}

/// The screen, but for its drawing.
#[derive(Debug)]
pub struct State {
    pub(crate) look: Look,
    pub(crate) words: Words,
    pub(crate) size: Size,
    /// What is shown.
    pub(crate) view: Option<View>,
    /// What came while the screen was frozen; its presence is what frozen means.
    pub(crate) frozen: Option<Frozen>,
    pub(crate) sort: Sort,
    pub(crate) filter: String,
    /// The server whose figures are shown; `None`: all.
    pub(crate) server: Option<usize>,
    pub(crate) processes: bool,
    pub(crate) focus: Focus,
    /// The selected application and finding, by their place in the lists shown.
    pub(crate) application: usize,
    pub(crate) finding: usize,
    pub(crate) over: Over,
    pub(crate) dropped: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Frozen {
    pub(crate) newest: Option<View>,
    pub(crate) missed: u64,
}

impl State {
    /// An empty screen.
    pub fn new(look: Look, size: Size) -> Self {
        Self {
            look,
            words: Words::of(look.language),
            size,
            view: None,
            frozen: None,
            sort: Sort::default(),
            filter: String::new(),
            server: None,
            processes: false,
            focus: Focus::default(),
            application: 0,
            finding: 0,
            over: Over::default(),
            dropped: 0,
        }
    }

    /// Takes a newer view, unless the screen is frozen.
    pub fn show(&mut self, view: View) {
        match &mut self.frozen {
            Some(frozen) => {
                frozen.newest = Some(view);
                frozen.missed += 1;
            }
            None => self.view = Some(view),
        }
        self.keep_in_range();
    }

    /// How many views the screen was too slow for.
    pub fn set_dropped(&mut self, dropped: u64) {
        self.dropped = dropped;
    }

    /// The terminal has another size.
    pub fn resize(&mut self, size: Size) {
        self.size = size;
        self.keep_in_range();
    }

    /// A key was pressed.
    pub fn key(&mut self, key: Key) -> Action {
        if key == Key::Interrupt {
            return Action::Interrupt;
        }
        let action = match self.over {
            Over::Nothing => self.key_in_lists(key),
            Over::Help => self.close(),
            Over::Page { .. } => self.key_in_page(key),
            Over::Filter(_) => self.key_in_filter(key),
        };
        self.keep_in_range();
        action
    }

    fn key_in_lists(&mut self, key: Key) -> Action {
        match key {
            Key::Char('q') => return Action::Quit,
            Key::Char('?' | 'h') => self.over = Over::Help,
            Key::Char('s') => self.sort = self.sort.next(),
            Key::Char('/') => self.over = Over::Filter(self.filter.clone()),
            Key::Char('f' | ' ') => self.freeze_or_thaw(),
            Key::Char('p') => self.processes = !self.processes,
            Key::Tab => {
                self.focus = match self.focus {
                    Focus::Applications => Focus::Findings,
                    Focus::Findings => Focus::Applications,
                }
            }
            Key::Enter | Key::Char('o') => return self.open_page(),
            Key::Left => self.step_server(self.servers()),
            Key::Right => self.step_server(1),
            Key::Esc if !self.filter.is_empty() => self.filter.clear(),
            Key::Esc => self.server = None,
            Key::Up | Key::Char('k') => self.select(|at| at.saturating_sub(1)),
            Key::Down | Key::Char('j') => self.select(|at| at + 1),
            Key::PageUp => self.select(|at| at.saturating_sub(10)),
            Key::PageDown => self.select(|at| at + 10),
            Key::Home => self.select(|_| 0),
            Key::End => self.select(|_| usize::MAX),
            _ => return Action::Nothing,
        }
        Action::Redraw
    }

    fn key_in_page(&mut self, key: Key) -> Action {
        let screenful = draw::page_lines(self.size);
        let Over::Page { scroll, .. } = &mut self.over else { return Action::Nothing };
        match key {
            Key::Up | Key::Char('k') => *scroll = scroll.saturating_sub(1),
            Key::Down | Key::Char('j') => *scroll += 1,
            Key::PageUp | Key::Char('b') => *scroll = scroll.saturating_sub(screenful),
            Key::PageDown | Key::Char(' ') => *scroll += screenful,
            Key::Home => *scroll = 0,
            Key::End => *scroll = usize::MAX,
            Key::Esc | Key::Enter | Key::Left | Key::Char('q') => return self.close(),
            _ => return Action::Nothing,
        }
        Action::Redraw
    }

    fn key_in_filter(&mut self, key: Key) -> Action {
        let Over::Filter(before) = &self.over else { return Action::Nothing };
        match key {
            Key::Char(c) => self.filter.push(c),
            Key::Backspace => {
                self.filter.pop();
            }
            Key::Esc => {
                self.filter.clone_from(before);
                return self.close();
            }
            Key::Enter => return self.close(),
            _ => return Action::Nothing,
        }
        Action::Redraw
    }

    fn close(&mut self) -> Action {
        self.over = Over::Nothing;
        Action::Redraw
    }

    fn freeze_or_thaw(&mut self) {
        match self.frozen.take() {
            None => self.frozen = Some(Frozen::default()),
            Some(Frozen { newest: Some(view), .. }) => self.view = Some(view),
            Some(_) => {}
        }
    }

    /// The page of the selected finding, or of what was found of the selected application.
    fn open_page(&mut self) -> Action {
        let code = match self.focus {
            Focus::Findings => self.findings().get(self.finding).map(|finding| finding.code.clone()),
            Focus::Applications => self
                .applications()
                .get(self.application)
                .filter(|view| view.group.verdict == Verdict::Found)
                .and_then(|view| view.group.verdict_codes.first().cloned()),
        };
        match code.filter(|code| page(code, self.look.language).is_some()) {
            Some(code) => {
                self.over = Over::Page { code, scroll: 0 };
                Action::Redraw
            }
            None => Action::Nothing,
        }
    }

    fn servers(&self) -> usize {
        self.view.as_ref().map_or(0, |view| view.servers.len())
    }

    /// All, then one after the other, then all again.
    fn step_server(&mut self, by: usize) {
        let places = self.servers() + 1;
        let at = (self.server.map_or(0, |at| at + 1) + by) % places;
        self.server = at.checked_sub(1);
    }

    fn select(&mut self, to: impl Fn(usize) -> usize) {
        match self.focus {
            Focus::Applications => self.application = to(self.application),
            Focus::Findings => self.finding = to(self.finding),
        }
    }

    fn keep_in_range(&mut self) {
        self.server = self.server.filter(|at| *at < self.servers() && self.servers() > 1);
        self.application = self.application.min(self.applications().len().saturating_sub(1));
        self.finding = self.finding.min(self.findings().len().saturating_sub(1));
        let size = self.size;
        let language = self.look.language;
        if let Over::Page { code, scroll } = &mut self.over {
            let lines = page(code, language).map_or(0, |text| draw::page_length(text, size));
            *scroll = (*scroll).min(lines.saturating_sub(draw::page_lines(size)));
        }
    }

    /// The address of the chosen server.
    pub(crate) fn chosen(&self) -> Option<&str> {
        let view = self.view.as_ref()?;
        view.servers.get(self.server?).map(|server| server.server.as_str())
    }

    /// The applications (or client processes) in the order shown.
    pub(crate) fn applications(&self) -> Vec<&GroupView> {
        let Some(view) = &self.view else { return Vec::new() };
        let kind = if self.processes { GroupKind::Process } else { GroupKind::Application };
        let chosen = self.chosen();
        let needle = self.filter.to_lowercase();
        let mut shown: Vec<&GroupView> = view
            .groups
            .iter()
            .filter(|view| view.group.kind == kind && chosen.is_none_or(|server| view.group.server == server))
            .filter(|view| needle.is_empty() || self.matches(view, &needle))
            .collect();
        shown.sort_by(|a, b| self.order(a, b).then_with(|| a.group.name.cmp(&b.group.name)));
        shown
    }

    /// By name, or by verdict as shown and by its code.
    fn matches(&self, view: &GroupView, needle: &str) -> bool {
        let verdict = self.words.verdict(&view.group).to_lowercase();
        view.group.name.to_lowercase().contains(needle)
            || verdict.contains(needle)
            || view.group.verdict_codes.iter().any(|code| code.contains(needle))
    }

    fn order(&self, a: &GroupView, b: &GroupView) -> std::cmp::Ordering {
        let (a, b) = (&a.group, &b.group);
        let most = |a: Option<f64>, b: Option<f64>| b.unwrap_or(-1.0).total_cmp(&a.unwrap_or(-1.0));
        match self.sort {
            Sort::Logins => most(a.logins_per_s, b.logins_per_s),
            Sort::Sessions => most(a.sessions, b.sessions),
            Sort::Life => {
                let life = |group: Option<f64>| group.unwrap_or(f64::INFINITY);
                life(a.mean_session_life_s).total_cmp(&life(b.mean_session_life_s))
            }
            Sort::Verdict => (b.verdict == Verdict::Found, b.grade)
                .cmp(&(a.verdict == Verdict::Found, a.grade))
                .then_with(|| most(a.logins_per_s, b.logins_per_s)),
            Sort::Name => std::cmp::Ordering::Equal,
        }
    }

    /// What was found.
    pub(crate) fn findings(&self) -> Vec<&Finding> {
        let all = self.view.iter().flat_map(|view| &view.findings);
        all.filter(|finding| finding.verdict == Verdict::Found).collect()
    }
}

//! Whole frames, compared exactly with the files under `golden/`.
//!
//! After a wanted change: `PEAJE_BLESS=1 cargo test -p peaje-tui --test it screen`, then read the difference. Below a
//! frame in colour stand its styles: a letter for each column, see [`letter`].

#![allow(clippy::unwrap_used, reason = "a test")]

use peaje_diagnose::Language;
use peaje_tui::{Action, Colours, Glyphs, Key, Look, Size, State, View, draw};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

const EN: Look = Look { language: Language::English, colours: Colours::None, glyphs: Glyphs::Unicode };
const ES: Look = Look { language: Language::Spanish, ..EN };

fn state(look: Look, (width, height): (u16, u16), view: View) -> State {
    let mut state = State::new(look, Size { width, height });
    state.show(view);
    state
}

fn drawn(state: &State, (width, height): (u16, u16)) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(state, frame)).unwrap();
    terminal.backend().buffer().clone()
}

fn rows(buffer: &Buffer, of: impl Fn(&Cell) -> String) -> String {
    let width = usize::from(buffer.area.width);
    let row = |cells: &[Cell]| cells.iter().map(&of).collect::<String>().trim_end().to_owned() + "\n";
    buffer.content.chunks(width).map(row).collect()
}

fn text(buffer: &Buffer) -> String {
    rows(buffer, |cell| cell.symbol().to_owned())
}

/// `r`, `y`, `g`, `c`: a colour; `B` bold, `d` dim, `v` reversed; a bold colour is its capital.
fn letter(cell: &Cell) -> String {
    let bold = cell.modifier.contains(Modifier::BOLD);
    let colour = match cell.fg {
        Color::Red => 'r',
        Color::Yellow => 'y',
        Color::Green => 'g',
        Color::Cyan => 'c',
        _ if cell.modifier.contains(Modifier::REVERSED) => 'v',
        _ if cell.modifier.contains(Modifier::DIM) => 'd',
        _ if bold => 'B',
        _ => ' ',
    };
    if bold { colour.to_ascii_uppercase().to_string() } else { colour.to_string() }
}

fn check(name: &str, said: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("PEAJE_BLESS").is_some() {
        std::fs::write(&path, said).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap();
    assert!(said == wanted, "{name} differs; said:\n{said}\nwanted:\n{wanted}");
    // Golden files are blessed by machine; these laws hold whatever they say.
    assert!(!said.contains('⟨') && !said.contains("NaN"), "{name}: {said}");
}

fn check_frame(name: &str, state: &State, size: (u16, u16)) {
    check(name, &text(&drawn(state, size)));
}

#[test]
fn one_server_in_both_languages_at_several_sizes() {
    for (width, height) in [(60, 15), (80, 24), (120, 40)] {
        let size = (width, height);
        check_frame(&format!("one.en.{width}x{height}.txt"), &state(EN, size, crate::common::one()), size);
        check_frame(&format!("one.es.{width}x{height}.txt"), &state(ES, size, crate::common::one()), size);
    }
}

#[test]
fn many_servers() {
    let size = (80, 24);
    check_frame("fleet.en.80x24.txt", &state(EN, size, crate::common::fleet()), size);
    let size = (120, 50);
    check_frame("fleet.es.120x50.txt", &state(ES, size, crate::common::fleet()), size);
    let mut chosen = state(EN, (80, 24), crate::common::fleet());
    for _ in 0..3 {
        chosen.key(Key::Right);
    }
    check_frame("fleet-third.en.80x24.txt", &chosen, (80, 24));
}

#[test]
fn the_first_minutes() {
    let size = (80, 24);
    check_frame("early.en.80x24.txt", &state(EN, size, crate::common::early()), size);
    check_frame("silent.en.80x24.txt", &state(EN, size, crate::common::silent()), size);
    check_frame("waiting.en.60x15.txt", &State::new(EN, Size::LEAST), (60, 15));
}

#[test]
fn colours_and_their_words() {
    let size = (100, 30);
    let coloured = state(Look { colours: Colours::Sixteen, ..EN }, size, crate::common::one());
    let buffer = drawn(&coloured, size);
    check("one.colour.100x30.txt", &format!("{}\n{}", text(&buffer), rows(&buffer, letter)));
    // Colours repeat what the words say: without them the text is the same.
    assert_eq!(text(&buffer), text(&drawn(&state(EN, size, crate::common::one()), size)));
}

#[test]
fn without_colours_no_cell_has_one() {
    for view in [crate::common::one(), crate::common::fleet(), crate::common::early()] {
        let buffer = drawn(&state(EN, (100, 30), view), (100, 30));
        assert!(buffer.content.iter().all(|cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset)));
    }
}

#[test]
fn ascii_where_the_locale_has_no_more() {
    let size = (80, 24);
    let ascii = state(Look { glyphs: Glyphs::Ascii, ..ES }, size, crate::common::one());
    let buffer = drawn(&ascii, size);
    assert!(buffer.content.iter().all(|cell| cell.symbol().is_ascii()), "{}", text(&buffer));
    check("one.ascii.es.80x24.txt", &text(&buffer));
}

#[test]
fn a_window_that_is_too_small_says_so() {
    for size in [(59, 15), (60, 14), (20, 5), (1, 1)] {
        let said = text(&drawn(&state(EN, size, crate::common::one()), size));
        if size.0 >= 20 {
            assert!(said.replace('\n', " ").contains("60 x"), "{said}");
        }
    }
    let mut state = state(EN, (40, 10), crate::common::one());
    check_frame("too-small.en.40x10.txt", &state, (40, 10));
    state.resize(Size::LEAST);
    assert!(text(&drawn(&state, (60, 15))).contains("cron-report"));
}

#[test]
fn every_size_is_drawn_without_a_panic() {
    for view in
        [crate::common::one(), crate::common::fleet(), crate::common::early(), crate::common::silent(), View::default()]
    {
        let mut state = state(EN, (80, 24), view);
        for (width, height) in (1..140_u16).step_by(7).flat_map(|w| (1..60_u16).step_by(5).map(move |h| (w, h))) {
            state.resize(Size { width, height });
            drawn(&state, (width, height));
        }
    }
}

#[test]
fn a_hostile_name_cannot_leave_its_place() {
    let mut view = crate::common::one();
    view.groups[1].group.name = "\u{1b}[2J\u{202e}evil\n@ 10.0.0.7".into();
    view.servers[0].server = "db\u{7}:1".into();
    let buffer = drawn(&state(EN, (80, 24), view), (80, 24));
    for cell in &buffer.content {
        assert!(!cell.symbol().contains(|c: char| c.is_control() || c == '\u{202e}'), "{:?}", cell.symbol());
    }
}

#[test]
fn the_page_of_a_finding_opens_scrolls_and_closes() {
    let size = (80, 24);
    let mut state = state(EN, size, crate::common::one());
    state.key(Key::Tab);
    assert_eq!(state.key(Key::Enter), Action::Redraw);
    check_frame("page.en.80x24.txt", &state, size);
    state.key(Key::End);
    let end = text(&drawn(&state, size));
    assert!(end.contains("No login was tried to its end."), "{end}");
    for _ in 0..500 {
        state.key(Key::Down);
    }
    assert_eq!(text(&drawn(&state, size)), end, "it does not scroll beyond its end");
    state.key(Key::Up);
    assert_ne!(text(&drawn(&state, size)), end, "one step back is one step");
    assert_eq!(state.key(Key::Char('q')), Action::Redraw, "q closes the page, not the screen");
    assert!(text(&drawn(&state, size)).contains("applications"));
    assert_eq!(state.key(Key::Char('q')), Action::Quit);
}

#[test]
fn the_help_names_the_keys() {
    for (look, name) in [(EN, "help.en.60x15.txt"), (ES, "help.es.60x15.txt")] {
        let mut state = state(look, (60, 15), crate::common::one());
        state.key(Key::Char('?'));
        check_frame(name, &state, (60, 15));
        state.key(Key::Esc);
        assert!(text(&drawn(&state, (60, 15))).contains("cron-report"));
    }
}

/// The names of the applications in the order shown.
fn names(state: &State) -> Vec<String> {
    let said = text(&drawn(state, (120, 40)));
    let row = said.lines().skip_while(|line| !line.starts_with("applications")).skip(1);
    row.take_while(|line| line.contains(" @ ")).map(|line| line[2..].split(" @").next().unwrap().to_owned()).collect()
}

#[test]
fn sorting_goes_round() {
    let mut state = state(EN, (120, 40), crate::common::one());
    let orders = [
        ["cron-report", "web-shop", "billing", "psql"],
        ["web-shop", "billing", "cron-report", "psql"],
        ["cron-report", "web-shop", "psql", "billing"],
        ["cron-report", "web-shop", "billing", "psql"],
        ["billing", "cron-report", "psql", "web-shop"],
        ["cron-report", "web-shop", "billing", "psql"],
    ];
    for order in orders {
        assert_eq!(names(&state), order);
        state.key(Key::Char('s'));
    }
}

#[test]
fn the_filter_is_typed_kept_and_dropped() {
    let mut state = state(EN, (120, 40), crate::common::one());
    state.key(Key::Char('/'));
    for c in "SHOPx".chars() {
        state.key(Key::Char(c));
    }
    assert!(text(&drawn(&state, (120, 40))).contains("filter: SHOPx_"));
    state.key(Key::Backspace);
    assert_eq!(names(&state), ["web-shop"]);
    state.key(Key::Enter);
    assert!(text(&drawn(&state, (120, 40))).contains("filter “SHOP”"));
    // A verdict as shown, and its code.
    for (typed, found) in [("does not pool", "cron-report"), ("idle-timeout", "web-shop")] {
        state.key(Key::Esc);
        state.key(Key::Char('/'));
        typed.chars().for_each(|c| {
            state.key(Key::Char(c));
        });
        assert_eq!(names(&state), [found], "{typed}");
        state.key(Key::Enter);
    }
    state.key(Key::Char('/'));
    state.key(Key::Char('z'));
    state.key(Key::Esc);
    assert_eq!(names(&state), ["web-shop"], "Esc brings the filter before back");
    state.key(Key::Esc);
    assert_eq!(names(&state).len(), 4);
}

#[test]
fn a_frozen_screen_keeps_its_figures_and_thaws_to_the_newest() {
    let size = (100, 30);
    let at = |second: u32| View { at: format!("2026-11-30T10:41:{second:02}Z"), ..crate::common::one() };
    let mut state = state(EN, size, at(7));
    state.key(Key::Char('f'));
    for second in [17, 27] {
        state.show(at(second));
    }
    let frozen = text(&drawn(&state, size));
    assert!(frozen.contains("10:41:07") && frozen.contains("FROZEN, 2 readings since"), "{frozen}");
    state.key(Key::Char('f'));
    let thawed = text(&drawn(&state, size));
    assert!(thawed.contains("10:41:27") && !thawed.contains("FROZEN"), "{thawed}");
}

#[test]
fn dropped_frames_are_told() {
    let size = (100, 30);
    let mut state = state(EN, size, crate::common::one());
    state.set_dropped(3);
    assert!(text(&drawn(&state, size)).contains("3 frames dropped"));
}

#[test]
fn processes_take_the_place_of_applications() {
    let mut state = state(EN, (120, 40), crate::common::one());
    state.key(Key::Char('p'));
    let said = text(&drawn(&state, (120, 40)));
    assert!(said.contains("client processes 1") && said.contains("# 4711"), "{said}");
}

#[test]
fn the_arrows_reach_every_application_and_every_server() {
    let mut view = crate::common::one();
    for n in 0..60 {
        view.groups.push(crate::common::view_of(crate::common::group(
            crate::common::DB,
            &format!("tiny{n:02} @ h"),
            peaje_model::GroupKind::Application,
            0.001,
            1.0,
        )));
    }
    let mut state = state(EN, (80, 24), view);
    for _ in 0..200 {
        state.key(Key::Down);
    }
    assert!(text(&drawn(&state, (80, 24))).contains("> tiny59 @ h"));
    state.key(Key::Home);
    assert!(text(&drawn(&state, (80, 24))).contains("> cron-report"));

    let mut state = self::state(EN, (80, 24), crate::common::fleet());
    for n in 1..=12 {
        state.key(Key::Right);
        let said = text(&drawn(&state, (80, 24)));
        assert!(said.contains(&format!("db{n:02}.example.com:5432  server {n} of 12")), "{said}");
    }
    state.key(Key::Right);
    assert!(text(&drawn(&state, (80, 24))).contains("more servers"));
    state.key(Key::Left);
    assert!(text(&drawn(&state, (80, 24))).contains("server 12 of 12"));
    // The chosen server goes away with a new view.
    state.show(crate::common::one());
    assert!(text(&drawn(&state, (80, 24))).contains(crate::common::DB));
}

#[test]
fn keys_that_mean_nothing_change_nothing() {
    let mut state = state(EN, (80, 24), crate::common::one());
    let before = text(&drawn(&state, (80, 24)));
    for key in [Key::Char('x'), Key::Backspace] {
        assert_eq!(state.key(key), Action::Nothing);
    }
    assert_eq!(text(&drawn(&state, (80, 24))), before);
    assert_eq!(state.key(Key::Interrupt), Action::Interrupt);
    state.key(Key::Char('/'));
    assert_eq!(state.key(Key::Interrupt), Action::Interrupt, "also while the filter is typed");
}

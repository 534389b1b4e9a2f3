//! What is written is what is read, for any row; and bytes that are no row are refused.

use peaje_engine::{ServerIdentity, WatchCounters};
use peaje_model::{Gap, Segment, WhatAnswered};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

use super::*;
use crate::row::{Birth, Death, Picture, State};

const NOW_US: i64 = 1_796_068_800_123_456;

fn moment() -> impl Strategy<Value = i64> {
    (0..10_000_000_i64).prop_map(|before_ms| (NOW_US.div_euclid(1000) - before_ms) * 1000)
}

fn state() -> impl Strategy<Value = State> {
    (of(moment()), any::<Option<bool>>()).prop_map(|(idle_since_us, used)| State { idle_since_us, used })
}

fn birth() -> impl Strategy<Value = Birth> {
    (any::<u64>(), any::<u64>(), moment(), 0..u32::MAX, of(0..u64::MAX - 1), any::<bool>()).prop_map(
        |(serial, id, opened_us, origin, process, found)| Birth { serial, id, opened_us, origin, process, found },
    )
}

fn origin() -> impl Strategy<Value = Origin> {
    (".{0,9}", ".{0,9}", ".{0,9}", ".{0,9}", of(".{0,9}"), any::<Option<bool>>(), 0..APART.len()).prop_map(
        |(application, host, user, database, authentication, encrypted, apart)| Origin {
            application,
            host,
            user,
            database,
            authentication,
            encrypted,
            apart: APART[apart],
        },
    )
}

fn totals() -> impl Strategy<Value = WatchCounters> {
    (of(-(1_i64 << 55)..1 << 55), vec(of(0..u64::MAX - 1), 14)).prop_map(|(since_us, values)| {
        let mut totals = WatchCounters { since_us, ..WatchCounters::default() };
        Counter::ALL.into_iter().zip(&values).for_each(|(counter, value)| *counter.place(&mut totals) = *value);
        (totals.sessions, totals.active) = (values[10], values[11]);
        (totals.waiting, totals.peak_sessions) = (values[12], values[13]);
        totals
    })
}

fn picture() -> impl Strategy<Value = Picture> {
    prop_oneof![vec(state(), 0..40).prop_map(Picture::States), vec((birth(), state()), 0..40).prop_map(Picture::Whole)]
}

fn interval() -> impl Strategy<Value = Interval> {
    let death = (any::<u64>(), state()).prop_map(|(serial, State { idle_since_us, used })| Death {
        serial,
        idle_since_us,
        used,
    });
    let identity = ("\\PC{0,9}", of(-(1_i64 << 55)..1 << 55), "\\PC{0,9}")
        .prop_map(|(name, started_us, origin)| ServerIdentity { name, started_us, origin });
    let gap =
        ("\\PC{0,9}", "\\PC{0,9}", of("\\PC{0,9}")).prop_map(|(what, why, next_step)| Gap { what, why, next_step });
    let figures = (vec(of(0..u64::MAX - 1), 13), of(0..CUTS.len()), 0..1_u64 << 55, any::<bool>());
    let sessions = (vec((any::<u32>(), origin()), 0..5), vec(birth(), 0..40), vec(death, 0..40), of(picture()));
    let rare = (of(identity), of(totals()), of(vec(gap, 0..3)), vec((any::<u32>(), any::<u32>()), 0..40));
    (figures, sessions, rare).prop_map(|(figures, sessions, rare)| {
        let mut changes = Changes::default();
        Counter::ALL.into_iter().zip(&figures.0).for_each(|(counter, value)| changes.set(counter, *value));
        Interval {
            server_us: NOW_US,
            length_us: figures.2,
            cut: figures.1.map(|cut| CUTS[cut]),
            changes,
            sessions: figures.0[10],
            active: figures.0[11],
            waiting: figures.0[12],
            seen: figures.3,
            identity: rare.0,
            totals: rare.1,
            missing: rare.2,
            origins: sessions.0,
            births: sessions.1,
            deaths: sessions.2,
            busy: rare.3,
            picture: sessions.3,
        }
    })
}

proptest! {
    #[test]
    fn an_interval_comes_back_as_it_was(interval in interval(), at_us in -LATEST_US..LATEST_US) {
        let row = Row { at_us, what: What::Interval(Box::new(interval)) };
        prop_assert_eq!(decode(at_us, &encode(&row).unwrap()), Ok(row));
    }

    #[test]
    fn bytes_that_are_no_row_are_refused_or_read_but_never_break_anything(bytes in vec(any::<u8>(), 0..200)) {
        let _ = decode(0, &bytes);
    }

    #[test]
    fn a_row_that_was_tampered_with_breaks_nothing(interval in interval(), place: prop::sample::Index, byte: u8) {
        let mut bytes = encode(&Row { at_us: 0, what: What::Interval(Box::new(interval)) }).unwrap();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        let _ = decode(0, &bytes);
        let _ = decode(0, &bytes[..place]);
    }
}

#[test]
fn other_rows_come_back_too() {
    let answered = WhatAnswered {
        product: "PostgreSQL".to_owned(),
        version: Some("17.2".to_owned()),
        banner: None,
        reference_server: false,
        segment: Segment::Server,
        pooler: None,
    };
    let note = ServerNote { interval_us: 10_000_000, limit: Some(100), what_answered: Some(answered) };
    let missed = Missed { message: "gone".to_owned(), hint: None };
    for what in [What::Server(Box::new(note)), What::Server(Box::default()), What::Missed(missed)] {
        let row = Row { at_us: 3, what };
        assert_eq!(decode(3, &encode(&row).unwrap()), Ok(row));
    }
}

#[test]
fn a_quiet_interval_takes_few_bytes() {
    let interval = Interval { server_us: NOW_US, length_us: 9_876_543, seen: true, ..Interval::default() };
    let bytes = encode(&Row { at_us: NOW_US, what: What::Interval(Box::new(interval)) }).unwrap();
    assert!(bytes.len() < 50, "{}", bytes.len());
}

#[test]
fn what_could_not_be_read_again_is_not_written() {
    let far = LATEST_US + 1;
    let birth = Birth { serial: 1, id: 1, opened_us: far, origin: 1, process: None, found: false };
    let idle = State { idle_since_us: Some(-far), used: None };
    let known = Interval { server_us: NOW_US, ..Interval::default() };
    let identity = |started_us| Some(ServerIdentity { name: "a".into(), started_us, origin: "1".into() });
    let totals = |since_us| Some(WatchCounters { since_us, ..WatchCounters::default() });
    let wrong = [
        Interval { server_us: far, ..known.clone() },
        Interval { length_us: far as u64, ..known.clone() },
        Interval { identity: identity(Some(far)), ..known.clone() },
        Interval { totals: totals(Some(i64::MIN)), ..known.clone() },
        Interval { births: vec![birth], ..known.clone() },
        Interval { deaths: vec![Death { serial: 1, idle_since_us: Some(-far), used: None }], ..known.clone() },
        Interval { picture: Some(Picture::States(vec![idle])), ..known.clone() },
        Interval { picture: Some(Picture::Whole(vec![(birth, State::default())])), ..known.clone() },
    ];
    for interval in wrong {
        let row = Row { at_us: NOW_US, what: What::Interval(Box::new(interval)) };
        assert_eq!(encode(&row), Err(Damaged), "{row:?}");
    }
    let right = Interval { identity: identity(Some(LATEST_US)), totals: totals(Some(-LATEST_US)), ..known };
    let row = Row { at_us: NOW_US, what: What::Interval(Box::new(right)) };
    assert_eq!(decode(NOW_US, &encode(&row).unwrap()), Ok(row));
}

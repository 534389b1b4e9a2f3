//! Answers to queries, followed packet by packet.

use super::recorded::{EXPIRED, SELECT_1};
use crate::protocol::answer::{Answer, Next, Part, Step};
use crate::protocol::reply::{Done, ServerError};
use crate::protocol::result::{self, Column, column_name, text_row};
use crate::protocol::{CONTINUED, capability, packet, status};

const OLD: u32 = capability::CLIENT & !capability::DEPRECATE_EOF;

fn columns<'a>(names: &[&'a str]) -> Vec<Column<'a>> {
    names.iter().map(|name| Column { name, kind: 253, collation: 45, flags: 0 }).collect()
}

/// Follows bytes to the end of the answer; gives its rows, and the error if there is one.
fn follow(bytes: &[u8], capabilities: u32) -> (u64, Option<u16>) {
    let mut answer = Answer::new(capabilities);
    let mut rest = bytes;
    loop {
        let (header, payload) = packet::decode(rest).expect("the answer goes on");
        rest = &rest[packet::HEADER + payload.len()..];
        if answer.next(header.length, payload.first().copied()) == Next::Skip {
            answer.skipped(header.length).unwrap();
            continue;
        }
        match answer.packet(payload).unwrap() {
            Step::More => {}
            Step::Ended => {
                assert!(rest.is_empty(), "bytes after the end");
                return (answer.rows(), None);
            }
            Step::Failed(error) => return (answer.rows(), Some(error.code)),
            Step::WantsFile => panic!("a file"),
        }
    }
}

#[test]
fn recorded_answers() {
    assert_eq!(follow(SELECT_1, capability::CLIENT), (1, None));
    assert_eq!(follow(EXPIRED, capability::CLIENT), (0, Some(1820)));
    let (_, count) = packet::decode(SELECT_1).unwrap();
    let (header, description) = packet::decode(&SELECT_1[packet::HEADER + count.len()..]).unwrap();
    assert_eq!((header.sequence, column_name(description)), (2, Ok(&b"1"[..])));
}

#[test]
fn results_of_both_endings() {
    let rows = vec![
        vec![Some(b"1".to_vec()), None],
        vec![Some(vec![]), Some(vec![b'x'; 300])],
        // Rows whose first byte is that of an end: a value of 64 KiB and more, and of nothing.
        vec![Some(vec![0xFE; 70_000]), None],
        vec![None, Some(b"\xFF\xFE\x00".to_vec())],
    ];
    for capabilities in [capability::CLIENT, OLD] {
        for several in [false, true] {
            let mut out = Vec::new();
            let mut next = 1;
            if several {
                let more = status::AUTOCOMMIT | status::MORE_RESULTS;
                next = result::result(&mut out, next, capabilities, more, &columns(&["a", "b"]), &rows);
                Done { status: more, ..Done::default() }.encode(&mut out, next);
                next += 1;
            }
            result::result(&mut out, next, capabilities, status::AUTOCOMMIT, &columns(&["a", "b"]), &rows);
            assert_eq!(follow(&out, capabilities), (if several { 8 } else { 4 }, None));
        }
    }
    for row in &rows {
        let mut out = Vec::new();
        result::result(&mut out, 1, OLD, 0, &columns(&["a", "b"]), std::slice::from_ref(row));
        let mut rest = out.as_slice();
        for _ in 0..4 {
            rest = &rest[packet::HEADER + packet::header(rest).unwrap().length..];
        }
        let (_, payload) = packet::decode(rest).unwrap();
        let read: Vec<Option<Vec<u8>>> = text_row(payload, 2).unwrap().iter().map(|v| v.map(<[u8]>::to_vec)).collect();
        assert_eq!(read, *row);
        assert!(text_row(payload, 3).is_err() && text_row(payload, 1).is_err());
    }
}

#[test]
fn an_error_after_some_rows() {
    let mut out = Vec::new();
    result::result(&mut out, 1, capability::CLIENT, 0, &columns(&["a"]), &[vec![Some(b"1".to_vec())]]);
    let end = out.len() - 11;
    out.truncate(end);
    ServerError { code: 1317, sqlstate: Some(*b"70100"), message: b"interrupted" }.encode(&mut out, 4);
    assert_eq!(follow(&out, capability::CLIENT), (1, Some(1317)));
}

/// The rest of a row of 16 MiB may begin with anything.
#[test]
fn the_rest_of_a_long_row_is_not_looked_at() {
    for capabilities in [capability::CLIENT, OLD] {
        let mut answer = Answer::new(capabilities);
        assert_eq!(answer.packet(&[1]), Ok(Step::More));
        answer.skipped(30).unwrap();
        if capabilities == OLD {
            assert_eq!(answer.packet(&[0xFE, 0, 0, 2, 0]), Ok(Step::More));
        }
        // A value of 16 MiB and more begins with the byte of an end.
        assert_eq!(answer.next(CONTINUED, Some(0xFE)), Next::Skip);
        answer.skipped(CONTINUED).unwrap();
        for first in [Some(0xFF), Some(0xFE), Some(0), None] {
            assert_eq!((answer.next(CONTINUED, first), answer.part()), (Next::Skip, Part::Continued));
            answer.skipped(CONTINUED).unwrap();
        }
        assert_eq!(answer.next(0, None), Next::Skip);
        answer.skipped(0).unwrap();
        assert_eq!((answer.rows(), answer.part()), (1, Part::Rows));
        assert_eq!(answer.next(7, Some(0xFE)), Next::Read);
    }
}

#[test]
fn what_cannot_begin_an_answer() {
    for bytes in [&b""[..], b"\xfe", b"\xfc\xff", b"\xfd\xff\xff\xff", b"\0", b"\xff\x10"] {
        assert!(Answer::new(capability::CLIENT).packet(bytes).is_err(), "{bytes:?}");
    }
    assert_eq!(Answer::new(capability::CLIENT).packet(b"\xfb/etc/passwd"), Ok(Step::WantsFile));
}

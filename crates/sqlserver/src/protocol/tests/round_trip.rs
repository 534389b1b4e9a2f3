//! What one side writes the other reads, however the bytes are cut on the way.

use peaje_model::Secret;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::protocol::login7::{Feature, Login7};
use crate::protocol::packet::{Assembler, Framing, PacketKind};
use crate::protocol::prelogin::{Encryption, Prelogin, TraceId};
use crate::protocol::request;
use crate::protocol::token::{
    Done, DoneKind, EnvChange, LoginAck, Rows, ServerMessage, Token, TokenReader, done, write,
};
use crate::protocol::types::{Column, TypeInfo, Value};

fn text(most: usize) -> impl Strategy<Value = String> {
    prop_oneof![proptest::string::string_regex("[a-zñ€😀 ]{0,20}").unwrap(), Just("x".repeat(most))]
}

fn columns() -> Vec<Column> {
    vec![
        Column::new("a bit", TypeInfo::bit()),
        Column::new("n", TypeInfo::int()),
        Column::new("big", TypeInfo::big_int()),
        Column::new("text", TypeInfo::nvarchar(200)),
        Column::new("long text", TypeInfo::nvarchar(u32::MAX)),
        Column::new("when", TypeInfo::datetime2()),
        Column::new("bytes", TypeInfo::varbinary(100)),
        Column::new("long bytes", TypeInfo::varbinary(10_000)),
        Column::new("x", TypeInfo::float()),
    ]
}

prop_compose! {
    fn row()(
        nulls in vec(any::<bool>(), 9), bit in any::<bool>(), n in any::<i32>(), big in any::<i64>(), short in text(100),
        long in text(5_000), us in 0..4_000_000_000_000_000i64, bytes in vec(any::<u8>(), 0..100),
        more in vec(any::<u8>(), 0..9_000), x in -1e9..1e9f64,
    ) -> Vec<Value> {
        let values = vec![
            Value::Bit(bit), Value::Int(n.into()), Value::Int(big), Value::Text(short), Value::Text(long),
            Value::DateTime(us), Value::Binary(bytes), Value::Binary(more), Value::Float(x),
        ];
        values.into_iter().zip(nulls).map(|(value, null)| if null { Value::Null } else { value }).collect()
    }
}

fn message() -> impl Strategy<Value = ServerMessage> {
    (any::<i32>(), any::<u8>(), any::<u8>(), text(300), text(20), any::<u32>()).prop_map(
        |(number, state, severity, message, server, line)| ServerMessage {
            number,
            state,
            severity,
            message,
            procedure: String::new(),
            server,
            line,
        },
    )
}

fn token() -> impl Strategy<Value = Token> {
    prop_oneof![
        message().prop_map(Token::Error),
        message().prop_map(Token::Info),
        (text(20), text(20)).prop_map(|(new, old)| Token::EnvChange(EnvChange::Database { new, old })),
        (512..32_767usize).prop_map(|new| Token::EnvChange(EnvChange::PacketSize { new, old: 4096 })),
        (text(50), any::<u16>()).prop_map(|(server, port)| Token::EnvChange(EnvChange::Routing { server, port })),
        any::<u64>().prop_map(|id| Token::EnvChange(EnvChange::BeginTransaction(id))),
        any::<u64>().prop_map(|id| Token::EnvChange(EnvChange::RollbackTransaction(id))),
        Just(Token::EnvChange(EnvChange::ResetDone)),
        any::<[u8; 5]>().prop_map(|c| Token::EnvChange(EnvChange::Collation(c))),
        (text(20), any::<u32>(), any::<[u8; 4]>()).prop_map(|(program, tds_version, version)| {
            Token::LoginAck(LoginAck { interface: 1, tds_version, program, version })
        }),
        any::<i32>().prop_map(Token::ReturnStatus),
        (any::<u16>(), any::<u16>(), any::<u64>()).prop_map(|(status, command, rows)| Token::Done(Done {
            kind: DoneKind::InProcedure,
            status,
            command,
            rows
        })),
        vec((0..0xffu8, vec(any::<u8>(), 0..50)), 0..4).prop_map(Token::FeatureExtAck),
        (text(30), any::<i64>()).prop_map(|(name, n)| Token::ReturnValue { name, value: Value::Int(n) }),
        Just(Token::Columns),
        row().prop_map(Token::Row),
    ]
}

fn encode(out: &mut Vec<u8>, token: &Token, compact: bool) {
    match token {
        Token::Error(message) => write::error(out, message),
        Token::Info(message) => write::info(out, message),
        Token::EnvChange(change) => write::env_change(out, change),
        Token::LoginAck(ack) => write::login_ack(out, ack),
        Token::ReturnStatus(status) => write::return_status(out, *status),
        Token::Done(done) => write::done(out, done),
        Token::FeatureExtAck(list) => {
            let list: Vec<(u8, &[u8])> = list.iter().map(|(id, data)| (*id, data.as_slice())).collect();
            write::feature_ext_ack(out, &list);
        }
        Token::ReturnValue { name, value } => write::return_value(out, 0, name, &TypeInfo::big_int(), value),
        Token::Columns => write::col_metadata(out, &columns()),
        Token::Row(values) if compact => write::nbc_row(out, &columns(), values),
        Token::Row(values) => write::row(out, &columns(), values),
        Token::Sspi | Token::FedAuthInfo | Token::Other(_) => unreachable!("not generated"),
    }
}

/// All tokens of a stream that comes in pieces of these lengths.
fn read(rows: Rows, stream: &[u8], pieces: &[usize]) -> Vec<Token> {
    let mut reader = TokenReader::new(rows);
    let mut tokens = Vec::new();
    let mut rest = stream;
    let mut lengths = pieces.iter().cycle();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.len().min(*lengths.next().unwrap()));
        rest = after;
        reader.push(piece);
        while let Some(token) = reader.next_token().unwrap() {
            tokens.push(token);
        }
    }
    assert!(reader.is_between_tokens());
    tokens
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn tokens(list in vec(token(), 0..12), pieces in vec(1..700usize, 1..5), compact in any::<bool>()) {
        // Rows need their columns first.
        let list: Vec<Token> = std::iter::once(Token::Columns).chain(list).collect();
        let mut stream = Vec::new();
        for token in &list {
            encode(&mut stream, token, compact);
        }
        prop_assert_eq!(&read(Rows::Keep { bytes: 1 << 20 }, &stream, &pieces), &list);
        let skipped = list.into_iter().map(|token| match token {
            Token::Row(_) => Token::Row(Vec::new()),
            Token::ReturnValue { name, .. } => Token::ReturnValue { name, value: Value::Null },
            other => other,
        });
        prop_assert_eq!(read(Rows::Skip, &stream, &pieces), skipped.collect::<Vec<_>>());
    }

    #[test]
    fn messages(payload in vec(any::<u8>(), 0..9_000), size in 512..5_000usize, pieces in vec(1..3_000usize, 1..5)) {
        let mut stream = Vec::new();
        Framing::new(PacketKind::Response).packet_size(size).write(&mut stream, &payload);
        let mut assembler = Assembler::new(payload.len());
        let (mut here, mut rest, mut lengths) = (Vec::new(), stream.as_slice(), pieces.iter().cycle());
        loop {
            let (piece, after) = rest.split_at(rest.len().min(*lengths.next().unwrap()));
            rest = after;
            here.extend_from_slice(piece);
            let (taken, message) = assembler.take(&here).unwrap();
            here.drain(..taken);
            if let Some(message) = message {
                prop_assert_eq!(message.payload, payload);
                prop_assert!(rest.is_empty() && here.is_empty());
                break;
            }
        }
    }

    #[test]
    fn logins(
        texts in vec(text(128), 7), password in text(128), token in text(3_000),
        nonce in proptest::option::of(any::<[u8; 32]>()),
        echo in any::<bool>(), packet_size in any::<u32>(), time_zone in any::<i32>(), with_features in any::<bool>(),
    ) {
        let [host_name, user, program, server, library, language, database] = texts.try_into().unwrap();
        let features = vec![
            Feature::AccessToken { echo, token: Secret::new(token), nonce },
            Feature::Utf8Support,
            Feature::Other { id: 9, data: vec![1, 2] },
        ];
        let login = Login7 {
            host_name, user, program, server, library, language, database, packet_size, time_zone,
            password: Secret::new(password),
            option_flags_3: if with_features { crate::protocol::login7::EXTENSION } else { 0 },
            features: if with_features { features } else { Vec::new() },
            ..Login7::default()
        };
        let mut payload = Vec::new();
        login.encode(&mut payload);
        prop_assert_eq!(Login7::decode(&payload).unwrap(), login);
    }

    #[test]
    fn prelogins(
        version in any::<[u8; 6]>(), word in 0..4u8, id in any::<([u8; 16], [u8; 16], u32)>(),
        nonce in proptest::option::of(any::<[u8; 32]>()), wants in proptest::option::of(any::<bool>()),
    ) {
        let encryption = [Encryption::LoginOnly, Encryption::On, Encryption::NotSupported, Encryption::Required];
        let message = Prelogin {
            version,
            encryption: Some(encryption[usize::from(word)]),
            instance: Some(b"SQL\0".to_vec()),
            thread_id: Some(Vec::new()),
            mars: Some(false),
            trace_id: Some(TraceId { connection: id.0, activity: id.1, sequence: id.2 }),
            fed_auth_required: wants,
            nonce,
        };
        let mut payload = Vec::new();
        message.encode(&mut payload);
        prop_assert_eq!(Prelogin::decode(&payload).unwrap(), message);
    }

    #[test]
    fn batches(sql in text(9_000)) {
        let mut payload = Vec::new();
        request::batch(&mut payload, &sql);
        prop_assert_eq!(request::decode_batch(&payload).unwrap(), sql);
    }
}

/// A value of any size passes through in the memory of a packet.
#[test]
fn rows_that_are_skipped_take_no_memory() {
    let mut stream = Vec::new();
    write::col_metadata(&mut stream, &[Column::new("blob", TypeInfo::varbinary(u32::MAX))]);
    stream.push(0xd1);
    stream.extend_from_slice(&(4_u64 << 30).to_le_bytes());
    let mut reader = TokenReader::new(Rows::Skip);
    reader.push(&stream);
    assert_eq!(reader.next_token(), Ok(Some(Token::Columns)));
    let mut chunk = 32_000u32.to_le_bytes().to_vec();
    chunk.resize(32_004, 0xab);
    for _ in 0..2_000 {
        reader.push(&chunk);
        assert_eq!(reader.next_token(), Ok(None));
        assert!(reader.buffered() < 8, "nothing of it is kept");
    }
    reader.push(&0u32.to_le_bytes());
    assert_eq!(reader.next_token(), Ok(Some(Token::Row(Vec::new()))));
    assert!(reader.is_between_tokens());
}

/// Kept rows have a limit, nulls included.
#[test]
fn rows_that_are_kept_have_a_limit() {
    let column = [Column::new("n", TypeInfo::int())];
    let mut stream = Vec::new();
    write::col_metadata(&mut stream, &column);
    for value in [Value::Int(1), Value::Null] {
        let mut reader = TokenReader::new(Rows::Keep { bytes: 1000 });
        reader.push(&stream);
        assert_eq!(reader.next_token(), Ok(Some(Token::Columns)));
        let mut row = Vec::new();
        write::row(&mut row, &column, std::slice::from_ref(&value));
        let refused = (0..1000).find_map(|_| {
            reader.push(&row);
            reader.next_token().err()
        });
        assert!(matches!(refused, Some(crate::protocol::DecodeError::TooLong { limit: 1000, .. })), "{refused:?}");
    }
}

#[test]
fn what_ends_an_answer() {
    let last = |status| Done { kind: DoneKind::Statement, status, command: 0, rows: 0 }.is_last();
    assert!(last(done::FINAL) && last(done::ERROR | done::COUNT) && !last(done::MORE | done::COUNT));
}

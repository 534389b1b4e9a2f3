//! Rules that are tables: encryption, framing, the SQL Browser, values against published encodings.

use super::bytes;
use crate::protocol::DecodeError;
use crate::protocol::browser::{self, Answered};
use crate::protocol::packet::{self, Assembler, Framing, PacketKind, Reset};
use crate::protocol::prelogin::{Agreed, Encryption, agreed, answer};
use crate::protocol::request::{self, Procedure};
use crate::protocol::types::{TypeInfo, Value, read_value, write_value};

/// MS-TDS, section 2.2.6.5: what the client says, what the server answers, what follows.
#[test]
fn encryption_table() {
    use Encryption::{LoginOnly, NotSupported, On, Required};
    let table = [
        // (client, server's setting, server's answer, result)
        (LoginOnly, LoginOnly, LoginOnly, Agreed::LoginOnly),
        (LoginOnly, NotSupported, NotSupported, Agreed::Plain),
        (LoginOnly, Required, Required, Agreed::Full),
        (On, LoginOnly, On, Agreed::Full),
        (On, NotSupported, NotSupported, Agreed::ServerCannot),
        (On, Required, On, Agreed::Full),
        (NotSupported, LoginOnly, NotSupported, Agreed::Plain),
        (NotSupported, NotSupported, NotSupported, Agreed::Plain),
        (NotSupported, Required, Required, Agreed::ClientCannot),
    ];
    for (client, setting, said, result) in table {
        assert_eq!(answer(client, setting), said, "{client:?} {setting:?}");
        assert_eq!(agreed(client, said), result, "{client:?} {said:?}");
    }
    // A server that answers less than was asked for must not be followed.
    assert_eq!(agreed(On, LoginOnly), Agreed::ServerCannot);
    assert_eq!(agreed(NotSupported, LoginOnly), Agreed::ClientCannot);
}

#[test]
fn a_message_is_cut_into_packets() {
    let payload: Vec<u8> = (0..1200u32).map(|n| n as u8).collect();
    let mut out = Vec::new();
    Framing::new(PacketKind::Batch).packet_size(512).spid(51).reset(Reset::Session).write(&mut out, &payload);
    let headers: Vec<&[u8]> = [0, 512, 1024].map(|at| &out[at..at + 8]).to_vec();
    assert_eq!(headers[0], [1, 0x08, 2, 0, 0, 51, 1, 0]);
    assert_eq!(headers[1], [1, 0, 2, 0, 0, 51, 2, 0]);
    assert_eq!(headers[2], [1, 1, 0, 200, 0, 51, 3, 0]);
    let (taken, message) = Assembler::new(1200).take(&out).unwrap();
    let message = message.unwrap();
    assert_eq!((taken, message.reset, message.payload), (out.len(), Reset::Session, payload));

    let mut empty = Vec::new();
    Framing::new(PacketKind::Attention).write(&mut empty, &[]);
    assert_eq!(empty, [6, 1, 0, 8, 0, 0, 1, 0]);
}

#[test]
fn packets_that_are_none() {
    assert_eq!(packet::peek(b"HTTP/1.1"), Err(DecodeError::UnknownPacket(b'H')));
    assert_eq!(packet::peek(b"H"), Err(DecodeError::UnknownPacket(b'H')), "one byte is enough");
    assert_eq!(packet::peek(&[4, 1, 0, 7, 0, 0, 1, 0]), Err(DecodeError::PacketLength(7)));
    assert_eq!(packet::peek(&[4, 1, 0, 8, 0, 0, 1]), Ok(None));
    let mixed = [[1, 0, 0, 8, 0, 0, 1, 0], [3, 1, 0, 8, 0, 0, 2, 0]].concat();
    assert_eq!(Assembler::new(100).take(&mixed), Err(DecodeError::MixedMessage { expected: 1, got: 3 }));
    // The limit holds before the bytes have arrived.
    let long = [1, 1, 0xff, 0xff, 0, 0, 1, 0];
    assert_eq!(Assembler::new(100).take(&long), Err(DecodeError::TooLong { what: "a message", limit: 100 }));
}

#[test]
fn the_browser_is_asked_and_believed_only_so_far() {
    assert_eq!(browser::question("SQL2022"), b"\x04SQL2022\0");
    assert_eq!(browser::decode_question(b"\x04SQL2022\0").as_deref(), Some("SQL2022"));
    for bad in [&b""[..], b"\x04", b"\x04\0", b"\x03SQL\0", b"\x04SQL"] {
        assert_eq!(browser::decode_question(bad), None);
    }
    let text =
        "ServerName;DB1;InstanceName;SQL2022;IsClustered;No;Version;16.0.4150.1;tcp;49152;np;\\\\DB1\\pipe\\sql;;";
    let reply = |text: &str| {
        let mut datagram = vec![5, text.len() as u8, (text.len() >> 8) as u8];
        datagram.extend_from_slice(text.as_bytes());
        datagram
    };
    assert_eq!(browser::decode_answer(&reply(text), "sql2022"), Answered::Port(49152));
    assert_eq!(browser::decode_answer(&reply(text), "other"), Answered::Nothing);
    let pipe_only = "ServerName;DB1;InstanceName;SQL2022;IsClustered;No;Version;16.0;np;\\\\DB1\\pipe;;";
    assert_eq!(browser::decode_answer(&reply(pipe_only), "SQL2022"), Answered::NoTcp);
    let port_0 = "ServerName;DB1;InstanceName;SQL2022;tcp;0;;";
    assert_eq!(browser::decode_answer(&reply(port_0), "SQL2022"), Answered::NoTcp);
    assert_eq!(browser::decode_answer(b"\x05\xff\xffServer", "SQL2022"), Answered::Nothing);
    let own = browser::answer("h", "SQL2022", "16.0.4150.1", 1500);
    assert_eq!(browser::decode_answer(&own, "SQL2022"), Answered::Port(1500));
}

/// Moments of every type, by their origins and units (MS-TDS, section 2.2.5.5.1).
#[test]
fn moments() {
    const DAY: i64 = 86_400_000_000;
    let read = |hex: &str| read_value(&bytes(hex)).unwrap().1;
    // datetime: 1900-01-01 00:00, 1970-01-01 12:00, one tick before midnight.
    assert_eq!(read("3d0000000000000000"), Value::DateTime(-25_567 * DAY));
    assert_eq!(read("3ddf63000000c1c500"), Value::DateTime(DAY / 2));
    assert_eq!(read("3ddf630000ff818b01").as_datetime_us(), Some(86_399 * 1_000_000 + 996_666));
    // smalldatetime, date, datetime2(7) and datetimeoffset(0): 1970-01-02 and 00:01.
    assert_eq!(read("3ae0630100"), Value::DateTime(DAY + 60_000_000));
    assert_eq!(read("28033bf90a"), Value::DateTime(DAY));
    assert_eq!(read("2a07080046c323003bf90a"), Value::DateTime(DAY + 60_000_000));
    assert_eq!(read("2b00083c00003bf90a7800"), Value::DateTime(DAY + 60_000_000));
    for us in [0, -1_000_000, DAY / 2 + 3_333, -25_567 * DAY, 1_700_000_000_000_000] {
        let back = |ty: TypeInfo| {
            let mut out = Vec::new();
            ty.write(&mut out);
            write_value(&mut out, &ty, &Value::DateTime(us));
            read_value(&out).unwrap().1.as_datetime_us().unwrap()
        };
        assert_eq!(back(TypeInfo::datetime2()), us);
        assert!((back(TypeInfo::datetime()) - us).abs() <= 1_667, "half a tick of 1/300 s");
    }
}

#[test]
fn numbers() {
    let read = |hex: &str| read_value(&bytes(hex)).unwrap().1;
    assert_eq!(read("260101ff").as_i64(), Some(255));
    assert_eq!(read("260202ffff").as_i64(), Some(-1));
    assert_eq!(read("260404feffffff").as_i64(), Some(-2));
    assert_eq!(read("26080800000000000000ff").as_i64(), Some(-(1 << 56)));
    assert_eq!(read("260400"), Value::Null);
    // decimal(5,2) 123.45 and -123.00; money 1.5.
    assert_eq!(read("6a050502050139300000"), Value::Decimal { digits: 12_345, scale: 2 });
    assert_eq!(read("6a05050205000c300000").as_i64(), Some(-123));
    assert_eq!(read("3c00000000983a0000"), Value::Decimal { digits: 15_000, scale: 4 });
    assert_eq!(read("3e000000000000f83f"), Value::Float(1.5));
}

#[test]
fn a_call_by_name_is_the_call_by_number() {
    let mut payload = Vec::new();
    request::batch(&mut payload, "");
    let headers = payload.clone();
    let call = |name: &str| {
        let mut call = headers.clone();
        call.extend_from_slice(&(name.len() as u16).to_le_bytes());
        call.extend(name.encode_utf16().flat_map(u16::to_le_bytes));
        call.extend_from_slice(&[0, 0]);
        request::decode_rpc(&call).unwrap().remove(0).procedure
    };
    assert_eq!(call("sp_executesql"), Procedure::ExecuteSql);
    assert_eq!(call("sys.sp_prepare"), Procedure::Prepare);
    assert_eq!(call("dbo.mine"), Procedure::Name("dbo.mine".to_owned()));
    // Two calls in one message, and a flag behind the last.
    let two = [&headers[..], &[0xff, 0xff, 15, 0, 0, 0, 0xff, 0xff, 0xff, 12, 0, 0, 0, 0xff]].concat();
    let calls: Vec<Procedure> = request::decode_rpc(&two).unwrap().into_iter().map(|c| c.procedure).collect();
    assert_eq!(calls, [Procedure::Unprepare, Procedure::Execute]);
}

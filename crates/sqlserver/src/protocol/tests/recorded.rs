//! What real clients sent to a server on this machine, packet by packet, in hexadecimal: user `sa`, password `secret`,
//! machine `client`.

use super::bytes;
use crate::protocol::login7::{Feature, Login7, READ_ONLY_INTENT};
use crate::protocol::packet::{Assembler, Framing, HEADER, Message, PacketKind};
use crate::protocol::prelogin::{Encryption, Prelogin};
use crate::protocol::request::{self, Procedure, TransactionRequest};
use crate::protocol::types::Value;
use crate::protocol::{MAX_MESSAGE, TDS_7_4};

/// PRELOGIN of FreeTDS 1.3's `tsql`.
pub(crate) const TSQL_PRELOGIN: &str = concat!(
    "1201003a0000000000001a00060100200001020021000c03002d00040400310001ff090000000000004d5353514c5365",
    "7276657200626a000000",
);

/// PRELOGIN of FreeTDS 1.3's ODBC driver.
pub(crate) const FREETDS_ODBC_PRELOGIN: &str = concat!(
    "1201003a0000000000001a00060100200001020021000c03002d00040400310001ff090000000000004d5353514c5365",
    "7276657200876b000000",
);

/// PRELOGIN of Microsoft's ODBC driver 18.6.
pub(crate) const ODBC_18_PRELOGIN: &str = concat!(
    "120100580000010000001f000601002500010200260001030027000404002b000105002c0024ff120600020000010000",
    "000000009e8db3fe1633fc5d0cc84aca7e4e211845f662847cdac7f5a74e1143b2fd545500000000",
);

/// PRELOGIN of Microsoft's ODBC driver 18.6 with `Encrypt=no;Database=shop;APP=app;ApplicationIntent=ReadOnly`.
pub(crate) const ODBC_18_OPTIONAL_PRELOGIN: &str = concat!(
    "120100580000010000001f000601002500010200260001030027000404002b000105002c0024ff120600020000000000",
    "000000005fbb20371387f56d8941a386ca0e3ac3cc813132bf0b7e0a9c81f2f9f09030c300000000",
);

/// PRELOGIN of `mssql-python` 1.16.
pub(crate) const MSSQL_PYTHON_PRELOGIN: &str = concat!(
    "120100580000010000001f000601002500010200260001030027000404002b000105002c0024ff120600020000010000",
    "000000004b5e2909cf4d3b19b73cf7696907fb7edd9793dcae413583b4ef59c3f9751c8a00000000",
);

/// LOGIN7 of FreeTDS 1.3's `tsql`.
pub(crate) const TSQL_LOGIN7: &str = concat!(
    "100100d100000000c900000004000074001000000683f2f8626a000000000000e003001888ffffff360400005e000600",
    "6a0002006e0006007a000400820009009400040098000b00ae000a00c2000000000000000000c2000000c2000000c200",
    "00000000000063006c00690065006e0074007300610092a5f3a593a582a5f3a5e2a55400530051004c00310032003700",
    "2e0030002e0030002e003100c20000005400440053002d004c00690062007200610072007900750073005f0065006e00",
    "67006c006900730068000a0100000001ff",
);

/// LOGIN7 of FreeTDS 1.3's ODBC driver.
pub(crate) const FREETDS_ODBC_LOGIN7: &str = concat!(
    "100100b300000000ab00000004000074001000000683f2f8876b000000000000e003001888ffffff360400005e000600",
    "6a0002006e0006007a0000007a0009008c0004009000000090000a00a4000000000000000000a4000000a4000000a400",
    "00000000000063006c00690065006e0074007300610092a5f3a593a582a5f3a5e2a53100320037002e0030002e003000",
    "2e003100a4000000750073005f0065006e0067006c006900730068000a0100000001ff",
);

/// LOGIN7 of Microsoft's ODBC driver 18.6.
pub(crate) const ODBC_18_LOGIN7: &str = concat!(
    "10010152000001004a0100000400007400000000000000079d6b000000000000e003001000000000090400005e000600",
    "6a0002006e0006007a00040082001300a8000400ac000400b4000000b4000000ffffffffffff00000000b40000000000",
    "00000000000063006c00690065006e0074007300610092a5f3a593a582a5f3a5e2a56900730071006c00740063007000",
    "3a003100320037002e0030002e0030002e0031002c0032003100360033003300b40000004f00440042004300107a0000",
    "0031007c004d0053002d004f004400420043007c00310038002e0036002e0032002e0031007c007800380036005f0036",
    "0034007c004c0069006e00750078007c004c0069006e0075007800200036002e00310038002e00340034002d00660063",
    "002d0076003600350037007c0055006e006b006e006f0077006e0001000000000901000000010a01000000010b000000",
    "00ff",
);

/// LOGIN7 of Microsoft's ODBC driver 18.6 with `Encrypt=no;Database=shop;APP=app;ApplicationIntent=ReadOnly`.
pub(crate) const ODBC_18_OPTIONAL_LOGIN7: &str = concat!(
    "100101580000010050010000040000740000000000000007ad6b000000000000e003201000000000090400005e000600",
    "6a0002006e0006007a00030080001300a6000400aa000400b2000000b2000400ffffffffffff00000000ba0000000000",
    "00000000000063006c00690065006e0074007300610092a5f3a593a582a5f3a5e2a56100700070007400630070003a00",
    "3100320037002e0030002e0030002e0031002c0032003100360033003300ba0000004f00440042004300730068006f00",
    "7000107a00000031007c004d0053002d004f004400420043007c00310038002e0036002e0032002e0031007c00780038",
    "0036005f00360034007c004c0069006e00750078007c004c0069006e0075007800200036002e00310038002e00340034",
    "002d00660063002d0076003600350037007c0055006e006b006e006f0077006e0001000000000901000000010a010000",
    "00010b00000000ff",
);

/// LOGIN7 of `mssql-python` 1.16.
pub(crate) const MSSQL_PYTHON_LOGIN7: &str = concat!(
    "10010162000001005a010000040000740000000000000007cc6b000000000000e003001000000000090400005e000600",
    "6a0002006e0006007a000c0092001300b8000400bc000400c4000000c4000000ffffffffffff00000000c40000000000",
    "00000000000063006c00690065006e0074007300610092a5f3a593a582a5f3a5e2a54d005300530051004c002d005000",
    "7900740068006f006e007400630070003a003100320037002e0030002e0030002e0031002c0032003100360033003300",
    "c40000004f00440042004300107a00000031007c004d0053002d004f004400420043007c00310038002e0036002e0032",
    "002e0031007c007800380036005f00360034007c004c0069006e00750078007c004c0069006e0075007800200036002e",
    "00310038002e00340034002d00660063002d0076003600350037007c0055006e006b006e006f0077006e000100000000",
    "0901000000010a01000000010b00000000ff",
);

/// The batch `select 1` of FreeTDS 1.3's `tsql`.
pub(crate) const TSQL_BATCH: &str =
    "010100300000010016000000120000000200000000000000000001000000730065006c00650063007400200031000a00";

/// `sp_prepexec` of FreeTDS 1.3's ODBC driver.
pub(crate) const FREETDS_ODBC_PREPEXEC: &str = concat!(
    "030100590000010016000000120000000200000000000000000001000000ffff0d000000000126040000006300000000",
    "0904d00034ffffffff000063100000000904d0003410000000730065006c0065006300740020003100",
);

/// `sp_prepexec` of Microsoft's ODBC driver 18.6.
pub(crate) const ODBC_18_PREPEXEC: &str = concat!(
    "030100630000010016000000120000000200000000000000000001000000ffff0d000000000126040000006300000000",
    "0904d00034ffffffff0000e7ffff0904d00034feffffffffffffff10000000730065006c006500630074002000310000",
    "000000",
);

/// A transaction begins (`mssql-python`).
pub(crate) const BEGIN_TRANSACTION: &str = "0e010022000001001600000012000000020000000000000000000100000005000000";

/// A transaction is rolled back and another begins (`mssql-python`).
pub(crate) const ROLLBACK_BEGIN: &str = "0e0100240000010016000000120000000200010101010101010101000000080000010000";

/// A transaction is rolled back (`mssql-python`).
pub(crate) const ROLLBACK: &str = "0e010022000001001600000012000000020001010101010101010100000008000000";

/// The message of one packet.
fn message(hex: &str) -> Message {
    let packet = bytes(hex);
    let (taken, message) = Assembler::new(MAX_MESSAGE).take(&packet).unwrap();
    assert_eq!(taken, packet.len());
    message.expect("one packet is a whole message")
}

fn login(hex: &str) -> Login7 {
    let message = message(hex);
    assert_eq!(message.kind, PacketKind::Login7);
    Login7::decode(&message.payload).unwrap()
}

const PRELOGINS: [&str; 5] =
    [TSQL_PRELOGIN, FREETDS_ODBC_PRELOGIN, ODBC_18_PRELOGIN, ODBC_18_OPTIONAL_PRELOGIN, MSSQL_PYTHON_PRELOGIN];
const LOGINS: [&str; 5] =
    [TSQL_LOGIN7, FREETDS_ODBC_LOGIN7, ODBC_18_LOGIN7, ODBC_18_OPTIONAL_LOGIN7, MSSQL_PYTHON_LOGIN7];

/// Written again, what was read is the same to the bit.
#[test]
fn real_messages_are_written_as_they_were_read() {
    for hex in PRELOGINS {
        let (packet, mut payload, mut again) = (bytes(hex), Vec::new(), Vec::new());
        Prelogin::decode(&packet[HEADER..]).unwrap().encode(&mut payload);
        Framing::new(PacketKind::Prelogin).write(&mut again, &payload);
        // FreeTDS numbers its packets from 0.
        again[6] = packet[6];
        assert_eq!(again, packet);
    }
    for hex in LOGINS {
        let (packet, mut payload, mut again) = (bytes(hex), Vec::new(), Vec::new());
        login(hex).encode(&mut payload);
        Framing::new(PacketKind::Login7).write(&mut again, &payload);
        again[6] = packet[6];
        assert_eq!(without_offsets_of_nothing(again), without_offsets_of_nothing(packet));
    }
}

/// The offset of a field that is empty may be anything.
fn without_offsets_of_nothing(mut packet: Vec<u8>) -> Vec<u8> {
    // Twelve fields of four bytes from byte 36 of LOGIN7, the hardware address behind the ninth.
    for field in 0..12 {
        let at = HEADER + 36 + field * 4 + if field < 9 { 0 } else { 6 };
        if packet[at + 2..at + 4] == [0, 0] {
            packet[at..at + 2].fill(0);
        }
    }
    packet
}

#[test]
fn what_real_clients_say_of_encryption() {
    let said = PRELOGINS.map(|hex| Prelogin::decode(&message(hex).payload).unwrap());
    let words = said.clone().map(|p| p.encryption.unwrap());
    use Encryption::{LoginOnly, On};
    assert_eq!(words, [LoginOnly, LoginOnly, On, LoginOnly, On]);
    assert_eq!(said[0].instance.as_deref(), Some(&b"MSSQLServer\0"[..]));
    assert_eq!(said[2].version, [18, 6, 0, 2, 0, 0]);
    assert!(said[2].trace_id.is_some() && said[2].fed_auth_required.is_none());
}

#[test]
fn who_real_clients_log_in_as() {
    for hex in LOGINS {
        let login = login(hex);
        assert_eq!((login.user.as_str(), login.password.expose()), ("sa", "secret"));
        assert_eq!((login.host_name.as_str(), login.tds_version), ("client", TDS_7_4));
        assert!(!format!("{login:?}").contains("secret"), "the password is not shown");
    }
    let optional = login(ODBC_18_OPTIONAL_LOGIN7);
    assert_eq!((optional.program.as_str(), optional.database.as_str()), ("app", "shop"));
    assert_eq!(optional.type_flags & READ_ONLY_INTENT, READ_ONLY_INTENT);
    assert_eq!(optional.server, "tcp:127.0.0.1,21633");
    assert_eq!(optional.library, "ODBC");
    assert!(optional.features.contains(&Feature::Utf8Support));
}

#[test]
fn what_real_clients_ask_for() {
    assert_eq!(request::decode_batch(&message(TSQL_BATCH).payload).unwrap(), "select 1\n");
    let freetds = request::decode_rpc(&message(FREETDS_ODBC_PREPEXEC).payload).unwrap();
    let microsoft = request::decode_rpc(&message(ODBC_18_PREPEXEC).payload).unwrap();
    for calls in [freetds, microsoft] {
        let [call] = calls.as_slice() else { panic!("one call: {calls:?}") };
        assert_eq!(call.procedure, Procedure::PrepExec);
        assert_eq!(call.sql().map(|sql| sql.trim_end_matches('\0')), Some("select 1"));
        assert_eq!((call.parameters[0].output, &call.parameters[0].value), (true, &Value::Null));
    }
    let table = [
        (BEGIN_TRANSACTION, TransactionRequest::Begin),
        (ROLLBACK_BEGIN, TransactionRequest::Rollback { begin_next: true }),
        (ROLLBACK, TransactionRequest::Rollback { begin_next: false }),
    ];
    for (hex, expected) in table {
        let message = message(hex);
        assert_eq!(message.kind, PacketKind::TransactionManager);
        assert_eq!(request::decode_transaction(&message.payload), Ok(expected));
    }
}

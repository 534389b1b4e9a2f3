//! peaje's own login against a second opinion: every message that it sends is decoded and compared with what Microsoft's
//! ODBC driver 18 sends to the same server. Each difference stands here with its reason; any other one fails.
//!
//! What the driver and other clients send is kept in `tests/data/tds`, so that the comparison does not need them; a test
//! of its own looks whether the driver that is installed still sends that.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use peaje_engine::{Connector, Trace};
use peaje_model::TlsMode;
use peaje_sqlserver::config::{BareSurroundings, Config};
use peaje_sqlserver::login::{LoginOptions, SqlServerConnector};
use peaje_sqlserver::protocol::login7::{Feature, Login7};
use peaje_sqlserver::protocol::packet::{Message, PacketKind};
use peaje_sqlserver::protocol::prelogin::Prelogin;
use peaje_sqlserver::protocol::request::{Procedure, decode_batch, decode_rpc, decode_transaction};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::tds_common::recorder::{Recorder, from_text, to_text};
use crate::tds_common::{
    PASSWORD, USER, block_on, checking, freetds_odbc_to, microsoft_odbc_to, node, python, start, tsql_to, with_tls,
};

/// Fields of a message, by name.
type Fields = BTreeMap<&'static str, String>;

fn fields(message: &Message) -> Fields {
    let mut out = Fields::new();
    match message.kind {
        PacketKind::Prelogin => {
            let p = Prelogin::decode(&message.payload).unwrap();
            out.insert("version", format!("{:?}", p.version));
            out.insert("encryption", format!("{:?}", p.encryption));
            out.insert("instance", format!("{:?}", p.instance));
            out.insert("thread", format!("{:?}", p.thread_id.map(|id| id.len())));
            out.insert("mars", format!("{:?}", p.mars));
            out.insert("trace id", format!("{}", p.trace_id.is_some()));
            out.insert("token wanted", format!("{:?}", p.fed_auth_required));
            out.insert("nonce", format!("{:?}", p.nonce));
        }
        PacketKind::Login7 => login_fields(&Login7::decode(&message.payload).unwrap(), &mut out),
        PacketKind::Batch => {
            out.insert("text", decode_batch(&message.payload).unwrap());
        }
        PacketKind::Rpc => {
            out.insert("calls", format!("{:?}", decode_rpc(&message.payload).unwrap()));
        }
        PacketKind::TransactionManager => {
            out.insert("request", format!("{:?}", decode_transaction(&message.payload).unwrap()));
        }
        _ => {}
    }
    out
}

fn login_fields(l: &Login7, out: &mut Fields) {
    out.insert("version", format!("{:#x}", l.tds_version));
    out.insert("packet size", l.packet_size.to_string());
    out.insert("driver's version", format!("{:#x}", l.client_version));
    out.insert("process", (l.process_id != 0).to_string());
    out.insert("connection", l.connection_id.to_string());
    let flags = [l.option_flags_1, l.option_flags_2, l.type_flags, l.option_flags_3];
    out.insert("flags", flags.map(|f| format!("{f:02x}")).join(" "));
    out.insert("language number", format!("{:#x}", l.lcid));
    out.insert("host", (!l.host_name.is_empty()).to_string());
    out.insert("user", l.user.clone());
    // The secret itself is compared, and not shown.
    out.insert("password", (l.password.expose() == PASSWORD).to_string());
    out.insert("program", l.program.clone());
    // The port is another one each time.
    let server = l.server.rsplit_once(',').map_or(l.server.as_str(), |(server, _)| server);
    out.insert("server", server.to_owned());
    out.insert("library", l.library.clone());
    out.insert("language", l.language.clone());
    out.insert("database", l.database.clone());
    // It is the machine's.
    out.insert("hardware address", (l.client_id != [0; 6]).to_string());
    out.insert("windows authentication", l.sspi.len().to_string());
    out.insert("file", l.attach_file.clone());
    out.insert("new password", (!l.new_password.expose().is_empty()).to_string());
    let features = l.features.iter().map(|f| match f {
        Feature::Utf8Support => "utf-8".to_owned(),
        Feature::AccessToken { .. } => "token".to_owned(),
        Feature::Other { id, .. } => format!("{id:#x}"),
    });
    out.insert("features", features.collect::<Vec<_>>().join(" "));
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tds").join(format!("{name}.txt"))
}

fn recorded(name: &str) -> Vec<Message> {
    from_text(&std::fs::read_to_string(data(name)).unwrap())
}

/// Compares with the kept messages; `PEAJE_RECORD=1` keeps these instead.
fn compare_with_kept(name: &str, messages: &[Message]) {
    assert!(messages.len() >= 2, "{name}: {messages:?}");
    if std::env::var_os("PEAJE_RECORD").is_some() {
        let head = format!("# What {name} sends to the reference server: kind, reset, bytes of each message.\n");
        std::fs::write(data(name), head + &to_text(messages)).unwrap();
    }
    let kept = recorded(name);
    let shape = |of: &[Message]| of.iter().map(|m| (m.kind, fields(m))).collect::<Vec<_>>();
    assert_eq!(shape(messages), shape(&kept), "{name} sends something else now: look at it, then PEAJE_RECORD=1");
}

/// A certificate for strict encryption, with its files.
fn certificate(folder: &Path) -> (PathBuf, Arc<rustls::ServerConfig>) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let (cert, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let file = folder.join("cert.pem");
    std::fs::write(&file, &cert).unwrap();
    let chain = vec![CertificateDer::from_pem_slice(cert.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
    let mut config = rustls::ServerConfig::builder_with_provider(peaje_engine::provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    config.alpn_protocols = vec![b"tds/8.0".to_vec()];
    (file, Arc::new(config))
}

#[test]
fn the_clients_still_send_what_was_recorded() {
    let server = start(checking());
    let folder = tempfile::tempdir().unwrap();
    type Run<'a> = &'a dyn Fn(u16) -> String;
    let plain: [(&str, Run<'_>); 5] = [
        ("tsql", &|port| tsql_to(port, PASSWORD, "off", "select 1\ngo\nquit\n").text),
        ("freetds-odbc", &|port| freetds_odbc_to(port, PASSWORD, "off", "select 1\n").text),
        ("microsoft-odbc", &|port| microsoft_odbc_to(port, PASSWORD, "Encrypt=no", "select 1\n").text),
        ("mssql-python", &|port| python("mssql_python_start.py", &[&port.to_string(), PASSWORD]).text),
        ("tedious", &|port| node("tedious_start.js", &[&port.to_string(), PASSWORD]).text),
    ];
    for (name, run) in plain {
        let recorder = Recorder::plain(server.address());
        let told = run(recorder.port);
        let messages = recorder.messages();
        assert!(messages.len() > 2, "{name}: {told}");
        compare_with_kept(name, &messages);
    }
    let (file, tls) = certificate(folder.path());
    let recorder = Recorder::behind_tls(server.address(), tls);
    let strict = format!("Encrypt=strict;ServerCertificate={}", file.display());
    let told = microsoft_odbc_to(recorder.port, PASSWORD, &strict, "select 1\n");
    assert!(told.ok, "{}", told.text);
    compare_with_kept("microsoft-odbc-strict", &recorder.messages());
    // With TLS inside TDS only the negotiation can be seen from outside.
    let encrypting = start(with_tls());
    let recorder = Recorder::plain(encrypting.address());
    let told = microsoft_odbc_to(recorder.port, PASSWORD, "Encrypt=yes;TrustServerCertificate=yes", "select 1\n");
    assert!(told.ok, "{}", told.text);
    let messages = recorder.messages();
    let handshake = messages.iter().skip(1).all(|m| m.kind == PacketKind::Prelogin);
    assert!(handshake && messages.len() > 2, "the handshake's records travel in PRELOGIN messages");
    compare_with_kept_one("microsoft-odbc-encrypted", &messages[0]);
}

fn compare_with_kept_one(name: &str, message: &Message) {
    if std::env::var_os("PEAJE_RECORD").is_some() {
        let head = format!("# What {name} sends first to the reference server: kind, reset, bytes.\n");
        std::fs::write(data(name), head + &to_text(std::slice::from_ref(message))).unwrap();
    }
    assert_eq!(fields(message), fields(&recorded(name)[0]), "{name}");
}

/// What peaje sends.
fn peaje(recorder: Recorder, tls: TlsMode, more: &str) -> Vec<Message> {
    let text = format!("Server=tcp:localhost,{};User ID={USER};Password={PASSWORD};{more}", recorder.port);
    let config = Config::parse(&text, &BareSurroundings).unwrap();
    let options = LoginOptions { tls, query: "select 1".into(), ..LoginOptions::default() };
    let connector = SqlServerConnector::new(&config, options).unwrap();
    block_on(async {
        let mut trace = Trace::start();
        let mut session = connector.log_in(0, &mut trace).await.unwrap();
        connector.query(&mut session, &mut trace).await.unwrap();
        connector.close(session, &mut trace).await.unwrap();
    });
    recorder.messages()
}

/// Differences: field, peaje's value, the driver's value.
fn differences(ours: &Message, theirs: &Message) -> Vec<(&'static str, String, String)> {
    assert_eq!(ours.kind, theirs.kind);
    let (ours, theirs) = (fields(ours), fields(theirs));
    let differs = |(name, value): (&&'static str, &String)| {
        let other = &theirs[name];
        (value != other).then(|| (*name, value.clone(), other.clone()))
    };
    ours.iter().filter_map(differs).collect()
}

fn assert_differences(ours: &Message, theirs: &Message, explained: &[(&str, &str, &str)]) {
    let found = differences(ours, theirs);
    let found: Vec<(&str, &str, &str)> = found.iter().map(|(n, a, b)| (*n, a.as_str(), b.as_str())).collect();
    assert_eq!(found, explained);
}

/// What is different in PRELOGIN, whatever the encryption.
const PRELOGIN: (&str, &str, &str) =
    // Each says its own version.
    ("version", "[0, 1, 0, 0, 0, 0]", "[18, 6, 0, 2, 0, 0]");

/// What is different in LOGIN7, whatever the encryption: in the order of the fields' names.
const LOGIN: [(&str, &str, &str); 9] = [
    // Each says its own version; the driver's is that of an interface of old.
    ("driver's version", "0x10000", "0x7000000"),
    // The driver offers a description of its machine (0x10), reconnects (0x1), data classification (0x9) and caching of
    // names (0xb), none of which peaje could use: a server that took an offer would send more.
    ("features", "utf-8", "0x10 0x1 0x9 utf-8 0xb"),
    // peaje reads texts of any collation, and says so (0x08), as tedious and FreeTDS do.
    ("flags", "e0 03 00 18", "e0 03 00 10"),
    // A network card's address identifies a machine: peaje does not tell it. The driver sends ff:ff:ff:ff:ff:ff.
    ("hardware address", "false", "true"),
    // The test's surroundings have no name of the machine; else it is sent.
    ("host", "false", "true"),
    ("library", "peaje", "ODBC"),
    // 0 leaves the size to the server. peaje asks for what ADO.NET asks for, so that a login costs what it costs there.
    ("packet size", "8000", "0"),
    ("program", "peaje", "isql"),
    // The driver sends what stands in its connection string.
    ("server", "localhost", "tcp:127.0.0.1"),
];

#[test]
fn without_tls() {
    let server = start(checking());
    let ours = peaje(Recorder::plain(server.address()), TlsMode::Off, "");
    let theirs = recorded("microsoft-odbc");
    assert_eq!(ours.len(), 3, "PRELOGIN, LOGIN7, the query: nothing else");
    // The driver would still take TLS for the login, and peaje was told to use none.
    let encryption = ("encryption", "Some(NotSupported)", "Some(LoginOnly)");
    assert_differences(&ours[0], &theirs[0], &[encryption, PRELOGIN]);
    assert_differences(&ours[1], &theirs[1], &LOGIN);
    the_query_is_the_same_in_another_wrapping(&ours[2], &theirs[2]);
}

/// The driver prepares each statement (`sp_prepexec`) to be able to run it again; peaje runs it once, as a batch.
fn the_query_is_the_same_in_another_wrapping(ours: &Message, theirs: &Message) {
    assert_eq!((ours.kind, theirs.kind), (PacketKind::Batch, PacketKind::Rpc));
    let call = &decode_rpc(&theirs.payload).unwrap()[0];
    assert_eq!(
        (decode_batch(&ours.payload).unwrap().as_str(), &call.procedure),
        (call.sql().unwrap(), &Procedure::PrepExec)
    );
    // Both say in their headers that there is no transaction and one request under way.
    assert_eq!(ours.payload[..22], theirs.payload[..22]);
}

#[test]
fn with_tls_inside_of_tds() {
    let server = start(with_tls());
    let ours = peaje(Recorder::plain(server.address()), TlsMode::AsUrl, "Encrypt=yes;TrustServerCertificate=yes");
    assert!(ours[1..].iter().all(|m| m.kind == PacketKind::Prelogin));
    assert_differences(&ours[0], &recorded("microsoft-odbc-encrypted")[0], &[PRELOGIN]);
}

#[test]
fn with_strict_encryption() {
    let folder = tempfile::tempdir().unwrap();
    let (file, tls) = certificate(folder.path());
    let server = start(checking());
    let more = format!("Encrypt=strict;ServerCertificate={}", file.display());
    let ours = peaje(Recorder::behind_tls(server.address(), tls), TlsMode::AsUrl, &more);
    let theirs = recorded("microsoft-odbc-strict");
    assert_eq!(ours.len(), 3);
    assert_differences(&ours[0], &theirs[0], &[PRELOGIN]);
    // The driver stays with 7.4 in LOGIN7; peaje says 8.0, as the protocol's description wants and ADO.NET does.
    let version = ("version", "0x8000000", "0x74000004");
    assert_differences(&ours[1], &theirs[1], &[&LOGIN[..], &[version]].concat());
    the_query_is_the_same_in_another_wrapping(&ours[2], &theirs[2]);
}

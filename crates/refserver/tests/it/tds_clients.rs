//! Clients of SQL Server that were not written here: they log in, query, and are told what is wrong.
//!
//! `scripts/setup` installs them; without one of them tests fail and say so.
#![allow(clippy::unwrap_used, missing_docs)]

use peaje_refserver::{RefServer, ServerOptions, TlsSetting};
use tiberius::{AuthMethod, Config, EncryptionLevel};
use tokio_util::compat::TokioAsyncWriteCompatExt;

use crate::tds_common::{
    PASSWORD, Told, block_on, checking, freetds_odbc, microsoft_odbc, node, python, start, tsql, wait_for, with_tls,
};

/// After a client has left: how many logins, and of them encrypted handshakes.
fn logins(server: &RefServer) -> (u64, u64) {
    let counters = wait_for(server, |c| c.sessions_now == 0 && c.logging_in == 0);
    (counters.logins, counters.tls_full + counters.tls_resumed)
}

fn full() -> ServerOptions {
    ServerOptions { max_sessions: Some(0), ..checking() }
}

fn has_rejected(told: &Told) {
    assert!(told.text.contains("Login failed for user 'sa'."), "{}", told.text);
}

fn has_found_it_full(told: &Told) {
    assert!(told.text.contains("maximum number of '0' user connections"), "{}", told.text);
}

#[test]
fn tsql_of_freetds() {
    let query = "select 1 as one, @@version as v\ngo\nselect nope from nowhere\ngo\nquit\n";
    for (options, encryption, handshakes) in
        [(checking(), "off", 0), (with_tls(), "off", 0), (with_tls(), "request", 1), (with_tls(), "require", 1)]
    {
        let server = start(options);
        let told = tsql(&server, PASSWORD, encryption, query);
        assert!(told.text.contains("one\tv\n1\tMicrosoft SQL Server 2022"), "{encryption}: {}", told.text);
        assert!(told.text.contains("peaje reference server"), "{}", told.text);
        assert!(told.text.contains("Msg 50000 (severity 16"), "{}", told.text);
        assert_eq!(logins(&server), (1, handshakes), "{encryption}");
    }
    has_rejected(&tsql(&start(checking()), "wrong", "off", query));
    has_found_it_full(&tsql(&start(full()), PASSWORD, "off", query));
}

#[test]
fn freetds_as_an_odbc_driver() {
    for (options, encryption) in [(checking(), "off"), (with_tls(), "request"), (with_tls(), "require")] {
        let server = start(options);
        let told = freetds_odbc(&server, PASSWORD, encryption, "select 1 as one\nselect @@spid as spid\n");
        assert!(told.text.contains("| one ") && told.text.contains("| 51 "), "{encryption}: {}", told.text);
        assert_eq!(logins(&server).0, 1);
    }
    has_rejected(&freetds_odbc(&start(checking()), "wrong", "off", ""));
    has_found_it_full(&freetds_odbc(&start(full()), PASSWORD, "off", ""));
}

#[test]
fn microsofts_odbc_driver() {
    let trust = "TrustServerCertificate=yes";
    for (options, more, handshakes) in [
        (checking(), "Encrypt=no".to_owned(), 0),
        (with_tls(), format!("Encrypt=no;{trust}"), 1),
        (with_tls(), format!("Encrypt=yes;{trust}"), 1),
    ] {
        let server = start(options);
        let told = microsoft_odbc(&server, PASSWORD, &more, "select 1 as one\nselect db_name() as db\n");
        assert!(told.text.contains("| one ") && told.text.contains("| master"), "{more}: {}", told.text);
        assert_eq!(logins(&server), (1, handshakes), "{more}");
    }
    has_rejected(&microsoft_odbc(&start(checking()), "wrong", "Encrypt=no", ""));
    has_found_it_full(&microsoft_odbc(&start(full()), PASSWORD, "Encrypt=no", ""));
}

#[test]
fn microsofts_odbc_driver_with_strict_encryption() {
    // It wants to be told the very certificate.
    let folder = tempfile::tempdir().unwrap();
    let (cert, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    std::fs::write(&cert, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let more = format!("Encrypt=strict;ServerCertificate={}", cert.display());
    let server = start(ServerOptions { tls: TlsSetting::Files { cert, key }, ..checking() });
    let told = microsoft_odbc(&server, PASSWORD, &more, "select 1 as one\n");
    assert!(told.text.contains("| one "), "{}", told.text);
    assert_eq!(logins(&server), (1, 1));
}

#[test]
fn mssql_python() {
    for (options, encrypt) in [(checking(), "no"), (with_tls(), "yes")] {
        let server = start(options);
        let told = python("mssql_python_client.py", &[&server.address().port().to_string(), PASSWORD, encrypt]);
        assert!(told.ok, "{encrypt}: {}", told.text);
        wait_for(&server, |c| c.sessions_now == 0);
    }
    let server = start(full());
    has_found_it_full(&python("mssql_python_client.py", &[&server.address().port().to_string(), PASSWORD, "no"]));
}

#[test]
fn tedious() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root.pem");
    for (options, encrypt) in [(checking(), "no"), (with_tls(), "yes"), (with_tls(), "strict")] {
        let server = start(options);
        let port = server.address().port().to_string();
        let mut arguments = vec![port.as_str(), PASSWORD, encrypt];
        if let Some(pem) = server.root_certificate_pem() {
            std::fs::write(&root, pem).unwrap();
            arguments.push(root.to_str().unwrap());
        }
        let told = node("tedious_client.js", &arguments);
        assert!(told.ok, "{encrypt}: {}", told.text);
        wait_for(&server, |c| c.sessions_now == 0);
    }
    let server = start(full());
    has_found_it_full(&node("tedious_client.js", &[&server.address().port().to_string(), PASSWORD, "no"]));
}

/// Logs in with tiberius, and asks for one number.
async fn with_tiberius(
    server: &RefServer,
    password: &str,
    level: EncryptionLevel,
) -> Result<i32, tiberius::error::Error> {
    let mut config = Config::new();
    config.host("localhost");
    config.port(server.address().port());
    config.authentication(AuthMethod::sql_server("sa", password));
    config.encryption(level);
    config.trust_cert();
    let stream = tokio::net::TcpStream::connect(server.address()).await?;
    stream.set_nodelay(true)?;
    let mut client = Box::pin(tiberius::Client::connect(config, stream.compat_write())).await?;
    let row = client.query("select @P1", &[&41i32]).await?.into_row().await?.unwrap();
    let one = client.simple_query("select 1").await?.into_row().await?.unwrap();
    client.close().await?;
    Ok(row.get::<i32, _>(0).unwrap() + one.get::<i32, _>(0).unwrap())
}

#[test]
fn tiberius() {
    block_on(async {
        for (options, level, handshakes) in [
            (checking(), EncryptionLevel::NotSupported, 0),
            (with_tls(), EncryptionLevel::Off, 1),
            (with_tls(), EncryptionLevel::On, 1),
            (with_tls(), EncryptionLevel::Required, 1),
            (with_tls(), EncryptionLevel::Strict, 1),
        ] {
            let server = start(options);
            assert_eq!(Box::pin(with_tiberius(&server, PASSWORD, level)).await.unwrap(), 42, "{level:?}");
            assert_eq!(logins(&server), (1, handshakes), "{level:?}");
            let error = Box::pin(with_tiberius(&server, "wrong", level)).await.unwrap_err();
            assert_eq!(error.code(), Some(18456), "{error:?}");
        }
        let error = Box::pin(with_tiberius(&start(full()), PASSWORD, EncryptionLevel::NotSupported)).await.unwrap_err();
        assert_eq!(error.code(), Some(17809), "{error:?}");
    });
}

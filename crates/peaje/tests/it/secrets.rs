//! No secret in any output: not in the text, the run file, the table, the page, nor in what is said on stderr.

use crate::common::{Done, Serve, cluster, peaje};
use peaje_postgres::config::SslMode;
use peaje_postgres::throwaway::{ThrowawayAuth, ThrowawayOptions};

/// Runs with every view asked for; gives everything that came out.
fn everything(target: &str, more: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let mut command = peaje();
    command.args(["login", target, "--json"]).arg(path("run.json")).arg("--csv").arg(path("run.csv"));
    command.arg("--html").arg(path("run.html")).args(more).envs(variables.iter().copied());
    let done: Done = command.output().expect("the command runs").into();
    let mut all = format!("{}{}", done.stdout, done.stderr);
    for name in ["run.json", "run.csv", "run.html"] {
        all.push_str(&std::fs::read_to_string(path(name)).unwrap_or_default());
    }
    (done.code, all)
}

#[test]
fn passwords_appear_nowhere() {
    let server = cluster(&ThrowawayOptions::default());
    let right = server.password().expose().to_owned();
    let key_value = server.connection_string(ThrowawayAuth::Scram, SslMode::Prefer).expose().to_owned();
    assert!(key_value.contains(&right), "the test looks for what is really there");
    let uri = format!("postgresql://peaje_scram:{right}@127.0.0.1:{}/peaje", server.port());
    let bare = format!("postgresql://peaje_scram@127.0.0.1:{}/peaje", server.port());
    let wrong = "wrong-horse-battery";
    /// Target, variables, exit code.
    type Case<'a> = (&'a str, Vec<(&'a str, &'a str)>, Option<i32>);
    let folder = tempfile::tempdir().expect("a folder");
    let (services, passfile) = (folder.path().join("services"), folder.path().join("passfile"));
    let service = format!(
        "[right]\nhost=127.0.0.1\nport={port}\nuser=peaje_scram\ndbname=peaje\npassword={right}\n\
         [wrong]\nhost=127.0.0.1\nport={port}\nuser=peaje_md5\ndbname=peaje\npassword={wrong}\n",
        port = server.port()
    );
    std::fs::write(&services, service).expect("writable");
    std::fs::write(&passfile, format!("*:*:*:peaje_md5:{right}\n")).expect("writable");
    std::fs::set_permissions(&passfile, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("ours");
    let (services, passfile) = (services.display().to_string(), passfile.display().to_string());
    let md5 = uri.replace("peaje_scram", "peaje_md5");
    let clear = uri.replace("peaje_scram", "peaje_password");
    let table: [Case<'_>; 13] = [
        (&key_value, vec![], Some(0)),
        (&uri, vec![], Some(0)),
        (&bare, vec![("PGPASSWORD", &right)], Some(0)),
        (&bare, vec![("PGPASSWORD", wrong)], Some(2)),
        (&uri.replace(&right, wrong), vec![], Some(2)),
        (&format!("{uri}?nonsense=1"), vec![], Some(2)),
        (&md5, vec![], Some(0)),
        (&md5.replace(&right, wrong), vec![], Some(2)),
        (&clear, vec![], Some(0)),
        (&bare.replace("peaje_scram", "peaje_md5"), vec![("PGPASSFILE", &passfile)], Some(0)),
        ("service=right", vec![("PGSERVICEFILE", &services)], Some(0)),
        ("service=wrong", vec![("PGSERVICEFILE", &services)], Some(2)),
        (&format!("service=right servicefile={services} nonsense=1"), vec![], Some(2)),
    ];
    for (target, variables, code) in table {
        let (got, all) = everything(target, &["--logins", "3"], &variables);
        assert_eq!(got, code, "{all}");
        assert!(!all.contains(&right), "the password stands in an output");
        assert!(!all.contains(wrong), "the wrong password stands in an output");
    }
}

/// Both may hold one, and only one of them was used.
#[test]
fn a_wrong_password_is_told_with_where_it_came_from() {
    for (protocol, variable) in [("postgres", "PGPASSWORD"), ("mysql", "MYSQL_PWD"), ("sqlserver", "SQLCMDPASSWORD")] {
        let server = Serve::start(&["--protocol", protocol, "--user", "ana", "--password", "pencil-case"]);
        let wrong = server.url.replace("ana@", "ana:wrong-horse@");
        for (url, words) in
            [(&server.url, format!("the variable {variable}")), (&wrong, "the connection string".to_owned())]
        {
            let done = peaje().args(["login", url, "--logins", "1"]).env(variable, "wrong-horse").output();
            let told = String::from_utf8_lossy(&done.expect("the command runs").stderr).into_owned();
            assert!(told.contains(&format!("check the password in {words}")), "{protocol}: {told}");
            assert!(!told.contains("wrong-horse"), "{told}");
        }
    }
}

#[test]
fn redaction_leaves_no_name_of_the_site() {
    let server = cluster(&ThrowawayOptions::default());
    let right = server.password().expose().to_owned();
    let uri = format!("postgresql://peaje_scram:{right}@localhost:{}/peaje", server.port());
    let (code, all) = everything(&uri, &["--logins", "3", "--redact", "--quiet"], &[]);
    assert_eq!(code, Some(0), "{all}");
    assert!(!all.contains("peaje_scram"), "the login stands in an output");
    let host = peaje_host::this_host().identity().hostname.unwrap_or_default();
    assert!(host.len() < 4 || !all.contains(&host), "the host name stands in an output");
}

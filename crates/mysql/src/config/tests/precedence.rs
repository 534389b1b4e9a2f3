//! URL, option files, variables, defaults: which wins.

use super::*;
use crate::config::SslMode;

#[test]
fn the_url_wins_over_files_and_files_over_variables() {
    let files = || {
        Map::default()
            .my_cnf("[client]\nuser=app\npassword=of_file\nhost=db1\nport=3310\nssl-mode=REQUIRED\ndatabase=fdb\n")
            .var("MYSQL_PWD", "of_variable")
            .var("MYSQL_HOST", "variable")
            .var("MYSQL_TCP_PORT", "3399")
    };
    let config = ok("mysql://", &files());
    assert_eq!(
        (config.user.as_str(), password(&config), hosts(&config).as_str()),
        ("app", Some("of_file"), "db1:3310")
    );
    assert_eq!((config.ssl_mode, config.ssl_mode_is_set), (SslMode::Required, true));
    assert_eq!(config.database.as_deref(), Some("fdb"));

    let config = ok("mysql://app:of_url@h/x?ssl-mode=DISABLED", &files());
    assert_eq!((password(&config), hosts(&config).as_str()), (Some("of_url"), "h:3399"));
    assert_eq!((config.ssl_mode, config.database.as_deref()), (SslMode::Disabled, Some("x")));

    // A host of the URL does not get the port that belongs to the file's host.
    assert_eq!(hosts(&ok("mysql://h", &Map::default().my_cnf("[client]\nport=3310\n"))), "h:3306");

    let config =
        ok("mysql://", &Map::default().var("MYSQL_PWD", "v").var("MYSQL_HOST", "vh").var("MYSQL_TCP_PORT", "1"));
    assert_eq!((password(&config), hosts(&config).as_str()), (Some("v"), "vh:1"));
}

#[test]
fn a_password_of_a_file_belongs_to_its_user() {
    let map = Map::default().my_cnf("[client]\nuser=app\npassword=of_file\n");
    assert_eq!(password(&ok("mysql://app@h", &map)), Some("of_file"));
    assert_eq!(password(&ok("mysql://h", &map)), Some("of_file"));
    let other = ok("mysql://dba@h", &map);
    assert_eq!(password(&other), None);
    assert!(other.warnings[0].contains("line 3 of /home/ann/.my.cnf is not used"), "{:?}", other.warnings);
    // A password without a user is for everybody; a key alone asks for a prompt.
    assert_eq!(password(&ok("mysql://dba@h", &Map::default().my_cnf("[client]\npassword=p\n"))), Some("p"));
    assert_eq!(password(&ok("mysql://dba@h", &Map::default().my_cnf("[client]\npassword\n"))), None);
    assert_eq!(password(&ok("mysql://dba:@h", &map)), Some(""));
}

#[test]
fn where_the_password_came_from() {
    let file = "[client]\npassword=of_file\n";
    for (url, map, words) in [
        ("mysql://u:p@h", Map::default().my_cnf(file).var("MYSQL_PWD", "v"), "the password in the connection string"),
        ("mysql://u@h", Map::default().my_cnf(file).var("MYSQL_PWD", "v"), "the password in /home/ann/.my.cnf"),
        ("mysql://u@h", Map::default().var("MYSQL_PWD", "v"), "the password in the variable MYSQL_PWD"),
        ("mysql://u@h", Map::default(), "the password"),
    ] {
        assert_eq!(ok(url, &map).password_origin.to_string(), words);
    }
}

#[test]
fn later_files_groups_and_lines_win() {
    let map = Map::default()
        .file("/etc/my.cnf", "[client]\nuser=one\nhost=a\nport=1\n")
        .file(
            "/etc/mysql/my.cnf",
            "!include /etc/mysql/conf.d/x.cnf\n!includedir /etc/mysql/more\n[client-mariadb]\nport=4\n",
        )
        .file("/etc/mysql/conf.d/x.cnf", "[client-server]\nuser=two\n")
        .file("/etc/mysql/more/b.cnf", "[client]\nhost=b\n")
        .file("/etc/mysql/more/c.cnf", "[client]\nhost=c\n")
        .file("/etc/mysql/more/d.txt", "[client]\nhost=d\n")
        .my_cnf("[mysqld]\nport=9\n[peaje]\nuser=three\n[client]\nuser=four\n[mysql]\nuser=five\n");
    let config = ok("mysql://", &map);
    assert_eq!((config.user.as_str(), hosts(&config).as_str()), ("four", "c:4"));
    assert_eq!(config.warnings, Vec::<String>::new());
}

#[test]
fn the_local_server() {
    let socket = |map: Map| map.file("/run/mysqld/mysqld.sock", "");
    let table = [
        (Map::default(), "localhost:3306"),
        (socket(Map::default()), "/run/mysqld/mysqld.sock"),
        (socket(Map::default().var("MYSQL_UNIX_PORT", "/v.sock")), "/v.sock"),
        (Map::default().my_cnf("[client]\nsocket=/f.sock\n").var("MYSQL_UNIX_PORT", "/v.sock"), "/f.sock"),
        (Map::default().my_cnf("[client]\nsocket=/f.sock\nhost=localhost\nport=7\n"), "/f.sock"),
        (Map::default().my_cnf("[client]\nsocket=/f.sock\nhost=localhost\nport=7\nprotocol=TCP\n"), "localhost:7"),
        (Map::default().my_cnf("[client]\nsocket=/f.sock\nhost=db\n"), "db:3306"),
        (socket(Map::default().my_cnf("[client]\nprotocol=tcp\n")), "localhost:3306"),
    ];
    for (map, expected) in table {
        assert_eq!(hosts(&ok("mysql:///x", &map)), expected);
    }
    // A named host is dialled, whatever the files say of sockets.
    let map = socket(Map::default().my_cnf("[client]\nsocket=/f.sock\n"));
    assert_eq!(hosts(&ok("mysql://localhost/x", &map)), "localhost:3306");
}

#[test]
fn option_files_speak_of_tls_in_the_forms_of_both() {
    use SslMode::{Disabled, Preferred, Required, VerifyCa, VerifyIdentity};
    for (lines, mode) in [
        ("ssl", Required),
        ("skip-ssl", Disabled),
        ("disable-ssl", Disabled),
        ("skip-ssl=0", Preferred),
        ("ssl-verify-server-cert", VerifyIdentity),
        ("ssl\nssl-verify-server-cert=off", Required),
        ("ssl\nskip-ssl-verify-server-cert", Required),
        ("ssl_ca=/ca.pem", VerifyCa),
        ("ssl-ca=/ca.pem\nssl-verify-server-cert", VerifyIdentity),
        ("loose-ssl-mode=VERIFY_IDENTITY", VerifyIdentity),
        ("", Preferred),
    ] {
        let config = ok("mysql://h", &Map::default().my_cnf(&format!("[client]\n{lines}\n")));
        assert_eq!(config.ssl_mode, mode, "{lines}");
    }
    // The URL's word on TLS wins, in whichever form; the roots of the file stay.
    let map = Map::default().my_cnf("[client]\nssl-mode=VERIFY_IDENTITY\nssl-ca=/ca.pem\n");
    let config = ok("mysql://h?useSSL=false", &map);
    assert_eq!((config.ssl_mode, config.ssl_ca.as_deref()), (Disabled, Some(Path::new("/ca.pem"))));
}

#[test]
fn files_that_are_not_used() {
    let map = Map::default().file_with_mode("/home/ann/.my.cnf", "[client]\nuser=app\n", 0o100_666);
    let config = ok("mysql://h", &map);
    assert_eq!(config.user, "ann");
    assert!(config.warnings[0].contains("everybody may write"), "{:?}", config.warnings);

    let map = Map::default().my_cnf("!include /home/ann/none.cnf\n!includedir /home/ann/none.d\n[Client]\nuser=app\n");
    let config = ok("mysql://h", &map);
    assert_eq!((config.user.as_str(), config.warnings.len()), ("app", 2), "{:?}", config.warnings);
    assert!(config.warnings[0].contains("none.cnf is included") && config.warnings[1].contains("none.d"));

    // Odd bytes matter only where they would be used.
    let map = Map::default().my_cnf("# \u{FFFD}\n[mysqld]\nuser=\u{FFFD}\n[client]\nnobody-knows=\u{FFFD}\nuser=app\n");
    assert_eq!(ok("mysql://h", &map).user, "app");

    let map =
        Map::default().file("/home/ann/.mylogin.cnf", "\0").my_cnf("[peaje]\nusr=app\n[client]\nusr=app\ncompress\n");
    let config = ok("mysql://h", &map);
    assert!(config.warnings.iter().any(|w| w.contains(".mylogin.cnf is not read")), "{:?}", config.warnings);
    assert!(config.warnings.iter().any(|w| w.contains("line 2 of") && w.contains("unknown key")));
    assert_eq!(config.warnings.len(), 2);
}

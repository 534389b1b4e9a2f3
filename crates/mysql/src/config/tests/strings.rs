//! What the forms of a URL mean.

use super::*;
use crate::config::{Cleartext, OldPassword, PublicKeyRetrieval, SslMode, TlsVersion};

#[test]
fn what_is_a_target() {
    for text in [
        "mysql://h",
        "MySQL://h",
        "mariadb://h/db",
        "mysql2://h",
        "mysql+pymysql://u@h/db",
        "mariadb+mariadbconnector://h",
        "jdbc:mysql://h/db",
        "jdbc:mariadb://h/db",
        "jdbc:mysql:loadbalance://a,b/db",
        "mysqlx://h",
        "mysql+srv://h",
        " mysql://h ",
    ] {
        assert!(Config::is_target(text), "{text}");
    }
    for text in [
        "",
        "mysql:",
        "mariadb:",
        "mysql",
        "postgresql://h",
        "mysqld://h",
        "Server=h;User=u",
        "host=h",
        "://",
        "jdbc:sqlserver://h",
    ] {
        assert!(!Config::is_target(text), "{text}");
    }
}

#[test]
fn users_hosts_and_databases() {
    // Text, user, password, hosts, database.
    type Case<'a> = (&'a str, &'a str, Option<&'a str>, &'a str, Option<&'a str>);
    let table: [Case<'_>; 23] = [
        ("mysql://h", "ann", None, "h:3306", None),
        ("mysql://h/", "ann", None, "h:3306", None),
        ("mysql://bob@h:3307/shop", "bob", None, "h:3307", Some("shop")),
        ("mysql://bob:pw@h/shop", "bob", Some("pw"), "h:3306", Some("shop")),
        ("mysql://bob:@h", "bob", Some(""), "h:3306", None),
        ("mysql://bob:p%40s%2Fs%3A@h/a%20b", "bob", Some("p@s/s:"), "h:3306", Some("a b")),
        ("mysql://bob:p@ss@h/shop", "bob", Some("p@ss"), "h:3306", Some("shop")),
        ("mysql://bob:p(w)@h/x", "bob", Some("p(w)"), "h:3306", Some("x")),
        ("mysql://bob:p:w@h", "bob", Some("p:w"), "h:3306", None),
        ("mysql://bob:p+w@h", "bob", Some("p+w"), "h:3306", None),
        ("mysql://a:1,b,c:3/x", "ann", None, "a:1 b:3306 c:3", Some("x")),
        ("mysql://a,b?port=7", "ann", None, "a:7 b:7", None),
        ("mysql://[::1]:3307/x", "ann", None, "::1:3307", Some("x")),
        ("mysql://[fe80::1%25eth0]/x", "ann", None, "fe80::1%eth0:3306", Some("x")),
        ("mysql://localhost", "ann", None, "localhost:3306", None),
        ("mysql://h:/x", "ann", None, "h:3306", Some("x")),
        ("mysql:///x", "ann", None, "localhost:3306", Some("x")),
        ("mysql://u@%2Frun%2Fmy.sock/x", "u", None, "/run/my.sock", Some("x")),
        ("mysql://u@(/run/my.sock)/x", "u", None, "/run/my.sock", Some("x")),
        ("mysql://u@localhost/x?socket=/run/my.sock", "u", None, "/run/my.sock", Some("x")),
        ("mysql://h?user=u&password=a%26b%3Dc", "u", Some("a&b=c"), "h:3306", None),
        ("jdbc:mysql://a:1,b:2/x?user=u&password=p", "u", Some("p"), "a:1 b:2", Some("x")),
        ("jdbc:mariadb:sequential://a,b/x?user=u", "u", None, "a:3306 b:3306", Some("x")),
    ];
    for (text, user, secret, endpoints, database) in table {
        let config = ok(text, &Map::default());
        assert_eq!((config.user.as_str(), password(&config)), (user, secret), "{text}");
        assert_eq!((hosts(&config).as_str(), config.database.as_deref()), (endpoints, database), "{text}");
        assert_eq!(config.has_password(), secret.is_some());
    }
}

#[test]
fn modes_of_tls_in_every_dialect() {
    use SslMode::{Disabled, Preferred, Required, VerifyCa, VerifyIdentity};
    let table = [
        ("", Preferred, false),
        ("ssl-mode=DISABLED", Disabled, true),
        ("ssl-mode=preferred", Preferred, true),
        ("sslMode=REQUIRED", Required, true),
        ("ssl_mode=VERIFY_CA", VerifyCa, true),
        ("sslMode=VERIFY_IDENTITY", VerifyIdentity, true),
        ("sslMode=verify-full", VerifyIdentity, true),
        ("sslMode=trust", Required, true),
        ("useSSL=false", Disabled, true),
        ("useSSL=true", Required, true),
        ("useSSL=true&verifyServerCertificate=true", VerifyIdentity, true),
        ("useSSL=true&requireSSL=true&verifyServerCertificate=false", Required, true),
        ("useSSL=true&trustServerCertificate=true&verifyServerCertificate=true", Required, true),
        ("ssl=1", Required, true),
        ("ssl=0", Disabled, true),
        ("tls=true", VerifyIdentity, true),
        ("tls=skip-verify", Required, true),
        ("tls=preferred", Preferred, true),
        ("tls=false", Disabled, true),
        ("ssl-verify-server-cert=1", VerifyIdentity, true),
        ("ssl-verify-server-cert=0", Preferred, true),
        ("ssl-ca=/ca.pem", VerifyCa, true),
        ("ssl-ca=/ca.pem&ssl-mode=REQUIRED", Required, true),
        ("ssl-capath=/certs", VerifyCa, true),
        ("useSSL=true&serverSslCert=/ca.pem", VerifyCa, true),
        ("ssl-ca=/ca.pem&useSSL=false", Disabled, true),
    ];
    for (query, mode, set) in table {
        let config = ok(&format!("mysql://h?{query}"), &Map::default());
        assert_eq!((config.ssl_mode, config.ssl_mode_is_set), (mode, set), "{query}");
    }
}

#[test]
fn passwords_of_old_versions_only_when_allowed() {
    use OldPassword::{Allowed, Never};
    for (query, lines, expected) in [
        ("", "", Never),
        ("secure-auth=0", "", Allowed),
        ("secureAuth=true", "", Never),
        ("skip-secure-auth=1", "", Allowed),
        ("allowOldPasswords=true", "", Allowed),
        ("allowOldPasswords=true&secure-auth=1", "", Never),
        ("", "skip-secure-auth", Allowed),
        ("secure-auth=1", "skip-secure-auth", Never),
    ] {
        let map = Map::default().my_cnf(&format!("[client]\n{lines}\n"));
        assert_eq!(ok(&format!("mysql://h?{query}"), &map).old_password, expected, "{query} {lines}");
    }
}

#[test]
fn other_settings() {
    let config = ok(
        "mysql://h?enable-cleartext-plugin=1&allowPublicKeyRetrieval=true&serverRSAPublicKeyFile=/k.pem&ssl-cert=/c.pem\
         &ssl-key=/c.key&tls-version=TLSv1.2,TLSv1.3&default-auth=caching_sha2_password&init-command=SET%20a=1\
         &sessionVariables=b=2&program-name=shop",
        &Map::default(),
    );
    assert_eq!(config.cleartext, Cleartext::WhenProtected);
    assert_eq!(config.public_key_retrieval, PublicKeyRetrieval::Allowed);
    assert_eq!(config.server_public_key.as_deref(), Some(Path::new("/k.pem")));
    assert_eq!(config.ssl_cert.as_deref(), Some(Path::new("/c.pem")));
    assert_eq!(config.ssl_key.as_deref(), Some(Path::new("/c.key")));
    assert_eq!(config.tls_versions, [TlsVersion::Tls12, TlsVersion::Tls13]);
    assert_eq!(config.default_auth.as_deref(), Some("caching_sha2_password"));
    assert_eq!(config.init_commands, ["SET b=2", "SET a=1"]);
    assert_eq!(config.program_name.as_deref(), Some("shop"));
    assert_eq!(config.warnings, Vec::<String>::new());
    let nothing = ok("mysql://h", &Map::default());
    assert_eq!((nothing.cleartext, nothing.public_key_retrieval), (Cleartext::Never, PublicKeyRetrieval::Never));
    // JDBC names Java classes.
    let java = ok("jdbc:mysql://h?defaultAuthenticationPlugin=com.mysql.cj.protocol.a.Native", &Map::default());
    assert_eq!(java.default_auth, None);
}

#[test]
fn limits_of_the_connect() {
    let table = [
        ("connect-timeout=5", Some(5000), false),
        ("connect_timeout=5", Some(5000), false),
        ("connectTimeout=5000", Some(5000), false),
        ("connectTimeout=5", Some(5), true),
        ("connect-timeout=10000", Some(10_000_000), true),
        ("connect-timeout=0", None, false),
        ("connectTimeout=0", None, false),
        ("", None, false),
    ];
    for (query, milliseconds, warned) in table {
        let config = ok(&format!("mysql://h?{query}"), &Map::default());
        assert_eq!(config.connect_timeout.map(|d| d.as_millis() as u64), milliseconds, "{query}");
        assert_eq!(!config.warnings.is_empty(), warned, "{query} {:?}", config.warnings);
    }
}

#[test]
fn what_has_no_effect_is_said() {
    let config = ok(
        "jdbc:mysql://h/db?characterEncoding=UTF-8&serverTimezone=UTC&somethingOfTheDriver=7&compress=true",
        &Map::default(),
    );
    assert_eq!(config.warnings.len(), 4, "{:?}", config.warnings);
    for part in ["somethingOfTheDriver", "compress", "default-character-set", "serverTimezone"] {
        assert!(config.warnings.iter().any(|w| w.contains(part)), "{part} {:?}", config.warnings);
    }
}

#[test]
fn shown_without_the_password_and_read_again() {
    for (text, shown) in [
        ("mysql://h", "mysql://ann@h:3306/"),
        ("mysql://b%40b:pw@a,[::1]:7/shop?ssl-mode=REQUIRED", "mysql://b%40b@a:3306,[::1]:7/shop?ssl-mode=REQUIRED"),
        ("mysql://u:pw@(/run/my.sock)/x", "mysql://u@%2Frun%2Fmy.sock/x"),
        ("jdbc:mysql://h/x?user=u&password=pw", "mysql://u@h:3306/x"),
    ] {
        let config = ok(text, &Map::default());
        assert_eq!(config.display_url(), shown);
        let again = ok(shown, &Map::default());
        assert_eq!((hosts(&again), &again.user, &again.database), (hosts(&config), &config.user, &config.database));
        assert_eq!(again.ssl_mode, config.ssl_mode);
    }
}

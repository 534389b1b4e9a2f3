//! What is refused, where, and with which next step. No message holds a value that could be a password.

use super::{config, error};

#[test]
fn what_peaje_does_not_do() {
    let table = [
        (r"Server=np:\\db1\pipe\sql\query", "`Server` asks for another transport than TCP; use tcp:HOST,PORT"),
        (r"Server=\\db1\pipe\sql\query", "another transport"),
        ("Server=lpc:db1", "another transport"),
        ("Server=admin:db1", "administrator's own connection"),
        (r"Server=(localdb)\MSSQLLocalDB", "LocalDB"),
        ("Server=a;Integrated Security=SSPI", "Kerberos is not spoken yet; log in as a user of SQL Server"),
        ("Server=a;Trusted_Connection=Yes", "Kerberos"),
        ("jdbc:sqlserver://a;integratedSecurity=true", "Kerberos"),
        ("Server=a;Authentication=ActiveDirectoryInteractive", "--access-token-file"),
        ("Server=a;Authentication=Active Directory Default", "--access-token-file"),
        ("jdbc:sqlserver://a;accessToken=eyJ0", "--access-token-file"),
        ("DSN=payroll;UID=x", "write the server into the string"),
        ("Server=a;Network Library=dbnmpntw", "another transport than TCP"),
    ];
    for (text, part) in table {
        let message = error(text).to_string();
        assert!(message.contains(part), "{text}: {message}");
        assert!(!message.contains("eyJ0"), "{message}");
    }
    for allowed in [
        "Server=a;Integrated Security=false",
        "Server=a;Authentication=SqlPassword",
        "Server=a;Network Library=dbmssocn",
    ] {
        config(allowed);
    }
}

#[test]
fn values_out_of_their_range() {
    let table = [
        ("Server=a;Encrypt=perhaps", "at character 10 of the connection string: `Encrypt` must be mandatory"),
        ("Server=a;TrustServerCertificate=2", "`TrustServerCertificate` must be true or false"),
        ("Server=a;Connect Timeout=soon", "`Connect Timeout` must be a whole number"),
        ("Server=a;Packet Size=100", "`Packet Size` must be from 512 to 32767"),
        ("Server=a;Max Pool Size=0", "`Max Pool Size` must be at least 1"),
        ("Server=a;Min Pool Size=5;Max Pool Size=2", "`Min Pool Size` is above Max Pool Size"),
        ("Server=a;ApplicationIntent=write", "`ApplicationIntent` must be ReadWrite or ReadOnly"),
        ("Server=a;Authentication=magic", "`Authentication` must be SqlPassword"),
        ("Server=a,0", "something else than a port"),
        ("Server=a,b", "something else than a port"),
        ("Server=a:1433", "a port follows a comma"),
        ("mssql://sa@a:port/x", "something else than a port"),
        ("Server=a b", "is not the name of a host"),
        ("Server=pass@word", "is not the name of a host"),
        ("mssql://[a:b:c]", "is not the name of a host"),
        ("UID=x", "no server: name one with Server=HOST or SQLCMDSERVER"),
    ];
    for (text, part) in table {
        let message = error(text).to_string();
        assert!(message.contains(part), "{text}: {message}");
        assert!(!message.contains("pass@"), "{message}");
    }
}

#[test]
fn grammar() {
    let table = [
        ("Server=a;Password='x", "at character 19 of the connection string: a quote that is not closed"),
        ("Server=a;Password='x'y;UID=b", "at character 22 of the connection string: text behind a closing quote"),
        ("Driver=FreeTDS;Server=a;PWD={x", "a quote that is not closed"),
        ("Server=a;secret;UID=b", "at character 10 of the connection string: a key without `=`"),
        ("mssql://a/b?x", "a parameter without `=`"),
        ("mssql://sa:%zz@a", "at character 12 of the connection string: a `%` that is not followed"),
        ("Server=a\0b", "at character 9 of the connection string: a zero byte"),
    ];
    for (text, part) in table {
        let message = error(text).to_string();
        assert!(message.contains(part), "{text}: {message}");
        assert!(!message.contains("secret") && !message.contains("zz"), "{message}");
    }
}

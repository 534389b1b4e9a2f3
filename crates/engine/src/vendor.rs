//! Whose connection string a list `key=value;…` is, where an application's string is pasted without a word on the
//! database: one decision for all engines, so that no two of them claim the same string.
//!
//! A newcomer would go by `Server` or `Host`. The drivers accept each other's words; what tells them apart is what only
//! one of them has, the spelling of `SSL Mode`, and the port.

use crate::pairs::{Grammar, folded, pairs};

/// Whose drivers read a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vendor {
    /// Npgsql, psqlODBC.
    Postgres,
    /// MySqlConnector, Connector/NET, and the ODBC drivers of MySQL and MariaDB.
    Mysql,
    /// ADO.NET, ODBC.
    SqlServer,
}

/// Names of a server that Microsoft's drivers know too.
const SERVER: &[&str] = &["server", "datasource", "addr", "address", "networkaddress"];
/// Keys that Microsoft's drivers do not have.
const NOT_SQL_SERVER: &[&str] = &["host", "hostname", "hostaddr", "port", "sslmode", "dbname", "username", "charset"];
/// Keys that only drivers of MySQL have.
const ONLY_MYSQL: &[&str] = &[
    "allowloadlocalinfile",
    "allowpublickeyretrieval",
    "allowuservariables",
    "allowzerodatetime",
    "cacertificatefile",
    "characterset",
    "charset",
    "connectionprotocol",
    "convertzerodatetime",
    "defaultcommandtimeout",
    "guidformat",
    "oldguids",
    "sslca",
    "ssl-ca",
    "sslcert",
    "sslkey",
    "treattinyasboolean",
    "useaffectedrows",
    "usecompression",
];
/// Keys that only drivers of PostgreSQL have.
const ONLY_POSTGRES: &[&str] = &[
    "includeerrordetail",
    "maxautoprepare",
    "noresetonclose",
    "rootcertificate",
    "searchpath",
    "sslnegotiation",
    "sslcertificate",
    "targetsessionattributes",
];
/// Keys that only Microsoft's drivers have.
const ONLY_SQL_SERVER: &[&str] = &[
    "applicationintent",
    "authentication",
    "columnencryptionsetting",
    "encrypt",
    "failoverpartner",
    "hostnameincertificate",
    "initialcatalog",
    "integratedsecurity",
    "multipleactiveresultsets",
    "multisubnetfailover",
    "networklibrary",
    "packetsize",
    "servercertificate",
    "trusted_connection",
    "trustservercertificate",
    "workstationid",
];

/// Keys with which libpq's strings mostly begin.
const LIBPQ: &[&str] =
    &["dbname", "host", "hostaddr", "options", "passfile", "password", "port", "service", "sslmode", "user"];

/// Whose list this is; `None` = nobody's, or no such list (URLs, libpq's `key=value key=value`).
pub fn vendor(text: &str) -> Option<Vendor> {
    let list = List::read(text)?;
    if let Some(driver) = list.value("driver") {
        return of_driver(driver);
    }
    if !list.has(SERVER) && !list.has(&["host"]) {
        return None;
    }
    let named = if list.has(ONLY_MYSQL) {
        Some(Vendor::Mysql)
    } else if list.has(ONLY_POSTGRES) {
        Some(Vendor::Postgres)
    } else {
        None
    };
    if !list.has(NOT_SQL_SERVER) {
        return Some(named.unwrap_or(Vendor::SqlServer));
    }
    // One pair alone is as well libpq's.
    if list.0.len() < 2 {
        return None;
    }
    named.or_else(|| list.by_ssl_mode()).or_else(|| list.by_port()).or_else(|| Some(list.by_server()))
}

/// Whether [`vendor`] had nothing to go by but keys that drivers of several vendors share (`Uid`, `Pwd`).
pub fn is_guess(text: &str) -> bool {
    let Some(list) = List::read(text) else { return false };
    let telling = [ONLY_MYSQL, ONLY_POSTGRES, ONLY_SQL_SERVER, &["host", "port", "sslmode", "driver", "dsn"]];
    let is_plain = |server: &str| !server.contains([',', '\\', ':']);
    let logs_in = list.has(&["uid", "pwd"]);
    logs_in && !telling.iter().any(|keys| list.has(keys)) && SERVER.iter().all(|k| list.value(k).is_none_or(is_plain))
}

fn of_driver(driver: &str) -> Option<Vendor> {
    let driver = driver.to_lowercase();
    let names = |words: &[&str]| words.iter().any(|word| driver.contains(word));
    if names(&["sql server", "freetds", "msodbcsql"]) {
        Some(Vendor::SqlServer)
    } else if names(&["mysql", "mariadb", "myodbc", "maodbc"]) {
        Some(Vendor::Mysql)
    } else if names(&["postgres", "psqlodbc"]) {
        Some(Vendor::Postgres)
    } else {
        None
    }
}

/// Folded keys with their values.
struct List(Vec<(String, String)>);

impl List {
    fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let (first, rest) = text.split_once('=')?;
        if first.contains("://") || first.starts_with("jdbc:") || looks_like_libpq(first, rest) {
            return None;
        }
        let list = match pairs(text, 0, Grammar::of(text)) {
            Ok(list) => list.into_iter().map(|pair| (folded(&pair.key), pair.value)).collect(),
            // Quotes that end within a value are libpq's: `password='a;b' host=h`.
            Err(_) if LIBPQ.contains(&first.trim()) => return None,
            // Its reader tells what is wrong with it.
            Err(_) => {
                let split = text.split(';').filter_map(|pair| pair.split_once('='));
                split.map(|(key, value)| (folded(key), value.trim().to_owned())).collect()
            }
        };
        Some(Self(list))
    }

    fn has(&self, keys: &[&str]) -> bool {
        self.0.iter().any(|(key, _)| keys.contains(&key.as_str()))
    }

    fn value(&self, wanted: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.as_str())
    }

    fn by_ssl_mode(&self) -> Option<Vendor> {
        match self.value("sslmode")?.to_lowercase().as_str() {
            "none" | "preferred" | "required" | "disabled" | "verify_ca" | "verify_identity" => Some(Vendor::Mysql),
            "disable" | "allow" | "prefer" | "require" | "verify-ca" | "verify-full" => Some(Vendor::Postgres),
            _ => None,
        }
    }

    fn by_port(&self) -> Option<Vendor> {
        match self.value("port")? {
            "3306" | "3307" | "4000" | "6033" => Some(Vendor::Mysql),
            "5432" | "5433" | "6432" => Some(Vendor::Postgres),
            _ => None,
        }
    }

    fn by_server(&self) -> Vendor {
        if self.has(SERVER) { Vendor::Mysql } else { Vendor::Postgres }
    }
}

/// Whether spaces part the pairs (`host=h password=a;b`): drivers' lists have a `;` before the second key.
fn looks_like_libpq(first: &str, rest: &str) -> bool {
    let value = rest.split(';').next().unwrap_or_default();
    let second = value.split_once('=').map(|(before, _)| before.trim_end());
    let key = second.and_then(|before| before.rsplit_once(char::is_whitespace)).map(|(_, key)| key);
    let is_word = |key: &str| !key.is_empty() && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    is_word(first.trim()) && (key.is_some_and(is_word) || !rest.contains(';') && !SERVER.contains(&first.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_string_it_is() {
        use Vendor::{Mysql, Postgres, SqlServer};
        let table = [
            ("Server=h", Some(SqlServer)),
            ("server=h;uid=sa;pwd=x", Some(SqlServer)),
            ("Server=h;Password=\"a;port=1\"", Some(SqlServer)),
            ("Data Source=h;Initial Catalog=d", Some(SqlServer)),
            ("Driver={ODBC Driver 18 for SQL Server};Server=h;Port=1", Some(SqlServer)),
            ("Driver={MySQL ODBC 8.0 Unicode Driver};Server=h", Some(Mysql)),
            ("DRIVER={MariaDB ODBC 3.1 Driver};TCPIP=1;SERVER=h", Some(Mysql)),
            ("Driver={PostgreSQL Unicode};Servername=h", Some(Postgres)),
            ("Driver=/usr/lib/psqlodbcw.so;Server=h", Some(Postgres)),
            ("Driver={Oracle};Server=h", None),
            ("Server=h;Port=3306;Uid=root", Some(Mysql)),
            ("Server=h;Port=5432;User Id=u", Some(Postgres)),
            ("Server=h;Uid=u;SslMode=Required", Some(Mysql)),
            ("Server=h;User Id=u;Ssl Mode=Require", Some(Postgres)),
            ("Server=h;Uid=u;SslMode=VerifyFull", Some(Mysql)),
            ("Server=h;Uid=u;AllowPublicKeyRetrieval=true", Some(Mysql)),
            ("Host=h;Username=u;Password=p", Some(Postgres)),
            ("host=h;username=u;password=p", Some(Postgres)),
            ("Host=h;Port=3306;Username=u", Some(Mysql)),
            ("Host=h;Port=999;Username=u;SSL Mode=VerifyFull", Some(Postgres)),
            ("Server=h;Search Path=a", Some(Postgres)),
            ("host=h user=u dbname=d", None),
            ("host=h password=a;server=x", None),
            ("user=u password=a;server=x host=h", None),
            ("password='a;b' host=h", None),
            ("password='a;server=x;port=3306' host=h", None),
            ("Server=h;Port=3306;Pwd='open", Some(Mysql)),
            ("host=h", None),
            ("UID=sa;PWD=x", None),
            ("mysql://h?a=b;server=x", None),
            ("jdbc:sqlserver://h;user=x", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(vendor(text), expected, "{text}");
        }
    }

    #[test]
    fn guesses() {
        let table = [
            ("Server=127.0.0.1;Database=x;Uid=y", true),
            ("Server=127.0.0.1;Database=x;Uid=y;Encrypt=no", false),
            ("Server=127.0.0.1,1433;Uid=y", false),
            (r"Server=.\SQLEXPRESS;Uid=y", false),
            ("Server=tcp:h;Uid=y", false),
            ("Server=h;Port=3306;Uid=y", false),
            ("Server=h", false),
            ("Server=h;User ID=y;Password=z", false),
            ("Driver={SQL Server};Server=h;Uid=y", false),
        ];
        for (text, expected) in table {
            assert_eq!(is_guess(text), expected, "{text}");
        }
    }
}

//! Which connection strings are of MySQL or MariaDB: what stands before `://`.

/// What stands before `://`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    /// `mysql://` and its relatives; unknown keys are errors.
    Url,
    /// `jdbc:mysql://`: unknown keys are settings of the driver.
    Jdbc,
    /// A relative that is not spoken.
    Refused(&'static str, &'static str),
}

/// The scheme of a connection string of MySQL or MariaDB; `None` when it is something else.
pub(super) fn scheme(text: &str) -> Option<Scheme> {
    let (head, _) = text.split_once("://")?;
    if head.len() > 64 {
        return None;
    }
    let head = head.to_ascii_lowercase();
    let (jdbc, name) = head.strip_prefix("jdbc:").map_or((false, head.as_str()), |rest| (true, rest));
    let known = if jdbc { Scheme::Jdbc } else { Scheme::Url };
    const ONE_PORT: &str = "name the hosts and port 3306: mysql://user@host:3306/database";
    match name {
        "mysql" | "mariadb" | "mysql2" => Some(known),
        "mysqlx" | "mysqlx+srv" => Some(Scheme::Refused("the X protocol is not spoken", ONE_PORT)),
        _ if name.starts_with("mysql+srv") => Some(Scheme::Refused("hosts are not looked up in SRV records", ONE_PORT)),
        // SQLAlchemy writes the driver behind a `+`.
        _ if name.starts_with("mysql+") || name.starts_with("mariadb+") => Some(known),
        _ if jdbc && (name.starts_with("mysql:") || name.starts_with("mariadb:")) => match name.split_once(':') {
            Some((_, "sequential" | "failover")) => Some(known),
            _ => Some(Scheme::Refused(
                "load balancing and replication of the driver are not followed: two runs could not be compared",
                "name one host, or several to try in order: jdbc:mysql://host1,host2/database",
            )),
        },
        _ => None,
    }
}

//! The protocols a server can speak, and what differs between their engines before the first byte.

use peaje_model::Secret;

use crate::Auth;

/// A protocol that a reference server speaks. One server speaks one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
pub enum Protocol {
    /// PostgreSQL's, version 3.
    #[default]
    Postgres,
    /// MySQL's and MariaDB's.
    Mysql,
    /// SQL Server's: TDS 7.4 and 8.0.
    SqlServer,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Protocol; 3] = [Self::Postgres, Self::Mysql, Self::SqlServer];

    /// Sessions at most when nobody has changed the engine's own default: `max_connections` of PostgreSQL and MySQL,
    /// `user connections` of SQL Server.
    pub fn default_sessions(self) -> u32 {
        match self {
            Self::Postgres => 100,
            Self::Mysql => 151,
            Self::SqlServer => 32_767,
        }
    }

    /// Sessions that no setting can go beyond: SQL Server has a fixed limit.
    pub fn most_sessions(self) -> u64 {
        match self {
            Self::Postgres | Self::Mysql => u64::MAX,
            Self::SqlServer => 32_767,
        }
    }

    /// How an engine of this protocol checks a password when nobody has chosen another way.
    pub fn default_auth(self, user: String, password: Secret) -> Auth {
        match self {
            Self::Postgres => Auth::Scram { user, password },
            Self::Mysql => Auth::CachingSha2 { user, password },
            Self::SqlServer => Auth::Password { user, password },
        }
    }

    /// Whether a server of this protocol can check credentials in this way.
    pub fn has(self, auth: &Auth) -> bool {
        match auth {
            Auth::Trust | Auth::Password { .. } => true,
            Auth::Md5 { .. } | Auth::Scram { .. } => self == Self::Postgres,
            Auth::MysqlNative { .. } | Auth::CachingSha2 { .. } | Auth::Sha256 { .. } | Auth::Ed25519 { .. } => {
                self == Self::Mysql
            }
        }
    }

    /// The engine's name.
    pub fn engine(self) -> &'static str {
        match self {
            Self::Postgres => "PostgreSQL",
            Self::Mysql => "MySQL",
            Self::SqlServer => "SQL Server",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_protocol_has_its_default_authentication() {
        for protocol in Protocol::ALL {
            assert!(protocol.has(&protocol.default_auth("ana".into(), Secret::new("x"))), "{protocol:?}");
            assert!(protocol.has(&Auth::Trust));
        }
        assert!(!Protocol::Mysql.has(&Protocol::Postgres.default_auth("ana".into(), Secret::new("x"))));
        assert!(!Protocol::Postgres.has(&Protocol::Mysql.default_auth("ana".into(), Secret::new("x"))));
    }
}

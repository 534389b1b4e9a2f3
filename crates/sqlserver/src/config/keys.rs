//! Keys and their synonyms, of all families together. Spaces and case do not matter.

use peaje_engine::folded;
use strsim::levenshtein as distance;

/// What a key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Server,
    Port,
    Instance,
    User,
    Password,
    Database,
    Encrypt,
    TrustServerCertificate,
    HostNameInCertificate,
    ServerCertificate,
    ConnectTimeout,
    MinPoolSize,
    MaxPoolSize,
    Pooling,
    Lifetime,
    ApplicationName,
    ApplicationIntent,
    MultiSubnetFailover,
    PacketSize,
    Workstation,
    Language,
    IntegratedSecurity,
    Authentication,
    FailoverPartner,
    NetworkLibrary,
    AccessToken,
    Driver,
    Dsn,
    /// Known, and of no importance for a login.
    Ignored,
}

use Key as K;

/// Keys without spaces, in lower case.
const KEYS: &[(&str, Key)] = &[
    ("server", K::Server),
    ("datasource", K::Server),
    ("addr", K::Server),
    ("address", K::Server),
    ("networkaddress", K::Server),
    ("servername", K::Server),
    ("port", K::Port),
    ("portnumber", K::Port),
    ("instancename", K::Instance),
    ("instance", K::Instance),
    ("userid", K::User),
    ("user", K::User),
    ("uid", K::User),
    ("username", K::User),
    ("password", K::Password),
    ("pwd", K::Password),
    ("initialcatalog", K::Database),
    ("database", K::Database),
    ("databasename", K::Database),
    ("encrypt", K::Encrypt),
    ("trustservercertificate", K::TrustServerCertificate),
    ("hostnameincertificate", K::HostNameInCertificate),
    ("servercertificate", K::ServerCertificate),
    ("connecttimeout", K::ConnectTimeout),
    ("connectiontimeout", K::ConnectTimeout),
    ("timeout", K::ConnectTimeout),
    ("logintimeout", K::ConnectTimeout),
    ("minpoolsize", K::MinPoolSize),
    ("maxpoolsize", K::MaxPoolSize),
    ("pooling", K::Pooling),
    ("connectionlifetime", K::Lifetime),
    ("loadbalancetimeout", K::Lifetime),
    ("applicationname", K::ApplicationName),
    ("app", K::ApplicationName),
    ("appname", K::ApplicationName),
    ("applicationintent", K::ApplicationIntent),
    ("multisubnetfailover", K::MultiSubnetFailover),
    ("packetsize", K::PacketSize),
    ("workstationid", K::Workstation),
    ("wsid", K::Workstation),
    ("language", K::Language),
    ("currentlanguage", K::Language),
    ("integratedsecurity", K::IntegratedSecurity),
    ("trusted_connection", K::IntegratedSecurity),
    ("authentication", K::Authentication),
    ("failoverpartner", K::FailoverPartner),
    ("failover_partner", K::FailoverPartner),
    ("networklibrary", K::NetworkLibrary),
    ("network", K::NetworkLibrary),
    ("net", K::NetworkLibrary),
    ("accesstoken", K::AccessToken),
    ("driver", K::Driver),
    ("dsn", K::Dsn),
    ("filedsn", K::Dsn),
    ("multipleactiveresultsets", K::Ignored),
    ("mars_connection", K::Ignored),
    ("persistsecurityinfo", K::Ignored),
    ("connectretrycount", K::Ignored),
    ("connectretryinterval", K::Ignored),
    ("connectionreset", K::Ignored),
    ("commandtimeout", K::Ignored),
    ("enlist", K::Ignored),
    ("poolblockingperiod", K::Ignored),
    ("replication", K::Ignored),
    ("transactionbinding", K::Ignored),
    ("typesystemversion", K::Ignored),
    ("asynchronousprocessing", K::Ignored),
    ("ipaddresspreference", K::Ignored),
    ("transparentnetworkipresolution", K::Ignored),
    ("columnencryptionsetting", K::Ignored),
    ("columnencryption", K::Ignored),
    ("quotedid", K::Ignored),
    ("ansinpw", K::Ignored),
    ("autotranslate", K::Ignored),
    ("regional", K::Ignored),
    ("description", K::Ignored),
    ("sendstringparametersasunicode", K::Ignored),
    ("responsebuffering", K::Ignored),
    ("selectmethod", K::Ignored),
    ("sockettimeout", K::Ignored),
    ("querytimeout", K::Ignored),
    ("locktimeout", K::Ignored),
    ("schema", K::Ignored),
    ("connectionlimit", K::Ignored),
    ("pooltimeout", K::Ignored),
];

/// What a key means; `None` = not known.
pub(super) fn find(written: &str) -> Option<Key> {
    let folded = folded(written);
    KEYS.iter().find(|(name, _)| *name == folded).map(|(_, key)| *key)
}

/// The known key that a wrong one was probably meant to be.
pub(super) fn nearest(written: &str) -> Option<&'static str> {
    // No key is longer, and what is pasted may be.
    let folded: String = folded(written).chars().take(64).collect();
    let close = |name: &&(&'static str, Key)| distance(&folded, name.0) <= 1 + name.0.len() / 8;
    KEYS.iter().filter(close).min_by_key(|(name, _)| distance(&folded, name)).map(|(name, _)| *name)
}

//! From settings to a [`Config`]: variables, defaults, and refusals.

use std::path::PathBuf;
use std::time::Duration;

use peaje_engine::Endpoint;
use peaje_engine::PasswordOrigin;
use peaje_model::Secret;

use super::key_value::{Family, Setting, Settings};
use super::keys::Key;
use super::server_name::{ServerName, parse_port};
use super::{ApplicationIntent, Config, ConfigError, Encrypt, Place, PoolSettings, Surroundings};

const DEFAULT_PORT: u16 = 1433;
/// What stands for "the SQL Browser knows".
const UNKNOWN_PORT: u16 = 0;

/// Builds the configuration.
pub(super) fn assemble(
    settings: &Settings,
    family: Family,
    surroundings: &dyn Surroundings,
) -> Result<Config, ConfigError> {
    let mut warnings = settings.warnings.clone();
    refuse(settings, &mut warnings)?;
    let server = server(settings, family, surroundings)?;
    let endpoint = Endpoint::Tcp {
        host: server.host.clone(),
        address: None,
        port: match (&server.instance, server.port) {
            (_, Some(port)) => port,
            (Some(_), None) => UNKNOWN_PORT,
            (None, None) => DEFAULT_PORT,
        },
    };
    let text = |key| settings.text(key).map(str::to_owned);
    let (password, password_origin) = password(settings, surroundings).unzip();
    let encrypt = encrypt(settings)?;
    let trust = flag(settings, Key::TrustServerCertificate, "TrustServerCertificate")?;
    if trust && encrypt == Some(Encrypt::Strict) {
        warnings.push("TrustServerCertificate has no effect: Encrypt=strict always checks the certificate".to_owned());
    }
    Ok(Config {
        endpoints: vec![endpoint],
        // With a port nobody has to be asked.
        instance: server.instance.filter(|_| server.port.is_none()),
        user: text(Key::User).or_else(|| variable(surroundings, "SQLCMDUSER")).unwrap_or_default(),
        password,
        password_origin: password_origin.unwrap_or_default(),
        database: text(Key::Database).or_else(|| variable(surroundings, "SQLCMDDBNAME")),
        encrypt: encrypt.unwrap_or(Encrypt::On),
        encrypt_is_set: encrypt.is_some(),
        trust_server_certificate: trust,
        host_name_in_certificate: text(Key::HostNameInCertificate),
        server_certificate: text(Key::ServerCertificate).map(PathBuf::from),
        pool: pool(settings)?,
        connect_timeout: seconds(settings, Key::ConnectTimeout, "Connect Timeout")?,
        application_name: text(Key::ApplicationName),
        application_intent: intent(settings)?,
        multi_subnet_failover: flag(settings, Key::MultiSubnetFailover, "MultiSubnetFailover")?,
        packet_size: packet_size(settings)?,
        workstation: text(Key::Workstation).or_else(|| surroundings.host_name()).unwrap_or_default(),
        language: text(Key::Language),
        warnings,
    })
}

/// What peaje does not do, said before anything is dialled.
fn refuse(settings: &Settings, warnings: &mut Vec<String>) -> Result<(), ConfigError> {
    let unsupported = |setting: &Setting, key, problem, next_step| {
        Err(ConfigError::Unsupported { key, place: setting.place, problem, next_step })
    };
    if let Some(setting) = settings.get(Key::Dsn) {
        return unsupported(
            setting,
            "DSN",
            "names a data source of ODBC's own files, which are not read",
            "write the server into the string: Server=HOST,PORT",
        );
    }
    if let Some(setting) = settings.get(Key::AccessToken) {
        return unsupported(
            setting,
            "accessToken",
            "would stand in the clear in a connection string",
            "leave it out and give --access-token-file FILE",
        );
    }
    if let Some(setting) = settings.get(Key::IntegratedSecurity) {
        let value = setting.value.trim().to_ascii_lowercase();
        if !matches!(value.as_str(), "false" | "no" | "0" | "") {
            return unsupported(
                setting,
                "Integrated Security",
                "asks for Windows authentication, and Kerberos is not spoken yet",
                "log in as a user of SQL Server: User ID=…; Password=…",
            );
        }
    }
    authentication(settings, unsupported)?;
    if let Some(setting) = settings.get(Key::NetworkLibrary)
        && !matches!(setting.value.trim().to_ascii_lowercase().as_str(), "dbmssocn" | "tcp" | "")
    {
        return unsupported(
            setting,
            "Network Library",
            "asks for another transport than TCP",
            "leave it out, or write dbmssocn",
        );
    }
    if settings.text(Key::FailoverPartner).is_some() {
        warnings.push("Failover Partner is not dialled: only the server itself is measured".to_owned());
    }
    Ok(())
}

fn authentication(
    settings: &Settings,
    unsupported: impl Fn(&Setting, &'static str, &'static str, &'static str) -> Result<(), ConfigError>,
) -> Result<(), ConfigError> {
    let Some(setting) = settings.get(Key::Authentication) else { return Ok(()) };
    let word: String = setting.value.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    match word.as_str() {
        "" | "sqlpassword" | "notspecified" | "sqlserver" => Ok(()),
        w if w.starts_with("activedirectory") || w.starts_with("fedauth") || w == "azuread" => unsupported(
            setting,
            "Authentication",
            "asks for a token to be fetched, which peaje does not do",
            "leave it out and give a token with --access-token-file FILE",
        ),
        _ => Err(ConfigError::BadValue {
            key: "Authentication",
            place: setting.place,
            problem: "must be SqlPassword, or left out",
        }),
    }
}

fn server(settings: &Settings, family: Family, surroundings: &dyn Surroundings) -> Result<ServerName, ConfigError> {
    let (text, place) = match (settings.get(Key::Server), variable(surroundings, "SQLCMDSERVER")) {
        (Some(setting), _) if !setting.value.trim().is_empty() => (setting.value.clone(), setting.place),
        (_, Some(name)) => (name, Place::Variable("SQLCMDSERVER")),
        // A URL without a host, as those of other engines.
        (_, None) if family == Family::Jdbc => ("localhost".to_owned(), Place::Text { at: 1 }),
        _ => return Err(ConfigError::NoServer),
    };
    let unusable = |(problem, next_step)| ConfigError::Unsupported { key: "Server", place, problem, next_step };
    // The server of a URL has been taken apart already, and an IPv6 address has colons.
    let mut name = ServerName::parse(&text).map_err(unusable)?;
    if let Some(setting) = settings.get(Key::Port) {
        let bad = |(problem, _)| ConfigError::BadValue { key: "port", place: setting.place, problem };
        name.port = Some(parse_port(&setting.value).map_err(bad)?);
    }
    if let Some(instance) = settings.text(Key::Instance) {
        name.instance.get_or_insert_with(|| instance.to_owned());
    }
    Ok(name)
}

fn variable(surroundings: &dyn Surroundings, name: &str) -> Option<String> {
    surroundings.var(name).filter(|value| !value.is_empty())
}

fn password(settings: &Settings, surroundings: &dyn Surroundings) -> Option<(Secret, PasswordOrigin)> {
    const VARIABLE: &str = "SQLCMDPASSWORD";
    // An empty password is one; spaces belong to it.
    if let Some(setting) = settings.get(Key::Password) {
        return Some((Secret::new(setting.value.clone()), setting.place.into()));
    }
    Some((Secret::new(variable(surroundings, VARIABLE)?), PasswordOrigin::Variable(VARIABLE)))
}

fn encrypt(settings: &Settings) -> Result<Option<Encrypt>, ConfigError> {
    let Some(setting) = settings.get(Key::Encrypt) else { return Ok(None) };
    Encrypt::from_name(&setting.value).map(Some).ok_or(ConfigError::BadValue {
        key: "Encrypt",
        place: setting.place,
        problem: "must be mandatory (true, yes), optional (false, no), strict, or disable",
    })
}

fn flag(settings: &Settings, key: Key, name: &'static str) -> Result<bool, ConfigError> {
    let Some(setting) = settings.get(key) else { return Ok(false) };
    match setting.value.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Ok(true),
        "false" | "no" | "0" | "" => Ok(false),
        _ => Err(ConfigError::BadValue { key: name, place: setting.place, problem: "must be true or false" }),
    }
}

fn number(settings: &Settings, key: Key, name: &'static str) -> Result<Option<u32>, ConfigError> {
    let Some(setting) = settings.get(key) else { return Ok(None) };
    let problem = "must be a whole number, 0 or more";
    let bad = ConfigError::BadValue { key: name, place: setting.place, problem };
    setting.value.trim().parse().map(Some).map_err(|_| bad)
}

fn seconds(settings: &Settings, key: Key, name: &'static str) -> Result<Option<Duration>, ConfigError> {
    Ok(number(settings, key, name)?.filter(|s| *s > 0).map(|s| Duration::from_secs(s.into())))
}

fn pool(settings: &Settings) -> Result<PoolSettings, ConfigError> {
    let enabled = settings.get(Key::Pooling).is_none() || flag(settings, Key::Pooling, "Pooling")?;
    let pool = PoolSettings {
        enabled,
        min: number(settings, Key::MinPoolSize, "Min Pool Size")?,
        max: number(settings, Key::MaxPoolSize, "Max Pool Size")?,
        lifetime: seconds(settings, Key::Lifetime, "Load Balance Timeout")?,
    };
    let place = |key| settings.get(key).map_or(Place::Text { at: 1 }, |s| s.place);
    if pool.max == Some(0) {
        let problem = "must be at least 1";
        return Err(ConfigError::BadValue { key: "Max Pool Size", place: place(Key::MaxPoolSize), problem });
    }
    if pool.min.zip(pool.max).is_some_and(|(min, max)| min > max) {
        let problem = "is above Max Pool Size";
        return Err(ConfigError::BadValue { key: "Min Pool Size", place: place(Key::MinPoolSize), problem });
    }
    Ok(pool)
}

fn intent(settings: &Settings) -> Result<ApplicationIntent, ConfigError> {
    let Some(setting) = settings.get(Key::ApplicationIntent) else { return Ok(ApplicationIntent::ReadWrite) };
    match setting.value.trim().to_ascii_lowercase().as_str() {
        "readwrite" | "" => Ok(ApplicationIntent::ReadWrite),
        "readonly" => Ok(ApplicationIntent::ReadOnly),
        _ => Err(ConfigError::BadValue {
            key: "ApplicationIntent",
            place: setting.place,
            problem: "must be ReadWrite or ReadOnly",
        }),
    }
}

fn packet_size(settings: &Settings) -> Result<Option<u32>, ConfigError> {
    let size = number(settings, Key::PacketSize, "Packet Size")?;
    match (size, settings.get(Key::PacketSize)) {
        (Some(size), Some(setting)) if !(512..=32_767).contains(&size) => Err(ConfigError::BadValue {
            key: "Packet Size",
            place: setting.place,
            problem: "must be from 512 to 32767",
        }),
        _ => Ok(size),
    }
}

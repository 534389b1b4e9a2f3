//! From settings to a [`Config`]: sources in their order of precedence, defaults, and rules between settings.

use std::path::PathBuf;
use std::time::Duration;

use peaje_model::Secret;

use super::settings::Settings;
use super::values::{
    AuthWord, ChannelBindingMode, RequireAuth, RootCert, SslMode, SslNegotiation, TargetSessionAttrs, TlsVersion,
};
use super::{Config, ConfigError, Surroundings, hosts, passfile, service};

/// Adds the weaker sources and builds the configuration.
pub(super) fn assemble(mut settings: Settings, surroundings: &dyn Surroundings) -> Result<Config, ConfigError> {
    service::apply(&mut settings, surroundings)?;
    settings.fill_from_variables(surroundings);
    let mut warnings = Vec::new();
    settings.check_uses(&mut warnings)?;
    check_without_effect(&settings, &mut warnings)?;

    let user = settings.text("user").or_else(|| surroundings.user_name()).ok_or(ConfigError::NoUser)?;
    let database = settings.text("dbname").unwrap_or_else(|| user.clone());
    let tls = tls(&settings, surroundings)?;
    let mut config = Config {
        endpoints: hosts::endpoints(&settings, surroundings)?,
        password: settings.text("password").map(Secret::new),
        password_origin: settings.place("password").into(),
        file_passwords: Vec::new(),
        ssl_mode: tls.mode,
        ssl_mode_is_set: settings.get("sslmode").is_some(),
        ssl_negotiation: tls.negotiation,
        ssl_root_cert: tls.root,
        ssl_cert: tls.certificate,
        ssl_key: tls.key,
        ssl_min_version: tls.versions.0,
        ssl_max_version: tls.versions.1,
        ssl_sni: settings.text("sslsni").is_none_or(|sni| sni != "0"),
        channel_binding: settings.word(
            "channel_binding",
            ChannelBindingMode::from_name,
            ChannelBindingMode::WORDS,
            ChannelBindingMode::Prefer,
        )?,
        require_auth: require_auth(&settings)?,
        options: settings.text("options"),
        application_name: settings.text("application_name").or_else(|| settings.text("fallback_application_name")),
        connect_timeout: connect_timeout(&settings)?,
        target_session_attrs: settings.word(
            "target_session_attrs",
            TargetSessionAttrs::from_name,
            TargetSessionAttrs::WORDS,
            TargetSessionAttrs::Any,
        )?,
        warnings,
        user,
        database,
    };
    find_file_passwords(&mut config, settings.path("passfile"), surroundings);
    Ok(config)
}

fn find_file_passwords(config: &mut Config, passfile: Option<PathBuf>, surroundings: &dyn Surroundings) {
    if config.password.is_some() {
        return;
    }
    let Some(text) = passfile::read(passfile, surroundings, &mut config.warnings) else { return };
    config.file_passwords = config
        .endpoints
        .iter()
        .map(|endpoint| passfile::Wanted::new(endpoint, &config.database, &config.user).find(&text))
        .collect();
}

/// Settings whose harmless values are accepted.
fn check_without_effect(settings: &Settings, warnings: &mut Vec<String>) -> Result<(), ConfigError> {
    if let Some(value) = settings.get("gssencmode") {
        match value.text.as_str() {
            "disable" | "prefer" => {}
            "require" => {
                return Err(ConfigError::Unsupported {
                    key: "gssencmode",
                    place: value.place.clone(),
                    problem: "asks for encryption by Kerberos, which is not spoken".to_owned(),
                    next_step: "use gssencmode=disable, and TLS by sslmode=require",
                });
            }
            _ => return Err(bad(settings, "gssencmode", "must be one of disable, prefer, require")),
        }
    }
    if let Some(value) = settings.get("load_balance_hosts") {
        match value.text.as_str() {
            "disable" => {}
            "random" => {
                return Err(ConfigError::Unsupported {
                    key: "load_balance_hosts",
                    place: value.place.clone(),
                    problem: "asks for hosts in random order: the figures of two runs could not be compared".to_owned(),
                    next_step: "leave it out, and measure one host at a time",
                });
            }
            _ => return Err(bad(settings, "load_balance_hosts", "must be one of disable, random")),
        }
    }
    if settings.get("sslcertmode").is_some_and(|v| !["disable", "allow", "require"].contains(&v.text.as_str())) {
        return Err(bad(settings, "sslcertmode", "must be one of disable, allow, require"));
    }
    if settings.get("sslcertmode").is_some_and(|v| v.text == "require") {
        warnings.push("`sslcertmode=require` is treated as `allow`: whether the server asks is not checked".to_owned());
    }
    if settings.get("sslsni").is_some_and(|v| !["0", "1"].contains(&v.text.as_str())) {
        return Err(bad(settings, "sslsni", "must be 0 or 1"));
    }
    Ok(())
}

fn bad(settings: &Settings, key: &'static str, problem: &str) -> ConfigError {
    ConfigError::BadValue { key, place: settings.place(key), problem: problem.to_owned() }
}

/// The TLS settings, checked against each other.
struct Tls {
    mode: SslMode,
    negotiation: SslNegotiation,
    root: Option<RootCert>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    versions: (Option<TlsVersion>, Option<TlsVersion>),
}

fn tls(settings: &Settings, surroundings: &dyn Surroundings) -> Result<Tls, ConfigError> {
    let in_home = |name: &str| {
        surroundings.home().map(|home| home.join(".postgresql").join(name)).filter(|path| surroundings.exists(path))
    };
    let root = match settings.text("sslrootcert").as_deref() {
        Some("system") => Some(RootCert::System),
        Some(path) => Some(RootCert::File(PathBuf::from(path))),
        None => in_home("root.crt").map(RootCert::File),
    };
    let default = if root == Some(RootCert::System) { SslMode::VerifyFull } else { SslMode::Prefer };
    let mode = settings.word("sslmode", SslMode::from_name, SslMode::WORDS, default)?;
    let negotiation =
        settings.word("sslnegotiation", SslNegotiation::from_name, SslNegotiation::WORDS, SslNegotiation::Postgres)?;
    if root == Some(RootCert::System) && mode != SslMode::VerifyFull {
        return Err(ConfigError::Conflict {
            problem: format!("sslmode={} is too weak for sslrootcert=system", mode.name()),
            next_step: "use sslmode=verify-full: anybody can have a certificate from a public issuer",
        });
    }
    if negotiation == SslNegotiation::Direct && mode < SslMode::Require {
        return Err(ConfigError::Conflict {
            problem: format!("sslmode={} is too weak for sslnegotiation=direct", mode.name()),
            next_step: "use sslmode=require or stricter",
        });
    }
    let (certificate, key) = client_certificate(settings, in_home);
    Ok(Tls { mode, negotiation, root, certificate, key, versions: versions(settings)? })
}

/// Certificate and key of the client: what is named, else those in the home folder when both are there.
fn client_certificate(
    settings: &Settings,
    in_home: impl Fn(&str) -> Option<PathBuf>,
) -> (Option<PathBuf>, Option<PathBuf>) {
    if settings.get("sslcertmode").is_some_and(|mode| mode.text == "disable") {
        return (None, None);
    }
    let certificate = settings.path("sslcert").or_else(|| in_home("postgresql.crt"));
    let key = settings.path("sslkey").or_else(|| in_home("postgresql.key"));
    let named = settings.get("sslcert").is_some() || settings.get("sslkey").is_some();
    if named || (certificate.is_some() && key.is_some()) { (certificate, key) } else { (None, None) }
}

fn versions(settings: &Settings) -> Result<(Option<TlsVersion>, Option<TlsVersion>), ConfigError> {
    let version = |key| match settings.get(key) {
        None => Ok(None),
        Some(_) => settings.word(key, TlsVersion::from_name, TlsVersion::WORDS, TlsVersion::Tls12).map(Some),
    };
    let (min, max) = (version("ssl_min_protocol_version")?, version("ssl_max_protocol_version")?);
    if max.is_some_and(|max| max < TlsVersion::Tls12) {
        return Err(ConfigError::Unsupported {
            key: "ssl_max_protocol_version",
            place: settings.place("ssl_max_protocol_version"),
            problem: "asks for a TLS version below 1.2, which is not spoken".to_owned(),
            next_step: "use TLSv1.2 or TLSv1.3",
        });
    }
    if max.zip(min).is_some_and(|(max, min)| max < min) {
        return Err(ConfigError::Conflict {
            problem: "ssl_min_protocol_version is above ssl_max_protocol_version".to_owned(),
            next_step: "exchange them, or leave one out",
        });
    }
    Ok((min, max))
}

fn require_auth(settings: &Settings) -> Result<RequireAuth, ConfigError> {
    let Some(value) = settings.get("require_auth") else { return Ok(RequireAuth::Any) };
    let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
    for item in value.text.split(',') {
        let (list, name) = match item.trim().strip_prefix('!') {
            Some(name) => (&mut unwanted, name),
            None => (&mut wanted, item.trim()),
        };
        let word = AuthWord::from_name(name)
            .ok_or_else(|| bad(settings, "require_auth", &format!("lists words of {}", AuthWord::WORDS.join(", "))))?;
        if list.contains(&word) {
            return Err(bad(settings, "require_auth", "names a method twice"));
        }
        list.push(word);
    }
    match (wanted.is_empty(), unwanted.is_empty()) {
        (false, false) => Err(bad(settings, "require_auth", "mixes methods with and without `!`")),
        (true, _) => Ok(RequireAuth::NoneOf(unwanted)),
        (_, true) => Ok(RequireAuth::OneOf(wanted)),
    }
}

/// Whole seconds; 0, a negative number or nothing means without limit.
fn connect_timeout(settings: &Settings) -> Result<Option<Duration>, ConfigError> {
    let Some(value) = settings.get("connect_timeout") else { return Ok(None) };
    let seconds: i32 = value
        .text
        .trim()
        .parse()
        .map_err(|_| bad(settings, "connect_timeout", "must be a whole number of seconds (0 = without limit)"))?;
    Ok(u64::try_from(seconds).ok().filter(|s| *s > 0).map(Duration::from_secs))
}

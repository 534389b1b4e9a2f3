//! From settings to a [`Config`]: the URL first, then the option files, then variables and defaults.

use std::time::Duration;

use peaje_engine::PasswordOrigin;
use peaje_model::Secret;

use super::hosts::Sources;
use super::settings::Settings;
use super::uri::Parsed;
use super::values::{Cleartext, OldPassword, PublicKeyRetrieval, SslMode, TlsVersion};
use super::{Config, ConfigError, Surroundings, option_files, tls_mode};

/// Adds the weaker sources and builds the configuration.
pub(super) fn assemble(parsed: Parsed, surroundings: &dyn Surroundings) -> Result<Config, ConfigError> {
    let mut warnings = Vec::new();
    let files = option_files::read(surroundings, &mut warnings)?;
    let Parsed { hosts, settings: url, left_out } = parsed;
    warnings.extend(left_out.iter().map(|key| format!("`{key}` has no effect: it is a setting of the driver")));
    url.check_uses(&mut warnings)?;
    files.check_uses(&mut warnings)?;

    let endpoints = Sources { hosts: &hosts, url: &url, files: &files, surroundings }.endpoints()?;
    let both = Both { url: &url, files: &files };
    let user = both.text("user").or_else(|| surroundings.user_name()).ok_or(ConfigError::NoUser)?;
    let (password, password_origin) = password(&url, &files, surroundings, &mut warnings).unzip();
    let (ssl_mode, ssl_mode_is_set) = both.ssl_mode()?;
    Ok(Config {
        endpoints,
        password,
        password_origin: password_origin.unwrap_or_default(),
        database: both.text("database"),
        ssl_mode,
        ssl_mode_is_set,
        ssl_ca: both.path("ssl-ca"),
        ssl_ca_path: both.path("ssl-capath"),
        ssl_cert: both.path("ssl-cert"),
        ssl_key: both.path("ssl-key"),
        tls_versions: both.tls_versions(&mut warnings)?,
        cleartext: match both.switch("enable-cleartext-plugin")? {
            Some(true) => Cleartext::WhenProtected,
            _ => Cleartext::Never,
        },
        old_password: both.old_password()?,
        public_key_retrieval: match both.switch("get-server-public-key")? {
            Some(true) => PublicKeyRetrieval::Allowed,
            _ => PublicKeyRetrieval::Never,
        },
        server_public_key: both.path("server-public-key-path"),
        default_auth: both.default_auth(),
        init_commands: both.init_commands(),
        program_name: both.text("program-name"),
        connect_timeout: both.connect_timeout(&mut warnings)?,
        warnings,
        user,
    })
}

/// The password. That of an option file belongs to the user whom the file names: sent for another one, it could only
/// count as a failed login.
fn password(
    url: &Settings,
    files: &Settings,
    surroundings: &dyn Surroundings,
    warnings: &mut Vec<String>,
) -> Option<(Secret, PasswordOrigin)> {
    if let Some(value) = url.raw("password") {
        return Some((Secret::new(value.text.clone()?), value.place.clone().into()));
    }
    // A key alone asks for a prompt.
    if let Some(text) = files.raw("password").and_then(|value| value.text.clone()) {
        match (url.text("user"), files.text("user")) {
            (Some(wanted), Some(named)) if wanted != named => warnings.push(format!(
                "the password {} is not used: it belongs to another user than the connection string names",
                files.place("password")
            )),
            _ => return Some((Secret::new(text), files.place("password").into())),
        }
    }
    const VARIABLE: &str = "MYSQL_PWD";
    Some((Secret::new(surroundings.var(VARIABLE)?), PasswordOrigin::Variable(VARIABLE)))
}

/// The two sources of settings, the stronger one first.
struct Both<'a> {
    url: &'a Settings,
    files: &'a Settings,
}

impl Both<'_> {
    /// The source that says anything about a key.
    fn source(&self, key: &'static str) -> &Settings {
        if self.url.raw(key).is_some() { self.url } else { self.files }
    }

    fn text(&self, key: &'static str) -> Option<String> {
        self.source(key).text(key).map(str::to_owned)
    }

    fn path(&self, key: &'static str) -> Option<std::path::PathBuf> {
        self.source(key).path(key)
    }

    fn switch(&self, key: &'static str) -> Result<Option<bool>, ConfigError> {
        self.source(key).switch(key)
    }

    /// The mode, and whether anything was said. Trusted roots without a mode mean that the chain is to be checked, as
    /// in MySQL's clients.
    fn ssl_mode(&self) -> Result<(SslMode, bool), ConfigError> {
        for source in [self.url, self.files] {
            if let Some(mode) = tls_mode::of(source)? {
                return Ok((mode, true));
            }
        }
        if self.path("ssl-ca").or_else(|| self.path("ssl-capath")).is_some() {
            return Ok((SslMode::VerifyCa, true));
        }
        Ok((SslMode::Preferred, false))
    }

    /// Forbidden by default, by either word against it, and by the stronger source.
    fn old_password(&self) -> Result<OldPassword, ConfigError> {
        for source in [self.url, self.files] {
            let forbidden = [
                source.switch("secure-auth")?,
                source.switch("skip-secure-auth")?.map(|skip| !skip),
                source.switch("allowOldPasswords")?.map(|allow| !allow),
            ];
            let mut said = forbidden.into_iter().flatten().peekable();
            if said.peek().is_some() {
                return Ok(if said.any(|forbidden| forbidden) { OldPassword::Never } else { OldPassword::Allowed });
            }
        }
        Ok(OldPassword::Never)
    }

    fn tls_versions(&self, warnings: &mut Vec<String>) -> Result<Vec<TlsVersion>, ConfigError> {
        let key = "tls-version";
        let source = self.source(key);
        let Some(text) = source.text(key) else { return Ok(Vec::new()) };
        let mut versions = Vec::new();
        for word in text.split(',') {
            match TlsVersion::from_name(word) {
                Some(version) if versions.contains(&version) => {}
                Some(version) => versions.push(version),
                None if TlsVersion::is_outdated(word) => {
                    warnings.push(format!("{}: TLS below 1.2 is not spoken", source.place(key)));
                }
                None => return Err(source.bad(key, "must be a list of TLSv1.2 and TLSv1.3, separated by commas")),
            }
        }
        if versions.is_empty() {
            return Err(ConfigError::Unsupported {
                place: source.place(key),
                problem: "`tls-version` allows only versions below 1.2, which are not spoken".to_owned(),
                next_step: "add TLSv1.2 or TLSv1.3",
            });
        }
        Ok(versions)
    }

    /// JDBC names Java classes here, whose last word is close to the plugin's name and not it: they are left to the
    /// server's choice.
    fn default_auth(&self) -> Option<String> {
        self.text("default-auth").filter(|name| !name.contains('.'))
    }

    /// Connector/J's `sessionVariables` is a list behind a SET.
    fn init_commands(&self) -> Vec<String> {
        let mut commands = Vec::new();
        commands.extend(self.text("sessionVariables").map(|list| format!("SET {list}")));
        commands.extend(self.text("init-command"));
        commands
    }

    /// `connectTimeout` counts milliseconds; 0 means without limit.
    fn connect_timeout(&self, warnings: &mut Vec<String>) -> Result<Option<Duration>, ConfigError> {
        let read = |key: &'static str| -> Result<Option<u64>, ConfigError> {
            let source = self.source(key);
            let Some(text) = source.text(key) else { return Ok(None) };
            let number = text.trim().parse().map_err(|_| source.bad(key, "must be a whole number (0 = no limit)"))?;
            Ok(Some(number))
        };
        if let Some(milliseconds) = read("connectTimeout")? {
            if (1..100).contains(&milliseconds) {
                warnings.push(format!("`connectTimeout={milliseconds}` is read as milliseconds, as drivers do"));
            }
            return Ok(Some(Duration::from_millis(milliseconds)).filter(|d| !d.is_zero()));
        }
        let seconds = read("connect-timeout")?;
        if let Some(seconds) = seconds.filter(|s| *s >= 1000) {
            warnings
                .push(format!("`connect-timeout={seconds}` is read as seconds; connectTimeout counts milliseconds"));
        }
        Ok(seconds.map(Duration::from_secs).filter(|d| !d.is_zero()))
    }
}

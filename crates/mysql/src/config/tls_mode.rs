//! Whether and how strictly TLS is used, in the words of MySQL, MariaDB, JDBC and Go.
//!
//! A newcomer would read `ssl=true` as "when it is offered". Here it means that TLS is wanted: without it there is no
//! login.

use super::ConfigError;
use super::settings::Settings;
use super::values::SslMode;

/// What one source says about TLS, in any of the forms of MySQL, MariaDB, JDBC and Go.
pub(super) fn of(source: &Settings) -> Result<Option<SslMode>, ConfigError> {
    if let Some(text) = source.text("ssl-mode") {
        let words = "must be one of DISABLED, PREFERRED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY";
        return SslMode::from_name(text).map(Some).ok_or_else(|| source.bad("ssl-mode", words));
    }
    if let Some(text) = source.text("tls") {
        return match text.to_ascii_lowercase().as_str() {
            "true" => Ok(Some(SslMode::VerifyIdentity)),
            "skip-verify" => Ok(Some(SslMode::Required)),
            "preferred" => Ok(Some(SslMode::Preferred)),
            "false" => Ok(Some(SslMode::Disabled)),
            _ => Err(source.bad("tls", "must be one of true, skip-verify, preferred, false")),
        };
    }
    let on = match (source.switch("ssl")?, source.switch("skip-ssl")?) {
        (Some(true), Some(true)) => {
            return Err(ConfigError::Unsupported {
                place: source.place("skip-ssl"),
                problem: "TLS is switched on and off".to_owned(),
                next_step: "leave out one of ssl and skip-ssl",
            });
        }
        (_, Some(true)) => Some(false),
        (on, _) => on,
    };
    let verify = match source.switch("skip-ssl-verify-server-cert")? {
        Some(true) => Some(false),
        _ => source.switch("ssl-verify-server-cert")?,
    };
    let trust = source.switch("trustServerCertificate")? == Some(true);
    let required = on == Some(true) || trust || source.switch("requireSSL")? == Some(true);
    Ok(match (on, verify) {
        (Some(false), _) => Some(SslMode::Disabled),
        (_, Some(true)) if !trust => Some(SslMode::VerifyIdentity),
        // With roots at hand and nothing said against it, they are used.
        _ if required && verify.is_none() && !trust && has_roots(source) => Some(SslMode::VerifyCa),
        _ if required => Some(SslMode::Required),
        (None, Some(false)) => Some(SslMode::Preferred),
        _ => None,
    })
}

fn has_roots(source: &Settings) -> bool {
    source.text("ssl-ca").or_else(|| source.text("ssl-capath")).is_some()
}

//! Where the measurement is made from.

use peaje_engine::Clock;
use peaje_host::Host;
use peaje_model::{Environment, TlsLibrary};

/// Arguments whose value is a secret.
const SECRET_ARGUMENTS: [&str; 1] = ["--password"];

/// A connection string as it was typed, and without its secrets.
pub(crate) type Shown<'a> = (&'a str, &'a str);

/// Describes this machine and this command, whose connection strings are `targets`.
pub(crate) fn describe(host: &dyn Host, targets: &[Shown<'_>]) -> Environment {
    let identity = host.identity();
    let clock = Clock::measure();
    Environment {
        peaje_version: env!("CARGO_PKG_VERSION").to_owned(),
        kernel: identity.kernel,
        cpu: identity.cpu,
        cores: identity.cores,
        tls_library: TlsLibrary {
            name: "rustls with aws-lc".to_owned(),
            version: env!("PEAJE_RUSTLS_VERSION").to_owned(),
        },
        hostname: identity.hostname,
        command_line: without_secrets(std::env::args(), targets),
        clock_resolution_ns: Some(clock.resolution_ns),
        clock_cost_ns: Some(clock.cost_ns),
    }
}

fn without_secrets(args: impl Iterator<Item = String>, targets: &[Shown<'_>]) -> Vec<String> {
    let mut hide_next = false;
    args.enumerate()
        .map(|(position, arg)| {
            if position == 0 {
                return "peaje".to_owned();
            }
            if std::mem::take(&mut hide_next) {
                return "***".to_owned();
            }
            // An option may hold it as well: `--pool=…`.
            let holds = targets.iter().find_map(|(typed, shown)| Some((arg.strip_suffix(typed)?, shown)));
            if let Some((option, shown)) = holds
                && (option.is_empty() || option.ends_with('='))
            {
                return format!("{option}{shown}");
            }
            hide_next = SECRET_ARGUMENTS.contains(&arg.as_str());
            match arg.split_once('=') {
                Some((name, _)) if SECRET_ARGUMENTS.contains(&name) => format!("{name}=***"),
                _ => arg,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_kept_without_secrets() {
        let url = "postgresql://app:hunter2@db/shop";
        let args = ["/usr/bin/peaje", "login", url, "--password", "hunter2", "--password=hunter2", "--yes"];
        let kept = without_secrets(args.iter().map(ToString::to_string), &[(url, "postgresql://app@db/shop")]);
        assert_eq!(
            kept,
            ["peaje", "login", "postgresql://app@db/shop", "--password", "***", "--password=***", "--yes"]
        );
        let pool = "Server=db;Password=hunter2;Min Pool Size=5";
        let args = ["peaje", "watch", &format!("--pool={pool}"), "--pool", pool];
        let kept = without_secrets(args.iter().map(ToString::to_string), &[(pool, "min:5")]);
        assert_eq!(kept, ["peaje", "watch", "--pool=min:5", "--pool", "min:5"]);
    }
}

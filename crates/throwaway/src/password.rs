//! Passwords of throwaway servers.

use peaje_model::Secret;
use rand::distr::Alphanumeric;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// A password that nobody can guess: other users of this machine can reach the port.
pub fn random_password() -> Secret {
    let password: String = StdRng::from_os_rng().sample_iter(Alphanumeric).take(32).map(char::from).collect();
    Secret::new(password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_differ() {
        assert_ne!(random_password(), random_password());
        assert_eq!(random_password().expose().len(), 32);
    }
}

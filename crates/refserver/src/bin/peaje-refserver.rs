//! The program of a reference server apart, for the tests of this crate. The command `peaje` is such a program too.

use std::process::ExitCode;

fn main() -> ExitCode {
    match peaje_refserver::run_apart() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The starter's own standard error.
            let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{error}\n").as_bytes());
            ExitCode::FAILURE
        }
    }
}

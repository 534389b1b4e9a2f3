//! A command with its arguments, as the guard's shell will run it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// A command: a program by its full path, its arguments, and a file to read as its input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    words: Vec<OsString>,
    input: Option<PathBuf>,
}

impl CommandLine {
    /// A program without arguments that reads nothing.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self { words: vec![program.into()], input: None }
    }

    /// One more argument.
    pub fn arg(mut self, word: impl Into<OsString>) -> Self {
        self.words.push(word.into());
        self
    }

    /// More arguments.
    pub fn args<W: Into<OsString>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        self.words.extend(words.into_iter().map(Into::into));
        self
    }

    /// Standard input from a file.
    pub fn input(mut self, path: impl Into<PathBuf>) -> Self {
        self.input = Some(path.into());
        self
    }

    /// The command as one line for a shell. The guard reads lines: a word that holds a line break cannot be passed.
    pub(crate) fn to_shell(&self) -> Option<OsString> {
        let mut line: Vec<u8> = Vec::new();
        for word in &self.words {
            line.extend(quoted(word)?);
            line.push(b' ');
        }
        line.extend(b"<");
        line.extend(quoted(self.input.as_ref().map_or(OsStr::new("/dev/null"), |path| path.as_os_str()))?);
        Some(OsString::from_vec(line))
    }
}

/// A word in single quotes, within which a shell sees nothing special but the quote itself.
fn quoted(word: &OsStr) -> Option<Vec<u8>> {
    let bytes = word.as_bytes();
    if bytes.contains(&b'\n') || bytes.contains(&0) {
        return None;
    }
    let mut quoted = vec![b'\''];
    for byte in bytes {
        match byte {
            b'\'' => quoted.extend(br"'\''"),
            other => quoted.push(*other),
        }
    }
    quoted.push(b'\'');
    Some(quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_sees_the_words_as_they_were() {
        let words = ["plain", "two words", "it's", "$HOME `id` \\ \"x\" * ; & | <>", "", "-n", "año"];
        let line = CommandLine::new("printf").arg("[%s]").args(words).to_shell().expect("no line break");
        let output = std::process::Command::new("/bin/sh").arg("-c").arg(line).output().expect("a shell");
        let expected = format!("[{}]", words.join("]["));
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    }

    #[test]
    fn input_comes_from_the_file() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), "its contents").expect("written");
        let line = CommandLine::new("cat").input(file.path()).to_shell().expect("no line break");
        let output = std::process::Command::new("/bin/sh").arg("-c").arg(line).output().expect("a shell");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "its contents");
    }

    #[test]
    fn a_line_break_is_refused() {
        assert_eq!(CommandLine::new("a\nb").to_shell(), None);
    }
}

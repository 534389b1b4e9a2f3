//! The words of the command line as targets. A newcomer would take `serve:thread` for a connection string: it names an
//! embedded server of that model, which peaje starts as a process of its own so that its memory is not peaje's.

use clap::ValueEnum;

use super::settings::Owner;
use crate::args::ModelArg;
use crate::exit::hinted;
use crate::target::{self, Choice};

/// One target of the command.
#[derive(Debug, Clone, Copy)]
pub(super) enum Word<'a> {
    /// An embedded server of a model.
    Serve(ModelArg),
    /// Whatever `peaje login` takes.
    Choice(Choice<'a>, &'a str),
}

/// The prefix of an embedded server.
const SERVE: &str = "serve:";

/// What is measured when no target was typed: the two architectures, side by side.
const DEFAULT: [Word<'static>; 2] = [Word::Serve(ModelArg::Thread), Word::Serve(ModelArg::Process)];

/// All words are understood before the first one is opened.
pub(super) fn understand(words: &[String]) -> anyhow::Result<Vec<Word<'_>>> {
    if words.is_empty() {
        return Ok(DEFAULT.to_vec());
    }
    words.iter().map(|word| one(word.trim())).collect()
}

fn one(text: &str) -> anyhow::Result<Word<'_>> {
    let Some(model) = text.strip_prefix(SERVE) else { return Ok(Word::Choice(target::choose(Some(text))?, text)) };
    ModelArg::from_str(model, true).map(Word::Serve).map_err(|_| {
        let known: Vec<String> = ModelArg::value_variants().iter().copied().map(word).collect();
        hinted("there is no embedded server of that model", format!("one of: {}", known.join(", ")))
    })
}

/// The word for an embedded server.
pub(super) fn word(model: ModelArg) -> String {
    format!("{SERVE}{}", crate::args::typed(&model))
}

/// Whether somebody else's server is among them.
pub(super) fn owner(words: &[Word<'_>]) -> Owner {
    if words.iter().any(|word| matches!(word, Word::Choice(Choice::Url(..), _))) {
        Owner::Somebody
    } else {
        Owner::Peaje
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert!(matches!(one("serve:thread"), Ok(Word::Serve(ModelArg::Thread))));
        assert!(matches!(one("serve:process"), Ok(Word::Serve(ModelArg::Process))));
        assert!(matches!(one("postgres:"), Ok(Word::Choice(Choice::Throwaway(_), _))));
        assert!(matches!(one("mysql://u@db"), Ok(Word::Choice(Choice::Url(..), _))));
        let error = one("serve:fibre").expect_err("no such model");
        let hinted = error.downcast_ref::<crate::exit::Hinted>().expect("with a next step");
        assert!(hinted.hint.contains("serve:event"), "{}", hinted.hint);
        let texts = ["postgres:".to_owned(), "serve:event".to_owned()];
        assert_eq!(owner(&understand(&texts).expect("known")), Owner::Peaje);
        assert_eq!(owner(&understand(&[]).expect("the default")), Owner::Peaje);
        assert_eq!(owner(&[one("host=db user=u").expect("known")]), Owner::Somebody);
    }
}

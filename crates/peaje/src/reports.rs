//! One run, all its views: text, JSON, CSV, HTML, and the exit code.

use peaje_model::{Ended, Run, Severity, Verdict};
use peaje_report::{Styling, TextOptions};

use crate::args::OutputArgs;
use crate::exit::{Status, hinted};
use crate::files;
use crate::language;
use crate::printer::Printer;

/// Columns of a report.
const NARROWEST: usize = 80;
const WIDEST: usize = 120;

/// Whether every view can be written where it is asked for: known before the load, not after it.
pub(crate) fn check_places(output: &OutputArgs) -> anyhow::Result<()> {
    let places = [&output.json, &output.csv, &output.html];
    let asked = || places.iter().filter_map(|place| place.as_deref());
    if asked().filter(|place| files::is_stdout(place)).count() > 1 {
        return Err(hinted("only one of --json, --csv and --html can go to standard output", "give the others a file"));
    }
    asked().filter(|place| !files::is_stdout(place)).try_for_each(files::check_place)
}

/// Writes the text and every view asked for.
pub(crate) fn write(run: &mut Run, output: &OutputArgs, printer: Printer) -> anyhow::Result<()> {
    write_text(run, output, printer)?;
    views(run, output, printer)
}

/// Writes the text without the ladders of sessions, which a person has seen already, and every view asked for.
pub(crate) fn write_after_steps(run: &mut Run, output: &OutputArgs, printer: Printer) -> anyhow::Result<()> {
    write_text_by(peaje_report::text_after_steps, run, output, printer)?;
    views(run, output, printer)
}

/// Writes the text: to stdout unless a view goes there.
pub(crate) fn write_text(run: &mut Run, output: &OutputArgs, printer: Printer) -> anyhow::Result<()> {
    write_text_by(peaje_report::text, run, output, printer)
}

fn write_text_by(
    text: fn(&Run, &TextOptions) -> String,
    run: &mut Run,
    output: &OutputArgs,
    printer: Printer,
) -> anyhow::Result<()> {
    redact_once(run, output, printer);
    let language = language::choose(output.lang);
    let options = TextOptions { language, styling: styling(printer), width: width() };
    let text = text(run, &options);
    let targets = [&output.json, &output.csv, &output.html];
    if targets.iter().any(|t| t.as_deref().is_some_and(files::is_stdout)) {
        printer.say_redacted(&text);
    } else {
        printer.result(&text)?;
    }
    Ok(())
}

/// Writes the views asked for, without the text.
pub(crate) fn write_views(run: &mut Run, output: &OutputArgs, printer: Printer) -> anyhow::Result<()> {
    redact_once(run, output, printer);
    views(run, output, printer)
}

fn redact_once(run: &mut Run, output: &OutputArgs, printer: Printer) {
    if output.redact {
        printer.redact_run(run);
    }
}

fn views(run: &Run, output: &OutputArgs, printer: Printer) -> anyhow::Result<()> {
    let language = language::choose(output.lang);
    if let Some(path) = &output.json {
        files::write(path, &peaje_report::json(run), printer)?;
    }
    if let Some(path) = &output.csv {
        files::write(path, &peaje_report::csv(run), printer)?;
    }
    if let Some(path) = &output.html {
        files::write(path, &peaje_report::html(run, language), printer)?;
    }
    Ok(())
}

/// The exit code of a run.
pub(crate) fn status(run: &Run, output: &OutputArgs) -> Status {
    match &run.ended {
        Ended::Interrupted => return Status::Interrupted,
        Ended::Stopped { .. } => return Status::CouldNot,
        Ended::Completed => {}
    }
    let met = output.fail_on.is_some_and(|limit| stands(run, limit.into()));
    if met { Status::NotHealthy } else { Status::Done }
}

/// Whether something of this severity, or worse, was found.
pub(crate) fn stands(run: &Run, severity: Severity) -> bool {
    run.findings.iter().any(|f| f.verdict == Verdict::Found && f.severity >= severity)
}

fn styling(printer: Printer) -> Styling {
    if printer.colours() { Styling::Colour } else { Styling::Plain }
}

/// Columns of a report.
pub(crate) fn width() -> usize {
    rustix::termios::tcgetwinsize(std::io::stdout())
        .ok()
        .map(|size| usize::from(size.ws_col))
        .filter(|columns| *columns > 0)
        .map_or(100, |columns| columns.clamp(NARROWEST, WIDEST))
}

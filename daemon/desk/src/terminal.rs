//! The only module that prints. Results go to standard output, remarks to standard error.
//!
//! Colours are left out where `NO_COLOR` is set or the stream is no terminal; a reader that has seen enough (`| head`) is
//! no failure.

use std::fmt::Display;
use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
const WARNING: Style = AnsiColor::Yellow.on_default();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Text in a style; the stream drops the style where it does not belong.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Prints a result.
pub(crate) fn print(text: impl Display) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

pub(crate) fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    Ok(print(serde_json::to_string_pretty(value)?)?)
}

/// Says something beside the result. Nobody to hear it is no failure.
pub(crate) fn remark(text: impl Display) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

pub(crate) fn warn(text: impl Display) {
    remark(format_args!("{} {text}", styled(WARNING, "warning:")));
}

pub(crate) fn complain(error: &anyhow::Error) {
    remark(format_args!("{} {error:#}", styled(ERROR, "error:")));
}

pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let cause = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

//! The only module that prints. Results go to standard output, remarks to standard error.
//!
//! Colours are left out where `NO_COLOR` is set or the stream is no terminal; a reader that has seen enough (`| head`) is
//! no failure. What a repository or a server wrote cannot steer the terminal: of control characters only our own styles,
//! line ends and tabs get through.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
const WARNING: Style = AnsiColor::Yellow.on_default();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// All that the styles above are written as.
const STYLES: [&str; 6] = ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m"];

/// Text in a style; the stream drops the style where it does not belong.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A line on standard error says what is being waited for.
static WAITING: AtomicBool = AtomicBool::new(false);

/// Says what is being waited for, where a person watches. Whatever is printed next takes its place.
pub(crate) fn waiting(for_what: &str) {
    if io::stderr().is_terminal() && io::stdout().is_terminal() {
        WAITING.store(true, Ordering::Relaxed);
        let _ = write!(anstream::stderr().lock(), "\r\u{1b}[2K{}", styled(DIM, harmless(for_what)));
    }
}

fn end_waiting() {
    if WAITING.swap(false, Ordering::Relaxed) {
        let _ = write!(anstream::stderr().lock(), "\r\u{1b}[2K");
    }
}

/// Prints a result.
pub(crate) fn print(text: impl Display) -> io::Result<()> {
    end_waiting();
    let mut out = anstream::stdout().lock();
    writeln!(out, "{}", harmless(&text.to_string()))?;
    out.flush()
}

/// Prints a piece of a line.
pub(crate) fn print_inline(text: impl Display) -> io::Result<()> {
    end_waiting();
    let mut out = anstream::stdout().lock();
    write!(out, "{}", harmless(&text.to_string()))?;
    out.flush()
}

/// Prints JSON on one line.
pub(crate) fn print_line(value: &impl serde::Serialize) -> anyhow::Result<()> {
    Ok(print(escaped(&serde_json::to_string(value)?))?)
}

pub(crate) fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    Ok(print(escaped(&serde_json::to_string_pretty(value)?))?)
}

/// JSON that means the same, with nothing in its texts that steers a terminal.
fn escaped(json: &str) -> String {
    let mut clean = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '\n' => clean.push(character),
            _ if steers(character) => clean.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => clean.push(character),
        }
    }
    clean
}

/// Says something beside the result. Nobody to hear it is no failure.
pub(crate) fn remark(text: impl Display) {
    end_waiting();
    let _ = writeln!(anstream::stderr().lock(), "{}", harmless(&text.to_string()));
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

fn harmless(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let own = STYLES.iter().find(|style| rest.starts_with(**style));
        let length = own.map_or(character.len_utf8(), |style| style.len());
        let (head, tail) = rest.split_at(length);
        match head {
            "\n" | "\t" => clean.push_str(head),
            _ if own.is_none() && steers(character) => clean.push('\u{fffd}'),
            _ => clean.push_str(head),
        }
        rest = tail;
    }
    clean
}

/// Besides the control characters, those that reverse the direction of what follows.
fn steers(character: char) -> bool {
    character.is_control() || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_its_meaning() {
        let value = serde_json::json!({ "a\u{9b}": "\u{1b}[2J\u{7f}\u{202e}\n" });
        let text = escaped(&serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(harmless(&text), text);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn only_our_own_styles_get_through() {
        for style in [BOLD, DIM, GOOD, WARNING, ERROR] {
            let text = styled(style, "x\ty\n");
            assert_eq!(harmless(&text), text);
        }
        let hostile = "\u{1b}[2Ja\u{1b}[8mb\u{1b}]0;title\u{7}c\u{9b}5md\u{202e}e\rf";
        assert_eq!(
            harmless(hostile),
            "\u{fffd}[2Ja\u{fffd}[8mb\u{fffd}]0;title\u{fffd}c\u{fffd}5md\u{fffd}e\u{fffd}f"
        );
    }
}

//! The only module that prints. Results go to standard output, remarks to standard error.
//!
//! Without a terminal, or with `NO_COLOR`, output has no colours. A reader that closes the pipe (`| head`) is
//! no error. Text of a repository, a model or a server cannot control the terminal: of control characters only
//! line breaks and tabs pass, and the styles that [`styled`] marks as ours.

use std::fmt::Display;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anstyle::{AnsiColor, Style};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default();
pub(crate) const ITALIC: Style = Style::new().italic();
pub(crate) const CODE: Style = AnsiColor::Cyan.on_default();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// The escape sequences of the styles above.
const STYLES: [&str; 8] = [
    "\u{1b}[0m",
    "\u{1b}[1m",
    "\u{1b}[2m",
    "\u{1b}[3m",
    "\u{1b}[31m",
    "\u{1b}[32m",
    "\u{1b}[33m",
    "\u{1b}[36m",
];

const CLEAR_LINE: &str = "\r\u{1b}[2K";

/// Precedes each of our styles. Authors of printed text cannot know it, so they cannot use colours to disguise
/// a change.
static MARK: LazyLock<String> =
    LazyLock::new(|| format!("\u{1b}{:016x}", RandomState::new().build_hasher().finish()));

/// Text in a style; the stream drops styles it does not support.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    let mark = MARK.as_str();
    format!("{mark}{style}{text}{mark}{style:#}")
}

/// Joins all lines into one.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `15 Nov 2026 04:50`, in UTC.
pub(crate) fn date_of(milliseconds: u64) -> String {
    let time = UNIX_EPOCH.checked_add(Duration::from_millis(milliseconds)).unwrap_or_else(SystemTime::now);
    let date = httpdate::fmt_http_date(time);
    date.get(5..22).unwrap_or(&date).to_owned()
}

/// Cuts a text to this many columns.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if columns_of(text) <= columns {
        return text.to_owned();
    }
    let mut left = columns.saturating_sub(2);
    let fits = |character: &char| {
        let width = columns_of(character.encode_utf8(&mut [0; 4]));
        let enough = width <= left;
        left = left.saturating_sub(width);
        enough
    };
    let mut text: String = text.chars().take_while(fits).collect();
    text.push('…');
    text
}

/// An upper bound of a text's columns: a non-ASCII character may be wide.
pub(crate) fn columns_of(text: &str) -> usize {
    text.chars().map(|character| if character.is_ascii() { 1 } else { 2 }).sum()
}

/// Whether standard output shows styles.
pub(crate) fn has_styles() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

pub(crate) fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stderr());
    size.map(|size| usize::from(size.ws_col)).ok().filter(|columns| *columns > 0).unwrap_or(80)
}

pub(crate) fn rows() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stderr());
    size.map(|size| usize::from(size.ws_row)).ok().filter(|rows| *rows > 0).unwrap_or(24)
}

/// The status line on standard error.
static WAITING: Mutex<Option<String>> = Mutex::new(None);

/// Shows a status line if a user watches. The next output replaces it.
pub(crate) fn show_waiting(status: &str) {
    let can_clear = std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
    if can_clear && io::stderr().is_terminal() && io::stdout().is_terminal() {
        // A wrapped line could not be cleared.
        let line = cut(&one_line(status), columns().saturating_sub(1));
        let mut shown = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.as_ref() != Some(&line) {
            clear_line();
            let _ = write!(anstream::stderr().lock(), "{}", sanitize(&styled(DIM, &line)));
            *shown = Some(line);
        }
    }
}

/// Removes the status line.
pub(crate) fn end_waiting() {
    if WAITING.lock().unwrap_or_else(PoisonError::into_inner).take().is_some() {
        clear_line();
    }
}

/// Bypasses the stream that strips styles: this is none.
fn clear_line() {
    let _ = write!(io::stderr().lock(), "{CLEAR_LINE}");
}

/// Prints a result.
pub(crate) fn print(text: impl Display) -> io::Result<()> {
    print_inline(format_args!("{text}\n"))
}

/// Prints a piece of a line.
pub(crate) fn print_inline(text: impl Display) -> io::Result<()> {
    end_waiting();
    let mut out = anstream::stdout().lock();
    let written = write!(out, "{}", sanitize(&text.to_string())).and_then(|()| out.flush());
    written.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => io::Error::new(error.kind(), StdoutClosedError),
        _ => error,
    })
}

/// Prints JSON on one line.
pub(crate) fn print_line(value: &impl serde::Serialize) -> io::Result<()> {
    print(escaped(&serde_json::to_string(value)?))
}

pub(crate) fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    Ok(print(escaped(&serde_json::to_string_pretty(value)?))?)
}

/// Escapes characters that control a terminal; the JSON means the same.
fn escaped(json: &str) -> String {
    let mut clean = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '\n' => clean.push(character),
            _ if is_unprintable(character) => {
                let mut units = [0; 2];
                let units = character.encode_utf16(&mut units).iter();
                clean.extend(units.map(|unit| format!("\\u{unit:04x}")));
            }
            _ => clean.push(character),
        }
    }
    clean
}

/// Prints beside the result, to standard error. A closed stream is no error.
pub(crate) fn remark(text: impl Display) {
    end_waiting();
    let _ = writeln!(anstream::stderr().lock(), "{}", sanitize(&text.to_string()));
}

pub(crate) fn warn(text: impl Display) {
    remark(format_args!("{} {text}", styled(WARNING, "warning:")));
}

pub(crate) fn print_error(error: &anyhow::Error) {
    remark(format_args!("{} {error:#}", styled(ERROR, "error:")));
}

/// The reader closed standard output. A type of its own, because other broken pipes (a server's) are failures.
#[derive(Debug, thiserror::Error)]
#[error("standard output is closed")]
pub(crate) struct StdoutClosedError;

pub(crate) fn is_stdout_closed(error: &io::Error) -> bool {
    matches!(error.get_ref(), Some(inner) if inner.is::<StdoutClosedError>())
}

/// Checks for a closed pipe without printing. A terminal that hung up does not count.
pub(crate) fn check_stdout_open() -> io::Result<()> {
    let stdout = io::stdout();
    let mut pipe = [PollFd::new(&stdout, PollFlags::empty())];
    let polled = poll(&mut pipe, Some(&Timespec::default()));
    let is_gone = pipe.iter().any(|pipe| pipe.revents() == PollFlags::ERR);
    match polled.is_ok() && is_gone {
        true => Err(io::Error::new(io::ErrorKind::BrokenPipe, StdoutClosedError)),
        false => Ok(()),
    }
}

fn sanitize(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix(MARK.as_str()) {
            rest = after;
            while let Some(style) = STYLES.iter().find(|style| rest.starts_with(**style)) {
                clean.push_str(style);
                rest = rest.strip_prefix(style).unwrap_or_default();
            }
            continue;
        }
        match character {
            '\n' | '\t' => clean.push(character),
            '\r' if rest.starts_with("\r\n") => {}
            _ if is_unprintable(character) => clean.push('\u{fffd}'),
            _ => clean.push(character),
        }
        rest = rest.split_at(character.len_utf8()).1;
    }
    clean
}

/// Control characters, and those that change the text direction, break lines, or are invisible.
fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// The text as a stream with styles gets it.
#[cfg(test)]
pub(crate) fn unmarked(text: &str) -> String {
    sanitize(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_its_meaning() {
        let value = serde_json::json!({ "a\u{9b}": "\u{1b}[2J\u{7f}\u{202e}\u{e0041}\n" });
        let text = escaped(&serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(sanitize(&text), text);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn our_own_styles_get_through() {
        for style in [BOLD, DIM, ITALIC, GOOD, BAD, WARNING, CODE, ERROR] {
            assert_eq!(sanitize(&styled(style, "x\ty\r\n")), format!("{style}x\ty\n{style:#}"));
        }
    }

    #[test]
    fn nobody_else_steers_the_terminal() {
        let hostile = "\u{1b}[2Ja\u{1b}[31mb\u{1b}]0;title\u{7}c\u{9b}5md\u{202e}e\rf\u{e0041}";
        let shown = "\u{fffd}[2Ja\u{fffd}[31mb\u{fffd}]0;title\u{fffd}c\u{fffd}5md\u{fffd}e\u{fffd}f\u{fffd}";
        assert_eq!(sanitize(hostile), shown);
        let in_style = sanitize(&styled(GOOD, hostile));
        assert_eq!(in_style, format!("{GOOD}{shown}{GOOD:#}"));
    }

    #[test]
    fn what_is_cut_fits() {
        for text in ["", "a", "plain text", "日本語のテキスト", "mixed 日本 text"] {
            for columns in 2..12 {
                assert!(columns_of(&cut(text, columns)) <= columns, "{text} in {columns}");
            }
        }
        assert_eq!(cut("plain text", 10), "plain text");
        assert_eq!(cut("plain texts", 10), "plain te…");
    }
}

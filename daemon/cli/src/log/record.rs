//! A log line for the user: which session it belongs to, and its colours.
//!
//! ```text
//! 2026-11-16T11:36:08.123456Z  INFO session{id=… agent=build}:turn{number=1}: copydesk_session::actor::turn: turn ended steps=2
//! ```

use anstyle::Style;

use crate::terminal::{BAD, BOLD, CODE, DIM, GOOD, WARNING, styled};

/// The texts before a session id.
const SESSION_FIELDS: [&str; 3] = ["session{id=", " parent=", " session="];

/// Shorter texts would match many ids.
const SHORTEST_ID: usize = 4;

/// Accepts the lines of one session and its subagents. A line that does not start with a time belongs to the one before it.
#[derive(Debug, Clone)]
pub(crate) struct SessionFilter {
    /// The id, or the start or end of it. `None` accepts everything.
    session: Option<String>,
    was_wanted: bool,
}

impl SessionFilter {
    pub(crate) fn new(session: Option<String>) -> Self {
        Self { session, was_wanted: false }
    }

    pub(crate) fn is_wanted(&mut self, line: &str) -> bool {
        let Some(session) = &self.session else { return true };
        if split_header(line).is_some() {
            self.was_wanted = session_ids(line).any(|id| is_named(id, session));
        }
        self.was_wanted
    }
}

fn is_named(id: &str, name: &str) -> bool {
    id == name || (name.len() >= SHORTEST_ID && (id.starts_with(name) || id.ends_with(name)))
}

fn session_ids(line: &str) -> impl Iterator<Item = &str> {
    let after = |field: &'static str| line.match_indices(field).map(move |(at, _)| at + field.len());
    SESSION_FIELDS.into_iter().flat_map(after).filter_map(move |start| {
        let rest = line.get(start..)?;
        rest.split(|character: char| !character.is_ascii_alphanumeric()).next()
    })
}

/// The time, the level and the rest, if the line starts with them.
fn split_header(line: &str) -> Option<(&str, &str, &str)> {
    let (time, rest) = line.split_once(' ')?;
    let is_time = time.ends_with('Z') && time.starts_with(|first: char| first.is_ascii_digit());
    let (level, rest) = rest.trim_start().split_once(' ')?;
    is_time.then_some((time, level, rest))
}

/// A line with colours; the terminal removes them if it has none.
pub(crate) fn styled_line(line: &str) -> String {
    let Some((time, level, rest)) = split_header(line) else { return line.to_owned() };
    let style = level_style(level);
    let level = styled(style, format_args!("{level:>5}"));
    let (context, message) = split_context(rest);
    let message = if style == BAD || style == WARNING { styled(BOLD, message) } else { message.to_owned() };
    format!("{} {level} {}{message}", styled(DIM, time), styled(DIM, context))
}

fn level_style(level: &str) -> Style {
    match level {
        "ERROR" => BAD,
        "WARN" => WARNING,
        "INFO" => GOOD,
        "DEBUG" => CODE,
        _ => DIM,
    }
}

/// The spans and the target with the space after them, and the message.
fn split_context(rest: &str) -> (&str, &str) {
    let Some(target) = rest.find("copydesk") else { return ("", rest) };
    let end = rest.get(target..).and_then(|rest| rest.find(": ")).map_or(0, |end| target + end + 2);
    rest.split_at_checked(end).unwrap_or(("", rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::unmarked;

    const LINE: &str = "2026-11-16T11:36:08.123456Z  WARN session{id=0abcdefghjkmnpqrstvw parent=0zzzzzzzzzzzzzzzzzzz}:turn{number=1}: \
                        copydesk_session::actor: retry attempt=1";

    #[test]
    fn lines_of_a_session_and_of_those_that_work_for_it() {
        let is_wanted =
            |session: &str, line: &str| SessionFilter::new(Some(session.to_owned())).is_wanted(line);
        for (session, expected) in [
            ("0abcdefghjkmnpqrstvw", true),
            ("0abc", true),
            ("stvw", true),
            ("tvw", false),
            ("defg", false),
            ("0zzzzzzzzzzzzzzzzzzz", true),
            ("1abcdefghjkmnpqrstvw", false),
            ("", false),
        ] {
            assert_eq!(is_wanted(session, LINE), expected, "{session}");
        }
        let field = "2026-11-16T11:36:08.1Z DEBUG copydesk_host: loaded session=0abcdefghjkmnpqrstvw parts=3";
        assert!(is_wanted("0abcdefghjkmnpqrstvw", field));
        assert!(!is_wanted("0abc", "2026-11-16T11:36:08.1Z DEBUG copydesk_host: 0abcdefghjkmnpqrstvw"));
        assert!(SessionFilter::new(None).is_wanted("anything"));
    }

    #[test]
    fn a_line_without_a_time_goes_with_the_one_before() {
        let mut filter = SessionFilter::new(Some("0abc".to_owned()));
        let lines =
            ["  before", LINE, "  its second line", "2026-11-16T11:36:08.1Z  INFO copydesk: other", "  more"];
        assert_eq!(lines.map(|line| filter.is_wanted(line)), [false, true, true, false, false]);
    }

    #[test]
    fn colours_change_no_character() {
        let plain = |line: &str| anstream::adapter::strip_str(&unmarked(&styled_line(line))).to_string();
        let other = "2026-11-16T11:36:08.123456Z  INFO reqwest: hello";
        for line in [LINE, other, "  a second line", "", "2026", "Z x", "2026Z INFO"] {
            let parts = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(parts(&plain(line)), parts(line), "{line}");
        }
        let coloured = unmarked(&styled_line(LINE));
        assert!(coloured.contains(&format!("{WARNING} WARN{WARNING:#}")), "{coloured}");
        assert!(coloured.contains(&format!("{BOLD}retry attempt=1{BOLD:#}")), "{coloured}");
    }
}

//! A command's output and end, for the user: a few lines, without control characters.

use copydesk_protocol::metadata::CallMetadata;

use crate::terminal::{DIM, cut, one_line, styled};

/// Lines shown of a failed command.
const LAST_LINES: usize = 5;

/// A tab on screen.
const TAB: &str = "    ";

/// How a call's command failed; `None` if it succeeded.
pub(super) fn failed(metadata: &CallMetadata) -> Option<String> {
    let command = metadata.command()?;
    if command.timed_out == Some(true) {
        return Some("ended at its timeout".to_owned());
    }
    match (command.exit, command.signal) {
        (Some(0), _) | (None, None) => None,
        (Some(code), _) => Some(format!("exit code {code}")),
        (None, Some(signal)) => Some(format!("ended by signal {signal}")),
    }
}

/// Whether a command ran in the sandbox, and why not or what the sandbox probably stopped; `None` if the sandbox is off.
pub(super) fn sandbox_words(metadata: &CallMetadata) -> Option<String> {
    let command = metadata.command()?;
    let note = command.sandbox_note.as_deref().map(one_line);
    Some(match (command.sandboxed?, note) {
        (true, None) => "sandboxed".to_owned(),
        (true, Some(stopped)) => stopped,
        (false, None) => "not sandboxed".to_owned(),
        (false, Some(why)) => format!("not sandboxed: {why}"),
    })
}

/// The last lines of the output, each within the terminal.
pub(super) fn last_lines(metadata: &CallMetadata, columns: usize) -> Vec<String> {
    let mut lines: Vec<_> = clean(output(metadata)).collect();
    // A program like cargo prints lines for programs and for people; show the latter.
    if lines.iter().any(|line| !is_for_programs(line)) {
        lines.retain(|line| !is_for_programs(line));
    }
    let omitted = lines.len().saturating_sub(LAST_LINES);
    let more = (omitted > 0).then(|| "…".to_owned());
    let last = more.into_iter().chain(lines.into_iter().skip(omitted));
    last.map(|line| styled(DIM, format!("  {}", cut(&line, columns.saturating_sub(3))))).collect()
}

/// A line of JSON, or the end of one.
fn is_for_programs(line: &str) -> bool {
    let line = line.trim();
    line.ends_with('}') && (line.starts_with("{\"") || line.contains("\":"))
}

/// The last line for people so far.
pub(super) fn last_line(metadata: &CallMetadata) -> Option<String> {
    // A line of JSON may be incomplete.
    clean(output(metadata)).filter(|line| !is_for_programs(line) && !line.starts_with("{\"")).last()
}

fn output(metadata: &CallMetadata) -> &str {
    metadata.command().and_then(|command| command.output.as_deref()).unwrap_or_default()
}

/// The non-empty lines without escape sequences; of a line rewritten with `\r`, the last version.
fn clean(output: &str) -> impl Iterator<Item = String> {
    let line = |line: &str| {
        let plain = anstream::adapter::strip_str(line).to_string();
        let shown = plain.rsplit('\r').find(|piece| !piece.trim().is_empty())?;
        let shown = shown.replace('\t', TAB);
        Some(shown.trim_end().chars().filter(|character| !character.is_control()).collect())
    };
    output.lines().filter_map(line)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::terminal::unmarked;

    #[test]
    fn only_failures_are_told() {
        let failure = |metadata| failed(&CallMetadata::from_value(metadata));
        assert_eq!(failure(json!({ "exit": 3 })).as_deref(), Some("exit code 3"));
        assert_eq!(failure(json!({ "exit": null, "signal": 9 })).as_deref(), Some("ended by signal 9"));
        assert_eq!(
            failure(json!({ "exit": null, "timedOut": true })).as_deref(),
            Some("ended at its timeout")
        );
        for fine in [json!({ "exit": 0 }), json!({}), json!(null), json!({ "exit": "3", "timedOut": 1 })] {
            assert_eq!(failure(fine.clone()), None, "{fine}");
        }
    }

    #[test]
    fn a_few_words_tell_of_the_sandbox() {
        let words = |metadata| sandbox_words(&CallMetadata::from_value(metadata));
        assert_eq!(words(json!({ "exit": 0, "sandboxed": true })).as_deref(), Some("sandboxed"));
        let outside = json!({ "exit": 0, "sandboxed": false, "sandboxNote": "it needs\nthe network" });
        assert_eq!(words(outside).as_deref(), Some("not sandboxed: it needs the network"));
        let stopped =
            json!({ "exit": 1, "sandboxed": true, "sandboxNote": "probably stopped by the sandbox" });
        assert_eq!(words(stopped).as_deref(), Some("probably stopped by the sandbox"));
        assert_eq!(words(json!({ "exit": 0, "sandboxNote": "nothing" })), None);
    }

    #[test]
    fn the_last_lines_fit_and_steer_nothing() {
        let shown = |output: &str, columns| {
            let lines = last_lines(&CallMetadata::from_value(json!({ "output": output })), columns);
            lines
                .iter()
                .map(|line| anstream::adapter::strip_str(&unmarked(line)).to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(shown("", 80), [""; 0]);
        assert_eq!(shown("a\n\n b\n", 80), ["  a", "   b"]);
        assert_eq!(shown("1\n2\n3\n4\n5\n6\n7", 80), ["  …", "  3", "  4", "  5", "  6", "  7"]);
        assert_eq!(shown("10 %\r20 %\r\n\u{1b}[31mred\u{7}\u{1b}[0m\tx", 80), ["  20 %", "  red    x"]);
        assert_eq!(shown("0123456789", 8), ["  012…"]);
        let mixed = "on\":\"x\"}\n{\"reason\":\"message\"}\nerror: six\nstruct A { b: u8 }\n{\"done\":true}";
        assert_eq!(shown(mixed, 80), ["  error: six", "  struct A { b: u8 }"]);
        assert_eq!(shown("{\"error\":404}", 80), ["  {\"error\":404}"]);
        let last_line = |metadata| last_line(&CallMetadata::from_value(metadata));
        assert_eq!(last_line(json!({ "output": "one\ntwo\n\n" })).as_deref(), Some("two"));
        assert_eq!(last_line(json!({ "output": 5 })), None);
        let cargo = json!({ "output": "Checking a\n{\"reason\":\"x\"}\n{\"reason\":\"compiler-mess" });
        assert_eq!(last_line(cargo).as_deref(), Some("Checking a"));
    }
}

//! One diagnostic per line, as compilers print it: `file:line:column: severity: message`, with or without the column,
//! the severity and an end (`file:line:column:line:column:`); or `file(line,column): severity code: message`.

use super::parse::{CheckerOutput, MAX_DIAGNOSTICS, RawDiagnostic, RawLocation, parse_severity, zero_based};
use copydesk_servers::diagnostic::Severity;

pub(super) fn parse(output: &str) -> CheckerOutput {
    let mut diagnostics: Vec<RawDiagnostic> = Vec::new();
    for line in output.lines() {
        let line = line.trim_end();
        let line = line.strip_prefix("vet: ").unwrap_or(line);
        let Some((location, rest)) = colons(line).or_else(|| brackets(line)) else { continue };
        let (severity, message) = split(rest);
        let (code, message) = code(message);
        if message.is_empty() {
            continue;
        }
        // "note: declared here" belongs to the diagnostic above it.
        if let Some(last) = diagnostics.last_mut().filter(|_| severity == Some(SeverityWord::Note)) {
            last.related.push((location, message.to_owned()));
            continue;
        }
        let severity = match severity {
            Some(SeverityWord::Severity(severity)) => severity,
            Some(SeverityWord::Note) => Severity::Information,
            None => Severity::Error,
        };
        let (message, code) = (message.to_owned(), code.map(str::to_owned));
        diagnostics.push(RawDiagnostic {
            location,
            severity,
            code,
            source: None,
            message,
            related: Vec::new(),
        });
        if diagnostics.len() >= MAX_DIAGNOSTICS {
            break;
        }
    }
    CheckerOutput { diagnostics, is_complete: false, checked_folders: None }
}

/// `file:line:`, and the rest.
fn colons(line: &str) -> Option<(RawLocation, &str)> {
    for (colon, _) in line.match_indices(':').take(8) {
        let (file, rest) = line.split_at_checked(colon)?;
        let mut numbers = [0; 4];
        let (mut count, mut rest) = (0, rest);
        for slot in &mut numbers {
            let Some((number, after)) = rest.strip_prefix(':').and_then(leading_number) else { break };
            (*slot, rest, count) = (number, after, count + 1);
        }
        let Some(rest) = rest.strip_prefix(':').filter(|_| count > 0) else { continue };
        if file.is_empty() || file.starts_with([' ', '\t']) {
            return None;
        }
        let [line, column, end_line, end_column] = numbers.map(zero_based);
        return Some((
            RawLocation {
                file: file.to_owned(),
                line,
                column: (count > 1).then_some(column),
                // The end is inclusive.
                end: (count == 4).then_some((end_line, end_column.saturating_add(1))),
                columns: None,
            },
            rest.trim_start(),
        ));
    }
    None
}

/// `file(line,column):`, and the rest.
fn brackets(line: &str) -> Option<(RawLocation, &str)> {
    let (before, rest) = line.split_once("):")?;
    let (file, numbers) = before.rsplit_once('(')?;
    let mut numbers = numbers.split(',').map(|number| number.trim().parse().map(zero_based));
    let line = numbers.next()?.ok()?;
    let column = numbers.next().and_then(Result::ok);
    let file = file.trim().to_owned();
    (!file.is_empty())
        .then(|| (RawLocation { file, line, column, end: None, columns: None }, rest.trim_start()))
}

fn leading_number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    Some((digits.parse().ok()?, rest))
}

#[derive(PartialEq)]
enum SeverityWord {
    Severity(Severity),
    Note,
}

fn split(rest: &str) -> (Option<SeverityWord>, &str) {
    let word = |text: &str| match text.trim().to_ascii_lowercase().as_str() {
        "note" => Some(SeverityWord::Note),
        word => parse_severity(word).map(SeverityWord::Severity),
    };
    if let Some((before, after)) = rest.split_once(':') {
        if let Some(severity) = word(before) {
            return (Some(severity), after.trim_start());
        }
        // `error TS2322: message`.
        if let Some((first, code)) = before.trim().split_once(' ')
            && is_code(code)
            && let Some(severity) = word(first)
        {
            return (Some(severity), rest.get(first.len()..).unwrap_or_default().trim_start());
        }
    }
    (None, rest)
}

/// `TS2322: message`, `E501 message`, `message [-Wunused]`.
fn code(message: &str) -> (Option<&str>, &str) {
    if let Some((first, after)) = message.split_once(' ') {
        let name = first.trim_end_matches(':');
        if is_code(name) {
            return (Some(name), after.trim_start());
        }
    }
    if let Some((before, name)) = message.strip_suffix(']').and_then(|message| message.rsplit_once('[')) {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '=' | '.' | '/' | '+');
        if !name.is_empty() && name.len() < 80 && name.chars().all(fits) && !before.trim().is_empty() {
            return (Some(name), before.trim_end());
        }
    }
    (None, message)
}

/// Capital letters, then digits.
fn is_code(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    (1..=6).contains(&(word.len() - digits.len()))
        && digits.len() >= 2
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

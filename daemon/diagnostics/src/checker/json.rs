//! Linters' JSON of any shape: a diagnostic is an object with a message and a line. The file stands in it, or in an
//! object around it.
//!
//! Lines and columns count from 1. Beside LSP's word `character` they count from 0, in UTF-16.

use serde_json::{Map, Value};

use super::parse::{
    CheckerOutput, ColumnUnit, MAX_DIAGNOSTICS, RawDiagnostic, RawLocation, parse_severity, zero_based,
};
use copydesk_servers::diagnostic::Severity;

type LinterJson = Map<String, Value>;

const FILE: [&str; 7] = ["file", "filename", "filePath", "file_path", "path", "uri", "source"];
const MESSAGE: [&str; 5] = ["message", "text", "msg", "description", "title"];
const LINE: [&str; 6] = ["line", "row", "startLine", "start_line", "lineNumber", "line_number"];
const COLUMN: [&str; 6] = ["column", "col", "startColumn", "start_column", "columnNumber", "character"];
const END_LINE: [&str; 3] = ["endLine", "end_line", "line_end"];
const END_COLUMN: [&str; 3] = ["endColumn", "end_column", "column_end"];
const CODE: [&str; 6] = ["code", "ruleId", "rule_id", "rule", "check", "identifier"];
const SEVERITY: [&str; 4] = ["severity", "level", "type", "kind"];
/// Fields of a diagnostic that may hold its location.
const PLACE: [&str; 8] = ["location", "range", "start", "begin", "pos", "position", "loc", "span"];
const END: [&str; 3] = ["end", "end_location", "endLocation"];

pub(super) fn parse(output: &str) -> CheckerOutput {
    let mut parsed = CheckerOutput::default();
    if let Ok(value) = serde_json::from_str::<Value>(output) {
        parsed.is_complete = value.is_object() || value.is_array();
        walk(&value, "", "", &mut parsed.diagnostics);
        return parsed;
    }
    // One value per line, or several in a row, with text around them.
    let mut rest = output;
    while let Some(start) = rest.find(['{', '[']) {
        let (before, from) = rest.split_at(start);
        let mut values = serde_json::Deserializer::from_str(from).into_iter::<Value>();
        let value = values.next();
        let read = values.byte_offset();
        rest = match value {
            Some(Ok(value)) => {
                walk(&value, "", "", &mut parsed.diagnostics);
                // In the middle of a line it may be no report.
                let begins_line = before.is_empty() || before.ends_with('\n');
                parsed.is_complete |= begins_line || !parsed.diagnostics.is_empty();
                from.get(read..).unwrap_or_default()
            }
            // Not JSON after all. Continue with the next line, so that the time stays bounded.
            _ => from.split_once('\n').map_or("", |(_, after)| after),
        };
        if parsed.diagnostics.len() >= MAX_DIAGNOSTICS {
            break;
        }
    }
    parsed
}

/// `file` is the file of the enclosing object, `topic` the name of the enclosing list.
fn walk(value: &Value, file: &str, topic: &str, found: &mut Vec<RawDiagnostic>) {
    if found.len() >= MAX_DIAGNOSTICS {
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, file, topic, found)),
        Value::Object(object) => {
            let own = file_of(object);
            let file = own.as_deref().unwrap_or(file);
            if let Some(raw) = problem(object, file, topic) {
                return found.push(raw);
            }
            for (name, value) in object.iter().filter(|(_, value)| value.is_object() || value.is_array()) {
                // PHPStan uses the file as the key of its findings.
                let is_file = name.contains('/') || name.contains('.');
                walk(value, if is_file { name } else { file }, name, found);
            }
        }
        _ => {}
    }
}

fn get<'a>(object: &'a LinterJson, names: &[&str]) -> Option<&'a Value> {
    let named = |wanted: &&str| {
        let exact = object.get(*wanted);
        exact.or_else(|| {
            object.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value)
        })
    };
    names.iter().find_map(|name| named(name).filter(|value| !value.is_null()))
}

fn text(object: &LinterJson, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| match get(object, &[name])? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        // `"code": { "value": … }` and `"message": { "text": … }`.
        Value::Object(inner) => match get(inner, &["value", "text", "code", "name"])? {
            Value::String(text) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    })
}

fn number(object: &LinterJson, names: &[&str]) -> Option<u64> {
    let value = get(object, names)?;
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn file_of(object: &LinterJson) -> Option<String> {
    let word = |name: &&str| match get(object, &[name])? {
        Value::String(file) if *name != "source" || file.contains('/') => Some(file.clone()),
        Value::Object(inner) => text(inner, &["path", "filename", "uri", "file"]),
        _ => None,
    };
    let place = || PLACE.iter().find_map(|name| text(get(object, &[name])?.as_object()?, &FILE));
    FILE.iter().find_map(word).or_else(place)
}

fn problem(object: &LinterJson, file: &str, topic: &str) -> Option<RawDiagnostic> {
    let message = text(object, &MESSAGE)?;
    let at = match get(object, &["posn"]).and_then(Value::as_str) {
        Some(position) => posn(position)?,
        None => location(object, file)?,
    };
    let code = text(object, &CODE);
    // Go uses the analyzer's name as the key of its findings.
    let code = code.or_else(|| object.contains_key("posn").then(|| topic.to_owned()));
    let severity = get(object, &SEVERITY).and_then(|value| match value {
        Value::String(word) => parse_severity(word),
        // In ESLint 2 is an error; in LSP 1 is.
        Value::Number(number) => match (number.as_u64()?, object.contains_key("ruleId")) {
            (2, true) | (1, false) => Some(Severity::Error),
            (1, true) | (2, false) => Some(Severity::Warning),
            (3, _) => Some(Severity::Information),
            _ => Some(Severity::Hint),
        },
        _ => None,
    });
    (!at.file.is_empty()).then(|| RawDiagnostic {
        location: at,
        severity: severity.unwrap_or(Severity::Error),
        code,
        source: None,
        message,
        related: Vec::new(),
    })
}

/// `file:line:column`.
fn posn(place: &str) -> Option<RawLocation> {
    let mut words = place.rsplitn(3, ':');
    let (column, line, file) = (words.next()?, words.next()?, words.next()?);
    let (line, column) = (zero_based(line.parse().ok()?), zero_based(column.parse().ok()?));
    Some(RawLocation {
        file: file.to_owned(),
        line,
        column: Some(column),
        end: None,
        columns: Some(ColumnUnit::Bytes),
    })
}

fn location(object: &LinterJson, file: &str) -> Option<RawLocation> {
    let inner = |object: &LinterJson, names: &[&str]| {
        names.iter().find_map(|name| get(object, &[name])?.as_object().cloned())
    };
    // The object itself, its location, and that location's start.
    let place = inner(object, &PLACE);
    let start = place.as_ref().and_then(|place| inner(place, &PLACE));
    let mut places = [Some(object), start.as_ref(), place.as_ref()].into_iter().flatten();
    let start = places.find(|place| number(place, &LINE).is_some())?;
    let end = inner(object, &END).or_else(|| inner(place.as_ref()?, &END));
    let is_lsp = start.contains_key("character");
    let from = |number: u64| if is_lsp { number } else { zero_based(number) };
    let end = match &end {
        Some(end) => number(end, &LINE).zip(number(end, &COLUMN)),
        None => number(start, &END_COLUMN).map(|column| {
            (number(start, &END_LINE).or_else(|| number(start, &LINE)).unwrap_or_default(), column)
        }),
    };
    Some(RawLocation {
        file: file.to_owned(),
        line: from(number(start, &LINE)?),
        column: number(start, &COLUMN).map(from),
        end: end.map(|(line, column)| (from(line), from(column))),
        columns: is_lsp.then_some(ColumnUnit::Utf16),
    })
}

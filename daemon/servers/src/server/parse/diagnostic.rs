//! Parses one diagnostic: strictly first, because most are well formed; else leniently.

use std::borrow::Cow;
use std::sync::Arc;

use copydesk_text::Position;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::uri;
use crate::diagnostic::{Diagnostic, DiagnosticData, DiagnosticSpan, RelatedInformation, Severity};

/// Cap on the characters of a message.
pub(super) const MAX_MESSAGE_CHARS: usize = 4000;
/// Cap on the characters of a code or a source.
const MAX_NAME_CHARS: usize = 200;
const MAX_RELATED: usize = 20;
/// Cap on the bytes of the server's own data. Without them, some of its fixes are not offered.
const MAX_DATA_BYTES: usize = 4096;

/// As the protocol defines it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StrictDiagnostic<'a> {
    range: StrictRange,
    severity: Option<u8>,
    #[serde(borrow)]
    code: Option<&'a RawValue>,
    #[serde(borrow)]
    source: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: Cow<'a, str>,
    #[serde(borrow)]
    related_information: Option<&'a RawValue>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct StrictRange {
    start: StrictPosition,
    end: StrictPosition,
}

#[derive(Deserialize)]
struct StrictPosition {
    line: u32,
    character: u32,
}

/// `None` if it is not an object.
pub(super) fn parse_diagnostic(text: &str) -> Option<Diagnostic> {
    let plain =
        serde_json::from_str::<StrictDiagnostic<'_>>(text).ok().and_then(|plain| plain.into_diagnostic(None));
    plain.or_else(|| diagnostic_from_value(&serde_json::from_str(text).ok()?))
}

/// Source and code of another diagnostic, shared if they are the same.
pub(super) type SharedNames = (Option<Arc<str>>, Option<Arc<str>>);

impl StrictDiagnostic<'_> {
    /// How many of its bytes are kept or parsed.
    pub(super) fn byte_count(&self) -> usize {
        let raw = |value: Option<&RawValue>| value.map_or(0, |value| value.get().len());
        let source = self.source.as_ref().map_or(0, |source| source.len());
        self.message.len()
            + source
            + raw(self.code)
            + raw(self.related_information)
            + raw(self.data).min(MAX_DATA_BYTES)
    }

    /// `before` has the source and code of another diagnostic. `None` if a part is malformed.
    pub(super) fn into_diagnostic(self, before: Option<SharedNames>) -> Option<Diagnostic> {
        let place = |place: StrictPosition| Position::new(place.line, place.character);
        let (start, end) = (place(self.range.start), place(self.range.end));
        let (source_before, code_before) = before.unwrap_or_default();
        let same = |name: &str, before: Option<Arc<str>>| before.filter(|before| **before == *name);
        let code = match self.code {
            Some(raw) => match serde_json::from_str(raw.get()).ok()? {
                Value::String(text) if !text.is_empty() => {
                    same(&text, code_before).or_else(|| Some(cut(&text, MAX_NAME_CHARS)))
                }
                value => code(&value),
            },
            None => None,
        };
        let related = match self.related_information {
            Some(raw) => related(&serde_json::from_str::<Vec<Value>>(raw.get()).ok()?),
            None => Vec::new(),
        };
        let source = self.source.filter(|name| !name.is_empty());
        let source_before = source.as_deref().and_then(|name| same(name, source_before));
        Some(Diagnostic {
            span: DiagnosticSpan { start, end: end.max(start) },
            severity: severity(self.severity.map(u64::from)),
            code,
            source: source_before.or_else(|| source.map(|name| cut(&name, MAX_NAME_CHARS))),
            message: cut(&self.message, MAX_MESSAGE_CHARS),
            related,
            data: self.data.and_then(|raw| data(raw.get())),
        })
    }
}

/// `None` if it is not an object.
pub(super) fn diagnostic_from_value(value: &Value) -> Option<Diagnostic> {
    let value = value.as_object()?;
    let text = |name| value.get(name).and_then(Value::as_str);
    let message = text("message").or_else(|| value.get("message")?.get("value")?.as_str());
    let all = value.get("relatedInformation").and_then(Value::as_array);
    Some(Diagnostic {
        span: span(value.get("range")),
        severity: severity(value.get("severity").and_then(Value::as_u64)),
        code: value.get("code").and_then(code),
        source: text("source").filter(|source| !source.is_empty()).map(|source| cut(source, MAX_NAME_CHARS)),
        message: cut(message.unwrap_or("(it does not say what is wrong)"), MAX_MESSAGE_CHARS),
        related: all.map(|all| related(all)).unwrap_or_default(),
        data: value.get("data").and_then(|value| data(&value.to_string())),
    })
}

fn data(json: &str) -> Option<DiagnosticData> {
    (json.len() <= MAX_DATA_BYTES && json != "null").then(|| DiagnosticData::new(json))
}

fn related(all: &[Value]) -> Vec<RelatedInformation> {
    all.iter().filter_map(related_place).take(MAX_RELATED).collect()
}

fn related_place(value: &Value) -> Option<RelatedInformation> {
    let location = value.get("location")?;
    let message = value.get("message").and_then(Value::as_str).unwrap_or_default();
    Some(RelatedInformation {
        path: uri::to_path(location.get("uri")?.as_str()?)?,
        span: span(location.get("range")),
        message: cut(message, MAX_MESSAGE_CHARS).as_ref().to_owned(),
    })
}

/// A number becomes its digits.
fn code(value: &Value) -> Option<Arc<str>> {
    let value = match value {
        Value::Object(code) => code.get("value")?,
        value => value,
    };
    let text = match value {
        Value::String(text) => Cow::from(text),
        Value::Number(number) => Cow::from(number.to_string()),
        _ => return None,
    };
    (!text.is_empty()).then(|| cut(&text, MAX_NAME_CHARS))
}

/// A missing or unknown severity counts as an error.
fn severity(number: Option<u64>) -> Severity {
    match number {
        Some(2) => Severity::Warning,
        Some(3) => Severity::Information,
        Some(4) => Severity::Hint,
        _ => Severity::Error,
    }
}

fn span(range: Option<&Value>) -> DiagnosticSpan {
    let place = |name| {
        let place = range.and_then(|range| range.get(name));
        let number = |name| coordinate(place.and_then(|place| place.get(name)));
        Position::new(number("line"), number("character"))
    };
    let (start, end) = (place("start"), place("end"));
    DiagnosticSpan { start, end: end.max(start) }
}

/// Negative becomes 0, too large becomes the maximum.
fn coordinate(value: Option<&Value>) -> u32 {
    let Some(value) = value else { return 0 };
    match (value.as_u64(), value.as_f64()) {
        (Some(number), _) => u32::try_from(number).unwrap_or(u32::MAX),
        // Saturates.
        (None, Some(number)) => number as u32,
        (None, None) => 0,
    }
}

fn cut(text: &str, most: usize) -> Arc<str> {
    // Fast path: nearly all texts are short.
    let end = if text.len() <= most { None } else { text.char_indices().nth(most) };
    match end {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}

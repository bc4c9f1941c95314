//! Formats the text that a server has open.

use std::path::Path;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::code_query::CodeQuery;
use super::record::parse_value;
use super::text_edits::{apply_text_edits, read_text_edits};
use super::{LanguageServer, ServerTextEdit};

/// Cap on the bytes of a response.
const MAX_BYTES: usize = 8 * 1024 * 1024;

impl LanguageServer {
    pub fn can_format(&self) -> bool {
        self.answers(CodeQuery::Formatting)
    }

    /// The synced text, formatted. An error completes "it left the text as it is: …".
    pub async fn format(&self, path: &Path, until: Instant) -> Result<String, String> {
        let (text, response) = {
            // Requested under the lock, so that the response is for this text.
            let record = self.inner.lock();
            let document = record.documents.get(path).ok_or("it does not hold the file open")?;
            let params = json!({
                "textDocument": { "uri": document.uri },
                "options": formatting_options(&document.text),
            });
            (document.text.clone(), self.peer.request(CodeQuery::Formatting.method(), &params))
        };
        let response =
            timeout_at(until, response).await.map_err(|_| "it did not answer in time".to_owned())?;
        let response = response.map_err(|error| error.to_string())?;
        if response.get().len() > MAX_BYTES {
            return Err(format!("its answer has more than {MAX_BYTES} bytes"));
        }
        let edits: Vec<ServerTextEdit> = read_text_edits(&parse_value(&response))?;
        apply_text_edits(&text, &edits, self.position_encoding())
    }
}

/// The indentation of the text. Servers that read their own configuration ignore it.
pub(super) fn formatting_options(text: &str) -> Value {
    let indents = text.lines().filter(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    let (mut tabs, mut spaces, mut least) = (0_usize, 0_usize, usize::MAX);
    for line in indents.take(1000) {
        let width = line.bytes().take_while(|byte| *byte == b' ').count();
        if width == 0 {
            tabs += 1;
        } else if width > 1 {
            (spaces, least) = (spaces + 1, least.min(width));
        }
    }
    let size = if spaces > 0 { least.min(8) } else { 4 };
    json!({ "tabSize": size, "insertSpaces": tabs <= spaces })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_follow_the_indentation_of_the_text() {
        for (text, size, spaces) in [
            ("a\n\tb\n", 4, false),
            ("a\n  b\n    c\n", 2, true),
            ("/*\n * x\n */\n    b\n", 4, true),
            ("", 4, true),
        ] {
            let expected = json!({ "tabSize": size, "insertSpaces": spaces });
            assert_eq!(formatting_options(text), expected, "{text:?}");
        }
    }
}

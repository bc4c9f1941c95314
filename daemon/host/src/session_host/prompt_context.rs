//! Appends the context that a user attached to the prompt: each piece under its file name and lines.

use std::fmt::Write as _;

use copydesk_protocol::turn::ContextItem;
use copydesk_text::FileText;
use copydesk_workspace::files::{READ_LIMIT, WorkspaceFiles};

use crate::uri::path_of;

/// The cap for one piece; the agent can read the rest.
const MAX_PIECE_BYTES: usize = 64 * 1024;

pub(super) async fn append_context(
    files: &WorkspaceFiles,
    mut text: String,
    items: Vec<ContextItem>,
) -> String {
    for item in items {
        let path = path_of(&item.uri).map(|path| path.to_string_lossy().into_owned());
        let place = files.resolve(path.as_deref().unwrap_or(&item.uri));
        let whole = match item.text {
            Some(text) => Some(text),
            // Only files that the agent may read without asking.
            None if place.is_in_workspace => read(files, &place).await,
            None => None,
        };
        let lines = item.range.map(|range| (range.start.line + 1, range.end.line + 1));
        let name = match lines {
            Some((first, last)) if first == last => format!("{}, line {first}", place.display_path),
            Some((first, last)) => format!("{}, lines {first} to {last}", place.display_path),
            None => place.display_path.clone(),
        };
        let _ = match whole {
            Some(piece) => write!(text, "\n\n[{name}]\n{}", cut(&piece)),
            None => write!(text, "\n\n[{name}]"),
        };
    }
    text
}

async fn read(files: &WorkspaceFiles, place: &copydesk_workspace::files::ResolvedPath) -> Option<String> {
    let content = files.peek(place, READ_LIMIT).await.ok()?;
    FileText::decode(content.bytes).ok().map(|file| file.text().to_owned())
}

fn cut(text: &str) -> String {
    match text.get(..text.floor_char_boundary(MAX_PIECE_BYTES)) {
        Some(kept) if kept.len() < text.len() => format!("{kept}\n[The rest is left out.]"),
        _ => text.to_owned(),
    }
}

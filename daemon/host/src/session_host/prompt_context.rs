//! Reads the context that a user attached to a prompt: each piece with its file name and lines.

use copydesk_model::MediaPart;
use copydesk_protocol::turn::ContextItem;
use copydesk_session::{PartContent, PromptContext, Store};
use copydesk_text::FileText;
use copydesk_workspace::files::{READ_LIMIT, WorkspaceFiles};

use super::SessionHostError;
use crate::uri::path_of;

/// The cap for one piece; the agent can read the rest.
const MAX_PIECE_BYTES: usize = 64 * 1024;

/// The cap on the images and PDFs of a prompt that is sent again.
const MAX_FILES: usize = 10;

pub(super) async fn read_context(files: &WorkspaceFiles, items: Vec<ContextItem>) -> Vec<PromptContext> {
    let mut context = Vec::with_capacity(items.len());
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
        context.push(PromptContext { name, text: whole.as_deref().map(cut) });
    }
    context
}

/// Adds the context and the files of an earlier prompt, except what is attached anew.
pub(super) async fn repeat_context(
    store: &Store,
    prompt: &str,
    context: &mut Vec<PromptContext>,
    files: &mut Vec<MediaPart>,
) -> Result<(), SessionHostError> {
    let part = store.part(prompt).await?;
    let Some((part, PartContent::Prompt(earlier))) = part.as_ref().map(|part| (part, &part.content)) else {
        return Err(SessionHostError::UnknownPart(format!("there is no prompt `{prompt}`")));
    };
    for piece in &earlier.context {
        if context.iter().all(|known| known.name != piece.name) {
            context.push(piece.clone());
        }
    }
    for file in store.files_of_prompt(part).await? {
        let is_attached = |known: &MediaPart| match &file.name {
            Some(name) => known.name.as_ref() == Some(name),
            None => *known == file,
        };
        if !files.iter().any(is_attached) && files.len() < MAX_FILES {
            files.push(file);
        }
    }
    Ok(())
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

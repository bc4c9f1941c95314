//! Exports a session: JSON for import, Markdown for people.

mod context_line;
mod markdown;

use serde::{Deserialize, Serialize};

pub use context_line::context_line;
pub use markdown::markdown;

use crate::data::{Part, Session, assign_new_ids};
use crate::id::Id;

/// The format version. The import rejects a newer one.
const FORMAT: u32 = 2;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SessionArchive {
    /// Names the file type.
    copydesk_session: u32,
    pub session: Session,
    pub parts: Vec<Part>,
}

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("this is no exported session: {0}")]
    NotASession(serde_json::Error),
    #[error("this session was exported by a newer copydesk (format {0}): update this one")]
    Newer(u32),
    #[error("part {part} belongs to another session than the one exported")]
    Stray { part: Id },
}

impl SessionArchive {
    pub fn new(session: Session, parts: Vec<Part>) -> Self {
        Self { copydesk_session: FORMAT, session, parts }
    }

    /// Reads an exported session. It gets new ids, so that it can stand beside the original, and its unfinished parts become
    /// interrupted.
    pub fn read(text: &str) -> Result<Self, ImportError> {
        let mut archive: Self = serde_json::from_str(text).map_err(ImportError::NotASession)?;
        if archive.copydesk_session > FORMAT {
            return Err(ImportError::Newer(archive.copydesk_session));
        }
        let old = std::mem::take(&mut archive.session.id);
        archive.session.parent = None;
        for part in &mut archive.parts {
            if part.session != old {
                return Err(ImportError::Stray { part: part.id.clone() });
            }
            part.session = archive.session.id.clone();
            if !part.state.is_settled() {
                part.state = crate::data::PartState::Interrupted;
            }
        }
        assign_new_ids(&mut archive.parts);
        Ok(archive)
    }
}

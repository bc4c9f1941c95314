//! What says what is wrong with a text, for the sessions of this desk.

mod editor;
mod texts;

use std::sync::Arc;

use copydesk_language::checks::{Options, WAIT};
use copydesk_language::{Checks, Severity, Sources};
use copydesk_workspace::config::Loaded;
use copydesk_workspace::files::Files;

use crate::hub::Editors;
use editor::EditorSource;
use texts::FileTexts;

/// What all sessions share. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Languages {}

impl Languages {
    /// What a session is told of its files.
    pub(crate) fn checks(&self, _loaded: &Loaded, editors: &Editors, files: &Files) -> Checks {
        let sources = Sources {
            editor: Some(Arc::new(EditorSource::new(editors.clone(), files.clone()))),
            ..Sources::default()
        };
        let options = Options { wait: WAIT, least: Severity::Error };
        Checks::new(sources, Arc::new(FileTexts(files.clone())), files.root(), options)
    }
}

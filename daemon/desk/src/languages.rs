//! What says what is wrong with a text, for the sessions of this desk.

mod editor;
mod shown;
mod texts;

use std::sync::Arc;

use copydesk_language::checks::{Options, WAIT};
use copydesk_language::{Checks, Severity, Sources};
use copydesk_workspace::config::Loaded;
use copydesk_workspace::files::Files;

use crate::hub::Editors;
use editor::EditorSource;
use shown::InReviews;
use texts::FileTexts;

/// What all sessions share. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Languages {}

impl Languages {
    /// What a session is told of its files. `seen_in` is the session in which a person sees its edits.
    pub(crate) fn checks(&self, _loaded: &Loaded, editors: &Editors, files: &Files, seen_in: &str) -> Checks {
        let sources = Sources {
            editor: Some(Arc::new(EditorSource::new(editors.clone(), files.clone()))),
            ..Sources::default()
        };
        let options = Options { wait: WAIT, least: Severity::Error };
        let checks = Checks::new(sources, Arc::new(FileTexts(files.clone())), files.root(), options);
        let (reviews, session) = (files.reviews().clone(), seen_in.to_owned());
        checks.shown_by(Arc::new(InReviews { reviews, session }));
        checks
    }
}

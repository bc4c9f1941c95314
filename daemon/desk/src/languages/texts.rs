//! The texts of a session's files, for whoever asks what is wrong with them.
//!
//! Language servers name paths, and what they name is shown to a model: nothing outside of the workspace is read for them.

use std::path::Path;

use copydesk_language::{Subject, Texts};
use copydesk_text::FileText;
use copydesk_workspace::files::Files;

/// Nobody has written more by hand.
const LARGEST: u64 = 1024 * 1024;

pub(crate) struct FileTexts(pub(crate) Files);

impl Texts for FileTexts {
    fn text(&self, path: &Path) -> Option<Subject> {
        let place = self.0.resolve(&path.to_string_lossy());
        if !place.inside {
            return None;
        }
        let real = place.real().to_owned();
        if let Some(open) = self.0.buffers().find(&real, self.0.home_client()) {
            let document = open.ok()?.document;
            let is_small = document.len() as u64 <= LARGEST;
            return is_small.then(|| Subject { path: real, text: document.text().into(), is_saved: false });
        }
        let metadata = real.metadata().ok().filter(|metadata| metadata.is_file())?;
        let bytes = (metadata.len() <= LARGEST).then(|| std::fs::read(&real).ok())??;
        let text = FileText::decode(bytes).ok()?.shared();
        Some(Subject { path: real, text, is_saved: true })
    }
}

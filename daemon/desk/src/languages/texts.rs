//! The texts of a session's files, for whoever asks what is wrong with them.
//!
//! Language servers name paths, and what they name is shown to a model: nothing outside of the workspace is read for them.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use copydesk_language::{Subject, Texts};
use copydesk_text::FileText;
use copydesk_workspace::buffers::{Buffers, ClientId};
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
        of_file(self.0.buffers(), self.0.home_client(), place.real().to_owned())
    }
}

/// What stands in a file, by its real path: in an editor where it is open, else on the disk.
pub(super) fn of_file(buffers: &Buffers, home: Option<ClientId>, path: PathBuf) -> Option<Subject> {
    if let Some(open) = buffers.find(&path, home) {
        let document = open.ok()?.document;
        let is_small = document.len() as u64 <= LARGEST;
        // It may be saved; that it is not known to be costs a little, and the other way round it would be a lie.
        return is_small.then(|| Subject { path, text: document.text().into(), is_saved: false });
    }
    let metadata = path.metadata().ok().filter(Metadata::is_file)?;
    let bytes = (metadata.len() <= LARGEST).then(|| std::fs::read(&path).ok())??;
    Some(Subject { path, text: FileText::decode(bytes).ok()?.shared(), is_saved: true })
}

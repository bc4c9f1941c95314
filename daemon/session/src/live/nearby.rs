//! Instructions that lie beside the files a model reads: told once, when it first comes there.

use std::collections::BTreeSet;
use std::path::Path;

use copydesk_tool::Touches;

use super::Worker;
use super::understood::Work;
use crate::data::{Content, Note, State};
use crate::prompt::{instruction_files, read_instructions};
use crate::store::StoreError;

impl Worker {
    /// Notes for the next step, from the folders of the files that these calls have read.
    pub(super) async fn tell_nearby(&mut self, calls: &[Work]) -> Result<(), StoreError> {
        let read = calls.iter().filter(|work| work.part.state == State::Completed);
        let folders: BTreeSet<&Path> = read.flat_map(|work| folders(&work.touches)).collect();
        for folder in folders {
            for path in instruction_files(&self.setting.root, folder) {
                if !self.setting.instructions.insert(path.clone()) {
                    continue;
                }
                let Some(text) = read_instructions(&path) else { continue };
                let note = Note { text: format!("Instructions from {}:\n\n{text}", path.display()) };
                let part = self.new_part(State::Completed, Content::Note(note));
                self.keep(part).await?;
            }
        }
        Ok(())
    }
}

fn folders(touches: &Touches) -> Vec<&Path> {
    match touches {
        Touches::Files(paths) => paths.iter().filter_map(|path| path.parent()).collect(),
        Touches::Nothing | Touches::Everything => Vec::new(),
    }
}

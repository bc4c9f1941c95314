//! Instruction files beside the files that a model reads: each is told once, when the model first reads there.

use std::collections::BTreeSet;
use std::path::Path;

use copydesk_tool::TouchedFiles;

use super::SessionActor;
use super::resolve_calls::ScheduledCall;
use crate::data::{NotePart, PartContent, PartState};
use crate::store::StoreError;
use crate::system_prompt::{instruction_files, read_instructions};

impl SessionActor {
    /// Notes for the next step, from the folders of the files that these calls read.
    pub(super) async fn note_nested_instructions(
        &mut self,
        calls: &[ScheduledCall],
    ) -> Result<(), StoreError> {
        let read = calls.iter().filter(|work| work.part.state == PartState::Completed);
        let folders: BTreeSet<&Path> = read.flat_map(|work| folders(&work.touches)).collect();
        for folder in folders {
            for path in instruction_files(&self.deps.root, folder) {
                let is_known = self.deps.instructions.contains(&path);
                if is_known || !self.told_instructions.insert(path.clone()) {
                    continue;
                }
                let Some(text) = read_instructions(&path, Some(&self.deps.root)) else { continue };
                let note = NotePart { text: format!("Instructions from {}:\n\n{text}", path.display()) };
                let part = self.new_part(PartState::Completed, PartContent::Note(note));
                self.store_part(part).await?;
            }
        }
        Ok(())
    }
}

fn folders(touches: &TouchedFiles) -> Vec<&Path> {
    match touches {
        TouchedFiles::Files(paths) => paths.iter().filter_map(|path| path.parent()).collect(),
        TouchedFiles::Nothing | TouchedFiles::Everything => Vec::new(),
    }
}

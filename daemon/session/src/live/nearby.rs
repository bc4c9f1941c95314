//! Instructions that lie beside the files a model reads: told once, when it first comes there.

use std::path::{Path, PathBuf};

use copydesk_tool::Touches;

use super::Worker;
use crate::data::{Content, Note, Part, State};
use crate::prompt::{instruction_files, read_instructions};
use crate::store::StoreError;

impl Worker {
    /// Notes for the next step, from the folders of the files that these calls have read.
    pub(super) async fn tell_nearby(&mut self, calls: &[Part]) -> Result<(), StoreError> {
        let folders: Vec<PathBuf> = calls.iter().flat_map(|part| self.folders_read(part)).collect();
        for folder in folders {
            for path in instruction_files(&self.setting.root, &folder) {
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

    fn folders_read(&self, part: &Part) -> Vec<PathBuf> {
        let Content::Call(call) = &part.content else { return Vec::new() };
        if part.state != State::Completed {
            return Vec::new();
        }
        match self.setting.tools.touches(&call.name, &call.arguments, &self.context(part)) {
            Touches::Files(paths) => {
                paths.iter().filter_map(|path| path.parent()).map(Path::to_path_buf).collect()
            }
            Touches::Nothing | Touches::Everything => Vec::new(),
        }
    }
}

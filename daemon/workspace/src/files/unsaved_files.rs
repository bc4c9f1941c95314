//! Which files of the workspace have unsaved text in an editor. A command sees them as they are on the disk.

use super::WorkspaceFiles;

impl WorkspaceFiles {
    /// The paths as the model knows them, sorted.
    pub async fn unsaved_files(&self) -> Vec<String> {
        let files = self.clone();
        let compare = move || {
            let home = files.home_client();
            let open = files.buffers().documents(home).into_keys().filter(|name| name.is_absolute());
            let open = open.map(|name| (files.resolve(&name.to_string_lossy()), name));
            let unsaved = open
                .filter(|(path, name)| path.is_in_workspace && files.buffers().differs_from_disk(home, name));
            let mut unsaved: Vec<_> = unsaved.map(|(path, _)| path.display_path).collect();
            unsaved.sort();
            unsaved
        };
        if self.buffers().buffer_count() == 0 {
            return Vec::new();
        }
        tokio::task::spawn_blocking(compare).await.unwrap_or_default()
    }
}

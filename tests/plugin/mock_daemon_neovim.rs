//! A Neovim with modules of the plugin, and a mock daemon in Lua inside it: see `bare.lua`.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::plugin_neovim::PLUGIN_FOLDER;
use crate::neovim::nvim::NeovimInstance;

pub(crate) struct MockDaemonNeovim {
    pub(crate) nvim: NeovimInstance,
    pub(crate) folder: TempDir,
}

impl MockDaemonNeovim {
    /// Connected, in a folder of its own.
    pub(crate) fn start(program: &Path, encoding: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut nvim = NeovimInstance::start(program, include_str!("bare.lua"), |command| {
            command.current_dir(folder.path()).env("TEST_PLUGIN", PLUGIN_FOLDER);
        });
        nvim.lua("S.start(...)", json!([encoding]));
        Self { nvim, folder }
    }

    #[track_caller]
    pub(crate) fn lua(&mut self, code: &str) -> Value {
        self.nvim.lua(code, json!([]))
    }

    #[track_caller]
    pub(crate) fn lua_with(&mut self, code: &str, arguments: Value) -> Value {
        self.nvim.lua(code, arguments)
    }

    /// Types, and stays in the resulting mode. The keys are handled before anything that follows.
    #[track_caller]
    pub(crate) fn keys(&mut self, keys: &str) {
        self.lua_with("vim.api.nvim_input(...)", json!([keys]));
        self.lua("return 1");
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.folder.path().join(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.path().join(name)).unwrap()
    }
}

//! What `tests/install/vscode` has installed, from `COPYDESK_TEST_VSCODE`: `NAME=PATH` with `:` between them.

use std::path::PathBuf;

pub(crate) struct InstalledParts {
    pub(super) node: PathBuf,
    pub(super) code_server: PathBuf,
    pub(super) chromium: PathBuf,
    pub(super) playwright: PathBuf,
    pub(super) axe: PathBuf,
    pub(crate) extensions: PathBuf,
}

impl InstalledParts {
    pub(crate) fn from_environment() -> Self {
        let named = std::env::var("COPYDESK_TEST_VSCODE").unwrap_or_default();
        let part = |name: &str| {
            let mut pairs = named.split(':').filter_map(|pair| pair.split_once('='));
            let found = pairs.find(|(key, _)| *key == name).map(|(_, path)| PathBuf::from(path));
            let found = found.filter(|path| path.exists());
            found.unwrap_or_else(|| {
                panic!("COPYDESK_TEST_VSCODE names no {name}; tests/install/vscode prints what there is")
            })
        };
        Self {
            node: part("node"),
            code_server: part("code-server"),
            chromium: part("chromium"),
            playwright: part("playwright"),
            axe: part("axe"),
            extensions: part("extensions"),
        }
    }
}

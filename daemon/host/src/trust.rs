//! Trust of a folder: what the user said, and how it is changed.

use std::path::{Path, PathBuf};

use copydesk_config::ConfigLayer;
use copydesk_config::paths::workspace_root;
use copydesk_config::state_file::StateFileError;
use copydesk_config::trust::{FolderTrust, TrustStamp, TrustStore};
use copydesk_protocol::trust::{TrustInfo, TrustState};

use crate::setup::UserSetup;

/// The folder whose trust counts for a session in the setup's folder.
pub fn trusted_root(setup: &UserSetup) -> PathBuf {
    let root = workspace_root(&setup.cwd).unwrap_or_else(|_| setup.cwd.clone());
    root.canonicalize().unwrap_or(root)
}

/// The trusted root, or the folder of the setup if its repository contains the home.
pub fn root_below_home(setup: &UserSetup) -> PathBuf {
    let root = trusted_root(setup);
    if contains_home(setup, &root) { setup.cwd.clone() } else { root }
}

/// Whether a folder contains the user's home, and so downloads and more.
pub fn contains_home(setup: &UserSetup, folder: &Path) -> bool {
    let home = &setup.paths.home;
    home.canonicalize().unwrap_or_else(|_| home.clone()).starts_with(folder)
}

/// The user's answers that count for a session in the setup's folder. A list that cannot be read trusts none.
pub(crate) fn trust_stamp(setup: &UserSetup) -> TrustStamp {
    load(setup).stamp(&trusted_root(setup))
}

/// Whether the user trusts the folder of the setup.
pub fn folder_trust(setup: &UserSetup) -> FolderTrust {
    match TrustStore::load(&setup.paths.state_dir) {
        Ok(trust) => trust.trust_of(&trusted_root(setup)),
        Err(_) => FolderTrust::Restricted,
    }
}

/// Whether the user has answered for the folder of the setup, or for one above it.
pub fn is_answered(setup: &UserSetup) -> bool {
    folder_trust(setup) != FolderTrust::Unasked
}

fn load(setup: &UserSetup) -> TrustStore {
    let state_dir = &setup.paths.state_dir;
    TrustStore::load(state_dir).unwrap_or_else(|_| TrustStore::empty(state_dir))
}

/// What a client is told about a session's folder.
pub fn trust_info(setup: &UserSetup) -> TrustInfo {
    describe(trusted_root(setup), folder_trust(setup))
}

/// What a client is told about a folder that the user named.
pub fn named_folder_info(setup: &UserSetup, folder: &Path) -> TrustInfo {
    describe(folder.canonicalize().unwrap_or_else(|_| folder.to_owned()), load(setup).trust_of(folder))
}

fn describe(folder: PathBuf, trust: FolderTrust) -> TrustInfo {
    let trust = match trust {
        FolderTrust::Trusted => TrustState::Trusted,
        FolderTrust::Restricted => TrustState::Restricted,
        FolderTrust::Unasked => TrustState::Unasked,
    };
    TrustInfo { folder: folder.display().to_string(), trust }
}

/// Records whether the user trusts `folder` and all below it. Trust includes the configuration files below `folder` that a session in
/// the setup's folder reads, as they are now; returns their paths.
pub fn set_trust(setup: &UserSetup, folder: &Path, is_trusted: bool) -> Result<Vec<PathBuf>, StateFileError> {
    // A configuration that cannot be read is reported where it is used. Trusting the folder does not depend on it.
    let files =
        if is_trusted { setup.load().map(|loaded| loaded.files).unwrap_or_default() } else { Vec::new() };
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let is_below = |path: &Path| path.canonicalize().is_ok_and(|path| path.starts_with(&real));
    let own: Vec<_> = files
        .iter()
        .filter(|file| file.source.layer == ConfigLayer::Project && is_below(&file.source.path))
        .collect();
    TrustStore::update(&setup.paths.state_dir, |trust| {
        own.iter().try_for_each(|file| trust.add_file(&file.source.path, file.text.as_bytes()))?;
        trust.set(folder, is_trusted)
    })?;
    Ok(own.iter().map(|file| file.source.path.clone()).collect())
}

/// Tells the user, once per session, what does not run in an untrusted folder, and how to trust it.
pub(crate) fn restriction_warning(root: &Path) -> String {
    format!(
        "{} is not trusted: no language server, checker or formatter runs here, and its configuration only tightens. If you \
         trust its authors, run `copydesk trust` there, or `:Copydesk trust` in Neovim.",
        root.display()
    )
}

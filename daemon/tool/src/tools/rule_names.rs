//! The names by which rules know a file. A rule about any of them counts, so no symlink, hard link or harmless name leads past
//! a rule.

use copydesk_workspace::files::{ResolvedPath, WorkspaceFiles};

use super::hard_links::find_secret_names;
use super::private_keys::holds_private_key;

/// A path's own name, that of a symlink's target, those of hard links that look like a secret, and one for a private key.
pub fn rule_names(files: &WorkspaceFiles, place: &ResolvedPath) -> Vec<String> {
    let real = files.resolve(&place.real_path().to_string_lossy()).display_path;
    // `@secrets` knows this ending, and the user who is asked sees why.
    let as_key = holds_private_key(place.real_path()).then(|| format!("{real} (private key)"));
    let mut names = vec![place.display_path.clone()];
    for name in [real].into_iter().chain(find_secret_names(files, place)).chain(as_key) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

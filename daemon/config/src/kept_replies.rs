//! What the user always allows in a project, for every session in it.
//!
//! `replies.json` in the state folder keeps it by the real path of the project's root, never in the repository: the authors
//! of its files must not answer for the user. The caller decides whether the replies count: not while the user does
//! not trust the project.

use std::{collections::BTreeMap, path::Path};

use serde::{Deserialize, Serialize};

use crate::state_file::{self, StateFileError, real_name};

/// More than a user remembers having said.
const MAX_REPLIES: usize = 1000;

/// One pattern that the user always allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptReply {
    /// The key of the rules, such as `bash`.
    pub key: String,
    pub pattern: String,
    /// When the user allowed it, in milliseconds since 1970.
    pub since: u64,
}

/// The content of the file: replies by project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptReplies {
    #[serde(default)]
    projects: BTreeMap<String, Vec<KeptReply>>,
}

impl KeptReplies {
    pub fn load(state_dir: &Path) -> Result<Self, StateFileError> {
        state_file::load(&state_dir.join("replies.json"))
    }

    /// Oldest first.
    pub fn of_project(&self, root: &Path) -> &[KeptReply] {
        let replies = real_name(root).ok().and_then(|name| self.projects.get(&name));
        replies.map_or(&[], Vec::as_slice)
    }

    /// Keeps a reply. One that is kept already stays as it is.
    pub fn add(state_dir: &Path, root: &Path, new: &[KeptReply]) -> Result<(), StateFileError> {
        update(state_dir, |kept| {
            let replies = kept.projects.entry(real_name(root)?).or_default();
            for reply in new {
                if replies.iter().all(|known| (&known.key, &known.pattern) != (&reply.key, &reply.pattern)) {
                    replies.push(reply.clone());
                }
            }
            if replies.len() <= MAX_REPLIES {
                return Ok(());
            }
            let reason = format!(
                "already keeps {MAX_REPLIES} replies; run `copydesk permission list` and revoke what you need no more"
            );
            Err(StateFileError::new(root, reason))
        })
    }

    /// Takes back the replies of a project that `is_meant` names, and returns them.
    pub fn revoke(
        state_dir: &Path,
        root: &Path,
        is_meant: impl Fn(&KeptReply) -> bool,
    ) -> Result<Vec<KeptReply>, StateFileError> {
        update(state_dir, |kept| {
            let name = real_name(root)?;
            let replies = kept.projects.entry(name.clone()).or_default();
            let revoked = replies.extract_if(.., |reply| is_meant(reply)).collect();
            if replies.is_empty() {
                kept.projects.remove(&name);
            }
            Ok(revoked)
        })
    }
}

fn update<R>(
    state_dir: &Path,
    change: impl FnOnce(&mut KeptReplies) -> Result<R, StateFileError>,
) -> Result<R, StateFileError> {
    state_file::update(&state_dir.join("replies.json"), change)
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::{PermissionsExt, symlink},
    };

    use super::*;

    fn reply(pattern: &str) -> KeptReply {
        KeptReply { key: "bash".to_owned(), pattern: pattern.to_owned(), since: 1 }
    }

    #[test]
    fn a_reply_counts_for_its_project_alone_until_it_is_revoked() {
        let dir = tempfile::tempdir().unwrap();
        let (state, one, other) =
            (dir.path().join("state"), dir.path().join("one"), dir.path().join("other"));
        fs::create_dir(&one).unwrap();
        fs::create_dir(&other).unwrap();
        let of = |root: &Path| KeptReplies::load(&state).unwrap().of_project(root).to_vec();
        assert_eq!(of(&one), []);
        for _ in 0..2 {
            KeptReplies::add(&state, &one, &[reply("ls *"), reply("git log *")]).unwrap();
        }
        assert_eq!(of(&one), [reply("ls *"), reply("git log *")]);
        assert_eq!(of(&other), []);
        assert_eq!(of(&one.join("below")), [], "a folder below is another project, if it is one");
        assert_eq!(state.join("replies.json").metadata().unwrap().permissions().mode() & 0o777, 0o600);

        let link = dir.path().join("link");
        symlink(&one, &link).unwrap();
        assert_eq!(of(&link).len(), 2, "a link is the folder it leads to");

        let revoked = KeptReplies::revoke(&state, &one, |reply| reply.pattern == "ls *").unwrap();
        assert_eq!((revoked, of(&one)), (vec![reply("ls *")], vec![reply("git log *")]));
        KeptReplies::revoke(&state, &one, |_| true).unwrap();
        assert_eq!(KeptReplies::load(&state).unwrap(), KeptReplies::default());
    }

    #[test]
    fn a_project_keeps_a_bounded_number() {
        let dir = tempfile::tempdir().unwrap();
        let replies: Vec<_> = (0..MAX_REPLIES).map(|number| reply(&number.to_string())).collect();
        KeptReplies::add(dir.path(), dir.path(), &replies).unwrap();
        let error = KeptReplies::add(dir.path(), dir.path(), &[reply("more")]).unwrap_err();
        assert!(error.reason().contains("already keeps 1000 replies"), "{error}");
        assert_eq!(KeptReplies::load(dir.path()).unwrap().of_project(dir.path()).len(), MAX_REPLIES);
    }

    #[test]
    fn a_damaged_file_keeps_nothing_and_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("replies.json");
        fs::write(&file, r#"{ "projects": "all" }"#).unwrap();
        let error = KeptReplies::load(dir.path()).unwrap_err();
        assert_eq!(error.path(), file);
        assert!(
            error.reason().starts_with("is damaged (") && error.reason().ends_with("; remove it"),
            "{error}"
        );
        assert!(KeptReplies::add(dir.path(), dir.path(), &[reply("ls *")]).is_err());
        assert_eq!(fs::read_to_string(file).unwrap(), r#"{ "projects": "all" }"#);
    }
}

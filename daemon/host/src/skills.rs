//! Where skills are found: in the user's folders and in the repository's, from its root down to the session's
//! folder.
//!
//! Folders of other programs count too. Of a repository's skills the nearest of a name wins, but none replaces
//! a user's own. A repository's skills are instructions like its `AGENTS.md`: they grant no permissions.

use std::path::Path;

use copydesk_config::paths::workspace_root;
use copydesk_tool::skills::{self, SkillCatalog, SkillFolder};

use crate::setup::UserSetup;

/// By rising precedence.
const FOLDERS: [&str; 6] = [
    ".claude/skills",
    ".agents/skills",
    ".opencode/skill",
    ".opencode/skills",
    ".copydesk/skill",
    ".copydesk/skills",
];

pub fn find_skills(setup: &UserSetup) -> SkillCatalog {
    let root = workspace_root(&setup.cwd).unwrap_or_else(|_| setup.cwd.clone());
    let below = |folder: &Path| FOLDERS.map(|name| folder.join(name));
    let paths = &setup.paths;
    let opencode = paths.config_dir.with_file_name("opencode");
    let mut folders = below(&paths.home).to_vec();
    folders.extend(
        [&opencode, &paths.config_dir]
            .into_iter()
            .flat_map(|folder| ["skill", "skills"].map(|name| folder.join(name))),
    );
    let own = folders.into_iter().map(|folder| SkillFolder { folder, repository: None });
    let mut project: Vec<_> = setup.cwd.ancestors().take_while(|folder| folder.starts_with(&root)).collect();
    project.reverse();
    let project = project
        .into_iter()
        .flat_map(below)
        .map(|folder| SkillFolder { folder, repository: Some(root.clone()) });
    skills::find_skills(&own.chain(project).collect::<Vec<_>>())
}

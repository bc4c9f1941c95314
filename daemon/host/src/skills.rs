//! Where skills lie: in the person's folders and in the repository's, from its root down to where the session works.
//!
//! Those of other programs are read, too. Of a repository's the nearest counts, but none over one of the person's own of the same
//! name. They are its words, as its `AGENTS.md` is, and say nothing about what is allowed.

use std::path::Path;

use copydesk_config::paths::workspace_root;
use copydesk_tool::skills::{self, SkillCatalog, SkillFolder};

use crate::setup::UserSetup;

/// In the order of growing weight.
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

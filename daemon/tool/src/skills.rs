//! Skills: instructions for the model, each in a folder with the files that it needs.
//!
//! A skill is a file `SKILL.md` whose front matter has a `name` and a `description`. The model is offered these, and gets the
//! text when it calls `skill` (`tools/skill.rs`). The host says which folders are searched, the nearest last. Of two skills
//! of one name the nearest wins, but the user's own skill wins over a repository's, because rules and prompts mean the
//! user's.
//!
//! A repository's skill is like its `AGENTS.md`: the model may read it, and it grants nothing.
//! Invariant: a repository's skill is inside the repository after resolving symlinks.
//! Invariant: the search is bounded in depth and number.

use std::collections::{BTreeMap, HashSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use copydesk_workspace::real_file::open_regular_file;

use crate::front_matter::{FrontMatter, FrontMatterProblem};

const FILE: &str = "SKILL.md";

/// How deep a skill may be below a skill folder.
const MAX_DEPTH: usize = 3;

/// The caps on entries of one folder, skills of all folders, and problems.
const MAX_ENTRIES: usize = 5000;
const MAX_SKILLS: usize = 300;
const MAX_PROBLEMS: usize = 50;

/// The cap on what is read for the front matter.
const MAX_HEAD_BYTES: u64 = 64 * 1024;

const MAX_NAME_CHARS: usize = 64;
const MAX_DESCRIPTION_CHARS: usize = 1024;

/// A folder to search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFolder {
    pub folder: PathBuf,
    /// The repository that the skills belong to; none for the user's own.
    pub repository: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    pub name: String,
    /// When to use it.
    pub description: String,
    /// The real path of its text.
    pub path: PathBuf,
    /// The real path of its folder. The text may be a symlink in it.
    pub folder: PathBuf,
    /// It belongs to a repository, not to the user.
    pub is_from_repository: bool,
}

/// All skills by name, and problems with file and line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillCatalog {
    pub skills: Vec<Skill>,
    pub problems: Vec<String>,
}

/// Searches these folders, the nearest last. Blocks.
pub fn find_skills(shelves: &[SkillFolder]) -> SkillCatalog {
    let mut skills: BTreeMap<String, Skill> = BTreeMap::new();
    let mut problems = Vec::new();
    // The home folder may be the repository: its skills are still the user's own.
    let mut seen = HashSet::new();
    for SkillFolder { folder, repository } in shelves {
        let within = repository.as_ref().and_then(|root| root.canonicalize().ok());
        let (mut files, mut left) = (Vec::new(), MAX_ENTRIES);
        walk(folder, MAX_DEPTH, &mut left, &mut files);
        for file in files {
            let Ok(path) = file.canonicalize() else { continue };
            let Some(folder) = file.parent().and_then(|folder| folder.canonicalize().ok()) else { continue };
            if !seen.insert((path.clone(), folder.clone())) {
                continue;
            }
            let is_within = |path: &Path| within.as_ref().is_some_and(|root| path.starts_with(root));
            if repository.is_some() && !(is_within(&path) && is_within(&folder)) {
                problems.push(format!(
                    "{}: it is a symlink out of the repository, so it is ignored",
                    file.display()
                ));
                continue;
            }
            match read(&path, folder, repository.is_some()) {
                Ok(Skill { name, is_from_repository: true, .. })
                    if skills.get(&name).is_some_and(|known| !known.is_from_repository) =>
                {
                    let why = format!("your own skill `{name}` wins, so this one is ignored");
                    problems.push(format!("{}: {why}", path.display()));
                }
                Ok(skill) if skills.len() < MAX_SKILLS || skills.contains_key(&skill.name) => {
                    skills.insert(skill.name.clone(), skill);
                }
                Ok(skill) => {
                    let why = format!("there are {MAX_SKILLS} skills already; `{}` is ignored", skill.name);
                    problems.push(format!("{}: {why}", path.display()));
                }
                Err(FrontMatterProblem { line, what }) => {
                    problems.push(format!("{}:{line}: {what}", path.display()));
                }
            }
        }
    }
    problems.truncate(MAX_PROBLEMS);
    SkillCatalog { skills: skills.into_values().collect(), problems }
}

/// The `SKILL.md` files below a folder, sorted by path. Folders below a skill belong to it.
fn walk(folder: &Path, deep: usize, left: &mut usize, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(*left);
    let entries: Vec<_> = entries.map(|entry| entry.path()).collect();
    *left -= entries.len();
    let mut folders: Vec<_> = entries.into_iter().filter(|path| path.is_dir()).collect();
    folders.sort();
    for folder in folders {
        let file = folder.join(FILE);
        if files.len() >= MAX_SKILLS {
            return;
        }
        if file.is_file() {
            files.push(file);
        } else if deep > 1 {
            walk(&folder, deep - 1, left, files);
        }
    }
}

fn read(path: &Path, folder: PathBuf, foreign: bool) -> Result<Skill, FrontMatterProblem> {
    let wrong = |line: usize, what: &str| FrontMatterProblem { line, what: what.to_owned() };
    let mut bytes = Vec::new();
    let opened =
        open_regular_file(path).and_then(|(file, _)| file.take(MAX_HEAD_BYTES).read_to_end(&mut bytes));
    opened.map_err(|error| wrong(1, &format!("it cannot be read: {error}")))?;
    let text = plain(&bytes);
    let (head, _) = FrontMatter::split(&text);
    if let Some(problem) = head.problem() {
        return Err(problem.clone());
    }
    if !text.starts_with("---\n") {
        return Err(wrong(1, "it has no head: `name` and `description` between two lines `---`"));
    }
    let usual = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let name = head.text("name").or(usual).unwrap_or_default();
    let is_letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | ':');
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS || !name.chars().all(is_letter) {
        let what =
            format!("its `name` may have letters, digits, `-`, `_`, `.` and `:`, at most {MAX_NAME_CHARS}");
        return Err(wrong(head.line("name"), &what));
    }
    let description = head.text("description");
    let description =
        description.ok_or_else(|| wrong(head.line("description"), "its `description` is missing"))?;
    let description = description.chars().take(MAX_DESCRIPTION_CHARS).collect();
    Ok(Skill { name, description, path: path.to_owned(), folder, is_from_repository: foreign })
}

/// Normalizes a text for front matter: `\n` as line end, no byte order mark.
pub(crate) fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.trim_start_matches('\u{feff}').replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn put(path: PathBuf, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn skill(name: &str, description: &str) -> String {
        format!("---\nname: {name}\ndescription: {description}\n---\nDo it.\n")
    }

    #[test]
    fn the_nearest_counts_and_what_is_broken_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (home, project) = (base.join("home"), base.join("repo"));
        put(home.join("commit/SKILL.md"), &skill("commit", "mine"));
        put(
            home.join("deep/er/SKILL.md"),
            "\u{feff}---\r\ndescription: >\r\n  far\r\n  away\r\n---\r\nDo it.",
        );
        put(home.join("deep/er/still/SKILL.md"), &skill("inner", "belongs to the one above"));
        put(home.join("a/b/c/d/SKILL.md"), &skill("deepest", "too deep"));
        put(project.join("skills/commit/SKILL.md"), &skill("commit", "the repository's"));
        put(project.join("skills/no-head/SKILL.md"), "Do it.");
        put(project.join("skills/no-words/SKILL.md"), "---\nname: x\n---\n");
        put(project.join("skills/odd/SKILL.md"), "---\ndescription: d\nname: a *\n---\n");
        put(project.join("skills/open/SKILL.md"), "---\nname: x\n");
        put(base.join("secret/SKILL.md"), &skill("secret", "not the repository's own"));
        symlink("../../secret", project.join("skills/secret")).unwrap();
        symlink("..", project.join("skills/z-loop")).unwrap();
        put(project.join("docs/linked.md"), &skill("linked", "a link to a text"));
        fs::create_dir(project.join("skills/linked")).unwrap();
        symlink("../../docs/linked.md", project.join("skills/linked/SKILL.md")).unwrap();
        // Symlinks out of the repository, and back into it.
        fs::create_dir(base.join("detour")).unwrap();
        symlink(project.join("docs/linked.md"), base.join("detour/SKILL.md")).unwrap();
        symlink("../../detour", project.join("skills/a-detour")).unwrap();
        let shelves = [
            SkillFolder { folder: home.clone(), repository: None },
            SkillFolder { folder: base.join("missing"), repository: None },
            SkillFolder { folder: project.join("skills"), repository: Some(project.clone()) },
        ];
        let found = find_skills(&shelves);
        let shown = |found: &SkillCatalog| {
            let one = |skill: &Skill| {
                let whose = if skill.is_from_repository { "theirs" } else { "mine" };
                format!("{} {}: {}", whose, skill.name, skill.description)
            };
            found.skills.iter().map(one).collect::<Vec<_>>()
        };
        assert_eq!(
            shown(&found),
            ["mine commit: mine", "mine er: far away", "theirs linked: a link to a text"]
        );
        let linked = found.skills.iter().find(|skill| skill.name == "linked").unwrap();
        assert_eq!(linked.folder, project.join("skills/linked"), "not that of the text");
        let problems: Vec<_> = found
            .problems
            .iter()
            .map(|problem| problem.replace(&*project.to_string_lossy(), "REPO"))
            .collect();
        assert_eq!(
            problems,
            [
                "REPO/skills/a-detour/SKILL.md: it is a symlink out of the repository, so it is ignored",
                "REPO/skills/commit/SKILL.md: your own skill `commit` wins, so this one is ignored",
                "REPO/skills/no-head/SKILL.md:1: it has no head: `name` and `description` between two lines `---`",
                "REPO/skills/no-words/SKILL.md:1: its `description` is missing",
                "REPO/skills/odd/SKILL.md:3: its `name` may have letters, digits, `-`, `_`, `.` and `:`, at most 64",
                "REPO/skills/open/SKILL.md:1: the head begins here and is never closed by a second `---`",
                "REPO/skills/secret/SKILL.md: it is a symlink out of the repository, so it is ignored",
            ]
        );
        // The home folder is a repository.
        let both =
            [None, Some(base.clone())].map(|repository| SkillFolder { folder: home.clone(), repository });
        assert_eq!(shown(&find_skills(&both)), ["mine commit: mine", "mine er: far away"]);
    }

    #[test]
    fn a_folder_without_end_is_looked_at_only_so_far() {
        let dir = tempfile::tempdir().unwrap();
        for (one, other) in (0..80).flat_map(|one| (0..80).map(move |other| (one, other))) {
            fs::create_dir_all(dir.path().join(format!("{one}/{other}"))).unwrap();
        }
        let (mut files, mut left) = (Vec::new(), MAX_ENTRIES);
        walk(dir.path(), MAX_DEPTH, &mut left, &mut files);
        assert_eq!((files.len(), left), (0, 0));
    }
}

//! Which other files a change of one may break, found cheaply: those that mention its name.
//!
//! Most servers say nothing of files that are not open. So these are opened before the change, and asked about after it. It is a
//! guess by words: a file that is found needlessly costs a little time, one that is not found is one that nobody can say
//! anything about until its checker runs.

mod mention_pattern;

pub(crate) use mention_pattern::is_never_imported;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use copydesk_workspace::search::{
    BufferOverlay, CaseSensitivity, GrepMatch, GrepRequest, SearchDeadline, grep,
};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::known_servers;
use crate::time_limits::DEPENDENTS_SEARCH_GRACE;

/// Lines that are looked at in one folder. A name that stands in more is no help.
const MOST_LINES: usize = 1000;
/// Entries of a folder that are looked at for files of the same package.
const MOST_ENTRIES: usize = 1000;
/// The most that are named without being looked at.
const BEYOND: usize = 10;

/// Who is asked about, and where others are looked for.
#[derive(Debug, Clone)]
pub struct DependentsQuery {
    /// By its real path.
    pub path: PathBuf,
    /// The project; nothing outside of it is looked at.
    pub root: PathBuf,
    /// Ids of the languages whose files may depend on it.
    pub languages: Vec<String>,
    /// Those that are open already, which go first.
    pub open_files: BTreeSet<PathBuf>,
    /// What editors have open.
    pub overlay: BufferOverlay,
    pub limit: usize,
}

/// Files that a change may break.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DependentFiles {
    /// In the order in which they are worth a look: held ones, then those that name it where others are brought in, then the
    /// nearest.
    pub files: Vec<DependentFile>,
    /// Beyond the most that are looked at, some of those that bring it in.
    pub unchecked: Vec<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependentFile {
    pub path: PathBuf,
    /// It names the file where others are brought in, and not somewhere.
    pub is_import: bool,
}

impl DependentFiles {
    /// What is to be looked at for several files, and what is beyond that: each once, and none of these files themselves. Those that bring
    /// them in go first, and only those are beyond.
    pub fn merge(
        all: Vec<Self>,
        without: impl Fn(&Path) -> bool,
        most: usize,
    ) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let (mut imports, mut mentions, mut beyond) = (Vec::new(), Vec::new(), Vec::new());
        for links in all {
            for link in links.files {
                if link.is_import { imports.push(link.path) } else { mentions.push(link.path) }
            }
            beyond.extend(links.unchecked);
        }
        imports.extend(beyond);
        let mut seen = HashSet::new();
        let mut is_new = |path: &PathBuf| !without(path) && seen.insert(path.clone());
        imports.retain(&mut is_new);
        mentions.retain(&mut is_new);
        let mut beyond = imports.split_off(most.min(imports.len()));
        beyond.truncate(BEYOND);
        imports.extend(mentions);
        imports.truncate(most);
        (imports, beyond)
    }
}

/// What was found when the time is over.
pub async fn find_dependents(mentions: DependentsQuery, until: Instant) -> DependentFiles {
    let is_package = mention_pattern::shares_package_scope(&mentions.path);
    let Some(regex) = mention_pattern::mention_pattern(&mentions.path) else {
        return DependentFiles::default();
    };
    let include = include(&mentions.languages);
    let Some(folder) = mentions.path.parent().filter(|folder| folder.starts_with(&mentions.root)) else {
        return DependentFiles::default();
    };
    if include.is_empty() {
        return DependentFiles::default();
    }
    let mut found = DependentsSearch::default();
    if is_package {
        siblings(&mentions.path).into_iter().for_each(|path| found.add(path, true, 0));
    }
    let mut inner: Option<&Path> = None;
    for (distance, within) in folder.ancestors().enumerate() {
        let mut include = include.clone();
        // What lies there was looked at before.
        include.extend(inner.and_then(Path::file_name).and_then(exclude));
        let lines = look(&mentions, within, &regex, include, until).await;
        for line in lines {
            found.add(line.path, mention_pattern::is_import(&line.text), distance);
        }
        if within == mentions.root || found.count_imports() > mentions.limit || Instant::now() >= until {
            break;
        }
        inner = Some(within);
    }
    found.finish(&mentions)
}

async fn look(
    mentions: &DependentsQuery,
    within: &Path,
    regex: &str,
    include: Vec<String>,
    until: Instant,
) -> Vec<GrepMatch> {
    let request = GrepRequest {
        root: within.to_owned(),
        regex: regex.to_owned(),
        case: CaseSensitivity::Sensitive,
        include,
        hidden: false,
        limit: MOST_LINES,
        overlay: mentions.overlay.clone(),
        excluded_paths: HashSet::new(),
    };
    let patience = until.saturating_duration_since(Instant::now());
    let searching = grep(request, SearchDeadline { cancel: CancellationToken::new(), timeout: patience });
    // The search itself stops then, and gives what it has found; a disk that does not answer is not waited for.
    match timeout_at(until + DEPENDENTS_SEARCH_GRACE, searching).await {
        Ok(Ok(found)) => found.matches,
        // A search that cannot be made finds nothing.
        Ok(Err(_)) | Err(_) => Vec::new(),
    }
}

/// Globs of the files of these languages.
fn include(languages: &[String]) -> Vec<String> {
    let of = known_servers::languages().iter().filter(|language| languages.contains(&language.id));
    of.flat_map(|language| language.extensions.iter().map(|ending| format!("*{ending}"))).collect()
}

fn exclude(folder: &std::ffi::OsStr) -> Option<String> {
    let name = folder.to_str().filter(|name| !name.contains(['*', '?', '[', '{', '\\', '!']))?;
    Some(format!("!/{name}/"))
}

/// Files of the same folder and ending.
fn siblings(path: &Path) -> Vec<PathBuf> {
    let entries = path.parent().map(fs::read_dir).and_then(Result::ok);
    let paths = entries.into_iter().flatten().take(MOST_ENTRIES).flatten().map(|entry| entry.path());
    paths.filter(|other| other.extension() == path.extension()).collect()
}

#[derive(Default)]
struct DependentsSearch {
    /// Whether it is named where others are brought in, and how far away it is.
    files: HashMap<PathBuf, (bool, usize)>,
}

impl DependentsSearch {
    fn add(&mut self, path: PathBuf, is_import: bool, distance: usize) {
        let found = self.files.entry(path).or_insert((false, distance));
        found.0 |= is_import;
    }

    fn count_imports(&self) -> usize {
        self.files.values().filter(|(is_import, _)| *is_import).count()
    }

    fn finish(mut self, mentions: &DependentsQuery) -> DependentFiles {
        self.files.remove(&mentions.path);
        let mut files: Vec<_> = self
            .files
            .into_iter()
            .map(|(path, (is_import, distance))| {
                (!mentions.open_files.contains(&path), !is_import, distance, path)
            })
            .collect();
        files.sort();
        let beyond = files.split_off(mentions.limit.min(files.len()));
        let imports = beyond.into_iter().filter(|(_, is_no_import, ..)| !is_no_import).take(BEYOND);
        let link =
            |(_, is_no_import, _, path): (_, bool, _, _)| DependentFile { path, is_import: !is_no_import };
        DependentFiles {
            unchecked: imports.map(|(.., path)| path).collect(),
            files: files.into_iter().map(link).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    async fn check(languages: &[&str], files: &[(&str, &str)], path: &str, held: &[&str], expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (name, text) in files {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), text).unwrap();
        }
        let mentions = DependentsQuery {
            path: root.join(path),
            root: root.clone(),
            languages: languages.iter().map(|id| (*id).to_owned()).collect(),
            open_files: held.iter().map(|name| root.join(name)).collect(),
            overlay: BufferOverlay::default(),
            limit: 3,
        };
        let DependentFiles { files: found, unchecked: beyond } = find_dependents(mentions, soon()).await;
        let found: Vec<_> = found
            .iter()
            .map(|link| &link.path)
            .chain(&beyond)
            .map(|path| path.strip_prefix(&root).unwrap())
            .collect();
        assert_eq!(found, expected.iter().map(Path::new).collect::<Vec<_>>(), "{path}");
    }

    #[tokio::test]
    async fn held_ones_come_first_then_imports_then_near_ones() {
        let files = [
            ("src/deep/math.ts", "export const one = 1;"),
            ("src/deep/near.ts", "// see math"),
            ("src/far.ts", "import { one } from './deep/math.js';"),
            ("held.tsx", "const math = 1;"),
            ("last.ts", "const x = require('./src/deep/math');"),
            ("readme.md", "import math"),
            ("after.ts", "import * as maths from 'aftermath';"),
        ];
        let typescript = ["typescript", "typescriptreact"];
        check(&typescript, &files, "src/deep/math.ts", &["held.tsx"], &["held.tsx", "src/far.ts", "last.ts"])
            .await;
        check(&typescript, &files, "src/deep/math.ts", &[], &["src/far.ts", "last.ts", "src/deep/near.ts"])
            .await;
        check(&[], &files, "src/deep/math.ts", &[], &[]).await;
    }

    #[tokio::test]
    async fn beyond_the_most_those_that_bring_it_in_are_named() {
        let users = ["a.ts", "b.ts", "c.ts", "d.ts", "e.ts"];
        let mut files: Vec<_> =
            users.iter().map(|name| (*name, "import { one } from './math.js';")).collect();
        files.extend([("math.ts", "export const one = 1;"), ("z.ts", "// see math")]);
        check(&["typescript"], &files, "math.ts", &[], &users).await;
    }

    #[test]
    fn those_of_several_are_each_named_once() {
        let paths =
            |names: &str| names.chars().map(|name| PathBuf::from(name.to_string())).collect::<Vec<_>>();
        let links = |imports: &str, mentions: &str, beyond: &str| {
            let link = |is_import| move |path| DependentFile { path, is_import };
            let found = paths(imports).into_iter().map(link(true));
            let found = found.chain(paths(mentions).into_iter().map(link(false))).collect();
            DependentFiles { files: found, unchecked: paths(beyond) }
        };
        let check = |all, most, found: &str, beyond: &str| {
            let joined = DependentFiles::merge(all, |path| path == Path::new("x"), most);
            assert_eq!(joined, (paths(found), paths(beyond)));
        };
        check(vec![links("ab", "", ""), links("xbc", "", "")], 3, "abc", "");
        check(vec![links("ab", "", "cx"), links("bd", "", "a")], 2, "ab", "dc");
        check(vec![links("", "", "abcdefghijklmno")], 1, "a", "bcdefghijk");
        // What one has beyond its own most may be looked at where the others leave room.
        check(vec![links("", "", "a"), links("b", "", "")], 2, "ba", "");
        // Who only mentions one takes no place from who brings the other in, and is not missed.
        check(vec![links("", "ab", ""), links("c", "", "")], 2, "ca", "");
    }

    #[tokio::test]
    async fn each_language_has_its_own_way_to_name_a_file() {
        let files = [
            ("pkg/__init__.py", ""),
            ("use.py", "from pkg import x"),
            ("lib/index.ts", ""),
            ("app.ts", "import x from './lib';"),
            ("inc/shape.h", ""),
            ("main.c", "#include \"inc/shape.h\"\n"),
            ("other.c", "int shape;"),
            ("geo/area.go", "package geo"),
            ("geo/side.go", "package geo"),
            ("cmd/main.go", "import \"x/geo\""),
            ("core/src/lib.rs", ""),
            ("core/src/mesh.rs", ""),
            ("core/src/parts/mod.rs", "use crate::mesh::Mesh;"),
        ];
        check(&["python"], &files, "pkg/__init__.py", &[], &["use.py"]).await;
        check(&["typescript"], &files, "lib/index.ts", &[], &["app.ts"]).await;
        check(&["c", "cpp"], &files, "inc/shape.h", &[], &["main.c"]).await;
        check(&["c", "cpp"], &files, "main.c", &[], &[]).await;
        check(&["go"], &files, "geo/area.go", &[], &["geo/side.go", "cmd/main.go"]).await;
        check(&["rust"], &files, "core/src/mesh.rs", &[], &["core/src/parts/mod.rs"]).await;
    }

    #[tokio::test]
    async fn no_time_finds_nothing_and_waits_for_nothing() {
        let mentions = DependentsQuery {
            path: "/tmp/nowhere/a.py".into(),
            root: "/tmp/nowhere".into(),
            languages: vec!["python".to_owned()],
            open_files: BTreeSet::new(),
            overlay: BufferOverlay::default(),
            limit: 3,
        };
        assert_eq!(find_dependents(mentions, Instant::now()).await, DependentFiles::default());
    }
}

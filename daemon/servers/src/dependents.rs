//! Finds the files that a change may break, cheaply: those that mention the changed file's name.
//!
//! Most servers report nothing on files that are not open. So the pool opens these before the change, and checks them
//! after it. The search goes by words. A false match costs a little time; a missed file stays unchecked until a checker
//! runs. A file that passes on what it imports (a header, a barrel, a package) is followed to its own dependents.

mod mention_pattern;

pub(crate) use mention_pattern::is_never_imported;
use mention_pattern::mention_pattern;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use copydesk_workspace::search::{CaseSensitivity, GrepRequest, SearchDeadline, SearchView, grep};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::known_servers;
use crate::time_limits::DEPENDENTS_SEARCH_GRACE;

/// The cap on matches per folder. A name with more is too common to help.
const MAX_MATCHES: usize = 1000;
/// The cap on entries of a folder to read for files of the same package.
const MAX_ENTRIES: usize = 1000;
/// The cap on dependents that a report calls unchecked.
const MAX_UNCHECKED: usize = 1000;
/// The cap on files in a row that pass on what they import.
const MAX_STEPS: usize = 4;
/// The cap on the bytes of a search expression.
const MAX_REGEX_BYTES: usize = 4000;

/// The changed files, and where to search for their dependents.
#[derive(Debug, Clone)]
pub struct DependentsQuery {
    /// Canonical. They may be deleted.
    pub paths: Vec<PathBuf>,
    /// The project. Nothing outside it is searched.
    pub root: PathBuf,
    /// Language ids of possible dependents.
    pub languages: Vec<String>,
    /// Files that the server has open. They go first.
    pub open_files: BTreeSet<PathBuf>,
    /// The open buffers of editors.
    pub view: SearchView,
    pub limit: usize,
}

/// Files that a change may break.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DependentFiles {
    /// By priority: open files, then files that import it, then the nearest.
    pub files: Vec<DependentFile>,
    /// The importing files beyond the limit.
    pub unchecked: Vec<PathBuf>,
    /// The search did not see everything, so there may be more.
    pub is_cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependentFile {
    pub path: PathBuf,
    /// It names the changed file in an import, not just anywhere.
    pub is_import: bool,
}

impl DependentFiles {
    /// These files, as if each imported the changed one.
    pub(crate) fn of_imports(paths: Vec<PathBuf>, unchecked: Vec<PathBuf>, is_cut: bool) -> Self {
        let files = paths.into_iter().map(|path| DependentFile { path, is_import: true }).collect();
        Self { files, unchecked, is_cut }
    }

    /// Merges the dependents of several files into those to check and those beyond the limit: each once, without the
    /// changed files themselves. Importing files go first, and only those are listed beyond the limit.
    pub fn merge(all: Vec<Self>, is_excluded: impl Fn(&Path) -> bool, most: usize) -> MergedDependents {
        let (mut imports, mut mentions, mut beyond) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_cut = false;
        for dependents in all {
            is_cut |= dependents.is_cut;
            for file in dependents.files {
                if file.is_import { imports.push(file.path) } else { mentions.push(file.path) }
            }
            beyond.extend(dependents.unchecked);
        }
        imports.extend(beyond);
        let mut seen = HashSet::new();
        let mut is_new = |path: &PathBuf| !is_excluded(path) && seen.insert(path.clone());
        imports.retain(&mut is_new);
        mentions.retain(&mut is_new);
        let mut beyond = imports.split_off(most.min(imports.len()));
        beyond.truncate(MAX_UNCHECKED);
        imports.extend(mentions);
        imports.truncate(most);
        MergedDependents { paths: imports, beyond, is_cut }
    }
}

/// The dependents of several files, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergedDependents {
    /// To be checked.
    pub paths: Vec<PathBuf>,
    pub beyond: Vec<PathBuf>,
    /// There may be more.
    pub is_cut: bool,
}

/// Returns at the deadline with what it has found.
pub async fn find_dependents(query: DependentsQuery, until: Instant) -> DependentFiles {
    let include = include(&query.languages);
    let mut paths = query.paths.clone();
    paths.retain(|path| mention_pattern(path).is_some() && path.starts_with(&query.root));
    if include.is_empty() || paths.is_empty() {
        return DependentFiles::default();
    }
    let mut found = DependentsSearch::default();
    for path in paths.iter().filter(|path| mention_pattern::shares_package_scope(path)) {
        siblings(path).into_iter().for_each(|path| found.add(path, true, 0));
    }
    let mut passing = match paths.as_slice() {
        [path] => found.search_nearest_first(&query, path, &include, until).await,
        _ => found.search_all(&query, &paths, &include, 0, until).await,
    };
    for step in 1..=MAX_STEPS {
        if passing.is_empty() {
            break;
        }
        found.is_cut |= step == MAX_STEPS || found.count_imports() > query.limit || Instant::now() >= until;
        if found.is_cut {
            break;
        }
        passing = found.search_all(&query, &passing, &include, step, until).await;
    }
    found.finish(&query)
}

/// Globs of the files of these languages.
fn include(languages: &[String]) -> Vec<String> {
    let included = known_servers::languages().iter().filter(|language| languages.contains(&language.id));
    included
        .flat_map(|language| language.extensions.iter().map(|extension| format!("*{extension}")))
        .collect()
}

fn exclude(folder: &std::ffi::OsStr) -> Option<String> {
    let name = folder.to_str().filter(|name| !name.contains(['*', '?', '[', '{', '\\', '!']))?;
    Some(format!("!/{name}/"))
}

/// Files of the same folder and extension.
fn siblings(path: &Path) -> Vec<PathBuf> {
    let entries = path.parent().map(fs::read_dir).and_then(Result::ok);
    let paths = entries.into_iter().flatten().take(MAX_ENTRIES).flatten().map(|entry| entry.path());
    paths.filter(|other| other.extension() == path.extension()).collect()
}

#[derive(Default)]
struct DependentsSearch {
    /// Whether the file imports the changed one, and how far away it is.
    files: HashMap<PathBuf, (bool, usize)>,
    is_cut: bool,
}

impl DependentsSearch {
    /// Searches the folder of a file, then the folders around it. Returns the files that pass on what they import.
    async fn search_nearest_first(
        &mut self,
        query: &DependentsQuery,
        path: &Path,
        include: &[String],
        until: Instant,
    ) -> Vec<PathBuf> {
        let Some((regex, folder)) = mention_pattern(path).zip(path.parent()) else { return Vec::new() };
        let (mut inner, mut passing): (Option<&Path>, Vec<PathBuf>) = (None, Vec::new());
        // A deleted folder has nothing to search.
        for (distance, within) in folder.ancestors().enumerate().filter(|(_, within)| within.is_dir()) {
            let mut include = include.to_vec();
            // This subfolder was searched before.
            include.extend(inner.and_then(Path::file_name).and_then(exclude));
            passing.extend(self.search_folder(query, within, &regex, include, distance, until).await);
            if within == query.root {
                break;
            }
            if self.count_imports() > query.limit || Instant::now() >= until {
                self.is_cut = true;
                break;
            }
            inner = Some(within);
        }
        passing
    }

    /// Searches the whole project for mentions of any of these files.
    async fn search_all(
        &mut self,
        query: &DependentsQuery,
        paths: &[PathBuf],
        include: &[String],
        step: usize,
        until: Instant,
    ) -> Vec<PathBuf> {
        let patterns: BTreeSet<_> = paths.iter().filter_map(|path| mention_pattern(path)).collect();
        let mut regex = String::new();
        for pattern in patterns {
            if regex.len() + pattern.len() >= MAX_REGEX_BYTES {
                self.is_cut = true;
                break;
            }
            regex = if regex.is_empty() { pattern } else { format!("{regex}|{pattern}") };
        }
        // A file that depends on a dependent is further away than any folder.
        let distance = step.saturating_mul(1000);
        self.search_folder(query, &query.root, &regex, include.to_vec(), distance, until).await
    }

    async fn search_folder(
        &mut self,
        query: &DependentsQuery,
        within: &Path,
        regex: &str,
        include: Vec<String>,
        distance: usize,
        until: Instant,
    ) -> Vec<PathBuf> {
        let request = GrepRequest {
            root: within.to_owned(),
            regex: regex.to_owned(),
            case: CaseSensitivity::Sensitive,
            include,
            hidden: false,
            limit: MAX_MATCHES,
            view: query.view.clone(),
            excluded_paths: HashSet::new(),
        };
        let patience = until.saturating_duration_since(Instant::now());
        let searching = grep(request, SearchDeadline { cancel: CancellationToken::new(), timeout: patience });
        // The search itself stops then, and returns what it has. A disk that does not answer is not awaited.
        let Ok(Ok(found)) = timeout_at(until + DEPENDENTS_SEARCH_GRACE, searching).await else {
            self.is_cut = true;
            return Vec::new();
        };
        self.is_cut |= found.has_more || found.is_timed_out;
        let mut passing = Vec::new();
        for line in found.matches {
            let is_known = self.files.get(&line.path).is_some_and(|(is_import, _)| *is_import);
            let is_import = mention_pattern::is_import(&line.text);
            if is_import && !is_known && mention_pattern::passes_on(&line.path, &line.text) {
                passing.push(line.path.clone());
            }
            self.add(line.path, is_import, distance);
        }
        passing
    }

    fn add(&mut self, path: PathBuf, is_import: bool, distance: usize) {
        let found = self.files.entry(path).or_insert((false, distance));
        found.0 |= is_import;
    }

    fn count_imports(&self) -> usize {
        self.files.values().filter(|(is_import, _)| *is_import).count()
    }

    fn finish(mut self, query: &DependentsQuery) -> DependentFiles {
        query.paths.iter().for_each(|path| _ = self.files.remove(path));
        let mut files: Vec<_> = self
            .files
            .into_iter()
            .map(|(path, (is_import, distance))| {
                (!query.open_files.contains(&path), !is_import, distance, path)
            })
            .collect();
        files.sort();
        let beyond = files.split_off(query.limit.min(files.len()));
        let imports = beyond.into_iter().filter(|(_, is_no_import, ..)| !is_no_import).take(MAX_UNCHECKED);
        let dependent =
            |(_, is_no_import, _, path): (_, bool, _, _)| DependentFile { path, is_import: !is_no_import };
        DependentFiles {
            unchecked: imports.map(|(.., path)| path).collect(),
            files: files.into_iter().map(dependent).collect(),
            is_cut: self.is_cut,
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

    async fn check(languages: &[&str], files: &[(&str, &str)], path: &str, open: &[&str], expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (name, text) in files {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), text).unwrap();
        }
        let query = DependentsQuery {
            paths: vec![root.join(path)],
            root: root.clone(),
            languages: languages.iter().map(|id| (*id).to_owned()).collect(),
            open_files: open.iter().map(|name| root.join(name)).collect(),
            view: SearchView::default(),
            limit: 3,
        };
        let DependentFiles { files: found, unchecked: beyond, .. } = find_dependents(query, soon()).await;
        let found: Vec<_> = found
            .iter()
            .map(|file| &file.path)
            .chain(&beyond)
            .map(|path| path.strip_prefix(&root).unwrap())
            .collect();
        assert_eq!(found, expected.iter().map(Path::new).collect::<Vec<_>>(), "{path}");
    }

    #[tokio::test]
    async fn open_files_come_first_then_imports_then_near_files() {
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
    async fn importing_files_beyond_the_limit_are_listed() {
        let users = ["a.ts", "b.ts", "c.ts", "d.ts", "e.ts"];
        let mut files: Vec<_> =
            users.iter().map(|name| (*name, "import { one } from './math.js';")).collect();
        files.extend([("math.ts", "export const one = 1;"), ("z.ts", "// see math")]);
        check(&["typescript"], &files, "math.ts", &[], &users).await;
    }

    #[test]
    fn merged_dependents_are_listed_once() {
        let paths =
            |names: &str| names.chars().map(|name| PathBuf::from(name.to_string())).collect::<Vec<_>>();
        let links = |imports: &str, mentions: &str, beyond: &str| {
            let link = |is_import| move |path| DependentFile { path, is_import };
            let found = paths(imports).into_iter().map(link(true));
            let found = found.chain(paths(mentions).into_iter().map(link(false))).collect();
            DependentFiles { files: found, unchecked: paths(beyond), is_cut: false }
        };
        let check = |all, most, found: &str, beyond: &str| {
            let joined = DependentFiles::merge(all, |path| path == Path::new("x"), most);
            assert_eq!((joined.paths, joined.beyond), (paths(found), paths(beyond)));
        };
        check(vec![links("ab", "", ""), links("xbc", "", "")], 3, "abc", "");
        check(vec![links("ab", "", "cx"), links("bd", "", "a")], 2, "ab", "dc");
        check(vec![links("", "", "abcdefghijklmno")], 1, "a", "bcdefghijklmno");
        // One file's surplus is checked if the others leave room.
        check(vec![links("", "", "a"), links("b", "", "")], 2, "ba", "");
        // A mere mention takes no place from an import, and is not listed beyond the limit.
        check(vec![links("", "ab", ""), links("c", "", "")], 2, "ca", "");
    }

    /// A header that includes the changed one, a barrel that exports it again, a package.
    #[tokio::test]
    async fn files_that_pass_on_what_they_import_are_followed() {
        let files = [
            ("inc/shape.h", ""),
            ("inc/all.h", "#include \"shape.h\""),
            ("main.c", "#include \"inc/all.h\""),
            ("lib/parts/math.ts", ""),
            ("lib/parts/index.ts", "export * from './math.js';"),
            ("lib/api.ts", "export { one } from './parts/index.js';"),
            ("app.ts", "import { one } from './lib/api.js';"),
            ("other.ts", "import { two } from './app.js';"),
            ("pkg/__init__.py", "from .core import one"),
            ("pkg/core.py", ""),
            ("use.py", "from pkg import one"),
        ];
        check(&["c", "cpp"], &files, "inc/shape.h", &[], &["inc/all.h", "main.c"]).await;
        let expected = ["lib/parts/index.ts", "lib/api.ts", "app.ts"];
        check(&["typescript"], &files, "lib/parts/math.ts", &[], &expected).await;
        check(&["python"], &files, "pkg/core.py", &[], &["pkg/__init__.py", "use.py"]).await;
    }

    #[tokio::test]
    async fn each_language_names_files_in_its_own_way() {
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
    async fn no_time_finds_nothing_at_once() {
        let query = DependentsQuery {
            paths: vec!["/tmp/nowhere/a.py".into()],
            root: "/tmp/nowhere".into(),
            languages: vec!["python".to_owned()],
            open_files: BTreeSet::new(),
            view: SearchView::default(),
            limit: 3,
        };
        // The search says that it has not seen everything.
        let expected = DependentFiles { is_cut: true, ..DependentFiles::default() };
        assert_eq!(find_dependents(query, Instant::now()).await, expected);
    }
}

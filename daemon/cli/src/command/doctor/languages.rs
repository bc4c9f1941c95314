//! Which language servers, checkers and formatters serve this folder, and which are missing.
//!
//! Runs nothing: it looks for servers without starting them. In a large project it samples a part of the files.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use copydesk_config::LoadedConfig;
use copydesk_config::paths::workspace_root;
use copydesk_host::languages::{self, LanguageSettings};
use copydesk_host::setup::UserSetup;
use copydesk_servers::known_servers;
use copydesk_servers::program_search::{ProgramLookup, ProgramOrigin, ProgramSearch};
use copydesk_servers::server_selection::{SelectedServer, ServedFile, servers_for};

use super::DoctorFinding;

/// The cap on files and folders examined.
const MAX_ENTRIES: usize = 5000;
/// Folders of other people's or generated files.
const SKIPPED: [&str; 8] =
    ["node_modules", "target", "vendor", "dist", "build", "venv", "__pycache__", "third_party"];

pub(super) fn examine(setup: &UserSetup, loaded: &LoadedConfig) -> Vec<DoctorFinding> {
    let languages = languages::language_settings(loaded);
    let cwd = setup.cwd.canonicalize().unwrap_or_else(|_| setup.cwd.clone());
    let root = workspace_root(&cwd).unwrap_or_else(|_| cwd.clone());
    let search = languages.search(setup.paths.home.clone());
    let problems = languages.problems.iter();
    let mut findings: Vec<_> = problems
        .map(|problem| DoctorFinding::warning("languages", problem, "fix this; the rest is used"))
        .collect();
    let folder = loaded.root.display();
    if !loaded.trust.trust.is_trusted() {
        let what = format!("{folder} is not trusted: no language server, checker or formatter runs here");
        findings.push(DoctorFinding::warning("trust", what, "run `copydesk trust` if you trust its authors"));
        return findings;
    }
    findings.push(DoctorFinding::ok("trust", format!("{folder} is trusted")));
    if !languages.servers.is_enabled {
        findings.push(DoctorFinding::ok("language servers", "switched off (`lsp`)"));
    }
    findings.extend(servers(&languages, &search, &cwd, &root));
    findings.extend(programs(&languages, &search, &root));
    findings
}

fn servers(
    languages: &LanguageSettings,
    search: &ProgramSearch,
    cwd: &Path,
    root: &Path,
) -> Vec<DoctorFinding> {
    // By server: the languages it serves, and whether all of them are minor.
    let mut found: BTreeMap<String, (SelectedServer, BTreeSet<String>, bool)> = BTreeMap::new();
    for (language, (path, first_line)) in samples(cwd) {
        let is_minor = known_servers::languages().iter().any(|known| known.id == language && known.minor);
        let wanted = ServedFile { path: &path, first_line: &first_line, root };
        for chosen in servers_for(search, &languages.servers, wanted) {
            let name = chosen.name.clone();
            let entry = found.entry(name).or_insert_with(|| (chosen, BTreeSet::new(), true));
            entry.1.insert(language.to_owned());
            entry.2 &= is_minor;
        }
    }
    let finding = |(name, (chosen, served, is_minor)): (String, (SelectedServer, BTreeSet<String>, bool))| {
        let served = served.into_iter().collect::<Vec<_>>().join(", ");
        match chosen.program {
            ProgramLookup::Found { command, place } => {
                let program =
                    command.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
                let place = match place {
                    ProgramOrigin::Configured => ", as configured",
                    ProgramOrigin::Project => ", in the project",
                    ProgramOrigin::Path => "",
                };
                Some(DoctorFinding::ok("language servers", format!("{name} for {served}: {program}{place}")))
            }
            ProgramLookup::Missing { .. } if is_minor => None,
            ProgramLookup::Missing { hint } => Some(DoctorFinding::warning(
                "language servers",
                format!("{name} for {served} is missing"),
                hint,
            )),
        }
    };
    found.into_iter().filter_map(finding).collect()
}

fn programs(languages: &LanguageSettings, search: &ProgramSearch, root: &Path) -> Vec<DoctorFinding> {
    let checkers = languages.checkers.iter().map(|checker| ("checkers", &checker.name, &checker.command));
    // A missing built-in formatter is no problem: the user did not name it.
    let formatters =
        languages.formatters.iter().map(|formatter| ("formatters", &formatter.name, &formatter.command));
    let all = checkers.chain(formatters).filter_map(|(about, name, command)| {
        match search.find_configured(command, root, root) {
            ProgramLookup::Found { command, .. } => {
                let program =
                    command.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
                Some(DoctorFinding::ok(about, format!("{name}: {program}")))
            }
            ProgramLookup::Missing { .. } if about == "formatters" => None,
            ProgramLookup::Missing { hint } => {
                Some(DoctorFinding::warning(about, format!("{name} is missing"), hint))
            }
        }
    });
    all.collect()
}

/// For each language, the file nearest to the top with its first line.
fn samples(folder: &Path) -> BTreeMap<&'static str, (PathBuf, String)> {
    let mut samples = BTreeMap::new();
    let (mut folders, mut seen) = (VecDeque::from([folder.to_owned()]), 0);
    while let Some(folder) = folders.pop_front() {
        let mut entries: Vec<_> =
            std::fs::read_dir(&folder).into_iter().flatten().flatten().take(MAX_ENTRIES).collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            seen += 1;
            if seen > MAX_ENTRIES {
                return samples;
            }
            let (name, path) = (entry.file_name(), entry.path());
            let Ok(kind) = entry.file_type() else { continue };
            let name = name.to_string_lossy();
            if kind.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&&*name) {
                folders.push_back(path);
            } else if kind.is_file() {
                let first_line = if name.contains('.') { String::new() } else { first_line(&path) };
                if let Some(language) = known_servers::language_of(&path, &first_line) {
                    samples.entry(language).or_insert((path, first_line));
                }
            }
        }
    }
    samples
}

fn first_line(path: &Path) -> String {
    let mut line = Vec::new();
    let file = std::fs::File::open(path).ok();
    let _ = file.map(|file| BufReader::new(file.take(200)).read_until(b'\n', &mut line));
    String::from_utf8_lossy(&line).into_owned()
}

//! Capabilities that a server registers after `initialize`: pulls of diagnostics, watched files, answers about code.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_workspace::disk_watcher::FileChangeType;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde_json::Value;

use super::code_query::CodeQuery;
use super::initialize::PullOptions;
use super::uri;

/// Cap on registrations at one time; the rest is ignored.
const MAX_REGISTRATIONS: usize = 1000;
/// Cap on the patterns of all registrations together.
const MAX_PATTERNS: usize = 2000;
/// Cap on the bytes of a pattern: even a short one can be slow to match, and a long one more so.
const MAX_PATTERN_BYTES: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct CapabilityRegistrations {
    entries: Vec<CapabilityRegistration>,
}

#[derive(Debug)]
struct CapabilityRegistration {
    id: String,
    capability: RegisteredCapability,
}

#[derive(Debug)]
enum RegisteredCapability {
    Pull(PullOptions),
    Watch(Arc<[WatchPattern]>),
    /// All questions that this method answers.
    Query(&'static str),
}

#[derive(Debug, Clone)]
struct WatchPattern {
    /// The pattern matches the whole path, or the path relative to this folder.
    base: PathBuf,
    /// A set of one pattern, because compiling it fails without a panic, for example if the pattern is nested too deep.
    glob: GlobSet,
    /// One bit each: created, changed, deleted.
    kinds: u64,
}

/// A parsed request to register. Its patterns are already compiled, which takes time.
#[derive(Debug)]
pub(super) struct RegistrationRequest(Vec<CapabilityRegistration>);

impl RegistrationRequest {
    pub(super) fn read(params: &Value, root: &Path) -> Self {
        let registrations = params.get("registrations").and_then(Value::as_array);
        let (mut entries, mut room) = (Vec::new(), MAX_PATTERNS);
        for registration in registrations.into_iter().flatten().take(MAX_REGISTRATIONS) {
            let text = |name| registration.get(name).and_then(Value::as_str);
            let options = registration.get("registerOptions").unwrap_or(&Value::Null);
            let id = text("id").unwrap_or_default().to_owned();
            let capability = match text("method") {
                Some("textDocument/diagnostic") => {
                    RegisteredCapability::Pull(PullOptions::read(options).unwrap_or_default())
                }
                Some("workspace/didChangeWatchedFiles") => {
                    let patterns = patterns(options, root, room);
                    room -= patterns.len();
                    RegisteredCapability::Watch(patterns.into())
                }
                Some(method) => match CodeQuery::ALL.iter().find(|query| query.method() == method) {
                    Some(query) => RegisteredCapability::Query(query.method()),
                    None => continue,
                },
                None => continue,
            };
            entries.push(CapabilityRegistration { id, capability });
        }
        Self(entries)
    }
}

/// The watched patterns at one moment.
#[derive(Debug)]
pub(super) struct WatchPatterns(Vec<Arc<[WatchPattern]>>);

impl WatchPatterns {
    /// Whether the server has registered no patterns.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|patterns| patterns.is_empty())
    }

    pub(super) fn is_watched(&self, path: &Path, change: FileChangeType) -> bool {
        let kind = match change {
            FileChangeType::Created => 1,
            FileChangeType::Changed => 2,
            FileChangeType::Deleted => 4,
        };
        let mut patterns = self.0.iter().flat_map(|patterns| patterns.iter());
        patterns.any(|pattern| pattern.kinds & kind != 0 && pattern.matches(path))
    }
}

impl CapabilityRegistrations {
    pub(super) fn register(&mut self, request: RegistrationRequest) {
        for CapabilityRegistration { id, mut capability } in request.0 {
            if let RegisteredCapability::Watch(patterns) = &mut capability {
                let room = MAX_PATTERNS.saturating_sub(self.other_patterns(&id));
                if patterns.len() > room {
                    *patterns = patterns.iter().take(room).cloned().collect();
                }
            }
            self.entries.retain(|entry| entry.id != id);
            if self.entries.len() < MAX_REGISTRATIONS {
                self.entries.push(CapabilityRegistration { id, capability });
            }
        }
    }

    fn other_patterns(&self, id: &str) -> usize {
        let others = self.entries.iter().filter(|entry| entry.id != id);
        others
            .map(|entry| match &entry.capability {
                RegisteredCapability::Watch(patterns) => patterns.len(),
                RegisteredCapability::Pull(_) | RegisteredCapability::Query(_) => 0,
            })
            .sum()
    }

    pub(super) fn unregister(&mut self, params: &Value) {
        // The protocol misspells the name, and so do servers that follow it.
        let gone = params.get("unregisterations").or_else(|| params.get("unregistrations"));
        for gone in gone.and_then(Value::as_array).into_iter().flatten() {
            let id = gone.get("id").and_then(Value::as_str);
            self.entries.retain(|entry| id != Some(entry.id.as_str()));
        }
    }

    pub(super) fn pull_options(&self) -> impl Iterator<Item = &PullOptions> {
        self.entries.iter().filter_map(|entry| match &entry.capability {
            RegisteredCapability::Pull(options) => Some(options),
            RegisteredCapability::Watch(_) | RegisteredCapability::Query(_) => None,
        })
    }

    pub(super) fn registers(&self, query: CodeQuery) -> bool {
        let is_query = |entry: &CapabilityRegistration| matches!(entry.capability, RegisteredCapability::Query(method) if method == query.method());
        self.entries.iter().any(is_query)
    }

    pub(super) fn watch_patterns(&self) -> WatchPatterns {
        let watched = self.entries.iter().filter_map(|entry| match &entry.capability {
            RegisteredCapability::Watch(patterns) => Some(Arc::clone(patterns)),
            RegisteredCapability::Pull(_) | RegisteredCapability::Query(_) => None,
        });
        WatchPatterns(watched.collect())
    }
}

impl WatchPattern {
    fn matches(&self, path: &Path) -> bool {
        let inside = path.strip_prefix(&self.base);
        self.glob.is_match(path) || inside.is_ok_and(|inside| self.glob.is_match(inside))
    }
}

fn patterns(options: &Value, root: &Path, limit: usize) -> Vec<WatchPattern> {
    let watchers = options.get("watchers").and_then(Value::as_array);
    let pattern = |watcher: &Value| {
        let pattern = watcher.get("globPattern")?;
        let (base, text) = match pattern.as_str() {
            Some(text) => (root.to_owned(), text),
            None => {
                let base = pattern.get("baseUri")?;
                let base = base.as_str().or_else(|| base.get("uri")?.as_str())?;
                (uri::to_path(base)?, pattern.get("pattern")?.as_str()?)
            }
        };
        let text = Some(text).filter(|text| text.len() <= MAX_PATTERN_BYTES)?;
        let glob = GlobBuilder::new(text).literal_separator(true).empty_alternates(true).build().ok()?;
        let glob = GlobSetBuilder::new().add(glob).build().ok()?;
        let kinds = watcher.get("kind").and_then(Value::as_u64).unwrap_or(7);
        Some(WatchPattern { base, glob, kinds })
    };
    watchers.into_iter().flatten().take(MAX_PATTERNS).filter_map(pattern).take(limit).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn patterns_match_paths_and_kinds_of_change() {
        let mut registered = CapabilityRegistrations::default();
        // A pattern that parses, but does not compile.
        let nested = format!("{}a{}", "{".repeat(300), "}".repeat(300));
        let watchers = json!([
            { "globPattern": "**/*.{ts,js}" },
            { "globPattern": "*.json", "kind": 2 },
            { "globPattern": "/w/root/**/Cargo.{toml,lock}" },
            { "globPattern": { "baseUri": "file:///other", "pattern": "**/x" }, "kind": 4 },
            { "globPattern": { "baseUri": { "uri": "file:///folder%20b" }, "pattern": "y" } },
            { "globPattern": "[" }, { "globPattern": 1 }, {}, { "globPattern": nested },
        ]);
        let watch = json!({ "watchers": watchers });
        let registration =
            json!({ "id": "w", "method": "workspace/didChangeWatchedFiles", "registerOptions": watch });
        registered.register(RegistrationRequest::read(
            &json!({ "registrations": [registration, 5, {}] }),
            Path::new("/w/root"),
        ));
        for (path, change, expected) in [
            ("/w/root/a/b.ts", FileChangeType::Created, true),
            ("/elsewhere/b.js", FileChangeType::Deleted, true),
            ("/w/root/a.json", FileChangeType::Changed, true),
            ("/w/root/a.json", FileChangeType::Created, false),
            ("/w/root/in/a.json", FileChangeType::Changed, false),
            ("/w/root/in/Cargo.toml", FileChangeType::Changed, true),
            ("/other/deep/x", FileChangeType::Deleted, true),
            ("/other/deep/x", FileChangeType::Changed, false),
            ("/folder b/y", FileChangeType::Changed, true),
            ("/w/root/y", FileChangeType::Changed, false),
        ] {
            assert_eq!(
                registered.watch_patterns().is_watched(Path::new(path), change),
                expected,
                "{path} {change:?}"
            );
        }
        registered.unregister(&json!({ "unregisterations": [{ "id": "w", "method": "x" }, 7] }));
        assert!(!registered.watch_patterns().is_watched(Path::new("/w/root/b.ts"), FileChangeType::Changed));
    }

    #[test]
    fn patterns_are_capped_in_number_and_length() {
        let mut registered = CapabilityRegistrations::default();
        let mut watch = |id: &str, texts: Vec<String>| {
            let watchers: Vec<_> = texts.into_iter().map(|text| json!({ "globPattern": text })).collect();
            let options = json!({ "watchers": watchers });
            let registration =
                json!({ "id": id, "method": "workspace/didChangeWatchedFiles", "registerOptions": options });
            registered.register(RegistrationRequest::read(
                &json!({ "registrations": [registration] }),
                Path::new("/"),
            ));
            registered.other_patterns("")
        };
        assert_eq!(watch("long", vec!["a".repeat(MAX_PATTERN_BYTES + 1), "b".into()]), 1);
        let many = |name: &str| (0..MAX_PATTERNS / 2 + 1).map(|n| format!("{name}{n}")).collect();
        assert_eq!(watch("one", many("a")), MAX_PATTERNS / 2 + 2);
        assert_eq!(watch("one", many("c")), MAX_PATTERNS / 2 + 2, "it replaces its former patterns");
        assert_eq!(watch("two", many("b")), MAX_PATTERNS);
    }

    #[test]
    fn pulls_can_be_registered_and_unregistered() {
        let mut registered = CapabilityRegistrations::default();
        let options =
            json!({ "identifier": "p", "interFileDependencies": true, "workspaceDiagnostics": true });
        let registration =
            json!({ "id": "1", "method": "textDocument/diagnostic", "registerOptions": options });
        registered
            .register(RegistrationRequest::read(&json!({ "registrations": [registration] }), Path::new("/")));
        let expected = PullOptions { identifier: Some("p".into()), selector: None, workspace: true };
        assert_eq!(registered.pull_options().collect::<Vec<_>>(), [&expected]);
        registered.unregister(&json!({ "unregistrations": [{ "id": "1" }] }));
        assert_eq!(registered.pull_options().count(), 0);
        for number in 0..2 * MAX_REGISTRATIONS {
            let registration = json!({ "id": number.to_string(), "method": "textDocument/diagnostic" });
            registered.register(RegistrationRequest::read(
                &json!({ "registrations": [registration] }),
                Path::new("/"),
            ));
        }
        assert_eq!(registered.entries.len(), MAX_REGISTRATIONS);
    }
}

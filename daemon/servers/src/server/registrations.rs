//! What a server registers after the greeting: that it can be asked for diagnostics, and which files it wants to be told of.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde_json::Value;

use super::initialize::PullOptions;
use super::{FileChangeType, uri};

/// Registrations at one time; more are not looked at.
const MOST: usize = 1000;
/// Patterns of all registrations together.
const MOST_PATTERNS: usize = 2000;
/// Bytes of a pattern: a short one can stand for long work, a long one for more.
const LONGEST_PATTERN: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct CapabilityRegistrations {
    entries: Vec<CapabilityRegistration>,
}

#[derive(Debug)]
struct CapabilityRegistration {
    id: String,
    what: RegisteredCapability,
}

#[derive(Debug)]
enum RegisteredCapability {
    Pull(PullOptions),
    Watch(Arc<[WatchPattern]>),
}

#[derive(Debug, Clone)]
struct WatchPattern {
    /// What is matched is the whole path, or the one from here.
    base: PathBuf,
    /// Of one: a set can be refused when it is compiled, as patterns are that are nested too deep.
    glob: GlobSet,
    /// A bit for each: created, changed, deleted.
    kinds: u64,
}

/// What a server wants to register, read: its patterns are compiled, which takes time.
#[derive(Debug)]
pub(super) struct RegistrationRequest(Vec<CapabilityRegistration>);

impl RegistrationRequest {
    pub(super) fn read(params: &Value, root: &Path) -> Self {
        let registrations = params.get("registrations").and_then(Value::as_array);
        let (mut entries, mut room) = (Vec::new(), MOST_PATTERNS);
        for registration in registrations.into_iter().flatten().take(MOST) {
            let text = |name| registration.get(name).and_then(Value::as_str);
            let options = registration.get("registerOptions").unwrap_or(&Value::Null);
            let id = text("id").unwrap_or_default().to_owned();
            let what = match text("method") {
                Some("textDocument/diagnostic") => {
                    RegisteredCapability::Pull(PullOptions::read(options).unwrap_or_default())
                }
                Some("workspace/didChangeWatchedFiles") => {
                    let patterns = patterns(options, root, room);
                    room -= patterns.len();
                    RegisteredCapability::Watch(patterns.into())
                }
                _ => continue,
            };
            entries.push(CapabilityRegistration { id, what });
        }
        Self(entries)
    }
}

/// All that is watched at a moment.
#[derive(Debug)]
pub(super) struct WatchPatterns(Vec<Arc<[WatchPattern]>>);

impl WatchPatterns {
    /// It has not said which files it wants to be told of.
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
        patterns.any(|pattern| pattern.kinds & kind != 0 && pattern.is_for(path))
    }
}

impl CapabilityRegistrations {
    pub(super) fn register(&mut self, wanted: RegistrationRequest) {
        for CapabilityRegistration { id, mut what } in wanted.0 {
            if let RegisteredCapability::Watch(patterns) = &mut what {
                let room = MOST_PATTERNS.saturating_sub(self.patterns_besides(&id));
                if patterns.len() > room {
                    *patterns = patterns.iter().take(room).cloned().collect();
                }
            }
            self.entries.retain(|entry| entry.id != id);
            if self.entries.len() < MOST {
                self.entries.push(CapabilityRegistration { id, what });
            }
        }
    }

    fn patterns_besides(&self, id: &str) -> usize {
        let others = self.entries.iter().filter(|entry| entry.id != id);
        others
            .map(|entry| match &entry.what {
                RegisteredCapability::Watch(patterns) => patterns.len(),
                RegisteredCapability::Pull(_) => 0,
            })
            .sum()
    }

    pub(super) fn unregister(&mut self, params: &Value) {
        // Misspelt in the protocol, and so by those who keep to it.
        let gone = params.get("unregisterations").or_else(|| params.get("unregistrations"));
        for gone in gone.and_then(Value::as_array).into_iter().flatten() {
            let id = gone.get("id").and_then(Value::as_str);
            self.entries.retain(|entry| id != Some(entry.id.as_str()));
        }
    }

    pub(super) fn pull_options(&self) -> Option<&PullOptions> {
        self.entries.iter().find_map(|entry| match &entry.what {
            RegisteredCapability::Pull(options) => Some(options),
            RegisteredCapability::Watch(_) => None,
        })
    }

    pub(super) fn watch_patterns(&self) -> WatchPatterns {
        let watched = self.entries.iter().filter_map(|entry| match &entry.what {
            RegisteredCapability::Watch(patterns) => Some(Arc::clone(patterns)),
            RegisteredCapability::Pull(_) => None,
        });
        WatchPatterns(watched.collect())
    }
}

impl WatchPattern {
    fn is_for(&self, path: &Path) -> bool {
        let inside = path.strip_prefix(&self.base);
        self.glob.is_match(path) || inside.is_ok_and(|inside| self.glob.is_match(inside))
    }
}

fn patterns(options: &Value, root: &Path, most: usize) -> Vec<WatchPattern> {
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
        let text = Some(text).filter(|text| text.len() <= LONGEST_PATTERN)?;
        let glob = GlobBuilder::new(text).literal_separator(true).empty_alternates(true).build().ok()?;
        let glob = GlobSetBuilder::new().add(glob).build().ok()?;
        let kinds = watcher.get("kind").and_then(Value::as_u64).unwrap_or(7);
        Some(WatchPattern { base, glob, kinds })
    };
    watchers.into_iter().flatten().take(MOST_PATTERNS).filter_map(pattern).take(most).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_watched() {
        let mut registered = CapabilityRegistrations::default();
        // A pattern that can be read, and not be compiled.
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
    fn patterns_are_few_in_all_and_short() {
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
            registered.patterns_besides("")
        };
        assert_eq!(watch("long", vec!["a".repeat(LONGEST_PATTERN + 1), "b".into()]), 1);
        let many = |name: &str| (0..MOST_PATTERNS / 2 + 1).map(|n| format!("{name}{n}")).collect();
        assert_eq!(watch("one", many("a")), MOST_PATTERNS / 2 + 2);
        assert_eq!(watch("one", many("c")), MOST_PATTERNS / 2 + 2, "it takes its own place");
        assert_eq!(watch("two", many("b")), MOST_PATTERNS);
    }

    #[test]
    fn being_asked_for_diagnostics_can_be_registered_and_taken_back() {
        let mut registered = CapabilityRegistrations::default();
        let options =
            json!({ "identifier": "p", "interFileDependencies": true, "workspaceDiagnostics": true });
        let registration =
            json!({ "id": "1", "method": "textDocument/diagnostic", "registerOptions": options });
        registered
            .register(RegistrationRequest::read(&json!({ "registrations": [registration] }), Path::new("/")));
        let expected = PullOptions { identifier: Some("p".into()), workspace: true };
        assert_eq!(registered.pull_options(), Some(&expected));
        registered.unregister(&json!({ "unregistrations": [{ "id": "1" }] }));
        assert_eq!(registered.pull_options(), None);
        for number in 0..2 * MOST {
            let registration = json!({ "id": number.to_string(), "method": "textDocument/diagnostic" });
            registered.register(RegistrationRequest::read(
                &json!({ "registrations": [registration] }),
                Path::new("/"),
            ));
        }
        assert_eq!(registered.entries.len(), MOST);
    }
}

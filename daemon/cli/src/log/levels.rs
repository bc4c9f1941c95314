//! Log levels: one for all our crates, and others for single crates.
//!
//! ```text
//! levels = level | "CRATE=LEVEL" , separated by commas        debug      servers=debug      info,model=trace
//! ```
//!
//! Invariant: other crates never log below `warn`, because they would log whole messages, which contain code and keys.

use std::collections::BTreeMap;
use std::fmt;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;

const LEVELS: [(&str, LevelFilter); 6] = [
    ("off", LevelFilter::OFF),
    ("error", LevelFilter::ERROR),
    ("warn", LevelFilter::WARN),
    ("info", LevelFilter::INFO),
    ("debug", LevelFilter::DEBUG),
    ("trace", LevelFilter::TRACE),
];

/// The names of our crates for users, and the prefixes of their targets.
const CRATES: [(&str, &str); 16] = [
    ("cli", "copydesk::"),
    ("config", "copydesk_config"),
    ("diagnostics", "copydesk_diagnostics"),
    ("faces", "copydesk_faces"),
    ("host", "copydesk_host"),
    ("metadata", "copydesk_metadata"),
    ("model", "copydesk_model"),
    ("navigation", "copydesk_navigation"),
    ("permission", "copydesk_permission"),
    ("rpc", "copydesk_rpc"),
    ("servers", "copydesk_servers"),
    ("session", "copydesk_session"),
    ("syntax", "copydesk_syntax"),
    ("text", "copydesk_text"),
    ("tool", "copydesk_tool"),
    ("workspace", "copydesk_workspace"),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogLevels {
    default: LevelFilter,
    /// By name: the crates with their own level.
    crates: BTreeMap<&'static str, LevelFilter>,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParseLevelsError {
    #[error("`{0}` is not a log level; expected off, error, warn, info, debug or trace, or CRATE=LEVEL")]
    UnknownLevel(String),
    #[error("the daemon has no crate `{0}`; there are: {names}", names = CRATES.map(|(name, _)| name).join(", "))]
    UnknownCrate(String),
}

impl Default for LogLevels {
    fn default() -> Self {
        Self { default: LevelFilter::INFO, crates: BTreeMap::new() }
    }
}

impl LogLevels {
    /// Parses levels. A text that names only crates changes those, and keeps the rest of `current`.
    pub(crate) fn parse(text: &str, current: &Self) -> Result<Self, ParseLevelsError> {
        let (mut default, mut crates) = (None, BTreeMap::new());
        for item in text.split(',').map(str::trim) {
            match item.split_once('=') {
                None => default = Some(parse_level(item)?),
                Some((name, level)) => {
                    let known = CRATES.iter().find(|(known, _)| *known == name.trim());
                    let (name, _) = known.ok_or_else(|| ParseLevelsError::UnknownCrate(shown(name)))?;
                    crates.insert(*name, parse_level(level.trim())?);
                }
            }
        }
        let mut levels = match default {
            Some(default) => Self { default, crates: BTreeMap::new() },
            None => current.clone(),
        };
        levels.crates.extend(crates);
        Ok(levels)
    }

    pub(crate) fn to_filter(&self) -> Targets {
        let others = self.default.min(LevelFilter::WARN);
        let filter = Targets::new().with_default(others).with_target("copydesk", self.default);
        let level_of = |(name, prefix): (&str, &'static str)| Some((prefix, *self.crates.get(name)?));
        filter.with_targets(CRATES.into_iter().filter_map(level_of))
    }
}

impl fmt::Display for LogLevels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.default.fmt(f)?;
        self.crates.iter().try_for_each(|(name, level)| write!(f, ",{name}={level}"))
    }
}

fn parse_level(text: &str) -> Result<LevelFilter, ParseLevelsError> {
    let known = LEVELS.iter().find(|(name, _)| text.eq_ignore_ascii_case(name));
    known.map(|(_, level)| *level).ok_or_else(|| ParseLevelsError::UnknownLevel(shown(text)))
}

/// Shortens a client's text, which may be anything.
fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[track_caller]
    fn parse(text: &str) -> LogLevels {
        LogLevels::parse(text, &LogLevels::default()).unwrap()
    }

    #[test]
    fn what_is_read_is_written_alike() {
        for (text, written) in [
            ("info", "info"),
            ("OFF", "off"),
            ("servers=debug", "info,servers=debug"),
            ("warn, session=trace ,model = debug", "warn,model=debug,session=trace"),
            ("servers=trace,error", "error,servers=trace"),
        ] {
            assert_eq!(parse(text).to_string(), written, "{text}");
            assert_eq!(parse(written), parse(text));
        }
    }

    #[test]
    fn a_crate_alone_leaves_the_others_as_they_are() {
        let current = parse("debug,model=warn");
        let of = |text| LogLevels::parse(text, &current).unwrap().to_string();
        assert_eq!(of("servers=trace"), "debug,model=warn,servers=trace");
        assert_eq!(of("model=info"), "debug,model=info");
        assert_eq!(of("warn"), "warn");
    }

    #[test]
    fn what_is_not_known_is_refused_with_what_is() {
        let refused = |text| LogLevels::parse(text, &LogLevels::default()).unwrap_err().to_string();
        for text in ["", "verbose", "3", "info,", "session=loud", "info debug"] {
            assert!(refused(text).contains("is not a log level; expected off, error"), "{text}");
        }
        for text in ["reqwest=trace", "=debug", "copydesk=debug"] {
            assert!(refused(text).contains("there are: cli, config, "), "{text}");
        }
        assert!(refused(&"x".repeat(100_000)).len() < 200);
    }

    #[test]
    fn other_peoples_crates_stay_at_warn() {
        let filter = parse("trace,servers=debug,model=off").to_filter();
        for (target, level, is_logged) in [
            ("copydesk_session::actor", Level::TRACE, true),
            ("copydesk::log", Level::TRACE, true),
            ("copydesk_servers::pool", Level::DEBUG, true),
            ("copydesk_servers::pool", Level::TRACE, false),
            ("copydesk_model::model", Level::ERROR, false),
            ("reqwest::connect", Level::WARN, true),
            ("reqwest::connect", Level::INFO, false),
            ("hyper", Level::TRACE, false),
        ] {
            assert_eq!(filter.would_enable(target, &level), is_logged, "{target} {level}");
        }
        assert!(!parse("off").to_filter().would_enable("hyper", &Level::ERROR));
        let own = parse("warn,cli=debug").to_filter();
        assert!(own.would_enable("copydesk::log", &Level::DEBUG));
        assert!(!own.would_enable("copydesk_host::setup", &Level::INFO));
    }

    /// A new crate must be in the list.
    #[test]
    fn every_crate_of_the_daemon_has_a_name_here() {
        let daemon = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let folders = std::fs::read_dir(daemon).unwrap().map(|entry| entry.unwrap().path());
        let crates = folders.filter(|folder| folder.join("Cargo.toml").exists());
        let mut names: Vec<_> =
            crates.map(|folder| folder.file_name().unwrap().to_string_lossy().into_owned()).collect();
        names.sort();
        assert_eq!(names, CRATES.map(|(name, _)| name));
    }
}

//! The plan file of a session: `.copydesk/plans/TIME-NAME.md` in the project. TIME is when the session began, so plans of
//! other sessions do not collide; the model chooses NAME.

use std::path::Path;
use std::time::SystemTime;

const FOLDER: &str = ".copydesk/plans";

/// The cap on entries of the folder to read.
const MAX_ENTRIES: usize = 10_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanFile {
    /// `20261115-154400`
    time: String,
}

impl PlanFile {
    /// The session began at this time, in milliseconds since 1970.
    pub fn new(began: u64) -> Self {
        let seconds = began / 1000;
        let (year, month, day) = date(seconds / 86_400);
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        Self { time: format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}") }
    }

    /// The pattern for a rule.
    pub fn pattern(&self) -> String {
        self.named("*")
    }

    /// The path as the model reads it.
    pub fn example(&self) -> String {
        self.named("NAME")
    }

    fn named(&self, name: &str) -> String {
        format!("{FOLDER}/{}-{name}.md", self.time)
    }

    /// The newest plan, relative to the workspace root. Blocks.
    pub(crate) fn find(&self, root: &Path) -> Option<String> {
        let entries = std::fs::read_dir(root.join(FOLDER)).into_iter().flatten().flatten().take(MAX_ENTRIES);
        let is_ours = |name: &str| name.starts_with(&format!("{}-", self.time)) && name.ends_with(".md");
        let plan = |entry: std::fs::DirEntry| {
            let name = entry.file_name().into_string().ok().filter(|name| is_ours(name))?;
            let written = entry.metadata().and_then(|metadata| metadata.modified());
            Some((written.unwrap_or(SystemTime::UNIX_EPOCH), name))
        };
        entries.filter_map(plan).max().map(|(_, name)| format!("{FOLDER}/{name}"))
    }
}

/// Converts days since 1970-01-01 to a date. The year begins in March here, so that the leap day is the last.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year + era * 400 + later, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_named_by_when_its_session_began() {
        let named = |seconds: u64| PlanFile::new(seconds * 1000).example();
        assert_eq!(named(0), ".copydesk/plans/19700101-000000-NAME.md");
        assert_eq!(named(951_782_399), ".copydesk/plans/20000228-235959-NAME.md");
        assert_eq!(named(951_782_400), ".copydesk/plans/20000229-000000-NAME.md");
        assert_eq!(named(951_868_800), ".copydesk/plans/20000301-000000-NAME.md");
        assert_eq!(named(1_794_757_440), ".copydesk/plans/20261115-154400-NAME.md");
        assert_eq!(PlanFile::new(1).pattern(), ".copydesk/plans/19700101-000000-*.md");
    }

    #[test]
    fn the_last_one_of_the_session_is_the_plan() {
        let dir = tempfile::tempdir().unwrap();
        let plan = PlanFile::new(0);
        assert_eq!(plan.find(dir.path()), None);
        std::fs::create_dir_all(dir.path().join(FOLDER)).unwrap();
        let put = |name: &str, age: u64| {
            let file = std::fs::File::create(dir.path().join(FOLDER).join(name)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(age)).unwrap();
        };
        put("20261115-154400-other.md", 9);
        put("19700101-000000-notes.txt", 9);
        assert_eq!(plan.find(dir.path()), None);
        put("19700101-000000-b.md", 1);
        put("19700101-000000-a.md", 2);
        assert_eq!(plan.find(dir.path()).as_deref(), Some(".copydesk/plans/19700101-000000-a.md"));
    }
}

//! The results: a line for each server, and a reason for each answer that was not exact.

use std::fmt::Write as _;

use super::judge::TruthClass;

pub(crate) struct TruthRow {
    pub(crate) server: String,
    pub(crate) case: String,
    pub(crate) is_cold: bool,
    pub(crate) class: TruthClass,
    pub(crate) why: String,
    pub(crate) waited_ms: u64,
}

const CLASSES: [(TruthClass, &str); 6] = [
    (TruthClass::Exact, "exact"),
    (TruthClass::Incomplete, "incomplete"),
    (TruthClass::Stale, "stale"),
    (TruthClass::Wrong, "wrong"),
    (TruthClass::Unknown, "unknown"),
    (TruthClass::Failed, "failed"),
];

/// As Markdown; `servers` are their names and versions, in order.
pub(crate) fn table(rows: &[TruthRow], servers: &[(String, String)]) -> String {
    let mut text = String::from(
        "| server | edits | exact | incomplete | stale | wrong | unknown | failed | warm: exact | wait: median, longest |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    let all = [("all".to_owned(), String::new())];
    for (server, version) in servers.iter().chain(&all) {
        let of: Vec<_> = rows.iter().filter(|row| row.server == *server || server == "all").collect();
        if of.is_empty() {
            continue;
        }
        let _ = write!(text, "| {server} {version} | {} |", of.len());
        for (class, _) in CLASSES {
            let _ = write!(text, " {} |", of.iter().filter(|row| row.class == class).count());
        }
        let warm: Vec<_> = of.iter().filter(|row| !row.is_cold).collect();
        let exact = warm.iter().filter(|row| row.class == TruthClass::Exact).count();
        let mut waits: Vec<_> = of.iter().map(|row| row.waited_ms).collect();
        waits.sort_unstable();
        let percent = exact as f64 * 100.0 / warm.len().max(1) as f64;
        let _ = writeln!(
            text,
            " {percent:.0} % | {} ms, {} ms |",
            waits[waits.len() / 2],
            waits[waits.len() - 1]
        );
    }
    text
}

/// The answers that were not exact.
pub(crate) fn inexact_answers(rows: &[TruthRow]) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| row.class != TruthClass::Exact) {
        let _ = writeln!(
            text,
            "- {} ({}): **{}**: {}",
            row.server,
            row.case,
            class_name(row.class),
            row.why.replace('\n', " ")
        );
    }
    text
}

pub(crate) fn class_name(class: TruthClass) -> &'static str {
    CLASSES.iter().find(|(one, _)| *one == class).map_or("", |(_, word)| word)
}

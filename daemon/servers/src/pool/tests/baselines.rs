//! Previous diagnostics, and answers of servers that are not ready.

use std::time::Duration;

use tokio::time::Instant;

use super::super::{PoolLimits, ServerPhase};
use super::{House, push, soon};
use crate::quirks::{Quirks, ReadinessSignal};
use crate::report::DiagnosticsReport;
use crate::source::DiagnosticsSource as _;

/// The previous diagnostics in the report on a file.
fn previous(reports: &[DiagnosticsReport], name: &str) -> Option<Vec<String>> {
    let report = reports.iter().find(|report| report.path.ends_with(name)).unwrap();
    Some(report.previous.as_ref()?.iter().map(|diagnostic| diagnostic.message.to_string()).collect())
}

#[tokio::test]
async fn a_report_on_another_file_has_its_previous_diagnostics() {
    let house = House::new(&["--pull"], push(), PoolLimits::default());
    house.write("b.lua", "need a.x\nbad");
    let a = house.saved("a.lua", "give x");
    let first = house.pool.check(std::slice::from_ref(&a), soon()).await;
    assert!(first.iter().all(|report| report.previous.is_none()), "{first:?}");
    house.check(&a).await;
    let broken = house.pool.check(&[house.unsaved("a.lua", "give y")], soon()).await;
    assert_eq!(house.words(&broken), ["a.lua Proven ", "b.lua Proven a gives no x; this is bad"]);
    assert_eq!(previous(&broken, "b.lua"), Some(vec!["this is bad".to_owned()]));
    assert_eq!(previous(&broken, "a.lua"), None, "it is another text");
    house.write("b.lua", "need a.x");
    let changed = house.pool.check(&[house.unsaved("a.lua", "give z")], soon()).await;
    assert_eq!(previous(&changed, "b.lua"), None, "it is another text");
    let same = house.pool.check(&[house.unsaved("a.lua", "give z")], soon()).await;
    assert_eq!(previous(&same, "a.lua"), Some(Vec::new()));
}

fn gated() -> Quirks {
    Quirks { ready: ReadinessSignal::ServerStatus, ..push() }
}

#[tokio::test]
async fn a_server_that_is_indexing_is_awaited_and_answers_later() {
    let house = House::new(&["--pull"], gated(), PoolLimits::default());
    let (a, b) = (house.saved("a.lua", "bad"), house.saved("b.lua", "bad"));
    house.pool.check(std::slice::from_ref(&a), Instant::now()).await;
    house.until(|running| matches!(running.phase, ServerPhase::Indexing { .. })).await;
    let subjects = [a.clone(), b.clone()];
    let reports = house.pool.check(&subjects, Instant::now() + Duration::from_millis(100)).await;
    for words in house.words(&reports) {
        assert!(words.contains("unknown it is still reading the project"), "{words}");
    }
    let late = tokio::spawn(house.pool.excluding(&[]).check_after_ready(subjects.to_vec()));
    // One of them changes before the server is ready.
    house.write("b.lua", "");
    house.open_gate();
    assert_eq!(house.words(&late.await.unwrap()), ["a.lua Proven this is bad"]);
}

//! Diagnostics of hunks: reported with them, once, and only for their current lines.

use super::super::{ReviewDiagnostic, ReviewSeverity};
use super::{NEW, OLD, ReviewsFixture, SESSION};

fn problem(line: usize) -> ReviewDiagnostic {
    let (code, source, message) = (None, "scripted".to_owned(), format!("in line {line}"));
    ReviewDiagnostic { line, severity: ReviewSeverity::Error, code, source, message }
}

impl ReviewsFixture {
    fn found(&self, name: &str, text: &str, lines: &[usize]) {
        let problems: Vec<_> = lines.iter().copied().map(problem).collect();
        let place = self.files.resolve(name);
        self.files.reviews().set_diagnostics(SESSION, place.real_path(), text, &problems);
    }

    /// For each hunk in the updates: its first line, and the messages with their lines within it.
    fn told(&self) -> Vec<(usize, Vec<(usize, String)>)> {
        let changes = self.files.reviews().take_updates(SESSION);
        let views = changes.into_iter().map(|change| change.snapshot);
        let hunks = views.flat_map(|view| {
            let problems = view.diagnostics;
            view.hunks.into_iter().map(move |hunk| {
                let of = problems.get(&hunk.id).cloned().unwrap_or_default();
                (hunk.line, of.into_iter().map(|problem| (problem.line, problem.message)).collect())
            })
        });
        hunks.collect()
    }
}

#[tokio::test]
async fn a_hunk_is_told_again_when_something_is_wrong_in_it_and_when_that_is_gone() {
    let fixture = ReviewsFixture::new();
    fixture.write("a", OLD);
    fixture.agent("a", NEW).await;
    assert_eq!(fixture.told(), [(1, vec![]), (3, vec![]), (5, vec![])]);
    // Line 2 belongs to no hunk.
    fixture.found("a", NEW, &[2, 3]);
    let wrong = (3, vec![(0, "in line 3".to_owned())]);
    assert_eq!(fixture.told(), std::slice::from_ref(&wrong));
    fixture.found("a", NEW, &[2, 3]);
    assert_eq!(fixture.told(), []);
    fixture.found("a", "another text", &[5]);
    assert_eq!(fixture.told(), []);
    // The next edit moves the hunk and drops its diagnostics.
    let moved = format!("0\n{NEW}");
    fixture.agent("a", &moved).await;
    let moved_hunks: Vec<_> =
        fixture.told().into_iter().filter(|(_, problems)| !problems.is_empty()).collect();
    assert_eq!(moved_hunks, []);
    let view = fixture.only();
    let of: Vec<_> =
        view.hunks.iter().map(|hunk| view.diagnostics.get(&hunk.id).map_or(0, Vec::len)).collect();
    assert_eq!(of, [0, 0, 1, 0]);
    fixture.found("a", &moved, &[]);
    assert_eq!(fixture.told(), [(4, vec![])]);
}

#[tokio::test]
async fn of_a_hunk_that_is_another_nothing_is_known() {
    let fixture = ReviewsFixture::new();
    fixture.write("a", OLD);
    fixture.agent("a", NEW).await;
    fixture.found("a", NEW, &[3]);
    fixture.told();
    fixture.agent("a", &NEW.replace('D', "DD")).await;
    assert_eq!(fixture.told(), [(3, vec![])]);
}

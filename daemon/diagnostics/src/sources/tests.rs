use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use copydesk_servers::report::Verdict;
use copydesk_servers::source::ServesFuture;

/// Counts how often it is asked what would be wrong.
struct Counting {
    asked: AtomicUsize,
}

impl DiagnosticsSource for Counting {
    fn check<'a>(&'a self, _subjects: &'a [CheckedDocument], _until: Instant) -> CheckFuture<'a> {
        Box::pin(std::future::ready(Vec::new()))
    }

    fn check_proposed<'a>(&'a self, subjects: &'a [CheckedDocument], _until: Instant) -> CheckFuture<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let report = |subject: &CheckedDocument| {
            DiagnosticsReport::new(subject.path.clone(), "counting", Verdict::Proven(Vec::new()))
        };
        Box::pin(std::future::ready(subjects.iter().map(report).collect()))
    }
}

/// An editor, which cannot tell what would be.
struct Editor(bool);

impl DiagnosticsSource for Editor {
    fn check<'a>(&'a self, _subjects: &'a [CheckedDocument], _until: Instant) -> CheckFuture<'a> {
        Box::pin(std::future::ready(Vec::new()))
    }

    fn serves(&self, _until: Instant) -> ServesFuture<'_> {
        Box::pin(std::future::ready(self.0))
    }
}

#[tokio::test]
async fn where_an_editor_serves_our_servers_are_not_asked_what_would_be() {
    for (serves, expected) in [(true, 0), (false, 1)] {
        let pool = Arc::new(Counting { asked: AtomicUsize::new(0) });
        let sources = DiagnosticsSources {
            editor: Some(Arc::new(Editor(serves))),
            pool: Some(Arc::clone(&pool) as Arc<dyn DiagnosticsSource>),
            ..DiagnosticsSources::default()
        };
        let subject = CheckedDocument { path: "/w/a".into(), text: Arc::default(), is_saved: true };
        sources.check_proposed(&[subject], Instant::now()).await;
        assert_eq!(pool.asked.load(Ordering::SeqCst), expected);
    }
}

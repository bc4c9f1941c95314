use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use copydesk_servers::report::Verdict;
use copydesk_servers::source::ServesFuture;

/// Counts its checks of proposed texts.
struct Counting {
    calls: AtomicUsize,
}

impl DiagnosticsSource for Counting {
    fn check<'a>(&'a self, _subjects: &'a [CheckedDocument], _until: Instant) -> CheckFuture<'a> {
        Box::pin(std::future::ready(Vec::new()))
    }

    fn check_proposed<'a>(&'a self, subjects: &'a [CheckedDocument], _until: Instant) -> CheckFuture<'a> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let report = |subject: &CheckedDocument| {
            DiagnosticsReport::new(subject.path.clone(), "counting", Verdict::Proven(Vec::new()))
        };
        Box::pin(std::future::ready(subjects.iter().map(report).collect()))
    }
}

/// An editor, which cannot check proposed texts. The flag says whether it has servers.
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
async fn the_pool_does_not_check_proposed_texts_if_an_editor_serves() {
    for (serves, expected) in [(true, 0), (false, 1)] {
        let pool = Arc::new(Counting { calls: AtomicUsize::new(0) });
        let sources = DiagnosticsSources {
            editor: Some(Arc::new(Editor(serves))),
            pool: Some(Arc::clone(&pool) as Arc<dyn DiagnosticsSource>),
            ..DiagnosticsSources::default()
        };
        let subject = CheckedDocument { path: "/w/a".into(), text: Arc::default(), is_saved: true };
        sources.check_proposed(&[subject], Instant::now()).await;
        assert_eq!(pool.calls.load(Ordering::SeqCst), expected);
    }
}

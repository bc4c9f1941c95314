use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use copydesk_servers::report::Said;
use copydesk_servers::source::Serving;

/// Counts how often it is asked what would be wrong.
struct Counting {
    asked: AtomicUsize,
}

impl Source for Counting {
    fn check<'a>(&'a self, _subjects: &'a [Subject], _until: Instant) -> Checking<'a> {
        Box::pin(std::future::ready(Vec::new()))
    }

    fn shadow<'a>(&'a self, subjects: &'a [Subject], _until: Instant) -> Checking<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let report =
            |subject: &Subject| Report::new(subject.path.clone(), "counting", Said::Proven(Vec::new()));
        Box::pin(std::future::ready(subjects.iter().map(report).collect()))
    }
}

/// An editor, which cannot tell what would be.
struct Editor(bool);

impl Source for Editor {
    fn check<'a>(&'a self, _subjects: &'a [Subject], _until: Instant) -> Checking<'a> {
        Box::pin(std::future::ready(Vec::new()))
    }

    fn serves(&self, _until: Instant) -> Serving<'_> {
        Box::pin(std::future::ready(self.0))
    }
}

#[tokio::test]
async fn where_an_editor_serves_our_servers_are_not_asked_what_would_be() {
    for (serves, expected) in [(true, 0), (false, 1)] {
        let pool = Arc::new(Counting { asked: AtomicUsize::new(0) });
        let sources = Sources {
            editor: Some(Arc::new(Editor(serves))),
            pool: Some(Arc::clone(&pool) as Arc<dyn Source>),
            ..Sources::default()
        };
        let subject = Subject { path: "/w/a".into(), text: Arc::default(), is_saved: true };
        sources.shadow(&[subject], Instant::now()).await;
        assert_eq!(pool.asked.load(Ordering::SeqCst), expected);
    }
}

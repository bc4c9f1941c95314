//! Reviews as the protocol has them, whoever holds the files: the hub for its clients, or a run for itself.

use std::path::Path;

use copydesk_protocol::editor::Severity;
use copydesk_protocol::review::{
    Decided, DecidedOutcome, FileHunk, FileHunkKind, Hunk, HunkProblem, Review, ReviewDecision, ReviewWhen,
    Verdict, Words,
};
use copydesk_text::review::{HunkId, HunkView, Print, Selection, Whole};
use copydesk_workspace::files::Files;
use copydesk_workspace::reviews::{self, Decision, Problem, Refusal, ReviewId, Subject, View};

/// What a session has to decide, as the documents are now.
pub async fn list(files: &Files, session: &str, name: Option<&Path>, skip: usize) -> Vec<Review> {
    match name {
        Some(name) => files.look_at_review(session, name).await,
        None => files.look_at_reviews(session).await,
    }
    files.reviews().list(session, name, skip).into_iter().map(review).collect()
}

/// Answers in the same order. Of some asks nothing may be left then: the caller settles them.
pub async fn decide(files: &Files, session: &str, decisions: Vec<ReviewDecision>) -> Vec<Decided> {
    files.fetch_reviews(session).await;
    let mut decided = Vec::with_capacity(decisions.len());
    let mut known = Vec::new();
    for said in decisions {
        let hunk = said.hunk.clone();
        let decision = decision(said);
        let message = decision.is_none().then(|| format!("there is no hunk `{hunk}`"));
        known.extend(decision);
        decided.push(Decided { hunk, outcome: DecidedOutcome::Refused, message });
    }
    let mut results = files.decide(session, &known).await.into_iter();
    for decided in decided.iter_mut().filter(|decided| decided.message.is_none()) {
        match results.next() {
            Some(Ok(())) => decided.outcome = DecidedOutcome::Done,
            Some(Err(refusal)) => {
                decided.message = Some(refusal.to_string());
                if matches!(refusal, Refusal::Confirm(_)) {
                    decided.outcome = DecidedOutcome::Confirm;
                }
            }
            None => {}
        }
    }
    decided
}

pub fn hunk_id(review: ReviewId, hunk: HunkId) -> String {
    format!("{}.{}", review.0, hunk.0)
}

/// Nothing where it names no hunk at all.
fn decision(said: ReviewDecision) -> Option<Decision> {
    let (review, subject) = match said.hunk.split_once('.') {
        Some((review, hunk)) => (review, Subject::Hunk(HunkId(hunk.parse().ok()?))),
        None => (said.hunk.as_str(), Subject::Everything),
    };
    let wide = |lines: Vec<u32>| lines.into_iter().map(|line| line as usize).collect();
    Some(Decision {
        review: ReviewId(review.parse().ok()?),
        subject,
        expected: Print::from(said.expected),
        verdict: match said.verdict {
            Verdict::Accept => reviews::Verdict::Accept,
            Verdict::Reject => reviews::Verdict::Reject,
        },
        lines: said.lines.map(|lines| Selection { old: wide(lines.old), new: wide(lines.new) }),
        text: said.text,
        comment: said.comment,
        confirmed: said.confirmed,
    })
}

pub fn review(mut view: View) -> Review {
    let id = view.id;
    let uri = url::Url::from_file_path(&view.name);
    let (when, ask) = match view.when {
        reviews::When::Before { ask } => (ReviewWhen::Before, ask),
        reviews::When::After => (ReviewWhen::After, None),
    };
    let file = view.whole.map(|(whole, print)| {
        let (kind, from) = match whole.kind {
            Whole::Created => (FileHunkKind::Created, None),
            Whole::Deleted => (FileHunkKind::Deleted, None),
            Whole::Renamed { from } => (FileHunkKind::Renamed, Some(from)),
        };
        let by = whole.by.iter().map(ToString::to_string).collect();
        FileHunk { hunk: hunk_id(id, whole.id), expected: print.as_str().to_owned(), kind, from, by }
    });
    Review {
        review: id.0.to_string(),
        uri: uri.map_or_else(|()| view.name.to_string_lossy().into_owned(), String::from),
        path: view.shown,
        when,
        ask,
        writing: view.is_written,
        expected: view.print.as_str().to_owned(),
        file,
        hunks: view
            .hunks
            .into_iter()
            .map(|one| {
                let problems = view.problems.remove(&one.id).unwrap_or_default();
                hunk(id, one, problems)
            })
            .collect(),
        total: narrow(view.total),
        additions: narrow(view.additions),
        deletions: narrow(view.deletions),
    }
}

fn hunk(review: ReviewId, view: HunkView, problems: Vec<Problem>) -> Hunk {
    let ranges = |ranges: Vec<std::ops::Range<usize>>| {
        ranges.into_iter().map(|range| (narrow(range.start), narrow(range.end))).collect()
    };
    let words = view.words.into_iter().map(|words| Words {
        line: narrow(words.line),
        old: ranges(words.old),
        new: ranges(words.new),
    });
    Hunk {
        hunk: hunk_id(review, view.id),
        expected: view.print.as_str().to_owned(),
        line: narrow(view.line),
        old: view.old,
        new: view.new,
        old_lines: narrow(view.old_lines),
        new_lines: narrow(view.new_lines),
        words: words.collect(),
        by: view.by.iter().map(ToString::to_string).collect(),
        edited: view.edited,
        deciding: view.rejecting,
        problems: problems.into_iter().map(problem).collect(),
    }
}

fn problem(problem: Problem) -> HunkProblem {
    HunkProblem {
        line: narrow(problem.line),
        severity: match problem.severity {
            reviews::Severity::Error => Severity::Error,
            reviews::Severity::Warning => Severity::Warning,
            reviews::Severity::Information => Severity::Information,
            reviews::Severity::Hint => Severity::Hint,
        },
        code: problem.code,
        source: problem.source,
        message: problem.message,
    }
}

pub fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

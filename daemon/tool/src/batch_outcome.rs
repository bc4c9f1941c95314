//! Combines the outcomes of a batch into one: the model gets every result, and all of them together keep to the limits of one
//! call.

use copydesk_metadata::{BatchMetadata, BatchedCallMetadata, CallDetail, CallMetadata, CallNotes};
use copydesk_text::{self as text, KeepSide};

use crate::outcome::{CallOutcome, ToolErrorKind};
use crate::registry::{ToolOutputLimits, ToolRegistry};

/// Reserved for the heading of each result, and for the note where the rest of it is.
const RESERVED: ToolOutputLimits = ToolOutputLimits { lines: 6, bytes: 512 };

impl ToolRegistry {
    /// `surplus` is how many calls did not run because the batch had too many.
    pub async fn combine_outcomes(
        &self,
        name: &str,
        outcomes: Vec<(String, CallOutcome)>,
        surplus: usize,
    ) -> CallOutcome {
        let (count, failed) =
            (outcomes.len(), outcomes.iter().filter(|(_, one)| one.error_kind.is_some()).count());
        let sizes: Vec<_> = outcomes.iter().map(|(_, one)| size(&one.output)).collect();
        let share = share(self.limits(), &sizes);
        let calls: Vec<_> = outcomes
            .iter()
            .map(|(_, one)| BatchedCallMetadata {
                name: one.name.clone(),
                title: one.title.clone(),
                is_error: one.error_kind.is_some(),
            })
            .collect();
        let calls_made = if count == 1 { "1 call".to_owned() } else { format!("{count} calls") };
        let title = if failed == 0 { calls_made } else { format!("{calls_made}, {failed} failed") };
        let mut output = format!("{title}.");
        if surplus > 0 {
            output += &format!(" {surplus} more were not made: there are too many. Make them again.");
        }
        let failure = if outcomes.iter().any(|(_, one)| one.error_kind == Some(ToolErrorKind::Cancelled)) {
            Some(ToolErrorKind::Cancelled)
        } else {
            (failed == count).then_some(ToolErrorKind::Failed)
        };
        let notes = CallNotes { refused: shared_refusal(&outcomes), ..CallNotes::default() };
        let is_running = outcomes.iter().any(|(_, one)| one.metadata.is_running());
        let milliseconds = outcomes.iter().map(|(_, one)| one.milliseconds).max().unwrap_or_default();
        let mut media = Vec::new();
        for (number, (call, one)) in outcomes.into_iter().enumerate() {
            let keep = if one.keep_end { KeepSide::Tail } else { KeepSide::Head };
            // Not the call's own name: that file holds the output if it was too long by itself.
            let shown = self.fit_to(&format!("{call}_shown"), one.output, keep, share).await;
            let verdict = if one.error_kind.is_some() { " (failed)" } else { "" };
            output +=
                &format!("\n\n## {}. {}{verdict}\n{}", number + 1, one.name, shown.trim_end_matches('\n'));
            media.extend(one.media);
        }
        let running = is_running.then_some(true);
        let detail = CallDetail::Batch(BatchMetadata { calls, surplus: surplus as u64, running });
        let metadata = CallMetadata::from(detail).with_notes(notes);
        CallOutcome {
            name: name.to_owned(),
            title,
            output,
            metadata,
            media,
            error_kind: failure,
            keep_end: false,
            milliseconds,
        }
    }
}

/// The permission key that was denied for each of the calls: then the whole batch did not run.
fn shared_refusal(outcomes: &[(String, CallOutcome)]) -> Option<String> {
    let refused = |(_, one): &(String, CallOutcome)| one.metadata.notes.refused.clone();
    let first = outcomes.first().and_then(refused)?;
    outcomes.iter().all(|one| refused(one).as_ref() == Some(&first)).then_some(first)
}

fn size(output: &str) -> ToolOutputLimits {
    ToolOutputLimits { lines: output.lines().count(), bytes: output.len() }
}

/// The limits of each output: what short outputs do not need goes to long ones.
fn share(limits: text::TruncateLimits, sizes: &[ToolOutputLimits]) -> ToolOutputLimits {
    let fair = |limit: usize, room: usize, mut sizes: Vec<usize>| {
        sizes.sort_unstable();
        let mut left = limit.saturating_sub(room * (sizes.len() + 1));
        for (number, size) in sizes.iter().enumerate() {
            let each = left / (sizes.len() - number);
            if *size > each {
                return each.max(1);
            }
            left -= size;
        }
        limit
    };
    ToolOutputLimits {
        lines: fair(limits.lines, RESERVED.lines, sizes.iter().map(|size| size.lines).collect()),
        bytes: fair(limits.bytes, RESERVED.bytes, sizes.iter().map(|size| size.bytes).collect()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::output_spill::OutputSpill;

    fn outcome(output: &str, failure: Option<ToolErrorKind>) -> (String, CallOutcome) {
        let outcome = CallOutcome {
            name: "read".into(),
            title: "a".into(),
            output: output.into(),
            metadata: CallMetadata::default(),
            media: Vec::new(),
            error_kind: failure,
            keep_end: false,
            milliseconds: 7,
        };
        ("c1".into(), outcome)
    }

    #[tokio::test]
    async fn that_none_was_made_or_that_one_goes_on_is_said_of_all() {
        let dir = tempfile::tempdir().unwrap();
        let one = |metadata: Value| {
            let (call, one) = outcome("x", None);
            (call, CallOutcome { metadata: CallMetadata::from_value(metadata), ..one })
        };
        let refused = || one(json!({ "refused": "doom_loop" }));
        let together = async |outcomes| {
            registry(dir.path()).combine_outcomes("batch", outcomes, 0).await.metadata.to_value()
        };
        assert_eq!(together(vec![refused(), refused()]).await["refused"], "doom_loop");
        assert_eq!(together(vec![refused(), one(json!(null))]).await.get("refused"), None);
        let (runs, ended) = (json!({ "job": 1, "running": true }), json!({ "job": 1, "running": false }));
        assert_eq!(together(vec![one(ended.clone()), one(runs)]).await["running"], true);
        assert_eq!(together(vec![one(ended)]).await.get("running"), None);
    }

    fn registry(folder: &std::path::Path) -> ToolRegistry {
        ToolRegistry::new(ToolOutputLimits { lines: 100, bytes: 10_000 }, OutputSpill::new(folder))
    }

    #[tokio::test]
    async fn every_result_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let all = vec![outcome("one\n", None), outcome("no", Some(ToolErrorKind::Target))];
        let together = registry(dir.path()).combine_outcomes("batch", all, 2).await;
        let expected = "2 calls, 1 failed. 2 more were not made: there are too many. Make them again.\n\n## 1. read\none\n\n## 2. read (failed)\nno";
        assert_eq!(
            (together.output.as_str(), together.error_kind, together.milliseconds),
            (expected, None, 7)
        );
        for (kinds, expected) in [
            (vec![Some(ToolErrorKind::Target); 2], Some(ToolErrorKind::Failed)),
            (vec![None, Some(ToolErrorKind::Cancelled)], Some(ToolErrorKind::Cancelled)),
            (vec![None], None),
        ] {
            let all = kinds.into_iter().map(|kind| outcome("x", kind)).collect();
            let together = registry(dir.path()).combine_outcomes("batch", all, 0).await;
            assert_eq!(together.error_kind, expected);
            assert!(expected.is_some() || together.output.starts_with("1 call.\n"), "{}", together.output);
        }
    }

    #[tokio::test]
    async fn long_results_share_what_short_ones_leave() {
        let dir = tempfile::tempdir().unwrap();
        let long = "0123456789\n".repeat(2000);
        let all = vec![outcome("short", None), outcome(&long, None), outcome(&long, None)];
        let together = registry(dir.path()).combine_outcomes("batch", all, 0).await;
        assert!(
            together.output.len() <= 10_000 && together.output.lines().count() <= 100,
            "{}",
            together.output
        );
        assert!(together.output.lines().count() > 60, "{}", together.output);
        let parts: Vec<_> = together.output.split("\n## ").collect();
        assert!(parts[1].contains("short") && !parts[1].contains("left out"), "{}", parts[1]);
        assert!(parts[2].contains("left out") && parts[3].contains("left out"), "{}", parts[3]);
        assert_eq!(std::fs::read_to_string(dir.path().join("c1_shown.txt")).unwrap(), long);
    }

    #[test]
    fn shares_add_up() {
        let sizes = |bytes: &[usize]| {
            bytes.iter().map(|bytes| ToolOutputLimits { lines: 1, bytes: *bytes }).collect::<Vec<_>>()
        };
        let limits = ToolOutputLimits { lines: 1000, bytes: 10_000 };
        assert_eq!(share(limits, &sizes(&[10, 20])).bytes, 10_000, "all fit");
        assert_eq!(share(limits, &sizes(&[1000, 50_000, 60_000])).bytes, (10_000 - 4 * 512 - 1000) / 2);
        assert_eq!(share(limits, &sizes(&[100_000; 25])).bytes, 1, "too many for what there is");
        assert_eq!(share(limits, &[]), limits);
    }
}

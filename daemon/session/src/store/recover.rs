//! Records how a session was left by a process that ended during a turn.

use rusqlite::{Transaction, params};

use super::parts::put;
use super::{Store, StoreError};
use crate::data::{Part, PartContent, PartState, TurnEnd};
use crate::id::{Id, now};

/// How many parts at the end of a session are looked at. A step of more calls counts as finished.
const MAX_PARTS: i64 = 512;

impl Store {
    /// Marks the unfinished parts of a session, and its last turn if that did not end, as interrupted. Does nothing if a process
    /// works on the session.
    pub async fn recover_session(&self, session: &Id) -> Result<(), StoreError> {
        match self.try_claim_session(session)? {
            Some(_claim) => self.mark_interrupted(session).await.map(drop),
            None => Ok(()),
        }
    }
}

/// Adds the end of a last turn that has none.
pub(super) fn end_last_turn(transaction: &Transaction<'_>, session: &Id) -> Result<(), StoreError> {
    let Some((turn, step)) = unfinished_turn(transaction, session)? else { return Ok(()) };
    let time = now();
    put(
        transaction,
        &Part {
            id: Id::new(),
            session: session.clone(),
            turn,
            step,
            created: time,
            updated: time,
            state: PartState::Completed,
            content: PartContent::TurnEnd(TurnEnd::Interrupted),
        },
    )
}

/// The last turn and its last step, if the turn has no end: its last step is not finished, or has calls, or a prompt follows it.
fn unfinished_turn(transaction: &Transaction<'_>, session: &Id) -> Result<Option<(u32, u32)>, StoreError> {
    let mut statement = transaction.prepare_cached(
        "SELECT turn, step, content FROM part WHERE session = ?1 ORDER BY number DESC LIMIT ?2",
    )?;
    let mut rows = statement.query(params![session.as_str(), MAX_PARTS])?;
    let (mut last, mut finished) = (None, None);
    while let Some(row) = rows.next()? {
        let place: (u32, u32) = (row.get(0)?, row.get(1)?);
        let last = *last.get_or_insert(place);
        if finished.is_some_and(|finished| finished != place) {
            return Ok(None);
        }
        match serde_json::from_str(&row.get::<_, String>(2)?)? {
            PartContent::TurnEnd(_) => return Ok(None),
            // The daemon's own, after the end of the turn.
            PartContent::Note(_) | PartContent::Compaction(_) | PartContent::Pruning(_) => {}
            PartContent::StepFinish(_) => finished = Some(place),
            // The user's own, without a request.
            PartContent::Call(_) if place.1 == 0 => {}
            PartContent::Call(_) => return Ok(Some(last)),
            _ if finished.is_none() => return Ok(Some(last)),
            _ => {}
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use copydesk_model::{FinishReason, TokenUsage};

    use super::super::tests::{call, open, part, session, text};
    use super::*;
    use crate::data::{NotePart, PromptPart, Session, StepFinishPart};

    fn at(step: u32, part: Part) -> Part {
        Part { step, ..part }
    }

    fn completed(session: &Session, content: PartContent) -> Part {
        part(session, PartState::Completed, content)
    }

    fn finish(session: &Session, stop: FinishReason) -> Part {
        let finish = StepFinishPart { stop, usage: TokenUsage::default(), cost: None, context: None };
        completed(session, PartContent::StepFinish(finish))
    }

    #[tokio::test]
    async fn only_a_turn_without_an_end_gets_one() {
        let prompt = |session: &Session, steers| {
            let prompt = PromptPart { text: "Go".into(), steers, context: Vec::new() };
            at(0, completed(session, PartContent::Prompt(prompt)))
        };
        type Parts = fn(&Session) -> Vec<Part>;
        let cases: [(&str, bool, Parts); 8] = [
            ("nothing was written", true, |_| vec![]),
            ("a text was being written", true, |session| vec![text(session, "I begin")]),
            ("the model was done", false, |session| {
                vec![text(session, "Hi"), finish(session, FinishReason::End)]
            }),
            ("calls had not answered", true, |session| {
                vec![call(session, PartState::Running, None), finish(session, FinishReason::Calls)]
            }),
            ("a later step was done", false, |session| {
                let call = call(session, PartState::Completed, None);
                let done = [at(2, text(session, "Hi")), at(2, finish(session, FinishReason::End))];
                [call, finish(session, FinishReason::Calls)].into_iter().chain(done).collect()
            }),
            ("a note follows", false, |session| {
                let note = NotePart { text: "Nothing new.".into() };
                vec![finish(session, FinishReason::End), completed(session, PartContent::Note(note))]
            }),
            ("it was cancelled", false, |session| {
                vec![text(session, "I"), completed(session, PartContent::TurnEnd(TurnEnd::Cancelled))]
            }),
            ("a prompt follows", true, |session| {
                let prompt = PromptPart { text: "And".into(), steers: true, context: Vec::new() };
                vec![finish(session, FinishReason::End), completed(session, PartContent::Prompt(prompt))]
            }),
        ];
        for (case, is_interrupted, parts) in cases {
            let data = tempfile::tempdir().unwrap();
            let (store, session) = (open(data.path()), session("/a"));
            store.put_session(session.clone()).await.unwrap();
            let parts: Vec<_> = [prompt(&session, false)].into_iter().chain(parts(&session)).collect();
            store.put_parts(parts).await.unwrap();
            // A process that works on it says itself how it ends.
            let claim = store.claim_session(&session.id).await.unwrap();
            store.recover_session(&session.id).await.unwrap();
            let ends = |parts: &[Part]| {
                let is_end = |part: &&Part| {
                    matches!(part.content, PartContent::TurnEnd(TurnEnd::Interrupted)) && part.turn == 1
                };
                parts.iter().filter(is_end).count()
            };
            assert_eq!(ends(&store.parts(&session.id).await.unwrap()), 0, "{case}");
            drop(claim);
            for _ in 0..2 {
                store.recover_session(&session.id).await.unwrap();
                let parts = store.parts(&session.id).await.unwrap();
                assert_eq!(ends(&parts), usize::from(is_interrupted), "{case}");
                assert!(parts.iter().all(|part| part.state.is_settled()), "{case}");
            }
        }
    }
}

//! What a proposed text would be told, without its becoming the document.
//!
//! A server is not started for a question that may be answered with no. The server that is there is lent the proposed text and given the true one back: a second server would have to read the whole
//! project, and take its memory again, for each question. While it is lent nobody else has the server, so that nobody is
//! given what it says of a text that does not exist; and it is kept until it has answered for the true text again, so that
//! nothing it still had to say of the other can be taken for news.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::runtime::Handle;
use tokio::sync::OwnedRwLockWriteGuard;
use tokio::time::{Instant, timeout_at};

use super::Shared;
use super::ask::{all_unknown, report};
use super::linked::linked;
use super::slot::{Alive, Key, Slot};
use super::source::Besides;
use crate::known::language_of;
use crate::report::{Report, Said};
use crate::source::Subject;

/// How long the server is waited for to come back to the true texts.
const BACK: Duration = Duration::from_secs(10);
/// How much of the time is kept for gathering the answers.
const LAST: Duration = Duration::from_millis(10);

/// A server with what it is asked about, and the language that it is told.
type Asked = (Arc<Slot>, Vec<(Subject, String)>);

impl Besides {
    /// What would be wrong with these proposed texts, and with other files because of them. The documents stay as they are.
    pub async fn shadow(&self, subjects: &[Subject], until: Instant) -> Vec<Report> {
        let shared = &self.pool.shared;
        let groups = self.running(subjects);
        let asking = groups.iter().map(|(slot, subjects)| lend(shared, slot, subjects, until));
        join_all(asking).await.into_iter().flatten().collect()
    }

    /// The servers of these that are there already.
    fn running(&self, subjects: &[Subject]) -> Vec<Asked> {
        let shared = &self.pool.shared;
        let mut groups: BTreeMap<Key, Asked> = BTreeMap::new();
        for subject in subjects {
            let first_line = subject.text.lines().next().unwrap_or_default();
            for chosen in shared.choose.servers_for(&subject.path, first_line) {
                let is_served = |word: &String| *word == chosen.name || *word == chosen.language;
                let key = (chosen.name.clone(), chosen.root.clone());
                let slot = shared.slots().get(&key).cloned();
                if let Some(slot) = slot.filter(|_| !self.served.iter().any(is_served)) {
                    let group = groups.entry(key).or_insert_with(|| (slot, Vec::new()));
                    group.1.push((subject.clone(), chosen.language));
                }
            }
        }
        groups.into_values().collect()
    }
}

async fn lend(
    pool: &Arc<Shared>,
    slot: &Arc<Slot>,
    subjects: &[(Subject, String)],
    until: Instant,
) -> Vec<Report> {
    slot.touch();
    let alive = match slot.ready() {
        Ok(alive) => alive,
        Err(why) => return all_unknown(slot, subjects, &why),
    };
    let Some(turn) = slot.alone(Duration::MAX, until).await else {
        return all_unknown(slot, subjects, "it is busy with other texts");
    };
    alive.root.settle(pool, until).await;
    let mark = alive.server.mark();
    let lent = Lent::begin(pool, slot, &alive, subjects, turn);
    // So that what is known is told when the time is over.
    let inner = until.checked_sub(LAST).unwrap_or(until);
    let checking = join_all(subjects.iter().map(|(subject, _)| alive.server.check(&subject.path, inner)));
    let asking = async {
        let (said, linked) = tokio::join!(checking, check_linked(pool, slot, &alive, subjects, inner));
        // What it says of others without being asked comes with its answer, or shortly after.
        (said, linked, alive.server.others(mark, inner).await)
    };
    let Ok((said, linked, others)) = timeout_at(until, asking).await else {
        return all_unknown(slot, subjects, "it did not answer in time");
    };
    drop(lent);
    let mut reports: Vec<_> =
        subjects.iter().zip(said).map(|((subject, _), said)| report(slot, &subject.path, said)).collect();
    let known = |(path, said): &(PathBuf, Said)| {
        said.diagnostics().is_some() && !subjects.iter().any(|(subject, _)| subject.path == *path)
    };
    // What was asked for goes before what came by the way.
    let others: BTreeMap<_, _> = others.into_iter().chain(linked).filter(known).collect();
    reports.extend(others.into_iter().map(|(path, said)| report(slot, &path, said)));
    reports
}

/// Of files that these may break.
async fn check_linked(
    pool: &Arc<Shared>,
    slot: &Arc<Slot>,
    alive: &Alive,
    subjects: &[(Subject, String)],
    until: Instant,
) -> Vec<(PathBuf, Said)> {
    let paths = subjects.iter().map(|(subject, _)| subject.path.clone()).collect();
    let mut checking = Vec::new();
    for subject in linked(pool, slot, &paths, until).await.0 {
        let first_line = subject.text.lines().next().unwrap_or_default();
        if let Some(language) = language_of(&subject.path, first_line) {
            slot.hold(alive, &subject, language);
            checking.push(async move {
                let said = alive.server.check(&subject.path, until).await;
                (subject.path, said)
            });
        }
    }
    join_all(checking).await
}

/// What is given back.
struct TrueText {
    path: PathBuf,
    text: Option<Subject>,
    language: String,
    was_held: bool,
    /// What the server held before, where that lies on the disk.
    before: Option<Arc<String>>,
}

/// Gives the true texts back however the asking ends.
pub(super) struct Lent {
    slot: Arc<Slot>,
    alive: Arc<Alive>,
    true_texts: Vec<TrueText>,
    turn: Option<OwnedRwLockWriteGuard<()>>,
    pool: Arc<Shared>,
    /// It may be dropped where there is none.
    runtime: Handle,
}

impl Lent {
    /// From now on the server holds these.
    pub(super) fn begin(
        pool: &Arc<Shared>,
        slot: &Arc<Slot>,
        alive: &Arc<Alive>,
        subjects: &[(Subject, String)],
        turn: OwnedRwLockWriteGuard<()>,
    ) -> Self {
        let lend = |(subject, language): &(Subject, String)| TrueText {
            path: subject.path.clone(),
            text: pool.texts.text(&subject.path),
            language: language.clone(),
            was_held: slot.documents().text(&subject.path).is_some(),
            // Not by the slot: what is remembered of the document stays.
            before: alive.server.lend(subject, language),
        };
        let true_texts = subjects.iter().map(lend).collect();
        let (slot, alive, pool) = (Arc::clone(slot), Arc::clone(alive), Arc::clone(pool));
        Self { slot, alive, true_texts, turn: Some(turn), pool, runtime: Handle::current() }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut back = Vec::new();
        for TrueText { path, text, language, was_held, before } in &self.true_texts {
            match text {
                Some(text) if *was_held => {
                    let before = before.as_deref().map(String::as_str);
                    self.slot.give_back(&self.alive, text, language, before);
                    back.push(path.clone());
                }
                _ => self.alive.server.close(path),
            }
        }
        let (alive, turn) = (Arc::clone(&self.alive), self.turn.take());
        let until = Instant::now() + BACK;
        let coming_back = self.pool.closed.clone().run_until_cancelled_owned(async move {
            for path in back {
                alive.server.check(&path, until).await;
            }
            drop(turn);
        });
        self.pool.tasks.spawn_on(coming_back, &self.runtime);
    }
}

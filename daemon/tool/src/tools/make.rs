//! The changes of one call on their way: asked about together, and made as a whole, only to what they were made for.

use std::collections::BTreeMap;

use copydesk_diagnostics::Told;
use copydesk_workspace::files::{By, Cause};
use copydesk_workspace::reviews::Proposal;
use serde_json::{Map, Value, json};

use super::change::{Change, size};
use super::checking;
use super::formatting;
use super::reviewed;
use super::target::{file_failure, names};
use crate::context::{Allowed, Ask, Context, Owner, Reviewed};
use crate::outcome::Failure;

/// Files that a title names.
const MOST_NAMED: usize = 5;

/// Bytes of diffs that go along, of all files together.
const MOST_DIFF: usize = 256 * 1024;

/// Asks, and makes the changes: in the editor where a file is open, else on the disk, if nothing has happened to it
/// meanwhile; all of them, or those of which a person says so, else none.
pub(super) async fn make(context: &Context, changes: Vec<Change>) -> Result<Made, Failure> {
    // Whatever is said, what was wrong before the changes has to be known for what is wrong after them.
    let asked = context.ask(asking(context, &changes));
    let (mut allowed, ()) = tokio::join!(asked, checking::before(context, &changes));
    // What a rule denies is no reason to run anything.
    let (changes, form) = match &allowed {
        Ok(_) => formatting::formatted(context, changes).await?,
        Err(_) => (changes, String::new()),
    };
    let ask = asking(context, &changes);
    let metadata = ask.metadata.clone();
    let mut proposals = Vec::new();
    let mut proposed = Vec::new();
    if let Ok(Allowed::IfReviewed) = allowed {
        proposed = checking::proposed(context, &changes);
        proposals = propose(context, &changes);
        let reviews: Vec<_> = proposals.iter().map(Proposal::id).collect();
        let review = if reviews.is_empty() { Reviewed::Never } else { Reviewed::In(reviews) };
        let mut metadata = metadata.clone();
        put(&mut metadata, checking::shadow(context, &proposed).await);
        allowed = context.ask(Ask { review, metadata, ..ask.clone() }).await;
    }
    for proposal in &proposals {
        // What was accepted may still be on its way.
        proposal.at_rest().await;
    }
    if context.cancel.is_cancelled() {
        allowed = Err(Failure::cancelled());
    }
    if proposals.iter().any(Proposal::is_begun) {
        let reviewed = reviewed::rest(context, &proposals, allowed).await?;
        drop(proposals);
        let told = checking::after_review(context, proposed).await;
        return Ok(Made { form, ..Made::of(metadata, told).reviewed(reviewed) });
    }
    let allowed = allowed?;
    let Owner { session, call } = context.owner();
    let is_accepted = matches!(allowed, Allowed::ByPerson | Allowed::ByReview);
    let cause = Cause {
        session,
        call,
        label: ask.title,
        accepted: is_accepted,
        // What a person has said yes to is not to be decided once more.
        by: if is_accepted && !proposals.is_empty() { By::Person } else { By::Agent },
        group: None,
    };
    // Nothing of them is left to decide, and nobody need follow the change in them.
    drop(proposals);
    let changes: Vec<_> = changes.into_iter().map(Change::into_file_change).collect();
    let changed = context.files.change(&changes, &cause).await.map_err(|error| file_failure(&error))?;
    let rebased = changed.iter().any(|changed| changed.rebased);
    let unsaved = changed.iter().find_map(|changed| changed.unsaved.clone());
    let told = checking::after(context, changed).await;
    Ok(Made { rebased, unsaved, form, ..Made::of(metadata, told) })
}

/// What the rules are asked first, before any person.
fn asking(context: &Context, changes: &[Change]) -> Ask {
    Ask {
        key: "edit".to_owned(),
        patterns: patterns(context, changes),
        always: vec!["*".to_owned()],
        title: title(changes),
        metadata: metadata(changes),
        review: Reviewed::First,
    }
}

/// One review for each file, or none at all where one of them does not fit its document.
fn propose(context: &Context, changes: &[Change]) -> Vec<Proposal> {
    let reviews = context.files.reviews();
    let Owner { session, call } = context.owner();
    let propose = |change: &Change| reviews.propose(&session, &call, &change.place, &change.kind);
    changes.iter().map(propose).collect::<Option<_>>().unwrap_or_default()
}

/// Every name of every file, each once.
fn patterns(context: &Context, changes: &[Change]) -> Vec<String> {
    let mut patterns: Vec<String> = Vec::new();
    for name in changes.iter().flat_map(|change| names(context, &change.place)) {
        if !patterns.contains(&name) {
            patterns.push(name);
        }
    }
    patterns
}

/// Those that are told of.
pub(super) fn shown(changes: &[Change]) -> Vec<&Change> {
    changes.iter().filter(|change| change.is_shown()).collect()
}

/// `Edit a (+2 -1)`, or `Edit 3 files (+5 -2): a, b, c`
fn title(changes: &[Change]) -> String {
    let shown = shown(changes);
    match shown.as_slice() {
        [only] => format!("{} ({})", only.wanted(), only.size()),
        several => {
            let names = several.iter().take(MOST_NAMED).map(|change| change.place.shown.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            let more = if several.len() > MOST_NAMED { ", …" } else { "" };
            format!("Edit {} files ({}): {names}{more}", several.len(), total(several))
        }
    }
}

/// `+5 -2`
pub(super) fn total(changes: &[&Change]) -> String {
    let sum = |of: fn(&Change) -> usize| changes.iter().map(|change| of(change)).sum();
    size(sum(|change| change.additions), sum(|change| change.deletions))
}

/// What a person is shown: of one file its path and its diff, of several each under `files`.
fn metadata(changes: &[Change]) -> Value {
    let shown = shown(changes);
    let mut room = MOST_DIFF;
    if let [only] = shown.as_slice() {
        return Value::Object(of_file(only, &mut room));
    }
    let named = |change: &&Change| {
        let mut file = of_file(change, &mut room);
        file.insert("path".to_owned(), change.place.shown.as_str().into());
        Value::Object(file)
    };
    let files: Vec<_> = shown.iter().map(named).collect();
    let sum = |of: fn(&Change) -> usize| shown.iter().map(|change| of(change)).sum::<usize>();
    json!({
        "files": files,
        "additions": sum(|change| change.additions),
        "deletions": sum(|change| change.deletions),
    })
}

/// `room` is what is left for diffs. Where one has no room, the reviews still show it, hunk by hunk.
fn of_file(change: &Change, room: &mut usize) -> Map<String, Value> {
    let left = room.checked_sub(change.diff.len());
    *room = left.unwrap_or(*room);
    let diff = if left.is_some() { change.diff.as_str() } else { "" };
    let mut file = Map::new();
    file.insert("filepath".to_owned(), change.place.path.to_string_lossy().into());
    file.insert("diff".to_owned(), diff.into());
    file.insert("additions".to_owned(), change.additions.into());
    file.insert("deletions".to_owned(), change.deletions.into());
    if let Some(from) = change.from() {
        file.insert("from".to_owned(), from.path.to_string_lossy().into());
    }
    file
}

/// What became of them.
pub(super) struct Made {
    pub(super) metadata: Value,
    /// The person had typed in a file meanwhile: line numbers may be others.
    pub(super) rebased: bool,
    /// It should have been saved, and why it was not.
    unsaved: Option<String>,
    /// It was decided piece by piece, and this is what came of it.
    pub(super) reviewed: Option<reviewed::Reviewed>,
    /// What is wrong with the files now.
    told: Option<String>,
    /// What formatters did.
    form: String,
}

/// What is wrong with the files is shown with the rest.
fn put(metadata: &mut Value, told: Option<Told>) -> Option<String> {
    let told = told?;
    metadata.as_object_mut()?.insert("diagnostics".to_owned(), told.metadata);
    Some(told.output)
}

impl Made {
    fn of(mut metadata: Value, told: Option<Told>) -> Self {
        let told = put(&mut metadata, told);
        Self { metadata, rebased: false, unsaved: None, reviewed: None, told, form: String::new() }
    }

    fn reviewed(self, reviewed: reviewed::Reviewed) -> Self {
        Self { reviewed: Some(reviewed), ..self }
    }

    /// What the model should know beyond the change itself.
    pub(super) fn notes(&self) -> String {
        let unsaved =
            self.unsaved.as_ref().map(|why| format!("\n(The editor did not save the file: {why}.)"));
        let told = self.told.as_ref().map(|told| format!("\n\n{told}"));
        [Some(self.form.clone()), unsaved, told].into_iter().flatten().collect()
    }

    /// How strictly the places were found that were edited: `"tiers": { "exact": 2, "indentation": 1 }`.
    pub(super) fn tell_tiers(&mut self, names: impl Iterator<Item = &'static str>) {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        names.for_each(|name| *counts.entry(name).or_default() += 1);
        if let Some(metadata) = self.metadata.as_object_mut().filter(|_| !counts.is_empty()) {
            metadata.insert("tiers".to_owned(), json!(counts));
        }
    }
}

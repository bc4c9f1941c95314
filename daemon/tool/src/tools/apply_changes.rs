//! Applies the changes of one call: one ask for all of them, applied as a whole, and only to the text that they were made
//! for.

use std::collections::BTreeMap;

use copydesk_diagnostics::DiagnosticsSummary;
use copydesk_metadata::{
    CallDetail, CallMetadata, ChangedFileMetadata, EditMetadata, FileEditMetadata, MultiFileEditMetadata,
    PermissionAskDetail,
};
use copydesk_workspace::files::{Author, ChangeCause};
use copydesk_workspace::reviews::ReviewProposal;

use super::change::{RequestedChange, size};
use super::diagnostics;
use super::formatting;
use super::review_outcome;
use super::rule_names::rule_names;
use super::target_file::file_error;
use super::unshown_text::KnownTexts;
use crate::context::{AskUserMode, EditOwner, PermissionGrant, PermissionRequest, ToolContext};
use crate::outcome::ToolError;

/// The cap on files that a title names.
const MAX_NAMED_FILES: usize = 5;

/// The cap on the diffs in the metadata, for all files together.
const MAX_DIFF_BYTES: usize = 256 * 1024;

/// Asks, then applies the changes: in the editor if the file is open, else on the disk, if the file has not changed since.
/// Applies all of them, or the hunks that the user accepts, or none.
pub(super) async fn apply_changes(
    context: &ToolContext,
    changes: Vec<RequestedChange>,
) -> Result<AppliedChanges, ToolError> {
    let known = KnownTexts::new(context, &changes);
    // The baseline is needed whatever the reply is.
    let asked = context.ask(edit_ask(context, &changes));
    let (mut allowed, ()) = tokio::join!(asked, diagnostics::record_baseline(context, &changes));
    // If a rule denies the change, no formatter runs.
    let (changes, form) = match &allowed {
        Ok(_) => formatting::format_changes(context, changes).await?,
        Err(_) => (changes, String::new()),
    };
    let ask = edit_ask(context, &changes);
    let metadata = metadata(&changes);
    let mut proposals = Vec::new();
    let mut proposed = Vec::new();
    if let Ok(PermissionGrant::NotAsked { is_unattended }) = allowed {
        proposed = diagnostics::proposed_edits(context, &changes);
        proposals = propose(context, &changes);
        let reviews: Vec<_> = proposals.iter().map(ReviewProposal::id).collect();
        let ask_user = if reviews.is_empty() { AskUserMode::Whole } else { AskUserMode::InReviews(reviews) };
        let mut metadata = metadata.clone();
        if !is_unattended {
            insert_diagnostics(&mut metadata, diagnostics::check_proposed(context, &proposed).await);
        }
        let metadata = PermissionAskDetail::Edit(metadata).into();
        allowed = context.ask(PermissionRequest { ask_user, metadata, ..ask.clone() }).await;
    }
    for proposal in &proposals {
        // Accepted hunks may still be on their way into the editor.
        proposal.wait_until_applied().await;
    }
    if context.cancel.is_cancelled() {
        allowed = Err(ToolError::cancelled());
    }
    if let (Ok(_), [_, _, ..]) = (&allowed, proposals.as_slice())
        && let Some(refusal) = review_outcome::refuse_conflicts(&proposals)
    {
        // Several files are changed as a whole or not at all.
        return Err(refusal);
    }
    // What the user typed in the lines of one file is merged hunk by hunk.
    let has_typing = allowed.is_ok() && matches!(proposals.as_slice(), [only] if only.has_typing());
    if has_typing || proposals.iter().any(ReviewProposal::has_decisions) {
        let reviewed = review_outcome::settle_review(context, &proposals, allowed).await?;
        drop(proposals);
        known.mark_reviewed(context, &changes);
        let told = diagnostics::check_reviewed(context, proposed).await;
        return Ok(AppliedChanges {
            formatter_notes: form,
            ..AppliedChanges::new(metadata, told).with_review(reviewed)
        });
    }
    let allowed = allowed?;
    let EditOwner { session, call } = context.edit_owner();
    let is_accepted = matches!(allowed, PermissionGrant::ByUser | PermissionGrant::ByReview);
    let cause = ChangeCause {
        session,
        call,
        label: ask.title,
        is_accepted,
        // The user does not review again what they have approved.
        author: if is_accepted && !proposals.is_empty() { Author::ApprovedAgent } else { Author::Agent },
        group: None,
    };
    // The reviews are settled; they need not follow the change.
    drop(proposals);
    let changes: Vec<_> = changes.into_iter().map(RequestedChange::into_file_change).collect();
    let changed = context.files.apply_changes(&changes, &cause).await.map_err(|error| file_error(&error))?;
    known.mark_applied(context, &changed);
    let rebased = changed.iter().any(|changed| changed.is_rebased);
    let unsaved = changed.iter().find_map(|changed| changed.save_error.clone());
    let told = diagnostics::check_changed(context, changed).await;
    Ok(AppliedChanges { rebased, unsaved, formatter_notes: form, ..AppliedChanges::new(metadata, told) })
}

/// The ask for the rules, before the user sees anything.
fn edit_ask(context: &ToolContext, changes: &[RequestedChange]) -> PermissionRequest {
    PermissionRequest {
        key: "edit".to_owned(),
        commands: Vec::new(),
        patterns: patterns(context, changes),
        always: vec!["*".to_owned()],
        title: title(changes),
        metadata: PermissionAskDetail::Edit(metadata(changes)).into(),
        ask_user: AskUserMode::Never,
    }
}

/// One review for each file, or none if one of them does not fit its document.
fn propose(context: &ToolContext, changes: &[RequestedChange]) -> Vec<ReviewProposal> {
    let reviews = context.files.reviews();
    let EditOwner { session, call } = context.edit_owner();
    let propose =
        |change: &RequestedChange| reviews.propose(&session, &call, change.document(), &change.kind);
    changes.iter().map(propose).collect::<Option<_>>().unwrap_or_default()
}

/// Every name of every file, without duplicates.
fn patterns(context: &ToolContext, changes: &[RequestedChange]) -> Vec<String> {
    let mut patterns: Vec<String> = Vec::new();
    let places = changes.iter().flat_map(|change| [Some(&change.place), change.from()]).flatten();
    for name in places.flat_map(|place| rule_names(&context.files, place)) {
        if !patterns.contains(&name) {
            patterns.push(name);
        }
    }
    patterns
}

/// The changes that are shown.
pub(super) fn shown(changes: &[RequestedChange]) -> Vec<&RequestedChange> {
    changes.iter().filter(|change| change.is_shown()).collect()
}

/// `Edit a (+2 -1)`, or `Edit 3 files (+5 -2): a, b, c`
fn title(changes: &[RequestedChange]) -> String {
    let shown = shown(changes);
    match shown.as_slice() {
        [only] => format!("{} ({})", only.describe_planned(), only.size()),
        several => {
            let names = several.iter().take(MAX_NAMED_FILES).map(|change| change.place.display_path.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            let more = if several.len() > MAX_NAMED_FILES { ", …" } else { "" };
            format!("Edit {} files ({}): {names}{more}", several.len(), total(several))
        }
    }
}

/// `+5 -2`
pub(super) fn total(changes: &[&RequestedChange]) -> String {
    let sum = |of: fn(&RequestedChange) -> usize| changes.iter().map(|change| of(change)).sum();
    size(sum(|change| change.additions), sum(|change| change.deletions))
}

/// What the user is shown.
fn metadata(changes: &[RequestedChange]) -> EditMetadata {
    let shown = shown(changes);
    let mut room = MAX_DIFF_BYTES;
    if let [only] = shown.as_slice() {
        let file = changed_file(only, &mut room);
        return EditMetadata::File(FileEditMetadata { file, diagnostics: None, tiers: None });
    }
    let named = |change: &&RequestedChange| ChangedFileMetadata {
        path: Some(change.place.display_path.clone()),
        ..changed_file(change, &mut room)
    };
    let files = shown.iter().map(named).collect();
    let sum = |of: fn(&RequestedChange) -> usize| shown.iter().map(|change| of(change) as u64).sum();
    EditMetadata::Files(MultiFileEditMetadata {
        files,
        additions: sum(|change| change.additions),
        deletions: sum(|change| change.deletions),
        diagnostics: None,
        tiers: None,
    })
}

/// `room` is how many bytes are left for diffs. If a diff does not fit, the review still shows it, hunk by hunk.
fn changed_file(change: &RequestedChange, room: &mut usize) -> ChangedFileMetadata {
    let left = room.checked_sub(change.diff.len());
    *room = left.unwrap_or(*room);
    let diff = if left.is_some() { change.diff.clone() } else { String::new() };
    ChangedFileMetadata {
        filepath: change.place.absolute_path.to_string_lossy().into_owned(),
        diff: Some(diff),
        additions: change.additions as u64,
        deletions: change.deletions as u64,
        from: change.from().map(|from| from.absolute_path.to_string_lossy().into_owned()),
        path: None,
    }
}

/// The result of applying changes.
pub(super) struct AppliedChanges {
    metadata: EditMetadata,
    /// The user typed in a file meanwhile: line numbers may differ.
    pub(super) rebased: bool,
    /// Why the editor did not save a file that it should have saved.
    unsaved: Option<String>,
    /// The user decided hunk by hunk.
    pub(super) review: Option<review_outcome::CallReviewOutcome>,
    /// The diagnostics after the change, for the model.
    diagnostics: Option<String>,
    /// What formatters did, for the model.
    formatter_notes: String,
}

/// Adds the diagnostics to the metadata and returns their text for the model.
fn insert_diagnostics(metadata: &mut EditMetadata, told: Option<DiagnosticsSummary>) -> Option<String> {
    let told = told?;
    metadata.set_diagnostics(told.metadata);
    Some(told.output)
}

impl AppliedChanges {
    fn new(mut metadata: EditMetadata, told: Option<DiagnosticsSummary>) -> Self {
        let told = insert_diagnostics(&mut metadata, told);
        Self {
            metadata,
            rebased: false,
            unsaved: None,
            review: None,
            diagnostics: told,
            formatter_notes: String::new(),
        }
    }

    fn with_review(self, reviewed: review_outcome::CallReviewOutcome) -> Self {
        Self { review: Some(reviewed), ..self }
    }

    /// What the model reads after the change itself.
    pub(super) fn notes(&self) -> String {
        let unsaved =
            self.unsaved.as_ref().map(|why| format!("\n(The editor did not save the file: {why}.)"));
        let told = self.diagnostics.as_ref().map(|told| format!("\n\n{told}"));
        [Some(self.formatter_notes.clone()), unsaved, told].into_iter().flatten().collect()
    }

    /// Counts the tiers of the matcher that found the edited places: `"tiers": { "exact": 2, "indentation": 1 }`.
    pub(super) fn tell_tiers(&mut self, names: impl Iterator<Item = &'static str>) {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        names.for_each(|name| *counts.entry(name.to_owned()).or_default() += 1);
        if !counts.is_empty() {
            self.metadata.set_tiers(counts);
        }
    }

    /// What the user is shown.
    pub(super) fn into_metadata(self) -> CallMetadata {
        CallDetail::Edit(self.metadata).into()
    }
}

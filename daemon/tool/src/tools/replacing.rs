//! Texts that are replaced in one file, one after the other and as one change: what `edit` and `multiedit` do.

use copydesk_text::{Change as TextChange, FileText, ReplaceError, Replaced, Tier, replace};
use copydesk_workspace::files::{Content, FileError, Place};
use tokio_util::sync::CancellationToken;

use super::change::Change;
use super::make::make;
use super::target::{self, aside, count, file_failure, look_ask};
use crate::context::Context;
use crate::outcome::{Failure, FailureKind, Output};

/// Of what was not there exactly so much is named.
const MOST_NAMED: usize = 5;

/// One text in the place of another.
#[derive(Debug)]
pub(super) struct Replacement {
    pub(super) old: String,
    pub(super) new: String,
    pub(super) all: bool,
}

/// Makes all of the replacements, or none. An empty old text creates a file that is not there yet. Where they are numbered,
/// what is said names the one it is about.
pub(super) async fn run(
    context: &Context,
    path: &str,
    replacements: Vec<Replacement>,
    is_numbered: bool,
) -> Result<Output, Failure> {
    let place = context.place(path).await?;
    let seen = context.files.seen(&place);
    let creates = replacements.first().is_some_and(|first| first.old.is_empty());
    let content = match target::look(context, &place).await {
        Ok(content) => Some(content),
        Err(FileError::NotFound { .. }) if creates => None,
        Err(error) => return Err(target::failure(context, &place, error).await),
    };
    if content.is_some() && seen.is_none() {
        // What is said about the change, or why there is none, shows some of the file.
        context.ask(look_ask("read", context, &place)).await?;
    }
    let other = content.as_ref().zip(seen).is_some_and(|(content, seen)| content.stamp != seen);
    let is_open = content.as_ref().is_some_and(|content| content.is_open);
    // A person who types in it is no reason to refuse: the text to replace still has to be there.
    if other && !is_open {
        return Err(file_failure(&FileError::Changed { shown: place.shown }));
    }
    let (at, cancel) = (place.clone(), context.cancel.clone());
    let work = move || Work { place: at, replacements, is_numbered, cancel }.change(content);
    let (change, found) = aside(work).await?;
    let mut title = format!("{} ({})", change.did(), change.size());
    let mut output = match change.places.as_str() {
        "" => format!("{title}. It is empty now."),
        places => format!("{title}. The changed places now read:\n{places}"),
    };
    let did = change.did();
    let mut made = make(context, vec![change]).await?;
    made.tell_tiers(found.iter().map(|tier| tier.name()));
    if let Some(reviewed) = &made.reviewed {
        if !reviewed.is_whole {
            title = format!("{did}, in part");
        }
        output.clone_from(&reviewed.told);
    }
    output.push_str(&overlooked(&found, is_numbered));
    if other || made.rebased {
        output.push_str(
            "\n(The person has changed this file in the editor since you read it; what they wrote is kept.)",
        );
    }
    let notes = made.notes();
    if !notes.is_empty() {
        output.truncate(output.trim_end_matches('\n').len());
    }
    output.push_str(&notes);
    Ok(Output { title, output, metadata: made.metadata, ..Output::default() })
}

/// What is computed aside.
struct Work {
    place: Place,
    replacements: Vec<Replacement>,
    is_numbered: bool,
    cancel: CancellationToken,
}

impl Work {
    /// The change, and how each text was found that is replaced in the file as it was.
    fn change(self, content: Option<Content>) -> Result<(Change, Vec<Tier>), Failure> {
        let Some(content) = content else {
            let (text, found) = self.created()?;
            return Ok((Change::create(&self.place, text), found));
        };
        let file = FileText::decode(content.bytes)
            .map_err(|why| Failure::target(format!("`{}` cannot be edited: {why}.", self.place.shown)))?;
        let (change, found) = match self.replacements.as_slice() {
            [only] => {
                let Replaced { change, tier } = self.replace(file.text(), 0, only)?;
                (change, vec![tier])
            }
            _ => {
                let (text, found) = self.replace_from(0, file.text().to_owned())?;
                (TextChange::between(file.text(), &text), found)
            }
        };
        if change.is_empty() {
            let message = "Nothing to change: what the edits do, later ones undo.";
            return Err(Failure::new(FailureKind::Arguments, message));
        }
        Ok((Change::edit(&self.place, file, content.stamp, change)?, found))
    }

    /// The text of a new file: that of the first, in which the others are made.
    fn created(&self) -> Result<(String, Vec<Tier>), Failure> {
        let text = self.replacements.first().map(|first| first.new.clone()).unwrap_or_default();
        let (text, found) = self.replace_from(1, text)?;
        if text.is_empty() {
            let message = format!(
                "`{}` does not exist, and nothing would be in it: there is nothing to do.",
                self.place.shown
            );
            return Err(Failure::new(FailureKind::Arguments, message));
        }
        Ok((text, found))
    }

    /// Each in the text as those before it have left it.
    fn replace_from(&self, first: usize, mut text: String) -> Result<(String, Vec<Tier>), Failure> {
        let mut found = Vec::new();
        for (index, wanted) in self.replacements.iter().enumerate().skip(first) {
            if self.cancel.is_cancelled() {
                return Err(Failure::cancelled());
            }
            let Replaced { change, tier } = self.replace(&text, index, wanted)?;
            text = change.apply(&text).map_err(|stale| Failure::failed(stale.to_string()))?;
            found.push(tier);
        }
        Ok((text, found))
    }

    fn replace(&self, text: &str, index: usize, wanted: &Replacement) -> Result<Replaced, Failure> {
        let refused = |error: ReplaceError| {
            let kind = match error {
                ReplaceError::Identical | ReplaceError::BlankOld => FailureKind::Arguments,
                ReplaceError::Already { .. }
                | ReplaceError::NotFound { .. }
                | ReplaceError::Several { .. } => FailureKind::Target,
            };
            Failure::new(kind, format!("{}{error}", self.number(index)))
        };
        replace(text, &wanted.old, &wanted.new, wanted.all).map_err(refused)
    }

    /// `Edit 2 of 3, and with it all of them, was not made. `
    fn number(&self, index: usize) -> String {
        if !self.is_numbered {
            return String::new();
        }
        let lines = match index {
            0 => "",
            _ => " (lines are counted as the edits before it would leave them)",
        };
        let all = self.replacements.len();
        format!("Edit {} of {all} cannot be made, so none was{lines}. ", index + 1)
    }
}

/// What was not there exactly.
fn overlooked(found: &[Tier], is_numbered: bool) -> String {
    let lenient = found.iter().enumerate().filter_map(|(index, tier)| Some((index, tier.leniency()?)));
    let lenient: Vec<_> = lenient.collect();
    let mut told = String::new();
    for (index, leniency) in lenient.iter().take(MOST_NAMED) {
        let of = if is_numbered { format!(" of edit {}", index + 1) } else { String::new() };
        told.push_str(&format!(
            "\n(The old text{of} was not there exactly: {leniency} was overlooked. Check that this is the place you meant.)"
        ));
    }
    if let Some(more @ 1..) = lenient.len().checked_sub(MOST_NAMED) {
        told.push_str(&format!("\n(So it was with {} more.)", count(more, "edit")));
    }
    told
}

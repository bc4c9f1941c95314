//! Replaces a text in a file by another: where it stands exactly, or in the one place where that is as good as certain.

use std::borrow::Cow;

use copydesk_text::{FileText, ReplaceError, Tier, replace};
use copydesk_workspace::files::{Content, FileError, Place};
use schemars::JsonSchema;
use serde::Deserialize;

use super::change::Change;
use super::target::{self, aside, file_failure, look_ask};
use crate::context::Context;
use crate::outcome::{Failure, FailureKind, Output};
use crate::tool::{Tool, Touches};

#[derive(Debug)]
pub(super) struct Edit;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Parameters {
    /// The file: relative to the workspace, or absolute.
    file_path: String,
    /// The text to replace, exactly as it is in the file, without line numbers. Empty to create a new file.
    old_string: String,
    /// The text to put in its place.
    new_string: String,
    /// Replace every occurrence instead of the only one. Default false.
    replace_all: Option<bool>,
}

impl Tool for Edit {
    type Parameters = Parameters;

    fn name(&self) -> Cow<'static, str> {
        "edit".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("edit.md").into()
    }

    fn touches(&self, parameters: &Parameters, context: &Context) -> Touches {
        target::touches(&parameters.file_path, context)
    }

    async fn run(&self, parameters: Parameters, context: Context) -> Result<Output, Failure> {
        let place = context.place(&parameters.file_path).await?;
        let seen = context.files.seen(&place);
        let content = match target::look(&context, &place).await {
            Ok(content) => Some(content),
            Err(FileError::NotFound { .. }) if parameters.old_string.is_empty() => None,
            Err(error) => return Err(target::failure(&context, &place, error).await),
        };
        if content.is_some() && seen.is_none() {
            // What is said about the change, or why there is none, shows some of the file.
            context.ask(look_ask("read", &context, &place)).await?;
        }
        let other = content.as_ref().zip(seen).is_some_and(|(content, seen)| content.stamp != seen);
        let is_open = content.as_ref().is_some_and(|content| content.is_open);
        // A person who types in it is no reason to refuse: the text to replace still has to be there.
        if other && !is_open {
            return Err(file_failure(&FileError::Changed { shown: place.shown }));
        }
        let (at, created) = (place.clone(), content.is_none());
        let (change, tier) = aside(move || match content {
            Some(content) => changed(&at, content, &parameters),
            None => Ok((created_change(&at, &parameters)?, None)),
        })
        .await?;
        let did = if created { "Created" } else { "Edited" };
        let mut title = format!("{did} {} ({})", place.shown, change.size());
        let mut output = match change.places.as_str() {
            "" => format!("{title}. It is empty now."),
            places => format!("{title}. The changed places now read:\n{places}"),
        };
        let mut made = change.make(&context, &place).await?;
        if let Some((metadata, tier)) = made.metadata.as_object_mut().zip(tier) {
            metadata.insert("tier".to_owned(), tier.name().into());
        }
        if let Some(reviewed) = &made.reviewed {
            if !reviewed.is_whole {
                title = format!("{did} {}, in part", place.shown);
            }
            output.clone_from(&reviewed.told);
        }
        if let Some(leniency) = tier.and_then(Tier::leniency) {
            output.push_str(&format!(
                "\n(The old text was not there exactly: {leniency} was overlooked. Check that this is the place you meant.)"
            ));
        }
        if other || made.rebased {
            output.push_str("\n(The person has changed this file in the editor since you read it; what they wrote is kept.)");
        }
        output.push_str(&made.notes());
        Ok(Output { title, output, metadata: made.metadata, ..Output::default() })
    }
}

fn changed(
    place: &Place,
    content: Content,
    parameters: &Parameters,
) -> Result<(Change, Option<Tier>), Failure> {
    let Parameters { old_string, new_string, replace_all, .. } = parameters;
    let file = FileText::decode(content.bytes)
        .map_err(|why| Failure::target(format!("`{}` cannot be edited: {why}.", place.shown)))?;
    let refused = |error: ReplaceError| {
        let kind = match error {
            ReplaceError::Identical | ReplaceError::BlankOld => FailureKind::Arguments,
            ReplaceError::Already { .. } | ReplaceError::NotFound { .. } | ReplaceError::Several { .. } => {
                FailureKind::Target
            }
        };
        Failure::new(kind, error.to_string())
    };
    let replaced =
        replace(file.text(), old_string, new_string, replace_all.unwrap_or(false)).map_err(refused)?;
    Ok((Change::edit(place, file, content.stamp, replaced.change)?, Some(replaced.tier)))
}

fn created_change(place: &Place, parameters: &Parameters) -> Result<Change, Failure> {
    let text = &parameters.new_string;
    if text.is_empty() {
        let message =
            format!("`{}` does not exist, and both texts are empty: there is nothing to do.", place.shown);
        return Err(Failure::new(FailureKind::Arguments, message));
    }
    Ok(Change::create(place, text.clone()))
}

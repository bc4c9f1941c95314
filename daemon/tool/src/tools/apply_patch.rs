//! Adds, updates, deletes and moves files by a patch in the format of the GPT models: all of it, or nothing.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use copydesk_text::patch::parse;
use schemars::JsonSchema;
use serde::Deserialize;

use super::apply_changes::apply_changes;
use super::change_summary::ChangeSummary;
use super::patch_files::{LoadedPatch, PatchChanges};
use super::target_file::{run_blocking, similar_file_hint};
use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolOutput};
use crate::tool::{Tool, TouchedFiles};

/// The cap on files that notes name.
const MAX_NAMED_FILES: usize = 5;

#[derive(Debug)]
pub(super) struct ApplyPatchTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ApplyPatchParameters {
    /// The whole patch, from `*** Begin Patch` to `*** End Patch`.
    #[serde(alias = "input", alias = "patch", alias = "patch_text")]
    patch_text: String,
}

impl Tool for ApplyPatchTool {
    type Parameters = ApplyPatchParameters;

    fn name(&self) -> Cow<'static, str> {
        "apply_patch".into()
    }

    fn permission_key(&self) -> Cow<'static, str> {
        "edit".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("apply_patch.md").into()
    }

    fn touched_files(&self, parameters: &ApplyPatchParameters, context: &ToolContext) -> TouchedFiles {
        // A patch that does not parse touches nothing: the call will fail with the reason.
        let Ok(patch) = parse(&parameters.patch_text) else { return TouchedFiles::Nothing };
        let real = |path: &str| context.files.resolve(path).real_path().to_owned();
        let files: HashSet<PathBuf> = patch.paths().map(real).collect();
        TouchedFiles::Files(files.into_iter().collect())
    }

    async fn run(
        &self,
        parameters: ApplyPatchParameters,
        context: ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let patched = Arc::new(LoadedPatch::find(&context, parameters.patch_text).await?);
        let at = Arc::clone(&patched);
        let PatchChanges { changes, tiers } = match run_blocking(move || at.plan_changes()).await {
            Ok(tried) => tried,
            Err(failure) => return Err(explain_missing_files(&context, &patched, failure).await),
        };
        let summary = ChangeSummary::new(&changes, "Patched");
        let mut made = apply_changes(&context, changes).await?;
        made.tell_tiers(tiers.iter().map(|(_, tier)| tier.name()));
        let mut remarks = String::new();
        let lenient = tiers.iter().filter_map(|(shown, tier)| Some((shown, tier.leniency()?)));
        for (shown, leniency) in lenient.take(MAX_NAMED_FILES) {
            remarks.push_str(&format!(
                "\n(Lines of the patch were not in `{shown}` exactly: {leniency} was overlooked. Check the places.)"
            ));
        }
        let typed_in = patched.user_edited().take(MAX_NAMED_FILES).collect::<Vec<_>>().join("`, `");
        if made.rebased || !typed_in.is_empty() {
            let files = if typed_in.is_empty() { String::new() } else { format!(": `{typed_in}`") };
            remarks.push_str(&format!(
                "\n(The user has changed files in the editor since you read them{files}; what they wrote is kept.)"
            ));
        }
        Ok(summary.finish(made, &remarks))
    }
}

/// For missing files, the names that the model may have meant.
async fn explain_missing_files(
    context: &ToolContext,
    patched: &LoadedPatch,
    failure: ToolError,
) -> ToolError {
    let mut message = failure.message;
    for place in patched.missing().take(MAX_NAMED_FILES) {
        if let Some(hint) = similar_file_hint(context, place).await {
            message.push_str(&format!("\n`{}` does not exist. {hint}", place.display_path));
        }
    }
    ToolError { message, ..failure }
}

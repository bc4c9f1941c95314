//! What the edits of servers have in common: a server that is ready, and the files after its edit.

use std::path::Path;
use std::sync::Arc;

use copydesk_servers::{CodeQuery, CodeQueryError, ServerLease, ServerWorkspaceEdit};
use tokio::time::Instant;

use super::{Navigator, run_blocking};
use crate::answer::NavigationError;
use crate::code_edit_plan::{CodeEditPlan, CodeEditPlanner, TextsThen};
use crate::time_limits::EDIT_READY_TIMEOUT;

impl Navigator {
    /// A server that can do this and has read the project: an edit by one that has not would be made in part. `instead` says what to do if
    /// there is none.
    pub(super) async fn lease_for_edit(
        &self,
        path: &Path,
        query: CodeQuery,
        instead: &str,
    ) -> Result<ServerLease, NavigationError> {
        let leased = self.lease(path, query, Instant::now() + EDIT_READY_TIMEOUT).await;
        let shown = self.names.shown(path);
        match leased.leases.into_iter().next() {
            Some(lease) => require_ready(&lease).map(|()| lease),
            None if leased.unavailable.is_empty() => Err(NavigationError::new(format!(
                "No language server serves {shown}. Nothing was changed; {instead}."
            ))),
            None => {
                let reasons: Vec<_> =
                    leased.unavailable.iter().map(|(name, why)| format!("{name}: {why}.")).collect();
                Err(NavigationError::new(format!("{} Nothing was changed; {instead}.", reasons.join(" "))))
            }
        }
    }

    /// Works out what a server wants to be changed.
    pub(super) async fn plan_server_edit(
        &self,
        edit: ServerWorkspaceEdit,
        lease: &ServerLease,
        then: TextsThen,
    ) -> Result<CodeEditPlan, NavigationError> {
        let (names, server) = (self.names.clone(), Arc::clone(&lease.server));
        let asks = |label: &String| format!("{} wants this to be confirmed: {label}", lease.server.name());
        let notes = edit.confirmations.iter().map(asks).collect();
        let files =
            run_blocking(move || CodeEditPlanner::new(&names, &then, Some(&server)).plan(&edit)).await??;
        Ok(CodeEditPlan { files, server: Some(lease.server.name().to_owned()), notes })
    }
}

pub(super) fn require_ready(lease: &ServerLease) -> Result<(), NavigationError> {
    let name = lease.server.name();
    match &lease.not_ready {
        Some(why) => Err(NavigationError::new(format!(
            "{name}: {why}. Nothing was changed, because it might miss places; make the call again."
        ))),
        None => Ok(()),
    }
}

pub(super) fn server_refuses(lease: &ServerLease, error: &CodeQueryError) -> NavigationError {
    // Some write several lines, and a code that says nothing.
    let error = error.to_string();
    let error = error.trim_end_matches(" (0)").split_whitespace().collect::<Vec<_>>().join(" ");
    NavigationError::new(format!("{} gave no edit: {error}. Nothing was changed.", lease.server.name()))
}

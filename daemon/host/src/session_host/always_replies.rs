//! What the user always allows in a project: that of the project, and that of the sessions that the host has open there.

use std::path::Path;
use std::sync::Arc;

use copydesk_permission::RememberedPattern;
use copydesk_protocol::permission::{
    AlwaysScopeInfo, KeptReplyInfo, PermissionListResult, PermissionRevokeParams,
};

use super::{HostedSession, SessionHost, SessionHostError};
use crate::project_replies;
use crate::trust::{folder_trust, trusted_root};

impl SessionHost {
    /// The replies of the project that contains `folder`, and of its open sessions.
    pub async fn list_replies(&self, folder: &Path) -> Result<PermissionListResult, SessionHostError> {
        let setup = self.setup(folder);
        let root = trusted_root(&setup);
        let mut replies = project_replies::list(&setup).map_err(failed)?;
        for hosted in self.sessions_in(&root) {
            replies.extend(hosted.replies().await);
        }
        let (project, trusted) = (root.display().to_string(), folder_trust(&setup).is_trusted());
        Ok(PermissionListResult { project, trusted, replies })
    }

    /// Takes back the replies that `params` names, of the project that contains `folder` and of its open sessions.
    pub async fn revoke_replies(
        &self,
        folder: &Path,
        params: &PermissionRevokeParams,
    ) -> Result<Vec<KeptReplyInfo>, SessionHostError> {
        let setup = self.setup(folder);
        let mut revoked = project_replies::revoke(&setup, params).map_err(failed)?;
        self.refresh_project_replies(&trusted_root(&setup)).await;
        for hosted in self.sessions_in(&trusted_root(&setup)) {
            let is_named = |reply: &KeptReplyInfo| project_replies::is_named(params, reply);
            let named: Vec<_> = hosted.replies().await.into_iter().filter(is_named).collect();
            hosted.forget_replies(&named).await;
            revoked.extend(named);
        }
        Ok(revoked)
    }

    /// The open sessions of a project read again what the user always allows there.
    pub(super) async fn refresh_project_replies(&self, root: &Path) {
        for hosted in self.sessions_in(root) {
            if let Some(handle) = hosted.session_handle().await {
                handle.refresh_project_replies().await;
            }
        }
    }

    fn sessions_in(&self, root: &Path) -> Vec<Arc<HostedSession>> {
        let all: Vec<_> = self.lock().values().cloned().collect();
        let is_inside =
            |hosted: &Arc<HostedSession>| trusted_root(&self.setup(&hosted.session().folder)) == root;
        all.into_iter().filter(is_inside).collect()
    }
}

impl HostedSession {
    /// A session without a runtime remembers none.
    async fn replies(&self) -> Vec<KeptReplyInfo> {
        let Some(handle) = self.session_handle().await else { return Vec::new() };
        let describe = |RememberedPattern { key, pattern }| KeptReplyInfo {
            key,
            pattern,
            scope: AlwaysScopeInfo::Session,
            session: Some(self.id().to_string()),
            since: None,
        };
        handle.replies().await.into_iter().map(describe).collect()
    }

    async fn forget_replies(&self, named: &[KeptReplyInfo]) {
        if let (false, Some(handle)) = (named.is_empty(), self.session_handle().await) {
            let replies = named.iter().map(|reply| RememberedPattern::new(&*reply.key, &*reply.pattern));
            handle.forget_replies(replies.collect()).await;
        }
    }
}

fn failed(error: copydesk_config::state_file::StateFileError) -> SessionHostError {
    SessionHostError::Failed(error.to_string())
}

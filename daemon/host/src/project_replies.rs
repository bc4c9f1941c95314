//! What the user always allows in a project, for every session in it: stored by `config`, and counted only while the user trusts
//! the project.

use std::path::Path;

use copydesk_config::kept_replies::{KeptReplies, KeptReply};
use copydesk_config::state_file::StateFileError;
use copydesk_permission::RememberedPattern;
use copydesk_protocol::permission::{AlwaysScopeInfo, KeptReplyInfo, PermissionRevokeParams};
use copydesk_session::now;

use crate::setup::UserSetup;
use crate::trust::{contains_home, folder_trust, trusted_root};

/// Whether a reply may be kept for the setup's project. One that contains the home is no project: its replies would count for
/// downloads and more.
pub(crate) fn may_keep(setup: &UserSetup) -> bool {
    folder_trust(setup).is_trusted() && !contains_home(setup, &trusted_root(setup))
}

/// The replies that count now in the setup's project: none in one that the user does not trust.
pub(crate) fn active_replies(setup: &UserSetup) -> Result<Vec<RememberedPattern>, StateFileError> {
    if !may_keep(setup) {
        return Ok(Vec::new());
    }
    let kept = KeptReplies::load(&setup.paths.state_dir)?;
    let replies = kept.of_project(&trusted_root(setup)).iter();
    Ok(replies.map(|reply| RememberedPattern::new(&*reply.key, &*reply.pattern)).collect())
}

/// Keeps what the user always allows from now on.
pub(crate) fn keep(setup: &UserSetup, key: &str, patterns: &[String]) -> Result<(), StateFileError> {
    let since = now();
    let reply = |pattern: &String| KeptReply { key: key.to_owned(), pattern: pattern.clone(), since };
    let replies: Vec<_> = patterns.iter().map(reply).collect();
    KeptReplies::add(&setup.paths.state_dir, &trusted_root(setup), &replies)
}

/// All that is kept for the setup's project, whether it counts or not.
pub fn list(setup: &UserSetup) -> Result<Vec<KeptReplyInfo>, StateFileError> {
    let kept = KeptReplies::load(&setup.paths.state_dir)?;
    Ok(kept.of_project(&trusted_root(setup)).iter().map(describe).collect())
}

/// Takes back the replies that `params` names, and returns them.
pub fn revoke(
    setup: &UserSetup,
    params: &PermissionRevokeParams,
) -> Result<Vec<KeptReplyInfo>, StateFileError> {
    let root: &Path = &trusted_root(setup);
    let is_meant = |reply: &KeptReply| is_named(params, &describe(reply));
    let revoked = KeptReplies::revoke(&setup.paths.state_dir, root, is_meant)?;
    Ok(revoked.iter().map(describe).collect())
}

/// Whether a request to revoke names this reply.
pub(crate) fn is_named(params: &PermissionRevokeParams, reply: &KeptReplyInfo) -> bool {
    let PermissionRevokeParams { folder: _, pattern, key, scope, session } = params;
    let is_session =
        session.is_none() || reply.scope != AlwaysScopeInfo::Session || *session == reply.session;
    pattern.as_ref().is_none_or(|pattern| *pattern == reply.pattern)
        && key.as_ref().is_none_or(|key| *key == reply.key)
        && scope.is_none_or(|scope| scope == reply.scope)
        && is_session
}

fn describe(reply: &KeptReply) -> KeptReplyInfo {
    let KeptReply { key, pattern, since } = reply.clone();
    KeptReplyInfo { key, pattern, scope: AlwaysScopeInfo::Project, session: None, since: Some(since) }
}

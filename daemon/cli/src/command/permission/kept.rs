//! What the user always allows: listed and taken back, by the daemon if one runs, because it knows the sessions.

use std::process::ExitCode;

use copydesk_host::project_replies;
use copydesk_host::setup::UserSetup;
use copydesk_host::trust::{folder_trust, trusted_root};
use copydesk_protocol::permission::{
    AlwaysScopeInfo, KeptReplyInfo, PermissionListParams, PermissionListResult, PermissionRevokeParams,
};
use copydesk_protocol::table::{PermissionList, PermissionRevoke};

use crate::command::connect_daemon::{connect_daemon, with_timeout};
use crate::terminal::{self, BOLD, DIM, date_of, one_line, print, styled};

pub(super) fn list(setup: &UserSetup, json: bool) -> anyhow::Result<()> {
    let folder = Some(setup.cwd.to_string_lossy().into_owned());
    let asked = runtime()?.block_on(async {
        let Some((client, _inbox)) = connect_daemon().await else { return anyhow::Ok(None) };
        let params = PermissionListParams { folder };
        Ok(Some(with_timeout(client.request::<PermissionList>(&params)).await?))
    })?;
    let listed = match asked {
        Some(listed) => listed,
        None => PermissionListResult {
            project: trusted_root(setup).display().to_string(),
            trusted: folder_trust(setup).is_trusted(),
            replies: project_replies::list(setup)?,
        },
    };
    if json { terminal::print_json(&listed) } else { show(&listed) }
}

/// The exit code is 1 if there was nothing to take back.
pub(super) fn revoke(
    setup: &UserSetup,
    pattern: Option<String>,
    key: Option<String>,
) -> anyhow::Result<ExitCode> {
    let folder = Some(setup.cwd.to_string_lossy().into_owned());
    let params =
        PermissionRevokeParams { folder, pattern: pattern.clone(), key, ..PermissionRevokeParams::default() };
    let asked = runtime()?.block_on(async {
        let Some((client, _inbox)) = connect_daemon().await else { return anyhow::Ok(None) };
        Ok(Some(with_timeout(client.request::<PermissionRevoke>(&params)).await?.revoked))
    })?;
    let revoked = match asked {
        Some(revoked) => revoked,
        None => project_replies::revoke(setup, &params)?,
    };
    for reply in &revoked {
        print(format!("No longer allowed: {}{}", described(reply), styled(DIM, place(reply))))?;
    }
    if !revoked.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let what = pattern.map(|pattern| format!(" `{}`", one_line(&pattern))).unwrap_or_default();
    print(format!("There is no such reply{what} here; `copydesk permission list` shows what there is."))?;
    Ok(ExitCode::FAILURE)
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

fn show(listed: &PermissionListResult) -> anyhow::Result<()> {
    let PermissionListResult { project, trusted, replies } = listed;
    let project = one_line(project);
    if replies.is_empty() {
        return Ok(print(format!("Nothing is always allowed in {project}."))?);
    }
    print(styled(BOLD, format!("Always allowed in {project}")))?;
    let is_project = |reply: &&KeptReplyInfo| reply.scope == AlwaysScopeInfo::Project;
    if !trusted && replies.iter().any(|reply| is_project(&reply)) {
        print("  You do not trust this folder, so what is allowed for the project does not count.")?;
    }
    let width = replies.iter().map(|reply| described(reply).chars().count()).max().unwrap_or_default();
    for reply in replies {
        print(format!("  {:width$}{}", described(reply), styled(DIM, place(reply))))?;
    }
    Ok(())
}

fn described(reply: &KeptReplyInfo) -> String {
    format!("{} {}", one_line(&reply.key), one_line(&reply.pattern))
}

/// Where it counts, and since when.
fn place(reply: &KeptReplyInfo) -> String {
    match (&reply.session, reply.since) {
        (Some(session), _) => format!("  in the session {}", one_line(session)),
        (None, Some(since)) => format!("  in every session, since {}", date_of(since)),
        (None, None) => "  in every session".to_owned(),
    }
}

//! Shows the start and indexing of the daemon's own language servers as progress in editors that work in their project.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{OnceLock, Weak};

use copydesk_servers::pool::{ServerPhase, ServerPool, ServerStatus};
use copydesk_workspace::buffers::ClientId;
use tokio::sync::watch;

use crate::editors::{AttachedEditors, ProgressUpdate};
use crate::time_limits::{PROGRESS_INTERVAL, PROGRESS_TIMEOUT};

/// The progress that each client shows, by token.
type ShownProgress = BTreeMap<(ClientId, String), ServerProgress>;

#[derive(Debug, Clone, PartialEq, Eq)]
struct ServerProgress {
    root: PathBuf,
    title: String,
    message: Option<String>,
    percent: Option<u32>,
}

/// Runs until the pool is dropped.
pub(super) async fn show(
    pool: Weak<OnceLock<ServerPool>>,
    mut updates: watch::Receiver<u64>,
    editors: AttachedEditors,
) {
    let mut shown = ShownProgress::new();
    while updates.changed().await.is_ok() {
        let Some(servers) = pool.upgrade().and_then(|pool| Some(pool.get()?.status())) else { return };
        let busy: BTreeMap<_, _> = servers.iter().filter_map(progress).collect();
        shown = update_editors(shown, &busy, &editors).await;
        tokio::time::sleep(PROGRESS_INTERVAL).await;
    }
}

async fn update_editors(
    mut before: ShownProgress,
    busy: &BTreeMap<String, ServerProgress>,
    editors: &AttachedEditors,
) -> ShownProgress {
    let mut now = ShownProgress::new();
    for (client, editor) in editors.all() {
        let send = async |token: &str, work| {
            let _ = tokio::time::timeout(PROGRESS_TIMEOUT, editor.report_progress(token, work)).await;
        };
        for (token, progress) in busy {
            if !editors.near_folder(&progress.root).iter().any(|(near, _)| *near == client) {
                continue;
            }
            let key = (client, token.clone());
            let last = before.remove(&key);
            let (message, percent) = (progress.message.as_deref(), progress.percent);
            if last.is_none() {
                send(token, ProgressUpdate::Begin { title: &progress.title, message, percent }).await;
            } else if last.as_ref() != Some(progress) {
                send(token, ProgressUpdate::Report { message, percent }).await;
            }
            now.insert(key, progress.clone());
        }
        for ((_, token), _) in before.iter().filter(|((owner, _), _)| *owner == client) {
            send(token, ProgressUpdate::End).await;
        }
    }
    now
}

/// The progress of a busy server, with its token.
fn progress(server: &ServerStatus) -> Option<(String, ServerProgress)> {
    let (what, message, percent) = match &server.phase {
        ServerPhase::Starting => ("starts", None, None),
        ServerPhase::Indexing { message, percent } => ("reads the project", message.clone(), *percent),
        _ => return None,
    };
    let token = format!("copydesk/{}/{}", server.name, server.root.display());
    let (root, title) = (server.root.clone(), format!("{} {what}", server.name));
    Some((token, ServerProgress { root, title, message, percent }))
}

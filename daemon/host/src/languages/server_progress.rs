//! What the desk's own language servers are busy with until they can be asked, as the progress that editors show which work in that
//! project.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{OnceLock, Weak};

use copydesk_servers::pool::{ServerPhase, ServerPool, ServerStatus};
use copydesk_workspace::buffers::ClientId;
use tokio::sync::watch;

use crate::editors::{AttachedEditors, ProgressUpdate};
use crate::time_limits::{PROGRESS_INTERVAL, PROGRESS_TIMEOUT};

/// Which work is shown where.
type ShownProgress = BTreeMap<(ClientId, String), ServerProgress>;

#[derive(Debug, Clone, PartialEq, Eq)]
struct ServerProgress {
    root: PathBuf,
    title: String,
    message: Option<String>,
    percent: Option<u32>,
}

/// Until there is no pool any more.
pub(super) async fn show(
    pool: Weak<OnceLock<ServerPool>>,
    mut news: watch::Receiver<u64>,
    editors: AttachedEditors,
) {
    let mut shown = ShownProgress::new();
    while news.changed().await.is_ok() {
        let Some(running) = pool.upgrade().and_then(|pool| Some(pool.get()?.status())) else { return };
        let busy: BTreeMap<_, _> = running.iter().filter_map(doing).collect();
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
        let tell = async |token: &str, work| {
            let _ = tokio::time::timeout(PROGRESS_TIMEOUT, editor.report_progress(token, work)).await;
        };
        for (token, doing) in busy {
            if !editors.near_folder(&doing.root).iter().any(|(at, _)| *at == client) {
                continue;
            }
            let key = (client, token.clone());
            let last = before.remove(&key);
            let (message, percent) = (doing.message.as_deref(), doing.percent);
            if last.is_none() {
                tell(token, ProgressUpdate::Begin { title: &doing.title, message, percent }).await;
            } else if last.as_ref() != Some(doing) {
                tell(token, ProgressUpdate::Report { message, percent }).await;
            }
            now.insert(key, doing.clone());
        }
        for ((_, token), _) in before.iter().filter(|((of, _), _)| *of == client) {
            tell(token, ProgressUpdate::End).await;
        }
    }
    now
}

/// With the name by which it is told.
fn doing(server: &ServerStatus) -> Option<(String, ServerProgress)> {
    let (what, message, percent) = match &server.phase {
        ServerPhase::Starting => ("starts", None, None),
        ServerPhase::Indexing { message, percent } => ("reads the project", message.clone(), *percent),
        _ => return None,
    };
    let token = format!("copydesk/{}/{}", server.name, server.root.display());
    let (root, title) = (server.root.clone(), format!("{} {what}", server.name));
    Some((token, ServerProgress { root, title, message, percent }))
}

//! What the desk's own language servers are busy with until they can be asked, as the progress that editors show which work in that
//! project.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{OnceLock, Weak};
use std::time::Duration;

use copydesk_servers::pool::{Phase, Pool, Running};
use copydesk_workspace::buffers::ClientId;
use tokio::sync::watch;

use crate::editors::{Editors, Work};

/// How often editors are told, at most.
const PAUSE: Duration = Duration::from_millis(250);

/// How long an editor is waited for that is told.
const PATIENCE: Duration = Duration::from_secs(1);

/// Which work is shown where.
type Shown = BTreeMap<(ClientId, String), Doing>;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Doing {
    root: PathBuf,
    title: String,
    message: Option<String>,
    percent: Option<u32>,
}

/// Until there is no pool any more.
pub(super) async fn show(pool: Weak<OnceLock<Pool>>, mut news: watch::Receiver<u64>, editors: Editors) {
    let mut shown = Shown::new();
    while news.changed().await.is_ok() {
        let Some(running) = pool.upgrade().and_then(|pool| Some(pool.get()?.status())) else { return };
        let busy: BTreeMap<_, _> = running.iter().filter_map(doing).collect();
        shown = told(shown, &busy, &editors).await;
        tokio::time::sleep(PAUSE).await;
    }
}

async fn told(mut before: Shown, busy: &BTreeMap<String, Doing>, editors: &Editors) -> Shown {
    let mut now = Shown::new();
    for (client, editor) in editors.all() {
        let tell = async |token: &str, work| {
            let _ = tokio::time::timeout(PATIENCE, editor.work(token, work)).await;
        };
        for (token, doing) in busy {
            if !editors.at(&doing.root).iter().any(|(at, _)| *at == client) {
                continue;
            }
            let key = (client, token.clone());
            let last = before.remove(&key);
            let (message, percent) = (doing.message.as_deref(), doing.percent);
            if last.is_none() {
                tell(token, Work::Begins { title: &doing.title, message, percent }).await;
            } else if last.as_ref() != Some(doing) {
                tell(token, Work::GoesOn { message, percent }).await;
            }
            now.insert(key, doing.clone());
        }
        for ((_, token), _) in before.iter().filter(|((of, _), _)| *of == client) {
            tell(token, Work::Ends).await;
        }
    }
    now
}

/// With the name by which it is told.
fn doing(server: &Running) -> Option<(String, Doing)> {
    let (what, message, percent) = match &server.phase {
        Phase::Starting => ("starts", None, None),
        Phase::Indexing { message, percent } => ("reads the project", message.clone(), *percent),
        _ => return None,
    };
    let token = format!("copydesk/{}/{}", server.name, server.root.display());
    let (root, title) = (server.root.clone(), format!("{} {what}", server.name));
    Some((token, Doing { root, title, message, percent }))
}

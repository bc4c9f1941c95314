//! What the system prompts of one session consist of: its surroundings, its instructions, and those that are still on their way
//! over the network.
//!
//! Invariant: building a session never waits for the network. The session waits, before its first request, and can be cancelled.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use copydesk_session::system_prompt::PromptEnvironment;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use crate::instructions::{ConfiguredInstructions, FetchedInstructions};

pub(super) struct PromptSource {
    /// With the instructions of the project's own files alone.
    environment: PromptEnvironment,
    /// The instructions of the configuration that are files.
    configured: Vec<(PathBuf, String)>,
    fetch: Option<InstructionFetchTask>,
}

struct InstructionFetchTask {
    /// None until the network has answered, or has not in time.
    fetched: watch::Receiver<Option<Arc<FetchedInstructions>>>,
    was_delivered: AtomicBool,
    _task: AbortOnDropHandle<()>,
}

impl PromptSource {
    pub(super) fn new(environment: PromptEnvironment, configured: ConfiguredInstructions) -> Self {
        let texts = configured.texts();
        let fetch = (!configured.is_complete()).then(|| {
            let (done, fetched) = watch::channel(None);
            let task = tokio::spawn(async move {
                done.send_replace(Some(Arc::new(configured.fetch().await)));
            });
            let was_delivered = AtomicBool::new(false);
            InstructionFetchTask { fetched, was_delivered, _task: AbortOnDropHandle::new(task) }
        });
        Self { environment, configured: texts, fetch }
    }

    /// The surroundings with every instruction that is there by now.
    pub(super) fn environment(&self) -> PromptEnvironment {
        let fetched = self.fetch.as_ref().and_then(|fetch| fetch.fetched.borrow().clone());
        let configured = fetched.as_ref().map_or(&self.configured, |fetched| &fetched.texts);
        let mut environment = self.environment.clone();
        for (path, text) in configured {
            if !environment.instructions.iter().any(|(known, _)| known == path) {
                environment.instructions.push((path.clone(), text.clone()));
            }
        }
        environment
    }

    /// Waits for the network, the first time. The warnings that came of it; `None` where nothing was to be waited for.
    pub(super) async fn complete(&self) -> Option<Vec<String>> {
        let fetch = self.fetch.as_ref().filter(|fetch| !fetch.was_delivered.load(Ordering::Relaxed))?;
        let mut fetched = fetch.fetched.clone();
        let warnings = fetched.wait_for(Option::is_some).await.ok()?.as_ref()?.warnings.clone();
        fetch.was_delivered.store(true, Ordering::Relaxed);
        Some(warnings)
    }
}

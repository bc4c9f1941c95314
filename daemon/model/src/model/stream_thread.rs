//! The thread that reads the models' responses, one for the process.
//!
//! A response arrives in thousands of pieces, and each goes from the task of its connection to the task of its request. On one thread that
//! is a function call; between the threads of the usual runtime it is a wake-up of the other, which takes more than twice the processor
//! time of all the rest. What comes out is joined, so that the sessions are woken seldom. The thread ends with the process.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle};

static STREAM_THREAD: OnceLock<Option<Handle>> = OnceLock::new();

/// Where requests run: on the thread, or on the caller's runtime if there can be none.
pub(super) fn handle() -> Handle {
    STREAM_THREAD.get_or_init(start).clone().unwrap_or_else(Handle::current)
}

fn start() -> Option<Handle> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let started = runtime.and_then(|runtime| {
        let handle = runtime.handle().clone();
        let run = move || runtime.block_on(std::future::pending::<()>());
        std::thread::Builder::new().name("model-streams".to_owned()).spawn(run).map(|_| handle)
    });
    started.inspect_err(|error| tracing::warn!(%error, "no thread of its own for the models")).ok()
}

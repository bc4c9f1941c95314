//! Reads on after a command's end, until its pipe closes, and forgets its group once that is gone.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::{
    io::AsyncReadExt,
    net::unix::pipe::Receiver,
    time::{MissedTickBehavior, interval},
};

use super::{ProcessesState, group::ProcessGroup, output::OutputTail, utf8_decoder::Utf8Decoder};
use crate::time_limits::BACKGROUND_POLL_INTERVAL;

/// How much output of a background process is kept.
const MAX_OUTPUT_BYTES: usize = 16 * 1024;

/// The task has only a weak reference, so that it does not keep the session alive. `group` is `None` if it is
/// gone already and only the pipe is still open.
pub(super) fn watch(
    shared: &Arc<ProcessesState>,
    group: Option<ProcessGroup>,
    pipe: Receiver,
    tail: Arc<Mutex<OutputTail>>,
) {
    let (weak, closed) = (Arc::downgrade(shared), shared.registry.closed());
    tokio::spawn(async move { closed.run_until_cancelled(read_on(weak, group, pipe, tail)).await });
}

async fn read_on(
    shared: Weak<ProcessesState>,
    mut group: Option<ProcessGroup>,
    mut pipe: Receiver,
    tail: Arc<Mutex<OutputTail>>,
) {
    let mut decoder = Utf8Decoder::default();
    let mut look = interval(BACKGROUND_POLL_INTERVAL);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut block = vec![0; 8 * 1024];
    let mut is_open = true;
    while is_open || group.is_some() {
        tokio::select! {
            read = pipe.read(&mut block), if is_open => {
                let bytes = block.get(..read.unwrap_or_default()).unwrap_or_default();
                is_open = !bytes.is_empty();
                let text = decoder.push(bytes);
                tail.lock().unwrap_or_else(PoisonError::into_inner).push(&text, MAX_OUTPUT_BYTES);
                if is_open {
                    continue;
                }
            }
            _ = look.tick() => {}
        }
        if let Some(gone) = group.take_if(|group| !group.is_alive())
            && let Some(shared) = shared.upgrade()
        {
            shared.registry.forget(gone);
        }
    }
}

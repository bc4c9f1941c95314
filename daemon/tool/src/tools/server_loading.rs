//! Shows which language server a call waits for.

use copydesk_metadata::{CallDetail, CodePlacesMetadata};
use tokio::time::{MissedTickBehavior, interval};

use crate::context::ToolContext;
use crate::time_limits::LOADING_SHOWN_INTERVAL;

/// Waits for `work`. As long as a server reads the project meanwhile, views show how far it is.
pub(super) async fn show_loading<T>(context: &ToolContext, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    let mut ticks = interval(LOADING_SHOWN_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first tick is at once.
    ticks.tick().await;
    let mut shown = None;
    loop {
        tokio::select! {
            biased;
            result = &mut work => return result,
            _ = ticks.tick() => {
                let waiting = context.navigator.loading();
                if waiting != shown {
                    shown.clone_from(&waiting);
                    let metadata = CodePlacesMetadata { places: Vec::new(), matches: 0, truncated: false, waiting };
                    context.show_progress(CallDetail::CodePlaces(metadata));
                }
            }
        }
    }
}

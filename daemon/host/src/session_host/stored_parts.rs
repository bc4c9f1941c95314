//! Parts of a session from the store, page by page.

use copydesk_protocol::part::PartStateInfo::{Interrupted, Pending, Running};
use copydesk_session::Id;

use super::{SessionHost, SessionHostError, convert};

/// The last parts before one of them, and whether there are more.
pub async fn parts_before(
    hub: &SessionHost,
    session: &Id,
    before: Option<&str>,
    limit: usize,
) -> Result<(Vec<copydesk_protocol::part::PartInfo>, bool), SessionHostError> {
    let mut parts = hub.store.parts(session).await?;
    if let Some(before) = before {
        let at = parts.iter().position(|part| part.id.as_str() == before);
        let at =
            at.ok_or_else(|| SessionHostError::UnknownPart(format!("the session has no part `{before}`")))?;
        parts.truncate(at);
    }
    let is_at_work = hub.hosted_session(session.as_str()).is_some_and(|held| held.is_running());
    let told = |part| {
        let mut part = convert::part_info(part);
        // Nobody works on it any more; the next turn will say so in the store.
        if !is_at_work && matches!(part.state, Pending | Running) {
            part.state = Interrupted;
        }
        part
    };
    let first = parts.len().saturating_sub(limit);
    Ok((parts.iter().skip(first).map(told).collect(), first > 0))
}

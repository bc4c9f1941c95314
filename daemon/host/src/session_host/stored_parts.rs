//! Parts of a session from the store, page by page.

use copydesk_protocol::part::PartInfo;
use copydesk_protocol::part::PartStateInfo::{Interrupted, Pending, Running};
use copydesk_session::{Id, PartPage};

use super::{SessionHost, SessionHostError, convert};

/// The last parts before one of them, or before the end, and whether there are earlier ones.
pub async fn parts_before(
    host: &SessionHost,
    session: &Id,
    before: Option<&str>,
    limit: usize,
) -> Result<(Vec<PartInfo>, bool), SessionHostError> {
    let Some(PartPage { parts, has_earlier }) = host.store.part_page(session, before, limit).await? else {
        let before = before.unwrap_or_default();
        return Err(SessionHostError::UnknownPart(format!("the session has no part `{before}`")));
    };
    let is_running = host.hosted_session(session.as_str()).is_some_and(|hosted| hosted.is_running());
    let info = |part| {
        let mut part = convert::part_info(part);
        // The session does not run any more; the next turn marks the part in the store.
        if !is_running && matches!(part.state, Pending | Running) {
            part.state = Interrupted;
        }
        part
    };
    Ok((parts.iter().map(info).collect(), has_earlier))
}

//! Which session a prompt is for, and with which agent and model; opens it.

use std::path::Path;

use copydesk_protocol::error::ErrorCode;
use copydesk_protocol::permission::{PermissionPresetInfo, SessionSetPresetParams};
use copydesk_protocol::session::{
    SessionInfo, SessionListParams, SessionLoadParams, SessionLoadResult, SessionNewParams,
    SessionSetAgentParams, SessionSetModelParams,
};
use copydesk_protocol::table::{
    SessionList, SessionLoad, SessionNew, SessionSetAgent, SessionSetModel, SessionSetPreset,
};

use crate::daemon_client::{DaemonClient, DaemonClientError};

/// We do not show earlier parts again, so the response need not contain them.
const PART_LIMIT: Option<u32> = Some(1);

/// Without a session and `latest` a new one begins. `None` leaves the model or the agent as the session or the configuration
/// has it.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionChoice {
    /// The id, or a unique beginning or end of it.
    pub(crate) session: Option<String>,
    /// The last one of the folder.
    pub(crate) latest: bool,
    pub(crate) model: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) preset: Option<PermissionPresetInfo>,
}

/// Opens or creates the chosen session, with the chosen agent, model and preset.
pub(crate) async fn open_chosen_session(
    client: &DaemonClient,
    cwd: &Path,
    choice: &SessionChoice,
) -> Result<SessionInfo, DaemonClientError> {
    let session = open_session(client, cwd, choice).await?;
    if choice.preset.is_none() || choice.preset == session.preset {
        return Ok(session);
    }
    let params = SessionSetPresetParams { session: session.id, preset: choice.preset };
    Ok(client.request::<SessionSetPreset>(&params).await?.session)
}

async fn open_session(
    client: &DaemonClient,
    cwd: &Path,
    choice: &SessionChoice,
) -> Result<SessionInfo, DaemonClientError> {
    let SessionChoice { session, latest, model, agent, .. } = choice.clone();
    if session.is_none() && !latest {
        let params = SessionNewParams { folder: Some(cwd.to_string_lossy().into_owned()), agent, model };
        return Ok(client.request::<SessionNew>(&params).await?.session);
    }
    let opened = find_session(client, cwd, session.as_deref()).await?;
    let id = || opened.id.clone();
    let mut session = opened.clone();
    if let Some(agent) = agent.filter(|agent| *agent != opened.agent) {
        session =
            client.request::<SessionSetAgent>(&SessionSetAgentParams { session: id(), agent }).await?.session;
    }
    if let Some(model) = model.filter(|model| Some(model) != opened.model.as_ref()) {
        session =
            client.request::<SessionSetModel>(&SessionSetModelParams { session: id(), model }).await?.session;
    }
    Ok(session)
}

/// The session with this id, or the last one of the folder.
pub(crate) async fn find_session(
    client: &DaemonClient,
    cwd: &Path,
    session: Option<&str>,
) -> Result<SessionInfo, DaemonClientError> {
    if let Some(session) = session {
        return Ok(load_session(client, session).await?.session);
    }
    let folder = Some(cwd.to_string_lossy().into_owned());
    let page =
        client.request::<SessionList>(&SessionListParams { folder, limit: Some(1), before: None }).await?;
    let none = || DaemonClientError::Refused {
        code: Some(ErrorCode::UnknownSession),
        message: format!("there is no session in {}", cwd.display()),
    };
    page.sessions.into_iter().next().ok_or_else(none)
}

/// Loads the session. From then on the daemon sends its events to this client.
pub(super) async fn load_session(
    client: &DaemonClient,
    session: &str,
) -> Result<SessionLoadResult, DaemonClientError> {
    client.request::<SessionLoad>(&SessionLoadParams { session: session.to_owned(), limit: PART_LIMIT }).await
}

//! Which session a command line continues, and with which model and agent.

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
}

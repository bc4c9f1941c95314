//! The daemon has the environment that it was started with. Where this shell has another, and with it other models, the
//! person is told.

use copydesk_config::LoadedConfig;
use copydesk_protocol::daemon::Empty;
use copydesk_protocol::error::ErrorCode;
use copydesk_protocol::table::Models;

use crate::daemon_client::{DaemonClient, DaemonClientError};
use crate::terminal;
use copydesk_host::session_builder::SessionChoice;
use copydesk_host::setup::UserSetup;

const WHY: &str = "the daemon has the environment that it was started with. `--no-daemon` uses this one, and so will the \
                   daemon that is started after `copydesk stop`";

/// Warns where the model that nobody named would be another here.
pub(super) async fn compare(
    client: &DaemonClient,
    setup: &UserSetup,
    loaded: &LoadedConfig,
    choice: &SessionChoice,
) {
    let is_named = choice.model.is_some() || choice.agent.is_some() || loaded.config.model.is_some();
    if is_named || choice.session.is_some() || choice.latest {
        return;
    }
    let here = setup.registry(loaded).ok().and_then(|models| models.default_model());
    let there = client.request::<Models>(&Empty {}).await.ok().and_then(|models| models.default);
    if let (Some(here), Some(there)) = (here, there)
        && here != there
    {
        terminal::warn(format_args!("the model is {there} and not {here}: {WHY}"));
    }
}

/// Says so where a model that the daemon cannot use could be used here.
pub(super) fn explain(
    error: DaemonClientError,
    setup: &UserSetup,
    loaded: &LoadedConfig,
    choice: &SessionChoice,
) -> anyhow::Error {
    let is_unknown = matches!(error, DaemonClientError::Refused { code: Some(ErrorCode::UnknownModel), .. });
    let name = choice.model.clone().or_else(|| loaded.config.model.clone());
    let usable = name
        .filter(|name| is_unknown && setup.registry(loaded).is_ok_and(|models| models.model(name).is_ok()));
    match usable {
        Some(name) => anyhow::anyhow!("{error}\n{name} could be used here: {WHY}"),
        None => error.into(),
    }
}

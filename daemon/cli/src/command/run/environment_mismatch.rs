//! Warns if this shell's environment offers other models than the daemon's, which is that of its start.

use copydesk_config::LoadedConfig;
use copydesk_host::session_builder::default_model;
use copydesk_host::setup::UserSetup;
use copydesk_protocol::daemon::ModelsParams;
use copydesk_protocol::error::ErrorCode;
use copydesk_protocol::table::Models;

use crate::daemon_client::{DaemonClient, DaemonClientError};
use crate::session_client::SessionChoice;
use crate::terminal;

const WHY: &str = "the daemon keeps the environment that it was started with. Use `--no-daemon`, or run \
                   `copydesk stop` so that the next daemon takes this one";

/// Warns if the default model would be another one here.
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
    let here = setup.registry(loaded).ok().and_then(|models| default_model(setup, loaded, &models, None));
    let there =
        client.request::<Models>(&ModelsParams::default()).await.ok().and_then(|models| models.default);
    if let (Some(here), Some(there)) = (here, there)
        && here != there
    {
        terminal::warn(format_args!("the model is {there}, not {here}: {WHY}"));
    }
}

/// Adds to an error that the daemon cannot use a model which is usable here.
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
        Some(name) => anyhow::anyhow!("{error}\n{name} is usable in this shell: {WHY}"),
        None => error.into(),
    }
}

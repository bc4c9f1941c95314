//! The configuration, with its warnings on standard error.

use copydesk_config::LoadedConfig;
use copydesk_host::setup::UserSetup;

use crate::terminal;

/// The configuration of the folder. Prints what is odd about it.
pub(crate) fn load(setup: &UserSetup) -> anyhow::Result<LoadedConfig> {
    let loaded = setup.load()?;
    print_warnings(&loaded);
    Ok(loaded)
}

/// Prints the warnings that came up since the last call.
pub(crate) fn print_warnings(loaded: &LoadedConfig) {
    loaded.take_warnings().iter().for_each(terminal::warn);
}

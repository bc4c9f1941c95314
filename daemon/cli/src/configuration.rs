//! Loads the configuration and prints its warnings to standard error.

use copydesk_config::LoadedConfig;
use copydesk_host::setup::UserSetup;

use crate::terminal;

pub(crate) fn load(setup: &UserSetup) -> anyhow::Result<LoadedConfig> {
    let loaded = setup.load()?;
    print_warnings(&loaded);
    Ok(loaded)
}

/// Prints the warnings since the last call.
pub(crate) fn print_warnings(loaded: &LoadedConfig) {
    loaded.take_warnings().iter().for_each(terminal::warn);
}

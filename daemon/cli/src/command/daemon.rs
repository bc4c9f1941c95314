//! `copydesk daemon`: the daemon, in the foreground or started by a shim.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use copydesk_faces::lifecycle;
use copydesk_faces::lsp::LspFace;
use copydesk_host::setup::UserSetup;
use copydesk_rpc::transport::{DaemonAddress, TransportError};

use crate::args::DaemonArgs;
use crate::log;
use crate::open_host::open_host;
use crate::shim::daemon_starter::{FAILED, READY, TAKEN};
use crate::terminal;
use crate::time_limits::{DEFAULT_IDLE_EXIT, RUNTIME_SHUTDOWN_TIMEOUT};

pub(crate) fn run(setup: &UserSetup, options: &DaemonArgs) -> anyhow::Result<()> {
    let result = serve(setup, options);
    // A detached daemon has no visible standard error; the shim that started it reads this line instead.
    match result {
        Err(error)
            if options.detached && matches!(error.downcast_ref(), Some(TransportError::AlreadyRunning)) =>
        {
            Ok(terminal::print(TAKEN)?)
        }
        Err(error) if options.detached => Ok(terminal::print(format_args!("{FAILED}{error:#}"))?),
        result => result,
    }
}

fn serve(setup: &UserSetup, options: &DaemonArgs) -> anyhow::Result<()> {
    let env = |name: &str| std::env::var_os(name);
    let address = DaemonAddress::new(&env);
    let idle = idle(options)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(async {
        // Take the lock first: only its holder writes the log.
        let listener = address.listen()?;
        let level = env("COPYDESK_LOG").map(|level| level.to_string_lossy().into_owned());
        let path = log::path(&setup.paths.state_dir);
        let log = log::start(path.clone(), level.as_deref()).with_context(|| path.display().to_string())?;
        let (host, warnings) = open_host(setup)?;
        for warning in warnings {
            warning.log();
        }
        // The one place that decides what the daemon serves.
        let service = Arc::new(LspFace { host, log });
        tracing::info!(version = env!("CARGO_PKG_VERSION"), pid = std::process::id(), "listening");
        let ready = match options.detached {
            true => READY.to_owned(),
            false => format!("{READY} at {}", address.socket().display()),
        };
        lifecycle::run(service, listener, idle, || announce(&ready)).await?;
        anyhow::Ok(())
    });
    runtime.shutdown_timeout(RUNTIME_SHUTDOWN_TIMEOUT);
    result
}

fn idle(options: &DaemonArgs) -> anyhow::Result<Duration> {
    let seconds = match (options.idle_exit, std::env::var("COPYDESK_IDLE_EXIT")) {
        (Some(seconds), _) => seconds,
        (None, Ok(text)) => text
            .parse()
            .with_context(|| format!("COPYDESK_IDLE_EXIT is `{text}`; expected a number of seconds"))?,
        (None, Err(_)) => return Ok(DEFAULT_IDLE_EXIT),
    };
    Ok(Duration::from_secs(seconds))
}

/// Prints that the daemon listens, and closes standard output: the starter waits for both.
fn announce(text: &str) -> io::Result<()> {
    let printed = terminal::print(text).and_then(|()| io::stdout().flush());
    let null = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(null)?;
    printed
}

//! `copydesk daemon`: the daemon, in the foreground or started by a shim.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use copydesk_faces::lifecycle;
use copydesk_faces::lsp::LspFace;
use copydesk_host::session_host::SessionHost;
use copydesk_host::setup::UserSetup;
use copydesk_rpc::transport::{DaemonAddress, TransportError};
use copydesk_session::Store;
use copydesk_workspace::journal::{Journal, JournalLimits};

use crate::args::DaemonArgs;
use crate::log::{self, LevelControl};
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
        // The one place that decides what the daemon serves.
        let service = Arc::new(service(setup, log)?);
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

/// A store or a journal that was moved aside is reported in the log, because no client is connected yet.
fn service(setup: &UserSetup, log: Arc<LevelControl>) -> anyhow::Result<LspFace> {
    let (store, opened) = Store::open(&setup.paths.data_dir)?;
    if let Some(aside) = opened.moved_aside {
        tracing::error!(aside = %aside.display(), "the sessions could not be read and were moved aside");
    }
    let journal = match Journal::open(&setup.paths.data_dir, JournalLimits::default()) {
        Ok((journal, opened)) => {
            if let Some(aside) = opened.moved_aside {
                tracing::error!(aside = %aside.display(), "the journal could not be read and was moved aside");
            }
            Some(journal)
        }
        Err(error) => {
            tracing::error!(%error, "without a journal nothing can be undone");
            None
        }
    };
    Ok(LspFace { host: Arc::new(SessionHost::new(setup.paths.clone(), store, journal)), log })
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

//! `copydesk doctor`: examines everything that Copydesk needs, and says what to do.
//!
//! Contract: it creates and changes nothing, sends nothing off this machine, and shows no secret. A failed
//! check is a finding and does not end the examination. The exit code is 1 if a finding is ✗, or if the doctor
//! itself cannot run.

mod daemon;
mod languages;
mod sandbox;
mod system;

use std::io;
use std::process::ExitCode;

use anstream::ColorChoice;
use copydesk_config::LoadedConfig;
use copydesk_config::keys::KeyStore;
use copydesk_host::agents::AgentRegistry;
use copydesk_host::setup::UserSetup;
use copydesk_model::time_limits::PROBE_TIMEOUT;
use copydesk_model::{ModelRegistry, local_servers, offline};
use copydesk_session::Store;
use copydesk_workspace::process::Shell;
use serde::Serialize;

use crate::terminal::{self, BAD, BOLD, DIM, GOOD, print, styled};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum FindingLevel {
    Ok,
    Warning,
    Error,
}

#[derive(Debug, Serialize)]
struct DoctorFinding {
    about: &'static str,
    level: FindingLevel,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

impl DoctorFinding {
    fn ok(about: &'static str, what: impl Into<String>) -> Self {
        Self { about, level: FindingLevel::Ok, what: what.into(), advice: None }
    }

    fn warning(about: &'static str, what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { about, level: FindingLevel::Warning, what: what.into(), advice: Some(advice.into()) }
    }

    fn error(about: &'static str, what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { about, level: FindingLevel::Error, what: what.into(), advice: Some(advice.into()) }
    }
}

#[derive(Debug, Serialize)]
struct DoctorReport {
    version: &'static str,
    platform: String,
    ok: bool,
    findings: Vec<DoctorFinding>,
}

pub(crate) fn run(setup: &UserSetup, json: bool) -> anyhow::Result<ExitCode> {
    let findings = examine(setup)?;
    let report = DoctorReport {
        version: env!("CARGO_PKG_VERSION"),
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        ok: findings.iter().all(|finding| finding.level != FindingLevel::Error),
        findings,
    };
    if json {
        terminal::print_json(&report)?;
    } else {
        show(&report)?;
    }
    Ok(if report.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn examine(setup: &UserSetup) -> anyhow::Result<Vec<DoctorFinding>> {
    let mut findings = system::folders(&setup.paths);
    let loaded = setup.load();
    configuration(&loaded, &mut findings);
    let keys = KeyStore::load(&setup.paths.data_dir);
    findings.push(match &keys {
        Err(error) => {
            DoctorFinding::error("keys", error.to_string(), "fix this; until then stored keys cannot be used")
        }
        Ok(keys) => match (keys.warning(), keys.iter().count()) {
            (Some(warning), _) => {
                DoctorFinding::warning("keys", warning, "replace keys that others may have read")
            }
            (None, 0) => DoctorFinding::ok("keys", "none stored; `copydesk auth add PROVIDER` stores one"),
            (None, count) => DoctorFinding::ok("keys", format!("{count} in {}", keys.path().display())),
        },
    });
    if let (Ok(loaded), Ok(keys)) = (&loaded, &keys) {
        match setup.registry_with(loaded, keys) {
            Ok(registry) => models(&registry, loaded, &mut findings)?,
            Err(error) => {
                findings.push(DoctorFinding::error(
                    "providers",
                    format!("{error:#}"),
                    "fix the configuration",
                ));
            }
        }
    }
    findings.push(shell(loaded.as_ref().ok()));
    findings.push(match system::program("git") {
        Some(path) => DoctorFinding::ok("git", path.display().to_string()),
        None => {
            DoctorFinding::warning("git", "not found in PATH", "install it: agents use it to look at changes")
        }
    });
    if let Ok(loaded) = &loaded {
        findings.push(sandbox::examine(setup, loaded)?);
        findings.extend(languages::examine(setup, loaded));
    }
    let advice = "correct or remove these settings";
    findings.extend(
        AgentRegistry::file_warnings(setup)
            .iter()
            .map(|problem| DoctorFinding::warning("agents", problem, advice)),
    );
    if let Some(agents) = loaded.as_ref().ok().and_then(|loaded| AgentRegistry::new(setup, loaded).ok()) {
        let advice = "rename one of the two to use both";
        findings.extend(
            agents.ignored_overrides().map(|ignored| DoctorFinding::warning("agents", ignored, advice)),
        );
    }
    findings.extend(system::skills(setup));
    findings.extend(system::replies(setup));
    findings.push(store(setup));
    findings.push(daemon::journal(setup));
    findings.push(daemon::daemon(setup)?);
    findings.extend(system::space(&setup.paths.data_dir));
    findings.push(screen());
    Ok(findings)
}

fn configuration(loaded: &anyhow::Result<LoadedConfig>, findings: &mut Vec<DoctorFinding>) {
    let about = "configuration";
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(error) => {
            return findings.push(DoctorFinding::error(
                about,
                format!("{error:#}"),
                "fix this; nothing runs until then",
            ));
        }
    };
    if loaded.files.is_empty() {
        findings.push(DoctorFinding::ok(about, "no files; the defaults apply"));
    }
    for file in &loaded.files {
        let path = file.source.path.display();
        findings.push(if file.source.is_trusted {
            DoctorFinding::ok(about, path.to_string())
        } else {
            let advice =
                "review it, then run `copydesk trust` to let it use your variables, keys and addresses";
            DoctorFinding::warning(about, format!("{path} is not trusted"), advice)
        });
    }
    let warnings = loaded.warnings.len();
    if warnings > 0 {
        let plural = if warnings == 1 { "" } else { "s" };
        findings.push(DoctorFinding::warning(
            about,
            format!("{warnings} warning{plural}"),
            "`copydesk config` shows them",
        ));
    }
}

fn models(
    registry: &ModelRegistry,
    loaded: &LoadedConfig,
    findings: &mut Vec<DoctorFinding>,
) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // Asks only addresses of this machine.
    let found = runtime.block_on(local_servers::find_servers(registry, PROBE_TIMEOUT));
    let list = registry.list(&found);
    let usable: Vec<_> = list
        .iter()
        .filter(|listing| listing.is_usable() && listing.id != offline::ID)
        .map(|listing| &*listing.id)
        .collect();
    let add = "`copydesk auth add anthropic` (or openai, google, openrouter, …) adds a key; or start a local server";
    findings.push(if usable.is_empty() {
        DoctorFinding::warning("providers", "none is set up", add)
    } else {
        DoctorFinding::ok("providers", format!("{} set up: {}", usable.len(), usable.join(", ")))
    });
    let servers: Vec<_> = found.keys().map(String::as_str).collect();
    let servers = if servers.is_empty() { "none responds".to_owned() } else { servers.join(", ") };
    findings.push(DoctorFinding::ok("local servers", servers));
    let name = loaded.config.model.clone().or_else(|| registry.default_model());
    findings.push(match name.map(|name| (registry.model(&name), name)) {
        None => DoctorFinding::error("model", "none can be used", "`copydesk models` lists what is missing"),
        Some((Err(error), name)) => DoctorFinding::error(
            "model",
            format!("{name}: {error}"),
            "`copydesk models` lists what can be used",
        ),
        Some((Ok(model), name)) if !model.spec().tools => DoctorFinding::error(
            "model",
            format!("{name} cannot call tools"),
            "choose another: `copydesk models`",
        ),
        Some((Ok(_), name)) if name == offline::MODEL_NAME => {
            DoctorFinding::warning("model", format!("{name}, which is {}", offline::DESCRIPTION), add)
        }
        Some((Ok(_), name)) => DoctorFinding::ok("model", format!("{name} (not contacted)")),
    });
    Ok(())
}

fn shell(loaded: Option<&LoadedConfig>) -> DoctorFinding {
    let configured = loaded.and_then(|loaded| loaded.trusted_config.shell.as_deref());
    match Shell::choose(configured, &|name| std::env::var_os(name)) {
        Ok(shell) => DoctorFinding::ok("shell", shell.path().display().to_string()),
        Err(error) => DoctorFinding::error(
            "shell",
            error.to_string(),
            "until this is fixed, agents cannot run commands",
        ),
    }
}

fn store(setup: &UserSetup) -> DoctorFinding {
    let about = "sessions";
    let Some(inspected) = Store::inspect(&setup.paths.data_dir) else {
        return DoctorFinding::ok(about, "none yet");
    };
    let place = inspected.path.display();
    match inspected.rows {
        Ok(count) => {
            DoctorFinding::ok(about, format!("{count}, {} in {place}", system::size(inspected.bytes)))
        }
        Err(error) => {
            let advice =
                "keep a copy; if the file is damaged, the next session moves it aside and creates a new one";
            DoctorFinding::error(about, format!("{place}: {error}"), advice)
        }
    }
}

fn screen() -> DoctorFinding {
    let colours = anstream::AutoStream::choice(&io::stdout()) != ColorChoice::Never;
    let colours = if colours { "colours" } else { "no colours" };
    DoctorFinding::ok(
        "terminal",
        match rustix::termios::tcgetwinsize(io::stdout()) {
            Ok(size) => format!("{colours}, {} columns", size.ws_col),
            Err(_) => format!("{colours}; standard output is not a terminal"),
        },
    )
}

fn show(report: &DoctorReport) -> anyhow::Result<()> {
    print(styled(BOLD, format!("copydesk {} on {}", report.version, report.platform)))?;
    let width = report.findings.iter().map(|finding| finding.about.chars().count()).max().unwrap_or(0);
    for DoctorFinding { about, level, what, advice } in &report.findings {
        let mark = match level {
            FindingLevel::Ok => styled(GOOD, "✓"),
            FindingLevel::Warning => styled(BOLD, "!"),
            FindingLevel::Error => styled(BAD, "✗"),
        };
        let indent = format!("\n{:1$}", "", width + 4);
        print(format!("{mark} {about:width$}  {}", what.trim_end().replace('\n', &indent)))?;
        if let Some(advice) = advice {
            print(format!("  {:width$}  {}", "", styled(DIM, advice)))?;
        }
    }
    Ok(())
}

//! `copydesk doctor`: why does it not work? Looks at all that Copydesk needs, and says what to do.
//!
//! Contract: nothing is made or changed, nothing leaves this machine, no secret is shown. What fails is a finding, never
//! the end of the examination. The exit code is 1 when something is ✗.

mod desk;
mod languages;
mod places;

use std::io;
use std::process::ExitCode;

use anstream::ColorChoice;
use copydesk_config::Loaded;
use copydesk_config::keys::Keys;
use copydesk_model::{Registry, local, offline};
use copydesk_session::Store;
use copydesk_workspace::process::Shell;
use serde::Serialize;

use crate::terminal::{self, BAD, BOLD, DIM, GOOD, print, styled};
use copydesk_host::agents::Agents;
use copydesk_host::setup::Setup;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Good,
    Odd,
    Bad,
}

#[derive(Debug, Serialize)]
struct Finding {
    about: &'static str,
    verdict: Verdict,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

impl Finding {
    fn good(about: &'static str, what: impl Into<String>) -> Self {
        Self { about, verdict: Verdict::Good, what: what.into(), advice: None }
    }

    fn odd(about: &'static str, what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { about, verdict: Verdict::Odd, what: what.into(), advice: Some(advice.into()) }
    }

    fn bad(about: &'static str, what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { about, verdict: Verdict::Bad, what: what.into(), advice: Some(advice.into()) }
    }
}

#[derive(Debug, Serialize)]
struct Report {
    version: &'static str,
    platform: String,
    ok: bool,
    findings: Vec<Finding>,
}

pub(crate) fn run(setup: &Setup, json: bool) -> anyhow::Result<ExitCode> {
    let findings = examine(setup)?;
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        ok: findings.iter().all(|finding| finding.verdict != Verdict::Bad),
        findings,
    };
    if json {
        terminal::print_json(&report)?;
    } else {
        show(&report)?;
    }
    Ok(if report.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn examine(setup: &Setup) -> anyhow::Result<Vec<Finding>> {
    let mut findings = places::folders(&setup.paths);
    let loaded = setup.load();
    configuration(&loaded, &mut findings);
    let keys = Keys::load(&setup.paths.data_dir);
    findings.push(match &keys {
        Err(error) => Finding::bad("keys", error.to_string(), "until then no stored key can be used"),
        Ok(keys) => match (keys.warning(), keys.iter().count()) {
            (Some(warning), _) => {
                Finding::odd("keys", warning, "a key that others may have read is best replaced")
            }
            (None, 0) => Finding::good("keys", "none stored; `copydesk auth add PROVIDER` keeps one"),
            (None, count) => Finding::good("keys", format!("{count} in {}", keys.path().display())),
        },
    });
    if let (Ok(loaded), Ok(keys)) = (&loaded, &keys) {
        match setup.registry_with(loaded, keys) {
            Ok(registry) => models(&registry, loaded, &mut findings)?,
            Err(error) => {
                findings.push(Finding::bad("providers", format!("{error:#}"), "mend the configuration"));
            }
        }
    }
    findings.push(shell(loaded.as_ref().ok()));
    findings.push(match places::program("git") {
        Some(path) => Finding::good("git", path.display().to_string()),
        None => Finding::odd("git", "not found in PATH", "install it: agents look at changes with it"),
    });
    if let Ok(loaded) = &loaded {
        findings.extend(languages::examine(setup, loaded));
    }
    let advice = "what it says is not all understood";
    findings.extend(Agents::oddities(setup).iter().map(|problem| Finding::odd("agents", problem, advice)));
    if let Some(agents) = loaded.as_ref().ok().and_then(|loaded| Agents::new(setup, loaded).ok()) {
        let advice = "another name would make it another agent";
        findings.extend(agents.limited().map(|limited| Finding::odd("agents", limited, advice)));
    }
    findings.extend(places::skills(setup));
    findings.push(store(setup));
    findings.push(desk::journal(setup));
    findings.push(desk::daemon(setup)?);
    findings.extend(places::space(&setup.paths.data_dir));
    findings.push(screen());
    Ok(findings)
}

fn configuration(loaded: &anyhow::Result<Loaded>, findings: &mut Vec<Finding>) {
    let about = "configuration";
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(error) => {
            return findings.push(Finding::bad(
                about,
                format!("{error:#}"),
                "mend this; nothing runs before",
            ));
        }
    };
    if loaded.files.is_empty() {
        findings.push(Finding::good(about, "no files; everything is as it comes"));
    }
    for file in &loaded.files {
        let path = file.source.path.display();
        findings.push(if file.source.trusted {
            Finding::good(about, path.to_string())
        } else {
            let advice =
                "look at it, then `copydesk config trust`, if it is to use your variables, keys or addresses";
            Finding::odd(about, format!("{path} is not trusted"), advice)
        });
    }
    let warnings = loaded.warnings.len();
    if warnings > 0 {
        let plural = if warnings == 1 { "" } else { "s" };
        findings.push(Finding::odd(
            about,
            format!("{warnings} warning{plural}"),
            "`copydesk config` shows them",
        ));
    }
}

fn models(registry: &Registry, loaded: &Loaded, findings: &mut Vec<Finding>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // Only addresses of this machine are asked.
    let found = runtime.block_on(local::find(registry, local::PATIENCE));
    let list = registry.list(&found);
    let usable: Vec<_> = list
        .iter()
        .filter(|listing| listing.is_usable() && listing.id != offline::ID)
        .map(|listing| &*listing.id)
        .collect();
    let add = "`copydesk auth add anthropic` (or openai, google, openrouter, …) adds a key; or start a local server";
    findings.push(if usable.is_empty() {
        Finding::odd("providers", "none is set up", add)
    } else {
        Finding::good("providers", format!("{} set up: {}", usable.len(), usable.join(", ")))
    });
    let servers: Vec<_> = found.keys().map(String::as_str).collect();
    let servers = if servers.is_empty() { "none answers".to_owned() } else { servers.join(", ") };
    findings.push(Finding::good("local servers", servers));
    let name = loaded.config.model.clone().or_else(|| registry.default_model());
    findings.push(match name.map(|name| (registry.model(&name), name)) {
        None => Finding::bad("model", "none can be used", "`copydesk models` lists what is missing"),
        Some((Err(error), name)) => {
            Finding::bad("model", format!("{name}: {error}"), "`copydesk models` lists what can be used")
        }
        Some((Ok(model), name)) if !model.info().tools => {
            Finding::bad("model", format!("{name} cannot call tools"), "choose another: `copydesk models`")
        }
        Some((Ok(_), name)) if name == offline::NAME => {
            Finding::odd("model", format!("{name}, which is {}", offline::NOTE), add)
        }
        Some((Ok(_), name)) => Finding::good("model", format!("{name} (it was not asked)")),
    });
    Ok(())
}

fn shell(loaded: Option<&Loaded>) -> Finding {
    let trusted = loaded.filter(|loaded| loaded.merged.untrusted(&["shell"]).is_none());
    let configured = trusted.and_then(|loaded| loaded.config.shell.as_deref());
    match Shell::choose(configured, &|name| std::env::var_os(name)) {
        Ok(shell) => Finding::good("shell", shell.path().display().to_string()),
        Err(error) => Finding::bad("shell", error.to_string(), "commands cannot be run before"),
    }
}

fn store(setup: &Setup) -> Finding {
    let about = "sessions";
    let Some(look) = Store::look(&setup.paths.data_dir) else {
        return Finding::good(about, "none yet");
    };
    let place = look.path.display();
    match look.rows {
        Ok(count) => Finding::good(about, format!("{count}, {} in {place}", places::size(look.bytes))),
        Err(error) => {
            let advice = "keep a copy; where the file is damaged, the next session moves it aside and begins a new one";
            Finding::bad(about, format!("{place}: {error}"), advice)
        }
    }
}

fn screen() -> Finding {
    let colours = anstream::AutoStream::choice(&io::stdout()) != ColorChoice::Never;
    let colours = if colours { "colours" } else { "no colours" };
    Finding::good(
        "terminal",
        match rustix::termios::tcgetwinsize(io::stdout()) {
            Ok(size) => format!("{colours}, {} columns", size.ws_col),
            Err(_) => format!("{colours}; standard output is none"),
        },
    )
}

fn show(report: &Report) -> anyhow::Result<()> {
    print(styled(BOLD, format!("copydesk {} on {}", report.version, report.platform)))?;
    let width = report.findings.iter().map(|finding| finding.about.chars().count()).max().unwrap_or(0);
    for Finding { about, verdict, what, advice } in &report.findings {
        let mark = match verdict {
            Verdict::Good => styled(GOOD, "✓"),
            Verdict::Odd => styled(BOLD, "!"),
            Verdict::Bad => styled(BAD, "✗"),
        };
        let indent = format!("\n{:1$}", "", width + 4);
        print(format!("{mark} {about:width$}  {}", what.trim_end().replace('\n', &indent)))?;
        if let Some(advice) = advice {
            print(format!("  {:width$}  {}", "", styled(DIM, advice)))?;
        }
    }
    Ok(())
}

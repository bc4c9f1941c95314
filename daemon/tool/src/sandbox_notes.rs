//! Words about what the sandbox did to a command that has ended, in the foreground or as a job.

use copydesk_workspace::process::sandbox::{PlantedRepositories, SandboxDenial, SandboxFindings};

/// For the user.
pub(crate) fn short_findings(findings: &SandboxFindings) -> Option<String> {
    findings.denial.map(|denial| format!("probably stopped by the sandbox: {}", denial.describe()))
}

/// For the model, each on a line of its own.
pub(crate) fn findings_note(findings: &SandboxFindings) -> String {
    let advice = match findings.denial {
        None => String::new(),
        Some(SandboxDenial::Setup) => {
            "\n(The sandbox could not be set up, so nothing ran. Run the command again.)".to_owned()
        }
        Some(denial) if findings.is_required => format!(
            "\n(Probably stopped by the sandbox: {}. No command runs outside of it: if the work needs that, tell the user.)",
            denial.describe()
        ),
        Some(denial) => format!(
            "\n(Probably stopped by the sandbox: {}. If the command needs that, run it again with `unsandboxed` and the reason; the user is asked.)",
            denial.describe()
        ),
    };
    format!("{advice}{}", planted_note(&findings.planted))
}

fn planted_note(planted: &PlantedRepositories) -> String {
    let list = |paths: &[std::path::PathBuf]| {
        paths.iter().take(10).map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    };
    let mut note = String::new();
    if !planted.repositories.is_empty() {
        note += &format!(
            "\n(New git repositories: {}. git runs what their configuration names when it is used there.)",
            list(&planted.repositories)
        );
    }
    if !planted.removed.is_empty() {
        note += &format!(
            "\n(Removed, because it leads git to another configuration: {}.)",
            list(&planted.removed)
        );
    }
    note
}

//! `copydesk trust`: the folders that the user trusts; and the question before the first prompt in a folder.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use copydesk_config::trust::{FolderTrust, TrustStore};
use copydesk_host::setup::UserSetup;
use copydesk_host::trust::{contains_home, folder_trust, set_trust, trusted_root};

use crate::args::TrustArgs;
use crate::terminal::{self, BOLD, DIM, print, print_inline, styled};

pub(crate) fn run(setup: &UserSetup, options: &TrustArgs) -> anyhow::Result<()> {
    if options.list {
        return list(setup);
    }
    // A folder that the user names is meant as it is: it may hold many clones, and lie in a repository by chance.
    let (setup_there, folder) = match &options.folder {
        Some(named) => {
            let folder = setup.cwd.join(named);
            let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
            (UserSetup { cwd: folder.clone(), paths: setup.paths.clone() }, folder)
        }
        None => (setup.clone(), trusted_root(setup)),
    };
    anyhow::ensure!(folder.is_dir(), "{}: not a folder", folder.display());
    if options.revoke {
        refuse(&setup_there, &folder)?;
    } else {
        trust(&setup_there, &folder)?;
    }
    let root = trusted_root(&setup_there);
    if root != folder {
        let (folder, root) = (brief_home(setup, &folder), brief_home(setup, &root));
        print(styled(
            DIM,
            format!("{folder} lies in the repository {root}, whose own sessions need trust of {root}."),
        ))?;
    }
    Ok(())
}

fn trust(setup: &UserSetup, folder: &Path) -> anyhow::Result<()> {
    let files = set_trust(setup, folder, true)?;
    print(format!("Trusted: {} and everything below it", brief_home(setup, folder)))?;
    for file in files {
        print(format!("  with its configuration as it is now: {}", brief_home(setup, &file)))?;
    }
    Ok(())
}

fn list(setup: &UserSetup) -> anyhow::Result<()> {
    let trust = TrustStore::load(&setup.paths.state_dir)?;
    let mut folders = trust.folders().peekable();
    if folders.peek().is_none() {
        return Ok(print("No folder is trusted yet. `copydesk trust` trusts the one you are in.")?);
    }
    for (folder, is_trusted) in folders {
        let word = if is_trusted { "trusted    " } else { "not trusted" };
        print(format!("{word}  {}", brief_home(setup, folder)))?;
    }
    Ok(())
}

/// Asks about the folder if the user has not been asked yet. If the user does not answer, the question stays open.
///
/// Does not ask about a folder that contains the home: an answer would count for downloads and more.
pub(crate) fn ask_if_new(setup: &UserSetup) -> anyhow::Result<()> {
    let root = trusted_root(setup);
    let is_interactive = io::stdin().is_terminal() && io::stdout().is_terminal();
    if !is_interactive || folder_trust(setup) != FolderTrust::Unasked || contains_home(setup, &root) {
        return Ok(());
    }
    let parent =
        root.parent().filter(|parent| !contains_home(setup, parent) && !holds_files_of_others(parent));
    let shown = brief_home(setup, &root);
    print(styled(BOLD, format!("Do you trust the authors of the files in {shown} and below?")))?;
    print(
        "If you do, language servers may run its build scripts and plugins, and its configuration counts.\n\
         If not, Copydesk reads, edits and reviews as ever, without them. `copydesk trust` changes it later.",
    )?;
    let all =
        parent.map(|parent| format!("  [a] yes, all of {}", brief_home(setup, parent))).unwrap_or_default();
    loop {
        print_inline(format_args!("[y] yes{all}  [n] no  › "))?;
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line)? == 0 {
            print("")?;
            return Ok(());
        }
        let stored = match (line.trim(), parent) {
            ("y" | "yes", _) => trust(setup, &root),
            ("a" | "all", Some(parent)) => trust(setup, parent),
            ("n" | "no", _) => refuse(setup, &root),
            _ => continue,
        };
        if let Err(error) = stored {
            terminal::warn(format_args!(
                "the answer was not stored, so the folder is not trusted: {error:#}"
            ));
        }
        return Ok(());
    }
}

fn refuse(setup: &UserSetup, folder: &Path) -> anyhow::Result<()> {
    set_trust(setup, folder, false)?;
    Ok(print(format!("Not trusted: {} and everything below it", brief_home(setup, folder)))?)
}

/// Whether others may put files there: downloads, and folders that everybody can write to.
fn holds_files_of_others(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.eq_ignore_ascii_case("downloads"))
        || folder.metadata().is_ok_and(|found| found.permissions().mode() & 0o002 != 0)
}

/// A folder, with the home as `~`.
fn brief_home(setup: &UserSetup, folder: &Path) -> String {
    match folder.strip_prefix(&setup.paths.home) {
        Ok(below) if !below.as_os_str().is_empty() => PathBuf::from("~").join(below).display().to_string(),
        _ => folder.display().to_string(),
    }
}

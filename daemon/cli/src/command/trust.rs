//! `copydesk trust`: the folders that the user trusts; and the question before the first prompt in a folder.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use copydesk_config::trust::{FolderTrust, TrustStore};
use copydesk_host::setup::UserSetup;
use copydesk_host::trust::{folder_trust, set_trust, trusted_root};

use crate::args::TrustArgs;
use crate::terminal::{BOLD, DIM, print, print_inline, styled};

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
        set_trust(&setup_there, &folder, false)?;
        print(format!("Not trusted: {}", brief_home(setup, &folder)))?;
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
pub(crate) fn ask_if_new(setup: &UserSetup) -> anyhow::Result<()> {
    if folder_trust(setup) != FolderTrust::Unasked
        || !io::stdin().is_terminal()
        || !io::stdout().is_terminal()
    {
        return Ok(());
    }
    let root = trusted_root(setup);
    // Not the home: it holds downloads and more.
    let parent = root.parent().filter(|parent| !setup.paths.home.starts_with(parent));
    print(styled(BOLD, format!("Do you trust the authors of the files in {}?", brief_home(setup, &root))))?;
    print(
        "If you do, language servers may run its build scripts and plugins, and its configuration counts.\n\
         If not, Copydesk reads, edits and reviews as ever, without them. `copydesk trust` changes it later.",
    )?;
    let all = parent.map(|parent| format!(", [a]ll of {}", brief_home(setup, parent))).unwrap_or_default();
    loop {
        print_inline(format_args!("[y]es{all}, [n]o: "))?;
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line)? == 0 {
            print("")?;
            return Ok(());
        }
        match (line.trim(), parent) {
            ("y" | "yes", _) => return trust(setup, &root),
            ("a" | "all", Some(parent)) => {
                trust(setup, parent)?;
                // Its configuration as it is now.
                return trust(setup, &root);
            }
            ("n" | "no", _) => {
                set_trust(setup, &root, false)?;
                return Ok(print(styled(DIM, "Not trusted."))?);
            }
            _ => {}
        }
    }
}

/// A folder, with the home as `~`.
fn brief_home(setup: &UserSetup, folder: &Path) -> String {
    match folder.strip_prefix(&setup.paths.home) {
        Ok(below) if !below.as_os_str().is_empty() => PathBuf::from("~").join(below).display().to_string(),
        _ => folder.display().to_string(),
    }
}

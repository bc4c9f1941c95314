//! Files that go along with a prompt: images and PDFs.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use copydesk_model::Media;
use copydesk_tool::tools;

/// No model takes more.
const LARGEST: u64 = 20 * 1024 * 1024;

pub(crate) fn read(cwd: &Path, files: &[PathBuf]) -> anyhow::Result<Vec<Media>> {
    files
        .iter()
        .map(|path| one(&cwd.join(path)).with_context(|| format!("--file {}", path.display())))
        .collect()
}

fn one(path: &Path) -> anyhow::Result<Media> {
    let metadata = path.metadata()?;
    anyhow::ensure!(metadata.is_file(), "this is no file");
    anyhow::ensure!(
        metadata.len() <= LARGEST,
        "it has {} bytes; at most {LARGEST} can be sent",
        metadata.len()
    );
    let bytes = std::fs::read(path)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let attachment = tools::attachment(&name, &bytes).context(
        "only images (png, jpeg, gif, webp) and PDFs can be attached; name a text file in the prompt instead",
    )?;
    let media = attachment.map_err(|failure| anyhow::anyhow!(failure.message))?;
    Ok(Media { mime: media.mime, base64: media.base64, name: media.name })
}

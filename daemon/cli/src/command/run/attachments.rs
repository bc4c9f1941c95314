//! Files that go along with a prompt: texts inside it, images and PDFs beside it.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use copydesk_config::LoadedConfig;
use copydesk_model::MediaPart;
use copydesk_text::FileText;
use copydesk_tool::tools;

use crate::terminal;
use copydesk_host::agents::AgentRegistry;
use copydesk_host::setup::UserSetup;

/// No model takes more.
const LARGEST: u64 = 20 * 1024 * 1024;

/// A text that is longer is for the agent to read, as far as it needs.
const LONGEST_TEXT: usize = 256 * 1024;

/// Puts the texts behind the words of the prompt, each under its name, and gives the rest.
pub(super) fn read(cwd: &Path, files: &[PathBuf], prompt: &mut String) -> anyhow::Result<Vec<MediaPart>> {
    let mut beside = Vec::new();
    for path in files {
        let attached = one(&cwd.join(path)).with_context(|| format!("--file {}", path.display()))?;
        match attached {
            PromptAttachment::Media(media) => beside.push(media),
            PromptAttachment::Text(text) => {
                let _ = write!(prompt, "\n\n[{}]\n{text}", path.display());
            }
        }
    }
    Ok(beside)
}

enum PromptAttachment {
    Text(String),
    Media(MediaPart),
}

fn one(path: &Path) -> anyhow::Result<PromptAttachment> {
    let metadata = path.metadata()?;
    anyhow::ensure!(!metadata.is_dir(), "this is a folder; attach its files, or name it in the prompt");
    anyhow::ensure!(metadata.is_file(), "this is no ordinary file");
    let size = metadata.len();
    anyhow::ensure!(size <= LARGEST, "it has {size} bytes; at most {LARGEST} can be sent");
    let mut bytes = Vec::new();
    // It may grow meanwhile.
    File::open(path)?.take(LARGEST).read_to_end(&mut bytes)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if let Some(media) = tools::attachment(&name, &bytes) {
        let media = media.map_err(|failure| anyhow::anyhow!(failure.message))?;
        return Ok(PromptAttachment::Media(MediaPart {
            mime: media.mime,
            base64: media.base64,
            name: media.name,
        }));
    }
    let others = "only texts, images (png, jpeg, gif, webp) and PDFs can be attached";
    anyhow::ensure!(!bytes.contains(&0), "it is binary; {others}");
    let size = bytes.len();
    let text = FileText::decode(bytes).map_err(|error| anyhow::anyhow!("{error}; {others}"))?;
    anyhow::ensure!(
        size <= LONGEST_TEXT,
        "it has {size} bytes of text, and at most {LONGEST_TEXT} can be attached; name it in the prompt, and the agent reads \
         what it needs of it"
    );
    Ok(PromptAttachment::Text(text.text().to_owned()))
}

/// Says which of them the model will not see. A session that has not worked yet has none of its own.
pub(super) fn warn(
    setup: &UserSetup,
    loaded: &LoadedConfig,
    (model, agent): (Option<&str>, &str),
    files: &[MediaPart],
) {
    let Some(models) = setup.registry(loaded).ok().filter(|_| !files.is_empty()) else { return };
    let of_agent = || AgentRegistry::new(setup, loaded).ok()?.find(agent).ok()?.model;
    let name = model.map(str::to_owned).or_else(of_agent);
    let name = name.or_else(|| loaded.config.model.clone()).or_else(|| models.default_model());
    let Some(name) = name else { return };
    let Ok(model) = models.model(&name) else { return };
    for media in files.iter().filter(|media| !model.spec().accepts_media(media)) {
        let what = if media.is_image() { "images" } else { "files of this type" };
        let file = media.name.as_deref().unwrap_or(&media.mime);
        terminal::warn(format_args!(
            "{file} is not sent: {name} takes no {what}. `copydesk models` says which model does, `--model` chooses it"
        ));
    }
}

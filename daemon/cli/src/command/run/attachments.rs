//! Files attached to a prompt: texts become part of it, images and PDFs accompany it.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use copydesk_config::LoadedConfig;
use copydesk_host::agents::AgentRegistry;
use copydesk_host::setup::UserSetup;
use copydesk_model::MediaPart;
use copydesk_text::FileText;
use copydesk_tool::tools;
use copydesk_workspace::real_file::open_regular_file;

use crate::terminal;

/// No model accepts more.
const MAX_FILE_BYTES: u64 = 20 * 1024 * 1024;

/// The agent reads what it needs of a longer text.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// Appends the texts to the prompt, each under its name, and returns the other files.
pub(super) fn read(cwd: &Path, files: &[PathBuf], prompt: &mut String) -> anyhow::Result<Vec<MediaPart>> {
    let mut media_files = Vec::new();
    for path in files {
        let attachment = read_file(&cwd.join(path)).with_context(|| format!("--file {}", path.display()))?;
        match attachment {
            PromptAttachment::Media(media) => media_files.push(media),
            PromptAttachment::Text(text) => {
                let _ = write!(prompt, "\n\n[{}]\n{text}", path.display());
            }
        }
    }
    Ok(media_files)
}

enum PromptAttachment {
    Text(String),
    Media(MediaPart),
}

fn read_file(path: &Path) -> anyhow::Result<PromptAttachment> {
    let real = path.canonicalize()?;
    anyhow::ensure!(!real.is_dir(), "this is a folder; attach its files, or name it in the prompt");
    let (file, metadata) = open_regular_file(&real)?;
    let size = metadata.len();
    anyhow::ensure!(size <= MAX_FILE_BYTES, "it has {size} bytes; at most {MAX_FILE_BYTES} can be sent");
    let mut bytes = Vec::new();
    // The file may grow meanwhile.
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
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
        size <= MAX_TEXT_BYTES,
        "it has {size} bytes of text, and at most {MAX_TEXT_BYTES} can be attached; name it in the prompt, and the agent reads \
         what it needs of it"
    );
    Ok(PromptAttachment::Text(text.text().to_owned()))
}

/// Warns of files that the model cannot see. A session that has not worked yet has no model of its own.
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
            "{file} is not sent: {name} does not accept {what}. `copydesk models` lists models that do; choose one with `--model`"
        ));
    }
}

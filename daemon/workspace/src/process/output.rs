//! Keeps the head and the tail of an output, and all of it in a file if asked.

use std::{collections::VecDeque, io, path::PathBuf};

use tokio::{
    fs::{File, OpenOptions},
    io::AsyncWriteExt,
};

use super::utf8_decoder::Utf8Decoder;

/// How much of the output to keep, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputLimits {
    pub head: usize,
    pub tail: usize,
    pub spill: Option<SpillTarget>,
}

/// Where the whole output goes. The file must not exist yet; its folder must.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpillTarget {
    pub path: PathBuf,
    pub limit: u64,
    pub when: SpillWhen,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SpillWhen {
    /// Once the output exceeds what is kept.
    #[default]
    Truncated,
    /// From the start, so that others can read along.
    FromStart,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutput {
    pub head: String,
    /// What follows the head, directly unless bytes were omitted.
    pub tail: String,
    pub omitted_bytes: u64,
    pub spill: SpillOutcome,
}

/// Where the whole output is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpillOutcome {
    /// There is no file: nothing was omitted, or none was asked for.
    None,
    Complete(PathBuf),
    /// The file has reached its limit and contains the beginning.
    Truncated(PathBuf),
    /// The file could not be written; this is the reason.
    Failed(String),
}

impl CommandOutput {
    /// One text that says where bytes were omitted.
    pub fn text(&self) -> String {
        match self.omitted_bytes {
            0 => format!("{}{}", self.head, self.tail),
            omitted => format!("{}\n[… {omitted} bytes left out …]\n{}", self.head, self.tail),
        }
    }
}

/// The last bytes of a text, cut between characters.
#[derive(Debug, Default)]
pub(super) struct OutputTail {
    pieces: VecDeque<String>,
    length: usize,
}

impl OutputTail {
    /// Returns how many bytes were dropped.
    pub(super) fn push(&mut self, text: &str, limit: usize) -> usize {
        self.length += text.len();
        self.pieces.push_back(text.to_owned());
        let mut gone = 0;
        while let Some(first) = self.pieces.front_mut().filter(|_| self.length > limit) {
            let cut = first.ceil_char_boundary((self.length - limit).min(first.len()));
            first.drain(..cut);
            self.length -= cut;
            gone += cut;
            if first.is_empty() {
                self.pieces.pop_front();
            }
        }
        gone
    }

    pub(super) fn text(&self) -> String {
        self.pieces.iter().map(String::as_str).collect()
    }
}

#[derive(Debug)]
pub(super) struct OutputCollector {
    keep: OutputLimits,
    decoder: Utf8Decoder,
    head: String,
    head_is_full: bool,
    tail: OutputTail,
    omitted: u64,
    spilling: SpillState,
}

#[derive(Debug)]
enum SpillState {
    NotYet,
    Open { file: File, room: u64 },
    Full,
    Failed(String),
}

impl OutputCollector {
    pub(super) fn new(keep: OutputLimits) -> Self {
        Self {
            keep,
            decoder: Utf8Decoder::default(),
            head: String::new(),
            head_is_full: false,
            tail: OutputTail::default(),
            omitted: 0,
            spilling: SpillState::NotYet,
        }
    }

    /// Call this before the first push.
    pub(super) async fn begin(&mut self) {
        if self.is_read_along() {
            self.begin_spill().await;
        }
    }

    fn is_read_along(&self) -> bool {
        self.keep.spill.as_ref().is_some_and(|spill| spill.when == SpillWhen::FromStart)
    }

    pub(super) async fn push(&mut self, bytes: &[u8], live: &mut (impl FnMut(&str) + Send)) {
        let text = self.decoder.push(bytes);
        self.add(&text, live).await;
    }

    pub(super) async fn finish(mut self, live: &mut (impl FnMut(&str) + Send)) -> CommandOutput {
        let text = self.decoder.finish();
        self.add(&text, live).await;
        let path = self.keep.spill.map(|spill| spill.path).unwrap_or_default();
        let spill = match self.spilling {
            SpillState::NotYet => SpillOutcome::None,
            SpillState::Open { mut file, .. } => match file.flush().await {
                Ok(()) => SpillOutcome::Complete(path),
                Err(error) => SpillOutcome::Failed(error.to_string()),
            },
            SpillState::Full => SpillOutcome::Truncated(path),
            SpillState::Failed(reason) => SpillOutcome::Failed(reason),
        };
        CommandOutput { head: self.head, tail: self.tail.text(), omitted_bytes: self.omitted, spill }
    }

    async fn add(&mut self, text: &str, live: &mut (impl FnMut(&str) + Send)) {
        if text.is_empty() {
            return;
        }
        live(text);
        let room = if self.head_is_full { 0 } else { self.keep.head.saturating_sub(self.head.len()) };
        let (head, rest) = text.split_at(text.floor_char_boundary(room));
        // Once text has gone to the tail, nothing may be added to the head.
        self.head_is_full |= !rest.is_empty();
        self.head.push_str(head);
        // The spill file starts with the kept text; this piece is not kept yet.
        self.spill(head).await;
        if matches!(self.spilling, SpillState::NotYet) && self.tail.length + rest.len() > self.keep.tail {
            self.begin_spill().await;
        }
        self.spill(rest).await;
        self.omitted += self.tail.push(rest, self.keep.tail) as u64;
    }

    /// Everything so far is still kept and goes into the file first.
    async fn begin_spill(&mut self) {
        let Some(to) = &self.keep.spill else { return };
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&to.path).await;
        self.spilling = match made {
            Ok(file) => SpillState::Open { file, room: to.limit },
            Err(error) => SpillState::Failed(failure(&error)),
        };
        let held = format!("{}{}", self.head, self.tail.text());
        self.spill(&held).await;
    }

    async fn spill(&mut self, text: &str) {
        let flush = self.is_read_along();
        let SpillState::Open { file, room } = &mut self.spilling else { return };
        let fitting = text.split_at(text.floor_char_boundary(usize::try_from(*room).unwrap_or(usize::MAX))).0;
        *room -= fitting.len() as u64;
        let mut written = file.write_all(fitting.as_bytes()).await;
        let is_full = fitting.len() < text.len();
        if (is_full || flush) && written.is_ok() {
            written = file.flush().await;
        }
        match written {
            Ok(()) if is_full => self.spilling = SpillState::Full,
            Ok(()) => {}
            Err(error) => self.spilling = SpillState::Failed(failure(&error)),
        }
    }
}

fn failure(error: &io::Error) -> String {
    format!("the whole output could not be kept in a file: {error}")
}

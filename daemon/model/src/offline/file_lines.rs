//! The lines of a file, from what `read` answered about it.

use super::ToolCall;
use super::turn::Done;

/// No file is read in more pages.
const MOST_PAGES: usize = 40;

/// From line 1 on. A line of which `read` showed only a part is nothing.
#[derive(Debug, Default)]
pub(super) struct FileLines {
    pub(super) lines: Vec<Option<String>>,
    /// Where the next page begins, if there is one.
    more: Option<usize>,
    pages: usize,
}

impl FileLines {
    /// From the reads of these steps, the earliest first.
    pub(super) fn of<'a>(path: &str, steps: &[Vec<Done<'a>>]) -> Self {
        let mut file = Self::default();
        let calls = steps.iter().flatten().filter(|call| call.name == "read" && !call.is_error);
        for call in calls.filter(|call| call.argument("filePath") == path) {
            file.add(call.output);
        }
        file
    }

    fn add(&mut self, output: &str) {
        self.pages += 1;
        for line in output.lines() {
            let next = self.lines.len() + 1;
            let text = line.strip_prefix(&format!("{next}: "));
            // The break of an empty line may have been trimmed.
            let Some(text) = text.or((line == format!("{next}:")).then_some("")) else { break };
            let is_cut = text.ends_with(" more characters in this line)");
            self.lines.push((!is_cut).then(|| text.to_owned()));
        }
        let last = output.lines().next_back().unwrap_or_default();
        let offset = last.rsplit_once("Go on with offset ").and_then(|(_, rest)| rest.strip_suffix(".)"));
        let offset = offset.and_then(|offset| offset.parse().ok());
        self.more = offset.filter(|offset| *offset == self.lines.len() + 1 && self.pages < MOST_PAGES);
    }

    /// The call that reads on.
    pub(super) fn rest(&self, path: &str) -> Option<ToolCall> {
        self.more.map(|offset| ToolCall::read(path, offset))
    }
}

/// What is still to be read of these files.
pub(super) fn unread(files: &[String], steps: &[Vec<Done<'_>>]) -> Vec<ToolCall> {
    files.iter().filter_map(|path| FileLines::of(path, steps).rest(path)).collect()
}

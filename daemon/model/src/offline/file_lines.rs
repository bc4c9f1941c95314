//! Collects the lines of a file from the outputs of `read`.

use super::OfflineCall;
use super::turn::CompletedCall;

/// Pages read of one file, at most.
const MAX_PAGES: usize = 40;

/// Lines from 1 on; `None` for a line that `read` truncated.
#[derive(Debug, Default)]
pub(super) struct FileLines {
    pub(super) lines: Vec<Option<String>>,
    /// The start of the next page, if any.
    next_line: Option<usize>,
    pages: usize,
}

impl FileLines {
    /// Collects from the reads of these steps, earliest first.
    pub(super) fn from_steps<'a>(path: &str, steps: &[Vec<CompletedCall<'a>>]) -> Self {
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
            // The space after the number of an empty line may have been trimmed.
            let Some(text) = text.or((line == format!("{next}:")).then_some("")) else { break };
            let is_cut = text.ends_with(" more characters in this line)");
            self.lines.push((!is_cut).then(|| text.to_owned()));
        }
        let last = output.lines().next_back().unwrap_or_default();
        let offset = last.rsplit_once("Go on with offset ").and_then(|(_, rest)| rest.strip_suffix(".)"));
        let offset = offset.and_then(|offset| offset.parse().ok());
        self.next_line = offset.filter(|offset| *offset == self.lines.len() + 1 && self.pages < MAX_PAGES);
    }

    /// The call that reads the next page.
    pub(super) fn next_read(&self, path: &str) -> Option<OfflineCall> {
        self.next_line.map(|offset| OfflineCall::read(path, offset))
    }
}

/// The calls that read the rest of these files.
pub(super) fn unread_calls(files: &[String], steps: &[Vec<CompletedCall<'_>>]) -> Vec<OfflineCall> {
    files.iter().filter_map(|path| FileLines::from_steps(path, steps).next_read(path)).collect()
}

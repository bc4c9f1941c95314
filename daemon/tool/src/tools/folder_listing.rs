//! The entries of a folder for `list` and `read`.

use copydesk_metadata::{CallDetail, FileListMetadata};
use copydesk_workspace::files::ResolvedPath;

use super::target_file;
use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolOutput};

/// At most `limit` entries from number `offset` on, as paths that every tool accepts.
pub(super) async fn show(
    context: &ToolContext,
    place: &ResolvedPath,
    offset: usize,
    limit: usize,
) -> Result<ToolOutput, ToolError> {
    let first = offset.max(1);
    let upto = (first - 1).saturating_add(limit.max(1));
    let listing = match context.files.list(place, upto).await {
        Ok(listing) => listing,
        Err(error) => return Err(target_file::file_error_with_hint(context, place, error).await),
    };
    let total = listing.total;
    if first > total.max(1) {
        let message =
            format!("`{}` has only {}; there is no entry {first}.", place.display_path, entries(total));
        return Err(ToolError::target(message));
    }
    let shown: Vec<_> = listing.entries.iter().skip(first - 1).map(|name| child_path(place, name)).collect();
    let last = first - 1 + shown.len();
    let output = if total == 0 {
        format!("The folder `{}` is empty.", place.display_path)
    } else if last < total {
        let more = format!(
            "(Entries {first} to {last} of {total}. Go on with `read` at offset {}, or use `glob`.)",
            last + 1
        );
        format!("{}\n\n{more}", shown.join("\n"))
    } else {
        format!("{}\n\n({}.)", shown.join("\n"), entries(total))
    };
    let list = FileListMetadata { count: shown.len() as u64, truncated: last < total };
    let metadata = CallDetail::FileList(list).into();
    Ok(ToolOutput { title: place.display_path.clone(), output, metadata, ..ToolOutput::default() })
}

fn entries(total: usize) -> String {
    if total == 1 { "1 entry".to_owned() } else { format!("{total} entries") }
}

/// The path of a child: relative to the workspace if its folder is.
pub(super) fn child_path(place: &ResolvedPath, name: &str) -> String {
    match place.display_path.as_str() {
        "." => name.to_owned(),
        shown if name.is_empty() => shown.to_owned(),
        shown => format!("{}/{name}", shown.trim_end_matches('/')),
    }
}

/// As `child_path`, for a path that a search found below the real path.
pub(super) fn child_path_from_real(place: &ResolvedPath, path: &std::path::Path) -> String {
    match path.strip_prefix(place.real_path()) {
        Ok(rest) => child_path(place, &rest.to_string_lossy()),
        Err(_) => path.to_string_lossy().into_owned(),
    }
}

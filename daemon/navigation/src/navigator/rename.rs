//! Renames a symbol, in all files that use it.
//!
//! Some servers answer before they have read the whole project, with a part of the places, and do not say so. So the answer is held
//! against the syntax trees: files in which the name still stands are opened in the server, which is then asked again, until its answer
//! stays the same. What it then still leaves out must be something else of that name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_servers::{CodeQuery, ServerLease, ServerLocation};
use copydesk_text::{Change, Document, LineBreaks};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::opened_files::MAX_OPENED_FILES;
use super::server_edits::server_refuses;
use super::{Navigator, run_blocking};
use crate::answer::{CodePlace, NavigationError, TextPlaces, line_of};
use crate::code_edit_plan::{CodeEditPlan, PlannedFileChange, TextsThen};
use crate::file_outlines::uses_in;
use crate::new_name::{self, RenameCheck};
use crate::place::{FoundPlace, PlaceRequest};
use crate::time_limits::ANSWER_TIMEOUT;

/// How many places a note lists.
const MAX_NOTED_PLACES: usize = 5;
/// How often the server is asked.
const MAX_ROUNDS: usize = 4;
/// How many places with the name are looked up.
const MAX_LOOKED_UP: usize = 50;

impl Navigator {
    /// Gives a symbol another name, by a language server: syntax alone does not know which uses are its own.
    pub async fn rename_symbol(
        &self,
        request: &PlaceRequest,
        new: &str,
        cancel: &CancellationToken,
    ) -> Result<CodeEditPlan, NavigationError> {
        let place = self.find_place_to_edit(request, cancel).await?;
        place.require_exact()?;
        let (checked, name) = (place.clone(), new.to_owned());
        run_blocking(move || new_name::check_name(&checked, &name)).await??;
        let instead = "find the places with `lsp` or `grep`, and edit them";
        let lease = self.lease_for_edit(&place.path, CodeQuery::Rename, instead).await?;
        let old = place.name().to_owned();
        let rename = SymbolRename { navigator: self, lease, place, old: &old, new, cancel };
        let mut planned = rename.plan().await?;
        planned.notes.splice(0..0, rename.place.notes);
        let (names, outlines, new) = (self.names.clone(), self.outlines.clone(), new.to_owned());
        run_blocking(move || {
            let check = RenameCheck { names: &names, outlines: &outlines, old: &old, new: &new };
            check.find_collision(&planned.files).map(|()| planned)
        })
        .await?
    }
}

struct SymbolRename<'a> {
    navigator: &'a Navigator,
    lease: ServerLease,
    place: FoundPlace,
    old: &'a str,
    new: &'a str,
    cancel: &'a CancellationToken,
}

impl SymbolRename<'_> {
    /// Asks until the answer stays the same.
    async fn plan(&self) -> Result<CodeEditPlan, NavigationError> {
        let mut planned = self.ask().await?;
        let mut opened: Vec<(PathBuf, ServerLease)> = Vec::new();
        let mut left = self.places_left(&planned.files).await;
        for _ in 1..MAX_ROUNDS {
            let is_opened = |path: &Path| opened.iter().any(|(known, _)| known == path);
            let mut unopened: Vec<_> = left.places.iter().map(|place| place.path.clone()).collect();
            unopened.dedup();
            unopened.retain(|path| !is_opened(path) && !is_changed(&planned, path));
            unopened.truncate(MAX_OPENED_FILES.saturating_sub(opened.len()));
            if unopened.is_empty() {
                break;
            }
            opened.extend(self.navigator.open_files(&self.lease, &unopened).await.leases);
            let again = self.ask().await?;
            let is_same = again.files == planned.files;
            planned = again;
            left = self.places_left(&planned.files).await;
            if is_same {
                break;
            }
        }
        if planned.files.is_empty() {
            let (server, old) = (self.lease.server.name(), self.old);
            return Err(NavigationError::new(format!("{server} finds nothing to rename at `{old}`.")));
        }
        let (missed, unverified) = self.missed(&planned, &left.places, &opened).await;
        let old = self.old;
        if let Some(places) = self.describe(&missed) {
            let server = self.lease.server.name();
            return Err(NavigationError::new(format!(
                "{server} would leave out uses of `{old}`: {places}. Nothing was changed; make the call again."
            )));
        }
        planned.notes.extend(self.describe(&left.places).map(|places| {
            format!("`{old}` still stands here, and may be something else of that name: {places}.")
        }));
        if left.is_cut || unverified {
            let server = self.lease.server.name();
            let note = format!(
                "Not all places with the name could be compared with what {server} knows: search for `{old}`."
            );
            planned.notes.push(note);
        }
        Ok(planned)
    }

    async fn ask(&self) -> Result<CodeEditPlan, NavigationError> {
        let then = TextsThen::now(&self.navigator.names);
        if self.navigator.names.text(&self.place.path).as_ref() != Some(&self.place.text) {
            return Err(NavigationError::new("The file has changed meanwhile. Make the call again."));
        }
        let server = &self.lease.server;
        let document = Document::new(&self.place.text, LineBreaks::Any);
        let at = document.position(self.place.range.start, server.position_encoding());
        let until = Instant::now() + ANSWER_TIMEOUT;
        let answer = server.rename(&self.lease.path, at, self.new, until).await;
        let edit = answer.map_err(|error| server_refuses(&self.lease, &error))?;
        self.navigator.plan_server_edit(edit, &self.lease, then).await
    }

    /// Where the name still stands after the edit, as code.
    async fn places_left(&self, files: &[PlannedFileChange]) -> PlacesLeft {
        let candidates = self.navigator.names.files_with(self.old, self.cancel).await;
        let is_cut = candidates.is_cut;
        let (names, name, files) = (self.navigator.names.clone(), self.old.to_owned(), files.to_vec());
        let search = move || {
            let is_edited = |place: &CodePlace| {
                files.iter().any(|file| file.edited().is_some_and(|(path, ..)| path == place.path))
            };
            let mut places = names.uses(&name, &candidates);
            places.retain(|place| !is_edited(place));
            for file in &files {
                let (PlannedFileChange::Edit { path, after, .. }
                | PlannedFileChange::Move { to: path, after, .. }) = file
                else {
                    continue;
                };
                let text = Arc::new(after.clone());
                let uses = uses_in(path, after, &name).unwrap_or_default();
                let made = TextPlaces::new(path, &text);
                places.extend(uses.into_iter().map(|range| made.place(range)));
            }
            places.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
            places
        };
        match run_blocking(search).await {
            Ok(places) => PlacesLeft { places, is_cut },
            Err(_) => PlacesLeft { places: Vec::new(), is_cut: true },
        }
    }

    /// The places in other files that the server itself takes for uses of what is renamed, and whether some could not be looked up.
    async fn missed(
        &self,
        planned: &CodeEditPlan,
        left: &[CodePlace],
        opened: &[(PathBuf, ServerLease)],
    ) -> (Vec<CodePlace>, bool) {
        let (mut missed, mut unverified) = (Vec::new(), false);
        let until = Instant::now() + ANSWER_TIMEOUT;
        let others = left.iter().filter(|place| !is_changed(planned, &place.path));
        for (number, place) in others.enumerate() {
            let lease = opened.iter().find(|(path, _)| *path == place.path).map(|(_, lease)| lease);
            let Some(lease) = lease.filter(|_| number < MAX_LOOKED_UP) else {
                unverified = true;
                continue;
            };
            let document = Document::new(&place.text, LineBreaks::Any);
            let at = document.position(place.range.start, lease.server.position_encoding());
            match lease.server.locations(CodeQuery::Definition, &lease.path, at, until).await {
                Ok(all) if all.iter().any(|location| is_renamed_at(planned, location)) => {
                    missed.push(place.clone());
                }
                Ok(_) => {}
                Err(_) => unverified = true,
            }
        }
        (missed, unverified)
    }

    /// In words; `None` if there are none.
    fn describe(&self, places: &[CodePlace]) -> Option<String> {
        let shown = |place: &CodePlace| format!("{}:{}", self.navigator.names.shown(&place.path), place.line);
        let mut places: Vec<_> = places.iter().map(shown).collect();
        places.dedup();
        let more = places.len().checked_sub(MAX_NOTED_PLACES).filter(|more| *more > 0);
        let more = more.map(|more| format!(" and {more} more")).unwrap_or_default();
        let shown = places.iter().take(MAX_NOTED_PLACES).cloned().collect::<Vec<_>>().join(", ");
        (!places.is_empty()).then(|| format!("{shown}{more}"))
    }
}

/// Where a name still stands.
struct PlacesLeft {
    places: Vec<CodePlace>,
    /// Some files were not looked at.
    is_cut: bool,
}

/// Whether the edit changes a file.
fn is_changed(planned: &CodeEditPlan, path: &Path) -> bool {
    planned.files.iter().any(|file| file.edited().is_some_and(|(edited, ..)| edited == path))
}

/// Whether the edit changes the line of a location.
fn is_renamed_at(planned: &CodeEditPlan, location: &ServerLocation) -> bool {
    let path = location.path.canonicalize().unwrap_or_else(|_| location.path.clone());
    planned.files.iter().filter_map(PlannedFileChange::edited).filter(|(edited, ..)| **edited == path).any(
        |(_, before, after)| {
            let line = location.range.start.line as usize + 1;
            let change = Change::between(before, after);
            change.edits().iter().any(|edit| {
                let last = edit.range.end.saturating_sub(1).max(edit.range.start);
                (line_of(before, edit.range.start)..=line_of(before, last)).contains(&line)
            })
        },
    )
}

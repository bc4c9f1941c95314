//! Answers by syntax trees: every definition, or every use, of the name at the place. A tree knows no types, so they may belong to
//! something else of that name.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{NavigationOperation, Navigator, run_blocking};
use crate::answer::{AnswerBasis, CodePlace, NavigationAnswer, NavigationError, TextPlaces};
use crate::file_outlines::FileOutlines;
use crate::place::FoundPlace;
use crate::symbol_name::SymbolQuery;
use crate::workspace_names::{CandidateFiles, WorkspaceNames, place_symbol};

impl Navigator {
    /// `reasons` say why no server answered.
    pub(super) async fn answer_by_syntax(
        &self,
        operation: NavigationOperation,
        place: &FoundPlace,
        cancel: &CancellationToken,
        reasons: &[String],
    ) -> Result<NavigationAnswer, NavigationError> {
        let name = place.name().to_owned();
        let is_possible = matches!(
            operation,
            NavigationOperation::Definition
                | NavigationOperation::Declaration
                | NavigationOperation::References
                | NavigationOperation::Hover
                | NavigationOperation::IncomingCalls
        );
        if !is_possible {
            let reasons = reasons.join(" ");
            return Err(NavigationError::new(format!(
                "{reasons} Syntax alone does not tell this; findReferences and goToDefinition of `{name}` do not need a server."
            )));
        }
        let candidates = self.names.files_with(&name, cancel).await;
        let (names, outlines) = (self.names.clone(), self.outlines.clone());
        let is_cut = candidates.is_cut;
        let place = place.clone();
        let searched = move || {
            let search = NameSearch { names: &names, outlines: &outlines, candidates: &candidates };
            match operation {
                NavigationOperation::References => search.uses(&name),
                NavigationOperation::IncomingCalls => search.callers(&name),
                _ => match search.definition_at(&place) {
                    Some(found) => (vec![found], Vec::new()),
                    None => search.definitions(&name),
                },
            }
        };
        let (places, mut notes) = run_blocking(searched).await?;
        if is_cut {
            notes.push("Not all files were searched.".to_owned());
        }
        Ok(NavigationAnswer { places, description: None, basis: AnswerBasis::Syntax, notes })
    }
}

struct NameSearch<'a> {
    names: &'a WorkspaceNames,
    outlines: &'a FileOutlines,
    candidates: &'a CandidateFiles,
}

impl NameSearch<'_> {
    /// The definition whose name is at the place.
    fn definition_at(&self, place: &FoundPlace) -> Option<CodePlace> {
        let outline = self.outlines.get(&place.path, &place.text)?;
        let symbol = outline.symbols.iter().find(|symbol| symbol.name_range.end == place.range.end)?;
        Some(CodePlace {
            symbol: Some(place_symbol(symbol, &place.text)),
            container: symbol.parent.map(|at| outline.path_of(at)),
            ..TextPlaces::new(&place.path, &place.text).place(place.range.clone())
        })
    }

    fn definitions(&self, name: &str) -> (Vec<CodePlace>, Vec<String>) {
        let query = SymbolQuery { words: vec![name.to_owned()], ordinal: None };
        let places = self.names.definitions(&query, self.candidates, self.outlines).definitions;
        let note =
            (places.len() > 1).then(|| format!("{} definitions have the name `{name}`.", places.len()));
        (places, note.into_iter().collect())
    }

    fn uses(&self, name: &str) -> (Vec<CodePlace>, Vec<String>) {
        let defined = self.definitions(name).0.len();
        let mut places = self.names.uses(name, self.candidates);
        places.iter_mut().for_each(|place| self.set_container(place));
        let note = match defined {
            0 => format!(
                "No file of the workspace defines `{name}`, so these may be several things of that name."
            ),
            1 => String::new(),
            several => {
                format!("{several} definitions have the name `{name}`: these are the uses of all of them.")
            }
        };
        (places, Some(note).filter(|note| !note.is_empty()).into_iter().collect())
    }

    /// The functions that use the name with a parenthesis behind it.
    fn callers(&self, name: &str) -> (Vec<CodePlace>, Vec<String>) {
        let (mut places, notes) = self.uses(name);
        let is_call = |place: &CodePlace| {
            let behind = place.text.get(place.range.end..).unwrap_or_default();
            behind.trim_start_matches(['!', ' ']).starts_with('(')
        };
        let is_definition = |place: &CodePlace| {
            let outline = self.outlines.get(&place.path, &place.text);
            outline.is_some_and(|outline| {
                outline.symbols.iter().any(|symbol| symbol.name_range.contains(&place.range.start))
            })
        };
        places.retain(|place| is_call(place) && !is_definition(place));
        (places, notes)
    }

    fn set_container(&self, place: &mut CodePlace) {
        let outline = self.outlines.get(&place.path, &Arc::clone(&place.text));
        place.container =
            outline.and_then(|outline| Some(outline.path_of(outline.around(place.range.start)?)));
    }
}

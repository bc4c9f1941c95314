//! The symbols of a file and of the workspace.
//!
//! The outline of a file comes from its syntax tree where a grammar has one: at once, of exactly the present text, and the same for all
//! languages. Servers sort it by name, list callbacks as symbols, or need seconds.

use copydesk_servers::{CodeQuery, CodeQueryError, ServerSymbol};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Navigator, run_blocking};
use crate::answer::{AnswerBasis, CodePlace, NavigationAnswer, NavigationError, TextPlaces};
use crate::place::PlaceRequest;
use crate::symbol_name::{SymbolQuery, words_of};
use crate::time_limits::ANSWER_TIMEOUT;
use crate::workspace_names::place_symbol;

/// Deeper symbols are shown at this depth.
const MAX_DEPTH: usize = 32;

impl Navigator {
    pub(super) async fn document_symbols(
        &self,
        request: &PlaceRequest,
        ready_by: Instant,
    ) -> Result<NavigationAnswer, NavigationError> {
        let path = request.path.clone().ok_or_else(|| NavigationError::new("Name the file in filePath."))?;
        let shown = self.names.shown(&path);
        let (names, outlines, file) = (self.names.clone(), self.outlines.clone(), path.clone());
        let read = move || {
            let text = names.shown_text(&file).ok_or(())?;
            let outline = outlines.get(&file, &text);
            Ok::<_, ()>(outline.map(|outline| {
                let (mut places, made): (Vec<CodePlace>, _) = (Vec::new(), TextPlaces::new(&file, &text));
                for symbol in &outline.symbols {
                    let depth =
                        symbol.parent.and_then(|at| places.get(at)).map_or(0, |above| above.depth + 1);
                    places.push(CodePlace {
                        symbol: Some(place_symbol(symbol, &text)),
                        depth,
                        ..made.place(symbol.name_range.clone())
                    });
                }
                places
            }))
        };
        let unreadable = |()| NavigationError::new(format!("{shown} has no text that can be read."));
        if let Some(places) =
            run_blocking(read).await?.map_err(unreadable)?.filter(|places| !places.is_empty())
        {
            return Ok(NavigationAnswer {
                places,
                description: None,
                basis: AnswerBasis::Syntax,
                notes: Vec::new(),
            });
        }
        let leased = self.lease(&path, CodeQuery::DocumentSymbols, ready_by).await;
        let Some(lease) = leased.leases.first() else {
            return Err(NavigationError::new(format!(
                "{shown} has no outline: there is no grammar and no language server for it."
            )));
        };
        let (server, until) = (&lease.server, Instant::now() + ANSWER_TIMEOUT);
        let symbols = server.document_symbols(&lease.path, until).await;
        let symbols = symbols.map_err(|error| failed(server.name(), &error))?;
        let encoding = server.position_encoding();
        let mut places: Vec<CodePlace> = Vec::new();
        for symbol in &symbols {
            let above = symbol.parent.and_then(|at| places.get(at)).map_or(0, |above| above.depth + 1);
            let depth = above.min(MAX_DEPTH);
            places.push(CodePlace { depth, ..self.symbol_place(symbol, encoding) });
        }
        let basis = AnswerBasis::Server(server.name().to_owned());
        let note =
            lease.not_ready.as_ref().map(|why| format!("This may not be all: {}: {why}.", server.name()));
        Ok(NavigationAnswer { places, description: None, basis, notes: note.into_iter().collect() })
    }

    /// The definitions whose name fits. Without a file whose server could be asked, by search and syntax trees.
    pub(super) async fn workspace_symbols(
        &self,
        request: &PlaceRequest,
        cancel: &CancellationToken,
        ready_by: Instant,
    ) -> Result<NavigationAnswer, NavigationError> {
        let name = request.symbol.as_deref().unwrap_or_default();
        let query = SymbolQuery::parse(name)
            .ok_or_else(|| NavigationError::new("Say in `symbol` which name to look for."))?;
        let mut notes = Vec::new();
        // A file that may not be read is not opened for a server.
        if let Some(path) = request.path.as_ref().filter(|path| self.names.text(path).is_some()) {
            let leased = self.lease(path, CodeQuery::WorkspaceSymbols, ready_by).await;
            for lease in &leased.leases {
                let (server, until) = (&lease.server, Instant::now() + ANSWER_TIMEOUT);
                match server.workspace_symbols(query.last(), until).await {
                    Ok(symbols) if !symbols.is_empty() => {
                        let encoding = server.position_encoding();
                        let ranked = ranked(symbols, &query);
                        let places =
                            ranked.iter().map(|symbol| self.symbol_place(symbol, encoding)).collect();
                        let basis = AnswerBasis::Server(server.name().to_owned());
                        let partly = |why| format!("This may not be all: {}: {why}.", server.name());
                        notes.extend(lease.not_ready.as_ref().map(partly));
                        return Ok(NavigationAnswer { places, description: None, basis, notes });
                    }
                    Ok(_) => {}
                    Err(error) => notes.push(failed(server.name(), &error).0),
                }
            }
        }
        let candidates = self.names.files_with(query.last(), cancel).await;
        let is_cut = candidates.is_cut;
        let (names, outlines) = (self.names.clone(), self.outlines.clone());
        let found = run_blocking(move || names.definitions(&query, &candidates, &outlines)).await?;
        if is_cut {
            notes.push("Not all files were searched.".to_owned());
        }
        if found.definitions.is_empty() && !found.suggestions.is_empty() {
            notes.push(format!("There are `{}`.", found.suggestions.join("`, `")));
        }
        Ok(NavigationAnswer {
            places: found.definitions,
            description: None,
            basis: AnswerBasis::Syntax,
            notes,
        })
    }
}

fn failed(name: &str, error: &CodeQueryError) -> NavigationError {
    NavigationError::new(format!("{name} gave no answer: {error}."))
}

/// The exact names; else those that begin with it; else all, in the server's order.
fn ranked(symbols: Vec<ServerSymbol>, query: &SymbolQuery) -> Vec<ServerSymbol> {
    let rank = |symbol: &ServerSymbol| {
        let mut path = symbol.container.as_deref().map(words_of).unwrap_or_default();
        path.extend(words_of(&symbol.name));
        let last = path.last().map_or("", String::as_str);
        match () {
            () if query.fits(&path) => 0,
            () if last == query.last() => 1,
            () if last.starts_with(query.last()) => 2,
            () => 3,
        }
    };
    let mut symbols = symbols;
    symbols.sort_by_key(rank);
    // The rest is what the server found similar.
    let best = symbols.first().map_or(3, rank);
    symbols.retain(|symbol| rank(symbol) == best || best > 0 && rank(symbol) < 3);
    symbols
}

//! Asks the sources, in order, and makes one answer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_servers::{
    CodeQuery, CodeQueryError, CodeServers, DocumentProvider, LeasedServers, ServerLease, ServerLocation,
    ServerSymbol,
};
use copydesk_syntax::outline::OutlineSymbol;
use copydesk_syntax::tree_cache::SyntaxTrees;
use copydesk_text::{Document, LineBreaks, Position, PositionEncoding};
use tokio::task::spawn_blocking;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::answer::{AnswerBasis, CodePlace, NavigationAnswer, NavigationError, PlaceSymbol, TextPlaces};
use crate::file_outlines::FileOutlines;
use crate::place::{self, FoundPlace, PlaceRequest};
use crate::symbol_name::SymbolQuery;
use crate::time_limits::{ANSWER_TIMEOUT, READY_TIMEOUT};
use crate::workspace_names::{CandidateFiles, WorkspaceNames, place_symbol};

/// The cap on the files of one answer that are parsed for the definitions around its places.
const MAX_OUTLINED_FILES: usize = 200;

mod by_syntax;
mod code_actions;
mod format_text;
mod hierarchy;
mod opened_files;
mod rename;
mod rename_file;
mod server_edits;
mod symbol_edits;
mod symbols;
mod type_relations;

pub use code_actions::{CodeActionRequest, OfferedAction, OfferedActions};
pub use symbol_edits::{PlannedSymbolEdit, SymbolEdit};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NavigationOperation {
    Definition,
    Declaration,
    TypeDefinition,
    Implementation,
    References,
    Hover,
    DocumentSymbols,
    WorkspaceSymbols,
    PrepareCallHierarchy,
    IncomingCalls,
    OutgoingCalls,
    Supertypes,
    Subtypes,
}

impl NavigationOperation {
    fn query(self) -> CodeQuery {
        match self {
            Self::Definition => CodeQuery::Definition,
            Self::Declaration => CodeQuery::Declaration,
            Self::TypeDefinition => CodeQuery::TypeDefinition,
            Self::Implementation => CodeQuery::Implementation,
            Self::References => CodeQuery::References,
            Self::Hover => CodeQuery::Hover,
            Self::DocumentSymbols => CodeQuery::DocumentSymbols,
            Self::WorkspaceSymbols => CodeQuery::WorkspaceSymbols,
            Self::PrepareCallHierarchy | Self::IncomingCalls => CodeQuery::IncomingCalls,
            Self::OutgoingCalls => CodeQuery::OutgoingCalls,
            Self::Supertypes => CodeQuery::Supertypes,
            Self::Subtypes => CodeQuery::Subtypes,
        }
    }
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NavigationRequest {
    pub operation: NavigationOperation,
    pub place: PlaceRequest,
    /// How many levels of callers, callees or types.
    pub depth: usize,
}

/// Clones share their state. The default one finds nothing.
#[derive(Clone, Default)]
pub struct Navigator {
    /// In the order in which they are asked.
    sources: Vec<Arc<dyn CodeServers>>,
    names: WorkspaceNames,
    outlines: FileOutlines,
}

impl std::fmt::Debug for Navigator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Navigator").field("root", &self.names.root).finish_non_exhaustive()
    }
}

impl Navigator {
    /// `root` is the workspace, by its real path.
    pub fn new(
        sources: Vec<Arc<dyn CodeServers>>,
        texts: Arc<dyn DocumentProvider>,
        root: PathBuf,
        trees: SyntaxTrees,
    ) -> Self {
        Self { sources, names: WorkspaceNames { texts, root }, outlines: FileOutlines::new(trees) }
    }

    pub async fn answer(
        &self,
        request: &NavigationRequest,
        cancel: &CancellationToken,
    ) -> Result<NavigationAnswer, NavigationError> {
        let ready_by = Instant::now() + READY_TIMEOUT;
        match request.operation {
            NavigationOperation::DocumentSymbols => self.document_symbols(&request.place, ready_by).await,
            NavigationOperation::WorkspaceSymbols => {
                self.workspace_symbols(&request.place, cancel, ready_by).await
            }
            operation => {
                let place = self.find_place(&request.place, cancel).await?;
                let notes = place.notes.clone();
                let mut answer = self.answer_at(operation, place, request.depth, cancel, ready_by).await?;
                answer.notes.splice(0..0, notes);
                Ok(answer)
            }
        }
    }

    async fn find_place(
        &self,
        request: &PlaceRequest,
        cancel: &CancellationToken,
    ) -> Result<FoundPlace, NavigationError> {
        let query = request.symbol.as_deref().and_then(SymbolQuery::parse);
        let candidates = match &query {
            Some(query) if request.path.is_none() => self.names.files_with(query.last(), cancel).await,
            _ => CandidateFiles::default(),
        };
        let (names, outlines, request) = (self.names.clone(), self.outlines.clone(), request.clone());
        run_blocking(move || place::find(&request, &names, &outlines, &candidates)).await?
    }

    /// What an answer waits for, if a server still reads the project.
    pub fn loading(&self) -> Option<String> {
        self.sources.iter().find_map(|source| source.loading(&self.names.root))
    }

    /// The source of a library is only shown.
    async fn find_place_to_edit(
        &self,
        request: &PlaceRequest,
        cancel: &CancellationToken,
    ) -> Result<FoundPlace, NavigationError> {
        let place = self.find_place(request, cancel).await?;
        if self.names.text(&place.path).is_none() {
            let shown = self.names.shown(&place.path);
            return Err(NavigationError::new(format!(
                "{shown} is outside the workspace; it is not changed."
            )));
        }
        Ok(place)
    }

    /// Asks the servers, then the syntax trees.
    async fn answer_at(
        &self,
        operation: NavigationOperation,
        place: FoundPlace,
        depth: usize,
        cancel: &CancellationToken,
        ready_by: Instant,
    ) -> Result<NavigationAnswer, NavigationError> {
        let leased = self.lease(&place.path, operation.query(), ready_by).await;
        if !leased.leases.is_empty() && self.names.shown_text(&place.path).as_ref() != Some(&place.text) {
            return Err(NavigationError::new("The file has changed meanwhile. Ask again."));
        }
        let (mut notes, mut empty_answer) = (Vec::new(), None);
        for lease in &leased.leases {
            let name = lease.server.name().to_owned();
            let opened = self.open_files_for(lease, operation, &place, cancel).await;
            let asked = self.ask(lease, operation, &place, depth).await;
            let is_empty =
                |answer: &NavigationAnswer| answer.places.is_empty() && answer.description.is_none();
            match (asked, &lease.not_ready) {
                (Ok(answer), Some(why)) if is_empty(&answer) => {
                    notes.push(format!("{name} found nothing, but {why}."));
                }
                // Another server of the file may know more.
                (Ok(answer), None) if is_empty(&answer) && opened.note(&name).is_none() => {
                    empty_answer = Some(answer);
                }
                (Ok(mut answer), not_ready) => {
                    let partly = |why| format!("This may not be all: {name}: {why}.");
                    answer.notes.extend(not_ready.as_ref().map(partly));
                    answer.notes.extend(opened.note(&name));
                    return Ok(answer);
                }
                (Err(error), _) => notes.push(format!("{name} gave no answer: {error}.")),
            }
        }
        if let Some(answer) = empty_answer.filter(|_| notes.is_empty()) {
            return Ok(answer);
        }
        // The servers are free for others while the syntax trees are searched.
        let LeasedServers { leases, unavailable } = leased;
        let is_unasked = leases.is_empty();
        drop(leases);
        if is_unasked && let Some(answer) = self.type_relations(operation, &place, ready_by).await {
            return Ok(answer);
        }
        notes.extend(unavailable.iter().map(|(name, why)| format!("{name}: {why}.")));
        if is_unasked && unavailable.is_empty() {
            notes.push(format!("No language server serves {}.", self.names.shown(&place.path)));
        }
        let mut answer = self.answer_by_syntax(operation, &place, cancel, &notes).await?;
        answer.notes.splice(0..0, notes);
        Ok(answer)
    }

    /// The servers of the first source that has one which answers. No second one is started of what an editor has.
    async fn lease(&self, path: &Path, query: CodeQuery, ready_by: Instant) -> LeasedServers {
        let (mut unavailable, mut served) = (Vec::new(), Vec::new());
        for source in &self.sources {
            let mut leased = source.lease(path, query, &served, ready_by).await;
            if !leased.leases.is_empty() {
                return leased;
            }
            // Editors write `rust_analyzer`.
            served.extend(leased.unavailable.iter().map(|(name, _)| name.replace('_', "-").to_lowercase()));
            unavailable.append(&mut leased.unavailable);
        }
        LeasedServers { leases: Vec::new(), unavailable }
    }

    async fn ask(
        &self,
        lease: &ServerLease,
        operation: NavigationOperation,
        place: &FoundPlace,
        depth: usize,
    ) -> Result<NavigationAnswer, CodeQueryError> {
        let (server, until) = (&lease.server, Instant::now() + ANSWER_TIMEOUT);
        let encoding = server.position_encoding();
        let at = Document::new(&place.text, LineBreaks::Any).position(place.range.start, encoding);
        let path = lease.path.as_path();
        let answer = |places, description| NavigationAnswer {
            places,
            description,
            basis: AnswerBasis::Server(server.name().to_owned()),
            notes: Vec::new(),
        };
        match operation {
            NavigationOperation::Hover => {
                // A description may quote the value of a constant.
                if server.answers(CodeQuery::Definition) {
                    let defined = server.locations(CodeQuery::Definition, path, at, until).await?;
                    if defined.iter().any(|location| self.names.is_withheld(&location.path)) {
                        let why = "the file that defines it may not be read".to_owned();
                        return Err(CodeQueryError::Failed(why));
                    }
                }
                Ok(answer(Vec::new(), server.hover(path, at, until).await?))
            }
            NavigationOperation::Definition
            | NavigationOperation::Declaration
            | NavigationOperation::TypeDefinition
            | NavigationOperation::Implementation
            | NavigationOperation::References => {
                let found = server.locations(operation.query(), path, at, until).await?;
                let shows_symbols = operation != NavigationOperation::References;
                let mut places = self.places(found, encoding, shows_symbols).await;
                if operation == NavigationOperation::Implementation {
                    places.retain(type_relations::is_implementation);
                }
                Ok(answer(places, None))
            }
            _ => {
                let found = self.hierarchy(server, operation, (path, at), depth, until).await?;
                Ok(NavigationAnswer { notes: found.notes, ..answer(found.places, None) })
            }
        }
    }

    /// Reads the texts of locations. `shows_symbols`: they are definitions.
    async fn places(
        &self,
        locations: Vec<ServerLocation>,
        encoding: PositionEncoding,
        shows_symbols: bool,
    ) -> Vec<CodePlace> {
        let (names, outlines) = (self.names.clone(), self.outlines.clone());
        let read = move || {
            let mut named: BTreeMap<PathBuf, Vec<ServerLocation>> = BTreeMap::new();
            for location in locations {
                named.entry(location.path.clone()).or_default().push(location);
            }
            let mut files: BTreeMap<PathBuf, Vec<ServerLocation>> = BTreeMap::new();
            for (path, locations) in named {
                // The editor may have the workspace under another name.
                let path = path.canonicalize().unwrap_or(path);
                files.entry(path).or_default().extend(locations);
            }
            let mut places = Vec::new();
            for (number, (path, locations)) in files.into_iter().enumerate() {
                let outlines = (number < MAX_OUTLINED_FILES).then_some(&outlines);
                places.extend(places_in_file(&names, outlines, &path, &locations, encoding, shows_symbols));
            }
            places
        };
        run_blocking(read).await.unwrap_or_default()
    }

    /// The place of a symbol that a server named.
    fn symbol_place(&self, symbol: &ServerSymbol, encoding: PositionEncoding) -> CodePlace {
        let path = symbol.path.canonicalize().unwrap_or_else(|_| symbol.path.clone());
        let location = ServerLocation { path: path.clone(), range: symbol.name_range.clone() };
        let found = places_in_file(
            &self.names,
            Some(&self.outlines),
            &path,
            std::slice::from_ref(&location),
            encoding,
            true,
        );
        let place = found.into_iter().next();
        let mut place = place.unwrap_or_else(|| CodePlace::unread(path.clone(), symbol.name_range.start));
        // Not even its name is shown.
        if self.names.is_withheld(&path) {
            return place;
        }
        if place.symbol.is_none() {
            self.find_definition(&mut place, symbol);
        }
        if place.symbol.is_none() {
            let range = place.range.clone();
            let detail = symbol.detail.clone();
            place.symbol = Some(PlaceSymbol { name: symbol.name.clone(), kind: symbol.kind, detail, range });
        }
        if place.container.is_none() {
            place.container.clone_from(&symbol.container);
        }
        place
    }

    /// Moves a place to the definition that it names: some servers say where all of it is, and not its name.
    fn find_definition(&self, place: &mut CodePlace, symbol: &ServerSymbol) {
        let Some(outline) = self.outlines.get(&place.path, &place.text) else { return };
        let Some(query) = SymbolQuery::parse(&symbol.name) else { return };
        let is_there = |at: &usize| {
            let found = outline.symbols.get(*at);
            found.is_some_and(|found| place.range.contains(&found.name_range.start))
        };
        let Some(at) = outline.named(&query).into_iter().find(is_there) else { return };
        let Some(found) = outline.symbols.get(at) else { return };
        let container = found.parent.map(|above| outline.path_of(above));
        *place = CodePlace {
            symbol: Some(place_symbol(found, &place.text)),
            container,
            ..TextPlaces::new(&place.path, &place.text).place(found.name_range.clone())
        };
    }
}

fn places_in_file(
    names: &WorkspaceNames,
    outlines: Option<&FileOutlines>,
    path: &Path,
    locations: &[ServerLocation],
    encoding: PositionEncoding,
    shows_symbols: bool,
) -> Vec<CodePlace> {
    let unread = |location: &ServerLocation| CodePlace::unread(path.to_owned(), location.range.start);
    let Some(text) = names.shown_text(path) else { return locations.iter().map(unread).collect() };
    let (document, places) = (Document::new(&text, LineBreaks::Any), TextPlaces::new(path, &text));
    let outline = outlines.and_then(|outlines| outlines.get(path, &text));
    let place = |location: &ServerLocation| {
        let range = document.byte_range(&location.range, encoding);
        let mut place = places.place(range.clone());
        if let Some(outline) = &outline {
            place.container = outline.around(range.start).map(|at| outline.path_of(at));
            let is_named = |symbol: &&OutlineSymbol| symbol.name_range.contains(&range.start);
            let defined = shows_symbols.then(|| outline.symbols.iter().find(is_named)).flatten();
            place.symbol = defined.map(|symbol| place_symbol(symbol, &text));
        }
        place
    };
    locations.iter().map(place).collect()
}

/// Runs work that may take a while.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, NavigationError> {
    spawn_blocking(work).await.map_err(|error| NavigationError::new(format!("The search failed: {error}.")))
}

/// A position in a file, as a server has both.
type DocumentPosition<'a> = (&'a Path, Position);

//! Answers for servers that do not give them, from those that they do give: declarations are definitions; subtypes are
//! implementations, or the types that name it in their headers; supertypes are the names in a header, or the traits of implementations.

use std::path::Path;
use std::sync::Arc;

use copydesk_servers::{CodeQuery, CodeQueryError, ServerLease, ServerLocation};
use copydesk_syntax::grammar::grammar_for;
use copydesk_syntax::outline::OutlineSymbol;
use copydesk_text::{Document, LineBreaks};
use lsp_types::SymbolKind;
use tokio::time::Instant;

use super::{NavigationOperation, Navigator};
use crate::answer::{AnswerBasis, CodePlace, NavigationAnswer, TextPlaces};
use crate::place::FoundPlace;
use crate::time_limits::ANSWER_TIMEOUT;
use crate::type_header::{base_names, implemented_trait, names_bases};
use crate::workspace_names::place_symbol;

/// The cap on the implementations whose traits are looked up.
const MAX_IMPLEMENTATIONS: usize = 50;

/// The places, and a sentence that says what they are.
type RelatedPlaces = (Vec<CodePlace>, &'static str);

impl Navigator {
    /// `None` if the question is another one, or no server can help.
    pub(super) async fn type_relations(
        &self,
        operation: NavigationOperation,
        place: &FoundPlace,
        ready_by: Instant,
    ) -> Option<NavigationAnswer> {
        let queries: &[CodeQuery] = match operation {
            NavigationOperation::Declaration => &[CodeQuery::Definition],
            NavigationOperation::Implementation => &[CodeQuery::References],
            NavigationOperation::Subtypes => &[CodeQuery::Implementation, CodeQuery::References],
            NavigationOperation::Supertypes if is_implementor(self, place) => &[CodeQuery::Implementation],
            NavigationOperation::Supertypes => &[CodeQuery::Definition],
            _ => return None,
        };
        for query in queries {
            let leased = self.lease(&place.path, *query, ready_by).await;
            let Some(lease) = leased.leases.iter().find(|lease| lease.not_ready.is_none()) else { continue };
            let related = match (operation, query) {
                (NavigationOperation::Declaration, _) => self.definitions_instead(lease, place).await,
                (_, CodeQuery::References) => self.types_with_base(lease, place).await,
                (NavigationOperation::Subtypes, _) => self.implementations_instead(lease, place).await,
                (_, CodeQuery::Implementation) => self.implemented_traits(lease, place, ready_by).await,
                _ => self.bases_in_header(lease, place).await,
            };
            let (places, note) = related.ok()??;
            return Some(NavigationAnswer {
                places,
                description: None,
                basis: AnswerBasis::Server(lease.server.name().to_owned()),
                notes: vec![format!("{} cannot tell this. {note}", lease.server.name())],
            });
        }
        None
    }

    async fn definitions_instead(
        &self,
        lease: &ServerLease,
        place: &FoundPlace,
    ) -> Result<Option<RelatedPlaces>, CodeQueryError> {
        let found = self.locate(lease, CodeQuery::Definition, place, &[place.range.start]).await?;
        let places = self.places(found, lease.server.position_encoding(), true).await;
        Ok(Some((places, "These are its definitions.")))
    }

    /// Some servers take a type for an implementation of itself.
    async fn implementations_instead(
        &self,
        lease: &ServerLease,
        place: &FoundPlace,
    ) -> Result<Option<RelatedPlaces>, CodeQueryError> {
        let found = self.locate(lease, CodeQuery::Implementation, place, &[place.range.start]).await?;
        let mut places = self.places(found, lease.server.position_encoding(), true).await;
        places.retain(|found| found.path != place.path || found.range.start != place.range.start);
        places.retain(is_implementation);
        Ok(Some((places, "These are its implementations.")))
    }

    /// The types that name it as their base. `None` if it is no type, or types have no bases in this language.
    async fn types_with_base(
        &self,
        lease: &ServerLease,
        place: &FoundPlace,
    ) -> Result<Option<RelatedPlaces>, CodeQueryError> {
        if !self.definition_at(place).is_some_and(|symbol| is_type(symbol.kind)) || !has_bases(&place.path) {
            return Ok(None);
        }
        let found = self.locate(lease, CodeQuery::References, place, &[place.range.start]).await?;
        let uses = self.places(found, lease.server.position_encoding(), false).await;
        let places = uses.iter().filter_map(|place| self.type_with_base_at(place)).collect();
        Ok(Some((places, "These are the types that name it in their headers.")))
    }

    fn type_with_base_at(&self, place: &CodePlace) -> Option<CodePlace> {
        let outline = self.outlines.get(&place.path, &place.text)?;
        let grammar = grammar_for(&place.path)?;
        let is_base = |symbol: &&OutlineSymbol| {
            let header = symbol.name_range.end..symbol.signature.end;
            let text = place.text.get(header.clone()).unwrap_or_default();
            is_type(symbol.kind)
                && header.contains(&place.range.start)
                && base_names(grammar.name, text).contains(&(place.range.start - header.start))
        };
        let symbol = outline.symbols.iter().rfind(is_base)?;
        Some(CodePlace {
            symbol: Some(place_symbol(symbol, &place.text)),
            container: symbol.parent.map(|at| outline.path_of(at)),
            ..TextPlaces::new(&place.path, &place.text).place(symbol.name_range.clone())
        })
    }

    /// `None` if the place is no definition, or types have no bases in this language.
    async fn bases_in_header(
        &self,
        lease: &ServerLease,
        place: &FoundPlace,
    ) -> Result<Option<RelatedPlaces>, CodeQueryError> {
        let grammar = grammar_for(&place.path).filter(|grammar| names_bases(grammar.name));
        let (Some(symbol), Some(grammar)) = (self.definition_at(place), grammar) else { return Ok(None) };
        let start = symbol.name_range.end;
        let header = place.text.get(start..symbol.signature.end).unwrap_or_default();
        let names: Vec<_> = base_names(grammar.name, header).into_iter().map(|at| start + at).collect();
        let found = self.locate(lease, CodeQuery::Definition, place, &names).await?;
        let places = self.places(found, lease.server.position_encoding(), true).await;
        Ok(Some((places, "These are the definitions of the names in its header.")))
    }

    /// The traits of its implementations, each once.
    async fn implemented_traits(
        &self,
        lease: &ServerLease,
        place: &FoundPlace,
        ready_by: Instant,
    ) -> Result<Option<RelatedPlaces>, CodeQueryError> {
        let found = self.locate(lease, CodeQuery::Implementation, place, &[place.range.start]).await?;
        let implementations = self.places(found, lease.server.position_encoding(), true).await;
        let mut places: Vec<CodePlace> = Vec::new();
        for implementation in implementations.iter().take(MAX_IMPLEMENTATIONS) {
            let Some(name) = self.trait_at(implementation) else { continue };
            let leased = self.lease(&implementation.path, CodeQuery::Definition, ready_by).await;
            let Some(lease) = leased.leases.first() else { continue };
            let at = FoundPlace {
                path: implementation.path.clone(),
                text: Arc::clone(&implementation.text),
                range: name..name,
                notes: Vec::new(),
                is_guess: false,
            };
            let found = self.locate(lease, CodeQuery::Definition, &at, &[name]).await?;
            for found in self.places(found, lease.server.position_encoding(), true).await {
                if !places.iter().any(|known| known.path == found.path && known.line == found.line) {
                    places.push(found);
                }
            }
        }
        Ok(Some((places, "These are the traits of its implementations, without derived ones.")))
    }

    /// Where the trait stands in the implementation around a place.
    fn trait_at(&self, place: &CodePlace) -> Option<usize> {
        let outline = self.outlines.get(&place.path, &place.text)?;
        let is_around = |symbol: &&OutlineSymbol| {
            symbol.kind == SymbolKind::Object && symbol.range.contains(&place.range.start)
        };
        let symbol = outline.symbols.iter().rfind(is_around)?;
        let header = place.text.get(symbol.signature.clone())?;
        implemented_trait(header).map(|at| symbol.signature.start + at)
    }

    /// The definition whose name is at the place.
    fn definition_at(&self, place: &FoundPlace) -> Option<OutlineSymbol> {
        let outline = self.outlines.get(&place.path, &place.text)?;
        outline.symbols.iter().find(|symbol| symbol.name_range.end == place.range.end).cloned()
    }

    /// The answers for these places of the file.
    async fn locate(
        &self,
        lease: &ServerLease,
        query: CodeQuery,
        place: &FoundPlace,
        offsets: &[usize],
    ) -> Result<Vec<ServerLocation>, CodeQueryError> {
        let document = Document::new(&place.text, LineBreaks::Any);
        let (until, mut found) = (Instant::now() + ANSWER_TIMEOUT, Vec::new());
        for offset in offsets {
            let at = document.position(*offset, lease.server.position_encoding());
            found.extend(lease.server.locations(query, &lease.path, at, until).await?);
        }
        Ok(found)
    }
}

/// Whether its supertypes are written at its implementations: a type of Rust that is no trait.
fn is_implementor(navigator: &Navigator, place: &FoundPlace) -> bool {
    let is_rust = grammar_for(&place.path).is_some_and(|grammar| grammar.name == "rust");
    is_rust && navigator.definition_at(place).is_some_and(|symbol| symbol.kind != SymbolKind::Interface)
}

fn has_bases(path: &Path) -> bool {
    grammar_for(path).is_some_and(|grammar| names_bases(grammar.name))
}

fn is_type(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Class | SymbolKind::Interface | SymbolKind::Struct | SymbolKind::Enum)
}

/// TypeScript's servers list `this`, and arrays of a type, among the implementations of the type.
pub(super) fn is_implementation(place: &CodePlace) -> bool {
    let text = place.text.get(place.range.clone()).unwrap_or_default();
    text != "this" && !text.starts_with('[')
}

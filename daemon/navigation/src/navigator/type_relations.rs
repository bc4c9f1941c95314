//! Super- and subtypes, for servers that do not tell them: subtypes are the implementations of a type; supertypes are the definitions
//! of the names in its header.

use std::path::Path;
use std::sync::Arc;

use copydesk_servers::CodeQuery;
use copydesk_syntax::grammar::grammar_for;
use copydesk_syntax::name_uses::is_word_character;
use copydesk_text::{Document, LineBreaks};
use tokio::time::Instant;

use super::{NavigationOperation, Navigator};
use crate::answer::{AnswerBasis, NavigationAnswer};
use crate::place::FoundPlace;
use crate::time_limits::ANSWER_TIMEOUT;

/// The cap on the names in a header.
const MAX_NAMES: usize = 16;

/// The grammars in which a type names its supertypes in its header.
const WITH_HEADERS: [&str; 8] = ["cpp", "java", "javascript", "php", "python", "ruby", "tsx", "typescript"];

impl Navigator {
    /// `None` if the question is another one, or no server can help.
    pub(super) async fn type_relations(
        &self,
        operation: NavigationOperation,
        place: &FoundPlace,
        ready_by: Instant,
    ) -> Option<NavigationAnswer> {
        let (query, note) = match operation {
            NavigationOperation::Subtypes => (CodeQuery::Implementation, "These are its implementations."),
            NavigationOperation::Supertypes if has_header(&place.path) => {
                (CodeQuery::Definition, "These are the definitions of the names in its header.")
            }
            _ => return None,
        };
        let leased = self.lease(&place.path, query, ready_by).await;
        let lease = leased.leases.iter().find(|lease| lease.not_ready.is_none())?;
        let (server, until) = (&lease.server, Instant::now() + ANSWER_TIMEOUT);
        let encoding = server.position_encoding();
        let document = Document::new(&place.text, LineBreaks::Any);
        let names = match operation {
            NavigationOperation::Subtypes => vec![place.range.start],
            _ => header_names(&place.path, place, self)?,
        };
        let mut found = Vec::new();
        for name in names {
            let at = document.position(name, encoding);
            found.extend(server.locations(query, &lease.path, at, until).await.ok()?);
        }
        Some(NavigationAnswer {
            places: self.places(found, encoding, true).await,
            description: None,
            basis: AnswerBasis::Server(server.name().to_owned()),
            notes: vec![format!("{} cannot tell this. {note}", server.name())],
        })
    }
}

fn has_header(path: &Path) -> bool {
    grammar_for(path).is_some_and(|grammar| WITH_HEADERS.contains(&grammar.name))
}

/// Where the names behind a type's own stand in its header, if the place is a definition: `class Square(Shape)`, `class Square extends Base implements Shape`.
fn header_names(path: &Path, place: &FoundPlace, navigator: &Navigator) -> Option<Vec<usize>> {
    let outline = navigator.outlines.get(path, &Arc::clone(&place.text))?;
    let own = outline.symbols.iter().find(|symbol| symbol.name_range.end == place.range.end);
    let header = own.map(|symbol| symbol.name_range.end..symbol.signature.end)?;
    let text = place.text.get(header.clone())?;
    let mut names = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices().chain(std::iter::once((text.len(), ' '))) {
        match (is_word_character(character), start) {
            (true, None) => start = Some(header.start + at),
            (false, Some(from)) => {
                let range = from..header.start + at;
                let word = place.text.get(range.clone()).unwrap_or_default();
                let is_keyword =
                    ["extends", "implements", "public", "private", "protected", "virtual", "with"]
                        .contains(&word);
                if !is_keyword && names.len() < MAX_NAMES {
                    names.push(from);
                }
                start = None;
            }
            _ => {}
        }
    }
    Some(names)
}

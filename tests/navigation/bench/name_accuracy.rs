//! How good answers by syntax trees are: uses and definitions of names, compared with those of the server.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::asked_project::{AnswerSource, AskedProject, ToolAnswer};
use super::question::BenchProject;
use crate::truth::servers::InstalledServers;

/// How many files one definition is taken from, each.
const FILES: usize = 30;
/// How many uses of each name are asked for their definition.
const USES_OF_EACH: usize = 2;

/// The mean over names of the share of places that are right, and of right places that are found.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NameAccuracy {
    pub(crate) names: usize,
    precision: f64,
    recall: f64,
}

impl NameAccuracy {
    fn add(&mut self, by_syntax: &BTreeSet<BenchPlace>, by_server: &BTreeSet<BenchPlace>) {
        let both = by_syntax.intersection(by_server).count() as f64;
        self.names += 1;
        self.precision += both / by_syntax.len().max(1) as f64;
        self.recall += both / by_server.len().max(1) as f64;
    }

    /// `0.97 / 1.00 (38)`
    pub(crate) fn cell(&self) -> String {
        let mean = |sum: f64| sum / self.names.max(1) as f64;
        match self.names {
            0 => "–".to_owned(),
            names => format!("{:.2} / {:.2} ({names})", mean(self.precision), mean(self.recall)),
        }
    }
}

/// Path, line, column.
type BenchPlace = (String, u64, u64);

#[derive(Debug, Clone, Default)]
pub(crate) struct AccuracyRow {
    pub(crate) server: String,
    /// Of names that one definition has, and of names that several have.
    pub(crate) uses: [NameAccuracy; 2],
    pub(crate) definitions: [NameAccuracy; 2],
}

/// Compares both for a sample of the definitions of a project: the middle one of every file, spread over the project.
pub(crate) fn compare(servers: &InstalledServers, server: &str, project: &BenchProject) -> AccuracyRow {
    let mut syntax = AskedProject::open(AnswerSource::Syntax, (servers, server), project, false);
    let mut asked = AskedProject::open(AnswerSource::Pool, (servers, server), project, false);
    let mut row = AccuracyRow { server: server.to_owned(), ..AccuracyRow::default() };
    let paths = project.source_paths();
    let step = (paths.len() / FILES).max(1);
    let outlines: Vec<_> = paths.iter().step_by(step).map(|path| question("documentSymbol", path)).collect();
    let sample: Vec<_> = syntax.call(&outlines).iter().filter_map(middle).collect();
    let uses: Vec<_> = sample.iter().map(|place| question_at("findReferences", place)).collect();
    let (by_syntax, by_server) = (syntax.call(&uses), asked.call(&uses));
    let mut used = Vec::new();
    for (defined, (by_syntax, by_server)) in sample.iter().zip(by_syntax.iter().zip(&by_server)) {
        let Some((by_syntax_places, mut by_server_places)) = comparable(by_syntax, by_server) else {
            continue;
        };
        let group = usize::from(by_syntax.text.contains("definitions have the name"));
        row.uses[group].add(&by_syntax_places, &by_server_places);
        // At a definition, clangd names the declaration.
        by_server_places.remove(defined);
        let step = (by_server_places.len() / USES_OF_EACH).max(1);
        used.extend(
            by_server_places.into_iter().rev().step_by(step).take(USES_OF_EACH).map(|place| (group, place)),
        );
    }
    let definitions: Vec<_> = used.iter().map(|(_, place)| question_at("goToDefinition", place)).collect();
    let (by_syntax, by_server) = (syntax.call(&definitions), asked.call(&definitions));
    for ((group, _), (by_syntax, by_server)) in used.iter().zip(by_syntax.iter().zip(&by_server)) {
        if let Some((by_syntax, by_server)) = comparable(by_syntax, by_server) {
            row.definitions[*group].add(&by_syntax, &by_server);
        }
    }
    row
}

fn question(operation: &str, path: &str) -> (&'static str, Value) {
    ("lsp", json!({ "operation": operation, "filePath": path }))
}

fn question_at(operation: &str, (path, line, column): &BenchPlace) -> (&'static str, Value) {
    ("lsp", json!({ "operation": operation, "filePath": path, "line": line, "character": column }))
}

fn middle(answer: &ToolAnswer) -> Option<BenchPlace> {
    answer.places.get(answer.places.len() / 2).cloned()
}

/// The places of both, if the server answered, and both are complete.
fn comparable(
    by_syntax: &ToolAnswer,
    by_server: &ToolAnswer,
) -> Option<(BTreeSet<BenchPlace>, BTreeSet<BenchPlace>)> {
    let is_usable = by_server.is_settled() && !by_server.is_cut && !by_syntax.is_cut && !by_syntax.is_error;
    let places = |answer: &ToolAnswer| answer.places.iter().cloned().collect::<BTreeSet<_>>();
    (is_usable && !by_server.places.is_empty()).then(|| (places(by_syntax), places(by_server)))
}

//! What it costs a model to rename a function and mend its callers: by `refactor`, and by `grep`, `read` and `edit`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::asked_project::{AnswerSource, AskedProject, PlayedSteps};
use super::question::BenchProject;
use crate::truth::servers::InstalledServers;

/// How many lines above and below a use are read.
const CONTEXT: usize = 10;

#[derive(Debug, Clone)]
pub(crate) struct RenameCost {
    pub(crate) server: String,
    pub(crate) symbol: String,
    pub(crate) places: usize,
    pub(crate) files: usize,
    pub(crate) by_refactor: PlayedSteps,
    pub(crate) by_edits: PlayedSteps,
}

/// Steps of a model, each with its calls: a tool and its arguments.
type ScriptedSteps = Vec<Vec<(&'static str, Value)>>;

/// Plays both in copies of the project. All right places have the new name afterwards.
pub(crate) fn compare(servers: &InstalledServers, server: &str, project: &BenchProject) -> RenameCost {
    let task = &project.rename;
    let uses = project.questions.iter().find(|question| {
        question.operation == "findReferences" && question.arguments()["symbol"] == *task.symbol
    });
    let places = &uses.expect("the uses of the renamed function are a question").places;
    let mut files: Vec<&str> = places.iter().filter_map(|place| place.split(':').next()).collect();
    files.dedup();
    let play = |steps: &dyn Fn(&Path) -> ScriptedSteps| {
        let mut asked = AskedProject::open(AnswerSource::Pool, (servers, server), project, false);
        let steps = steps(asked.root());
        let played = asked.play(&steps);
        for place in places {
            let (path, line) = place.split_once(':').unwrap();
            let text = fs::read_to_string(asked.root().join(path)).unwrap();
            let text = text.lines().nth(line.parse::<usize>().unwrap() - 1).unwrap_or_default();
            assert!(
                text.contains(&task.new_name),
                "{server}: {place} is not renamed: {text}; {:?}",
                played.outputs
            );
        }
        played
    };
    let arguments = json!({ "operation": "rename", "symbol": task.symbol, "newName": task.new_name });
    RenameCost {
        server: server.to_owned(),
        symbol: task.symbol.clone(),
        places: places.len(),
        files: files.len(),
        by_refactor: play(&|_| vec![vec![("refactor", arguments.clone())]]),
        by_edits: play(&|root| edit_steps(root, &files, (&task.symbol, &task.new_name))),
    }
}

/// The fewest steps: search, read around all uses, one edit of each file, search again.
fn edit_steps(root: &Path, files: &[&str], (old, new): (&str, &str)) -> ScriptedSteps {
    let search = || vec![("grep", json!({ "pattern": format!("\\b{old}\\b") }))];
    let (mut reads, mut edits) = (Vec::new(), Vec::new());
    for path in files {
        let text = fs::read_to_string(root.join(path)).unwrap();
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for (number, _) in text.lines().enumerate().filter(|(_, line)| line.contains(old)) {
            let (first, last) = (number.saturating_sub(CONTEXT), number + CONTEXT);
            match ranges.last_mut() {
                Some((_, end)) if first <= *end => *end = last,
                _ => ranges.push((first, last)),
            }
        }
        let read = |(first, last): &(usize, usize)| {
            ("read", json!({ "filePath": path, "offset": first, "limit": last - first + 1 }))
        };
        reads.extend(ranges.iter().map(read));
        let edit = json!({ "filePath": path, "oldString": old, "newString": new, "replaceAll": true });
        edits.push(("edit", edit));
    }
    vec![search(), reads, edits, search()]
}

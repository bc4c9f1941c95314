//! What a question costs a model, in time and in tokens: the uses of a function by the tool `lsp`, here and in OpenCode, by the same server
//! in the same project.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::asked_project::{AnswerSource, AskedProject, step_times};
use super::question::BenchProject;
use crate::model_server::ScriptedTurn;
use crate::navigation::scripted_with_server;
use crate::opencode;
use crate::truth::servers::InstalledServers;

/// How often each is asked, after a first time in which the server reads the project.
const QUESTIONS: usize = 5;

#[derive(Debug, Clone)]
pub(crate) struct QuestionCost {
    pub(crate) server: String,
    pub(crate) symbol: String,
    /// The median time from the call to the next request, and the letters of the answer.
    pub(crate) ours: (Duration, usize),
    pub(crate) opencode: (Duration, usize),
}

pub(crate) fn compare(
    program: &Path,
    servers: &InstalledServers,
    server: &str,
    project: &BenchProject,
) -> QuestionCost {
    let symbol = &project.rename.symbol;
    let uses = project.questions.iter().find(|question| {
        question.operation == "findReferences" && question.arguments()["symbol"] == **symbol
    });
    let place = uses.and_then(|uses| uses.places.first()).expect("the renamed function has uses");
    let (path, line) = place.split_once(':').unwrap();
    let line: usize = line.parse().unwrap();
    // OpenCode knows places only by line and column.
    let question = |root: &Path| {
        let text = std::fs::read_to_string(root.join(path)).unwrap();
        let column = text.lines().nth(line - 1).and_then(|line| line.find(symbol.as_str())).unwrap();
        let file = root.join(path);
        json!({ "operation": "findReferences", "filePath": file, "line": line, "character": column + 1 })
    };
    let mut asked = AskedProject::open(AnswerSource::Pool, (servers, server), project, false);
    let call = question(asked.root());
    let steps: Vec<_> = (0..QUESTIONS).map(|_| vec![("lsp", call.clone())]).collect();
    let played = asked.play(&steps);
    let letters = played.outputs.last().map_or(0, |text| text.chars().count());
    let ours = (median(played.took), letters);
    let opencode = in_opencode(program, (servers, server), project, &question);
    QuestionCost { server: server.to_owned(), symbol: symbol.clone(), ours, opencode }
}

fn in_opencode(
    program: &Path,
    servers: (&InstalledServers, &str),
    project: &BenchProject,
    question: &dyn Fn(&Path) -> Value,
) -> (Duration, usize) {
    let scripted = scripted_with_server(servers.0, servers.1, Vec::new());
    let root = scripted.env.path("").canonicalize().unwrap();
    project.copy_to(&root, false);
    for number in 0..=QUESTIONS {
        scripted.server.queue_turn(ScriptedTurn::new().call(format!("c{number}"), "lsp", question(&root)));
    }
    scripted.server.queue_turn(ScriptedTurn::new().text("Done."));
    opencode::play(program, &scripted, servers, "m-1", || ());
    let last = scripted.request_body(QUESTIONS + 1);
    let messages = last["messages"].as_array().into_iter().flatten();
    let mut results = messages.flat_map(|message| message["content"].as_array().into_iter().flatten());
    let answer = results.rfind(|part| part["type"] == "tool_result").expect("a result");
    assert_ne!(answer["is_error"], true, "{answer}");
    let text = answer["content"].as_str().map_or_else(|| answer["content"].to_string(), str::to_owned);
    (median(step_times(&scripted, 1, QUESTIONS)), text.chars().count())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

//! A real project that is open, by one source of answers, and a scripted model that makes calls in it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::question::BenchProject;
use crate::model_server::ScriptedTurn;
use crate::navigation::scripted_with_server;
use crate::plugin::plugin_neovim::PluginNeovim;
use crate::sessions::harness::{DaemonGuard, RunLocation, ScriptedEnvironment};
use crate::truth::servers::InstalledServers;

/// How long a server may take to read a project.
const PATIENCE: Duration = Duration::from_secs(600);
/// How many calls the model makes in one step.
const CALLS_PER_STEP: usize = 10;

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerSource<'a> {
    /// The daemon's own server.
    Pool,
    /// No server: syntax trees.
    Syntax,
    /// The server of this Neovim.
    Neovim(&'a Path),
}

/// What the model got for a call.
#[derive(Debug, Clone)]
pub(crate) struct ToolAnswer {
    pub(crate) text: String,
    pub(crate) is_error: bool,
    /// Path from the root, line, column. Those outside of the project are left out.
    pub(crate) places: Vec<(String, u64, u64)>,
    pub(crate) milliseconds: u64,
    /// Whether not all places are listed.
    pub(crate) is_cut: bool,
}

impl ToolAnswer {
    /// Whether a server answered that had read the project.
    pub(crate) fn is_settled(&self) -> bool {
        let signs =
            ["by syntax", "This may not be all", "found nothing, but", "still reading", "gave no answer"];
        !self.is_error && !signs.iter().any(|sign| self.text.contains(sign))
    }
}

/// What a model did, and what it cost.
#[derive(Debug, Clone)]
pub(crate) struct PlayedSteps {
    pub(crate) calls: usize,
    /// Requests to the model.
    pub(crate) requests: usize,
    /// The letters of the calls and their results.
    pub(crate) letters: usize,
    /// The letters of the messages in all requests: each repeats those before it.
    pub(crate) sent_letters: usize,
    pub(crate) outputs: Vec<String>,
    /// From the model's answer to the next request.
    pub(crate) took: Vec<Duration>,
}

pub(crate) struct AskedProject {
    scripted: ScriptedEnvironment,
    root: PathBuf,
    window: Option<PluginNeovim>,
    call_count: usize,
    _daemon: Option<DaemonGuard>,
}

impl AskedProject {
    /// Opens a copy of the project. It waits until the server has read it.
    pub(crate) fn open(
        source: AnswerSource<'_>,
        (servers, server): (&InstalledServers, &str),
        project: &BenchProject,
        has_errors: bool,
    ) -> Self {
        let scripted = match source {
            AnswerSource::Syntax => {
                ScriptedEnvironment::with_config([], json!({ "permission": "allow", "lsp": false }))
            }
            AnswerSource::Pool | AnswerSource::Neovim(_) => scripted_with_server(servers, server, Vec::new()),
        };
        let ScriptedEnvironment { env, server: model } = scripted;
        let scripted = ScriptedEnvironment { env: env.env("COPYDESK_IDLE_EXIT", "60"), server: model };
        let root = scripted.env.path("").canonicalize().unwrap();
        project.copy_to(&root, has_errors);
        let _daemon = scripted.start_daemon(RunLocation::Daemon);
        let window = match source {
            AnswerSource::Neovim(program) => {
                let mut window = PluginNeovim::open(program, &scripted.env);
                let command = servers.command(server);
                window.nvim.lua(include_str!("../../truth/play/neovim.lua"), json!([command, server]));
                window.connect();
                Some(window)
            }
            AnswerSource::Pool | AnswerSource::Syntax => None,
        };
        let mut asked = Self { scripted, root, window, call_count: 0, _daemon };
        if source != AnswerSource::Syntax {
            asked.warm_up(project);
        }
        asked
    }

    /// Asks for the uses of something until two answers agree. The user of an editor has a file open.
    fn warm_up(&mut self, project: &BenchProject) {
        let uses = project.questions.iter().filter(|question| question.operation == "findReferences");
        let uses: Vec<_> = uses.map(|question| ("lsp", question.arguments())).collect();
        let file = project.questions.iter().find_map(|question| {
            let arguments = question.arguments();
            arguments["filePath"].as_str().map(str::to_owned)
        });
        if let (Some(window), Some(file)) = (&mut self.window, file) {
            window.nvim.lua("T.opens(...)", json!([file]));
        }
        let begun = Instant::now();
        let mut last = None;
        while begun.elapsed() < PATIENCE {
            let answers = self.call(&uses);
            let texts: Vec<_> = answers.iter().map(|answer| answer.text.clone()).collect();
            let is_settled = answers.iter().all(ToolAnswer::is_settled);
            if is_settled && last.as_ref() == Some(&texts) {
                return;
            }
            last = Some(texts);
        }
    }

    /// The answers to these calls: a tool and its arguments.
    pub(crate) fn call(&mut self, calls: &[(&str, Value)]) -> Vec<ToolAnswer> {
        calls.chunks(CALLS_PER_STEP).flat_map(|calls| self.call_in_one_step(calls)).collect()
    }

    fn call_in_one_step(&mut self, calls: &[(&str, Value)]) -> Vec<ToolAnswer> {
        let first = self.call_count;
        self.call_count += calls.len();
        let names: Vec<_> = (first..self.call_count).map(|number| format!("c{number}")).collect();
        let turn = names.iter().zip(calls).fold(ScriptedTurn::new(), |turn, (name, (tool, arguments))| {
            turn.call(name, *tool, arguments.clone())
        });
        self.scripted.server.queue_turn(turn);
        self.scripted.server.queue_turn(ScriptedTurn::new().text("Done."));
        let parts = self.take_turn();
        names.iter().map(|name| self.answer_of(&parts, name)).collect()
    }

    /// Has the model play what is queued.
    fn take_turn(&mut self) -> Vec<Value> {
        let Some(window) = &mut self.window else {
            let ran = self.scripted.run(&["--json", "--auto", "Look"]);
            let lines = ran.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            return lines.map(|mut event| event["part"].take()).collect();
        };
        window.command("Copydesk ask Look");
        window.wait_for_turn_end();
        let parts = window.lua("return vim.json.encode(require('copydesk.session').current().parts)");
        serde_json::from_str(parts.as_str().unwrap()).unwrap()
    }

    fn answer_of(&self, parts: &[Value], name: &str) -> ToolAnswer {
        let contents = parts.iter().map(|part| &part["content"]);
        let mut done = contents.filter(|content| content["call"] == *name && content["output"].is_object());
        let content = done.next_back().unwrap_or_else(|| panic!("{name} has no result"));
        self.answer(&content["output"])
    }

    fn answer(&self, output: &Value) -> ToolAnswer {
        let metadata = &output["metadata"];
        let root = format!("{}/", self.root.display());
        let place = |place: &Value| {
            // The command's output names the project instead of its folder.
            let path = place["path"].as_str()?;
            let path = path.strip_prefix(&root).or_else(|| path.strip_prefix("PROJECT/"))?;
            Some((path.to_owned(), place["line"].as_u64()?, place["column"].as_u64()?))
        };
        ToolAnswer {
            text: output["output"].as_str().unwrap_or_default().to_owned(),
            is_error: output["isError"] == true,
            places: metadata["places"].as_array().into_iter().flatten().filter_map(place).collect(),
            milliseconds: output["milliseconds"].as_u64().unwrap_or_default(),
            is_cut: metadata["truncated"] == true,
        }
    }

    /// Plays steps of one turn, each with its calls.
    pub(crate) fn play(&mut self, steps: &[Vec<(&str, Value)>]) -> PlayedSteps {
        let first = self.scripted.server.requests().len();
        let mut names = Vec::new();
        for calls in steps {
            let mut turn = ScriptedTurn::new();
            for (tool, arguments) in calls {
                names.push(format!("c{}", self.call_count));
                turn = turn.call(format!("c{}", self.call_count), *tool, arguments.clone());
                self.call_count += 1;
            }
            self.scripted.server.queue_turn(turn);
        }
        self.scripted.server.queue_turn(ScriptedTurn::new().text("Done."));
        let parts = self.take_turn();
        let outputs: Vec<_> = names.iter().map(|name| self.answer_of(&parts, name).text).collect();
        let requests = self.scripted.server.requests();
        let sent =
            requests[first..].iter().map(|request| request.body["messages"].to_string().chars().count());
        let arguments = steps.iter().flatten().map(|(_, arguments)| arguments.to_string().chars().count());
        PlayedSteps {
            calls: names.len(),
            requests: requests.len() - first,
            letters: arguments.sum::<usize>()
                + outputs.iter().map(|text| text.chars().count()).sum::<usize>(),
            sent_letters: sent.sum(),
            outputs,
            took: step_times(&self.scripted, first, steps.len()),
        }
    }

    /// The real path of the copy.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }
}

/// How long the calls of each step took: from the model's answer to its next request. `first` is the first request.
pub(crate) fn step_times(scripted: &ScriptedEnvironment, first: usize, steps: usize) -> Vec<Duration> {
    let requests = scripted.server.requests();
    let times = (first + 1..=first + steps).filter_map(|next| {
        let answered = scripted.server.answer_time(next)?;
        Some(requests.get(next)?.begun.saturating_duration_since(answered))
    });
    times.collect()
}

//! The script, the recorded requests and the errors: the state that the test and the connections share.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};
use tokio::sync::watch;

use super::gates::StreamGates;
use super::recorded_request::RecordedRequest;
use super::turn::ScriptedTurn;
use super::wire::RequestSummary;

#[derive(Debug, Default)]
pub(crate) struct ModelScript {
    pub(crate) gates: StreamGates,
    inner: Mutex<ModelScriptState>,
    /// How many model requests have arrived.
    arrived: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct ModelScriptState {
    queue: VecDeque<ScriptedTurn>,
    rules: Vec<ScriptRule>,
    pages: Vec<ScriptedPage>,
    requests: Vec<RecordedRequest>,
    /// When the last write of a response began, by request number.
    answered: BTreeMap<usize, Instant>,
    problems: Vec<String>,
}

pub(crate) type RequestMatcher = Box<dyn Fn(&RecordedRequest) -> bool + Send>;

pub(crate) struct ScriptRule {
    pub(crate) matches: RequestMatcher,
    pub(crate) turn: ScriptedTurn,
    /// Any number of times, including none; otherwise exactly once.
    pub(crate) always: bool,
}

impl fmt::Debug for ScriptRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rule").field("turn", &self.turn).field("always", &self.always).finish_non_exhaustive()
    }
}

/// A fixed response to GET.
#[derive(Clone, Debug)]
pub(crate) struct ScriptedPage {
    pub(crate) path: String,
    pub(crate) status: u16,
    pub(crate) body: Value,
}

/// What to do with a model request.
#[derive(Debug)]
pub(crate) enum ScriptDecision {
    Play(Box<ScriptedTurn>, RequestSummary),
    /// The request is unexpected or invalid.
    Refuse {
        status: u16,
        message: String,
    },
}

impl ModelScript {
    pub(crate) fn push(&self, turn: ScriptedTurn) {
        turn.check();
        self.inner().queue.push_back(turn);
    }

    pub(crate) fn push_rule(&self, rule: ScriptRule) {
        rule.turn.check();
        self.inner().rules.push(rule);
    }

    /// The newest page of a path wins.
    pub(crate) fn push_page(&self, page: ScriptedPage) {
        self.inner().pages.insert(0, page);
    }

    pub(crate) fn page(&self, path: &str) -> Option<ScriptedPage> {
        self.inner().pages.iter().find(|page| path.ends_with(&page.path)).cloned()
    }

    /// Records a request that is not a model request.
    pub(crate) fn record_other_request(&self, request: RecordedRequest) {
        self.inner().requests.push(request);
    }

    /// Records a model request and finds its turn: the first matching rule, else the head of the queue.
    pub(crate) fn decide_request(&self, request: RecordedRequest) -> ScriptDecision {
        let mut inner = self.inner();
        let number = inner.model_requests().count() + 1;
        let wire = request.wire.expect("only model requests are cued");
        let cue =
            match RequestSummary::parse_request(wire, &request.path, &request.query, &request.body, number) {
                Err(message) => ScriptDecision::Refuse { status: 400, message },
                Ok(asked) => match inner.turn_for(&request) {
                    Some(turn) => ScriptDecision::Play(Box::new(turn), asked),
                    None => ScriptDecision::Refuse {
                        status: 500,
                        message: "the script has no turn left".to_owned(),
                    },
                },
            };
        if let ScriptDecision::Refuse { message, .. } = &cue {
            inner.problems.push(format!(
                "request {number}, {} {}: {message}\n{}",
                request.method, request.path, request.body
            ));
        }
        inner.requests.push(request);
        drop(inner);
        self.arrived.send_replace(number);
        cue
    }

    pub(crate) fn record_answer_time(&self, number: usize, at: Instant) {
        self.inner().answered.insert(number, at);
    }

    pub(crate) fn answer_time(&self, number: usize) -> Option<Instant> {
        self.inner().answered.get(&number).copied()
    }

    pub(crate) fn report_problem(&self, problem: String) {
        self.inner().problems.push(problem);
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.inner().model_requests().cloned().collect()
    }

    pub(crate) fn all_requests(&self) -> Vec<RecordedRequest> {
        self.inner().requests.clone()
    }

    /// Waits for the `number`th model request, from 1.
    pub(crate) async fn wait_for_request(&self, number: usize) -> RecordedRequest {
        assert!(number > 0, "requests are counted from 1");
        let mut arrived = self.arrived.subscribe();
        arrived.wait_for(|count| *count >= number).await.expect("the sender is ours");
        self.inner().model_requests().nth(number - 1).cloned().expect("it is kept before it is counted")
    }

    /// Everything that must fail the test.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let inner = self.inner();
        let mut complaints = inner.problems.clone();
        complaints.extend(inner.queue.iter().map(|turn| format!("a turn was never played: {turn:?}")));
        let rules = inner.rules.iter().filter(|rule| !rule.always);
        complaints.extend(rules.map(|rule| format!("a turn was never asked for: {:?}", rule.turn)));
        let waiting = self.gates.unopened_gates().into_iter();
        complaints.extend(
            waiting.map(|name| format!("gate {name} was reached and neither opened nor awaited as closed")),
        );
        complaints
    }

    fn inner(&self) -> MutexGuard<'_, ModelScriptState> {
        // A matcher that panicked did so before anything changed.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ModelScriptState {
    fn model_requests(&self) -> impl Iterator<Item = &RecordedRequest> {
        self.requests.iter().filter(|request| request.wire.is_some())
    }

    fn turn_for(&mut self, request: &RecordedRequest) -> Option<ScriptedTurn> {
        match self.rules.iter().position(|rule| (rule.matches)(request)) {
            Some(at) if self.rules[at].always => Some(self.rules[at].turn.clone()),
            Some(at) => Some(self.rules.remove(at).turn),
            None => self.queue.pop_front(),
        }
    }
}

/// The list of models in the form of OpenAI and its imitators.
pub(crate) fn model_list(models: &[&str]) -> Value {
    let model =
        |id: &&str| json!({ "id": id, "object": "model", "created": 1_700_000_000, "owned_by": "script" });
    json!({ "object": "list", "data": models.iter().map(model).collect::<Vec<_>>() })
}

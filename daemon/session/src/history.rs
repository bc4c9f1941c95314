//! From the parts of a session to what a model is sent.
//!
//! Invariant: every call has exactly one result, right after the message it stands in; one that was interrupted is told
//! so. The same parts always give the same messages, so that the prefix of a conversation never changes; and what has
//! been sent once is not written anew for the next request, so that a long session costs no more than a short one.

use std::sync::Arc;

use copydesk_model::{CallResult, Input, Message, Part as ModelPart};

use crate::data::{Call, Content, Part, State};
use crate::id::Id;
use crate::task;

/// The conversation so far.
#[derive(Default)]
pub(crate) struct History {
    writer: Writer,
    /// How many parts are in it. By the time of a request they are settled, and do not change any more.
    parts: usize,
}

/// What a request says, and how much of it the next one says again as it is.
pub(crate) struct Said {
    pub(crate) messages: Vec<Message>,
    whole: usize,
}

impl History {
    /// Everything that has been said, for one request. It is to be given back.
    pub(crate) fn lend(&mut self, parts: &[Arc<Part>]) -> Said {
        for part in parts.iter().skip(self.parts) {
            self.writer.add(part);
        }
        self.parts = parts.len();
        let Writer { messages, said, results, asked, .. } = &mut self.writer;
        let mut messages = std::mem::take(messages);
        let whole = messages.len();
        // More may be added to these before the next request.
        let rest = Writer {
            said: said.clone(),
            results: results.clone(),
            asked: asked.clone(),
            messages: Vec::new(),
            interrupted: Vec::new(),
        };
        messages.extend(rest.finish());
        Said { messages, whole }
    }

    pub(crate) fn give_back(&mut self, mut said: Said) {
        said.messages.truncate(said.whole);
        self.writer.messages = said.messages;
    }
}

#[derive(Default)]
struct Writer {
    messages: Vec<Message>,
    /// What the model wrote in the step at hand, and what came of its calls.
    said: Vec<ModelPart>,
    results: Vec<CallResult>,
    asked: Vec<Input>,
    /// The calls of the step that have no output, with the places of their results.
    interrupted: Vec<(Id, usize)>,
}

impl Writer {
    fn add(&mut self, part: &Part) {
        match &part.content {
            Content::Prompt(prompt) => self.input(Input::Text(prompt.text.clone())),
            Content::File(media) => self.input(Input::Media(media.clone())),
            Content::Note(note) => self.input(Input::Text(note.text.clone())),
            Content::Text(text) => self.say(ModelPart::Text(text.clone())),
            Content::Reasoning(reasoning) => self.say(ModelPart::Reasoning(reasoning.clone())),
            // The model hears of it by the call that it made itself.
            Content::Call(Call { parent: Some(parent), .. }) => self.within(parent, part),
            Content::Call(call) => {
                self.say(ModelPart::Call(copydesk_model::Call {
                    id: call.call.clone(),
                    name: call.name.clone(),
                    arguments: call.arguments.clone(),
                    echo: call.echo.clone(),
                }));
                if call.output.is_none() && !matches!(part.state, State::Error { .. }) {
                    self.interrupted.push((part.id.clone(), self.results.len()));
                }
                self.results.push(result(call, part));
            }
            Content::StepStart { .. } => self.end_step(),
            Content::StepFinish(_) | Content::Retry { .. } => {}
        }
    }

    /// A call that was interrupted says nothing of those that it stood for: how to go on with tasks is said here.
    fn within(&mut self, parent: &Id, part: &Part) {
        let Content::Call(call) = &part.content else { return };
        let result = self.interrupted.iter().find(|(id, _)| id == parent);
        let result = result.and_then(|(_, at)| self.results.get_mut(*at));
        let words = task::goes_on(call, part);
        if let (Some(result), false) = (result, words.is_empty()) {
            let about = task::about(call);
            result.output += &format!("\n[`{}`{about}:{words}]", call.name);
        }
    }

    fn input(&mut self, input: Input) {
        self.end_step();
        self.asked.push(input);
    }

    fn say(&mut self, part: ModelPart) {
        self.end_input();
        self.said.push(part);
    }

    fn end_input(&mut self) {
        if !self.asked.is_empty() {
            self.messages.push(Message::User(std::mem::take(&mut self.asked)));
        }
    }

    fn end_step(&mut self) {
        if !self.said.is_empty() {
            self.messages.push(Message::Assistant(std::mem::take(&mut self.said)));
        }
        if !self.results.is_empty() {
            self.messages.push(Message::Results(std::mem::take(&mut self.results)));
        }
        self.interrupted.clear();
    }

    fn finish(mut self) -> Vec<Message> {
        self.end_step();
        self.end_input();
        self.messages
    }
}

fn result(call: &Call, part: &Part) -> CallResult {
    let (id, name) = (call.call.clone(), call.name.clone());
    if let Some(output) = &call.output {
        let media = output.media.clone();
        return CallResult { id, name, output: output.output.clone(), media, is_error: output.is_error };
    }
    let output = match &part.state {
        State::Error { message } => message.clone(),
        _ => format!(
            "[This call was interrupted. It may have been carried out in part: look before you repeat it.{}]",
            task::goes_on(call, part)
        ),
    };
    CallResult { id, name, output, is_error: true, ..CallResult::default() }
}

#[cfg(test)]
mod tests {
    use copydesk_model::Text;
    use expect_test::expect;

    use super::*;
    use crate::data::{CallOutput, Note, Prompt};

    fn part(state: State, content: Content) -> Part {
        Part {
            id: Id::from("p"),
            session: Id::from("s"),
            turn: 1,
            step: 1,
            created: 0,
            updated: 0,
            state,
            content,
        }
    }

    fn call(name: &str, state: State, output: Option<&str>) -> Part {
        let output =
            output.map(|output| Box::new(CallOutput { output: output.into(), ..CallOutput::default() }));
        let call = Call {
            call: name.into(),
            name: "bash".into(),
            arguments: "{}".into(),
            echo: None,
            parent: None,
            output,
        };
        part(state, Content::Call(call))
    }

    fn text(text: &str) -> Part {
        part(State::Completed, Content::Text(Text { text: text.into(), echo: None }))
    }

    fn prompt(text: &str, steers: bool) -> Part {
        part(State::Completed, Content::Prompt(Prompt { text: text.into(), steers }))
    }

    fn step() -> Part {
        part(State::Completed, Content::StepStart { model: "p/m".into() })
    }

    #[test]
    fn every_call_has_its_result_and_what_comes_between_follows() {
        let parts = [
            prompt("Fix it", false),
            step(),
            text("Looking."),
            call("a", State::Completed, Some("done")),
            call("b", State::Interrupted, None),
            call("c", State::Error { message: "no".into() }, None),
            prompt("And hurry", true),
            part(State::Completed, Content::Note(Note { text: "A hunk was rejected.".into() })),
            step(),
            text("Done."),
            prompt("Thanks", false),
        ];
        let parts = parts.map(Arc::new);
        let lines = |said: &Said| {
            let line = |message| serde_json::to_string(message).unwrap();
            said.messages.iter().map(line).collect::<Vec<_>>().join("\n")
        };
        let whole = lines(&History::default().lend(&parts));
        expect![[r#"
            {"user":[{"text":"Fix it"}]}
            {"assistant":[{"text":{"text":"Looking."}},{"call":{"id":"a","name":"bash","arguments":"{}"}},{"call":{"id":"b","name":"bash","arguments":"{}"}},{"call":{"id":"c","name":"bash","arguments":"{}"}}]}
            {"results":[{"id":"a","name":"bash","output":"done","is_error":false},{"id":"b","name":"bash","output":"[This call was interrupted. It may have been carried out in part: look before you repeat it.]","is_error":true},{"id":"c","name":"bash","output":"no","is_error":true}]}
            {"user":[{"text":"And hurry"},{"text":"A hunk was rejected."}]}
            {"assistant":[{"text":{"text":"Done."}}]}
            {"user":[{"text":"Thanks"}]}"#]].assert_eq(&whole);
        // However often it was asked for on the way.
        let mut history = History::default();
        for end in 1..parts.len() {
            let said = history.lend(&parts[..end]);
            assert_eq!(lines(&said), lines(&History::default().lend(&parts[..end])));
            history.give_back(said);
        }
        assert_eq!(lines(&history.lend(&parts)), whole);
    }

    /// However a call was left, and also one that nobody marked.
    #[test]
    fn a_call_in_any_state_has_one_result() {
        let error = State::Error { message: "no".into() };
        for state in [State::Pending, State::Running, State::Completed, State::Interrupted, error] {
            for output in [None, Some("done")] {
                let parts = [prompt("Go", false), step(), call("a", state.clone(), output)].map(Arc::new);
                let said = History::default().lend(&parts);
                let [Message::User(_), Message::Assistant(calls), Message::Results(results)] =
                    &said.messages[..]
                else {
                    panic!("{state:?}")
                };
                assert_eq!((calls.len(), results.len()), (1, 1), "{state:?}");
                let expected = match (output, &state) {
                    (Some(output), _) => output,
                    (None, State::Error { message }) => message,
                    (None, _) => "[This call was interrupted.",
                };
                assert!(results[0].output.starts_with(expected), "{state:?}: {}", results[0].output);
                assert_eq!(results[0].is_error, output.is_none(), "{state:?}");
            }
        }
    }

    #[test]
    fn calls_within_a_call_are_told_by_that() {
        let mut inner = call("b", State::Completed, Some("inner"));
        if let Content::Call(call) = &mut inner.content {
            call.parent = Some(Id::from("p"));
        }
        let outer = call("a", State::Completed, Some("1 calls."));
        let parts = [prompt("Go", false), step(), outer, inner].map(Arc::new);
        let said = History::default().lend(&parts);
        let Some(Message::Results(results)) = said.messages.last() else { panic!("no results") };
        assert_eq!(results.iter().map(|result| result.id.as_str()).collect::<Vec<_>>(), ["a"]);
    }

    /// The desk was killed: the call that stood for two tasks has no output, and they are found again all the same.
    #[test]
    fn tasks_within_a_call_that_was_interrupted_can_be_gone_on_with() {
        let within = |name: &str, arguments: &str, id: &str| {
            let mut inner = call("i", State::Interrupted, None);
            inner.id = Id::from(id);
            if let Content::Call(call) = &mut inner.content {
                (call.name, call.arguments) = (name.to_owned(), arguments.to_owned());
                call.parent = Some(Id::from("p"));
            }
            inner
        };
        let parts = [
            prompt("Go", false),
            step(),
            call("a", State::Interrupted, None),
            within("task", r#"{"description":"Fix it"}"#, "t1"),
            within("bash", "{}", "b1"),
            within("task", r#"{"description":"Look","task_id":"t0"}"#, "t2"),
            prompt("And now?", false),
        ];
        let said = History::default().lend(&parts.map(Arc::new));
        let Some(Message::Results(results)) = said.messages.get(2) else { panic!("no results") };
        expect![[r#"
            [This call was interrupted. It may have been carried out in part: look before you repeat it.]
            [`task` Fix it: The agent's session is kept: pass `task_id` t1 to go on with it.]
            [`task` Look: The agent's session is kept: pass `task_id` t0 to go on with it.]"#]]
        .assert_eq(&results[0].output);
    }
}

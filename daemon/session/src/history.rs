//! Converts the parts of a session to the messages for the model.
//!
//! Invariant: every call has exactly one result, right after its message; an interrupted call's result says so. The same
//! parts always give the same messages, so the prefix of a conversation never changes, and messages are built once, so a long
//! session costs no more than a short one.

use std::collections::HashMap;
use std::sync::Arc;

use copydesk_model::{AssistantPart as ModelPart, ModelMessage, ToolResultPart, UserPart};

use crate::compaction::plan::kept_index;
use crate::data::{CallPart, CompactionPart, Part, PartContent, PartState};
use crate::id::Id;
use crate::note_mark::{break_marks, mark_note};
use crate::task_call;

/// The conversation so far.
#[derive(Default)]
pub(crate) struct MessageHistory {
    writer: MessageBuilder,
    /// How many parts it has. At a request they are settled and do not change any more.
    parts: usize,
}

/// The messages of a request, and how many the next one repeats unchanged.
pub(crate) struct RequestMessages {
    pub(crate) messages: Vec<ModelMessage>,
    reusable_count: usize,
}

impl MessageHistory {
    /// The whole conversation for one request. The caller gives it back.
    pub(crate) fn take_messages(&mut self, parts: &[Arc<Part>]) -> RequestMessages {
        let new = parts.get(self.parts..).unwrap_or_default();
        let changes_earlier =
            |part: &Arc<Part>| matches!(part.content, PartContent::Compaction(_) | PartContent::Pruning(_));
        if new.iter().any(changes_earlier) {
            self.writer = MessageBuilder::for_session(parts);
        } else {
            new.iter().for_each(|part| self.writer.add(part));
        }
        self.parts = parts.len();
        let MessageBuilder { messages, model_parts: said, results, inputs: asked, .. } = &mut self.writer;
        let mut messages = std::mem::take(messages);
        let whole = messages.len();
        // The last messages may still grow before the next request.
        let rest = MessageBuilder {
            model_parts: said.clone(),
            results: results.clone(),
            inputs: asked.clone(),
            messages: Vec::new(),
            interrupted: Vec::new(),
            max_output_bytes: None,
            pruned: HashMap::new(),
        };
        messages.extend(rest.finish());
        RequestMessages { messages, reusable_count: whole }
    }

    pub(crate) fn return_messages(&mut self, mut said: RequestMessages) {
        said.messages.truncate(said.reusable_count);
        self.writer.messages = said.messages;
    }
}

#[derive(Default)]
struct MessageBuilder {
    messages: Vec<ModelMessage>,
    /// The current step: what the model wrote, and the results of its calls.
    model_parts: Vec<ModelPart>,
    results: Vec<ToolResultPart>,
    inputs: Vec<UserPart>,
    /// Calls of the step without output, with the index of their results.
    interrupted: Vec<(Id, usize)>,
    /// Longer outputs are cut.
    max_output_bytes: Option<usize>,
    /// What takes the place of outputs, by the part of the call.
    pruned: HashMap<Id, String>,
}

impl MessageBuilder {
    /// Has the whole session: what the last compaction left, what came after it, and notes in the place of pruned outputs.
    fn for_session(parts: &[Arc<Part>]) -> Self {
        let mut builder = Self { pruned: pruned_outputs(parts), ..Self::default() };
        let mut rest = parts;
        for (at, part) in parts.iter().enumerate().rev() {
            if let PartContent::Compaction(compaction) = &part.content {
                let (before, from) = parts.split_at(at);
                builder.begin_after(compaction, before);
                rest = from;
                break;
            }
        }
        rest.iter().for_each(|part| builder.add(part));
        builder
    }

    /// Begins with what a compaction left of the parts before it.
    fn begin_after(&mut self, compaction: &CompactionPart, before: &[Arc<Part>]) {
        let kept = kept_index(before, compaction).unwrap_or(before.len());
        self.add_kept_prompts(compaction, before.get(..kept).unwrap_or_default());
        self.input(UserPart::Note(mark_note(&compaction.note())));
        self.max_output_bytes = compaction.max_output_bytes;
        before.iter().skip(kept).for_each(|part| self.add(part));
        self.max_output_bytes = None;
    }

    fn add_kept_prompts(&mut self, compaction: &CompactionPart, before: &[Arc<Part>]) {
        let mut is_kept = false;
        for part in before {
            match &part.content {
                PartContent::Prompt(prompt) => {
                    is_kept = compaction.prompts.contains(&part.id);
                    if is_kept {
                        let mut text = break_marks(&prompt.text_with_context()).into_owned();
                        cut_middle(&mut text, compaction.max_prompt_bytes.unwrap_or(usize::MAX), "");
                        self.input(UserPart::Text(text));
                    }
                }
                PartContent::File(media) if is_kept => {
                    let name = media.name.as_deref().unwrap_or(&media.mime);
                    let text = format!("[{name}, which came with this prompt, is not shown any more.]");
                    self.input(UserPart::Text(break_marks(&text).into_owned()));
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, part: &Part) {
        match &part.content {
            PartContent::Prompt(prompt) => {
                self.input(UserPart::Text(break_marks(&prompt.text_with_context()).into_owned()));
            }
            PartContent::File(media) => self.input(UserPart::Media(media.clone())),
            PartContent::Note(note) => self.input(UserPart::Note(mark_note(&note.text))),
            PartContent::Text(text) => self.push_model_part(ModelPart::Text(text.clone())),
            PartContent::Reasoning(reasoning) => {
                self.push_model_part(ModelPart::Reasoning(reasoning.clone()));
            }
            // The user's own: a note tells it.
            PartContent::Call(_) if part.step == 0 => {}
            // The result of the batch has it.
            PartContent::Call(CallPart { parent: Some(parent), .. }) => self.add_inner_call(parent, part),
            PartContent::Call(call) => {
                self.push_model_part(ModelPart::Call(copydesk_model::ToolCallPart {
                    id: call.call.clone(),
                    name: call.name.clone(),
                    arguments: call.arguments.clone(),
                    echo: call.echo.clone(),
                }));
                if call.output.is_none() && !matches!(part.state, PartState::Error { .. }) {
                    self.interrupted.push((part.id.clone(), self.results.len()));
                }
                let mut result = result(call, part);
                if let Some(note) = self.pruned.get(&part.id) {
                    result.output = break_marks(note).into_owned();
                    result.media.clear();
                } else if let Some(most) = self.max_output_bytes {
                    cut_middle(&mut result.output, most, " Call the tool again for a part of it.");
                }
                self.results.push(result);
            }
            PartContent::StepStart { .. } => self.end_step(),
            // A compaction: an earlier one, among the parts that a later one kept.
            PartContent::Compaction(_)
            | PartContent::Pruning(_)
            | PartContent::StepFinish(_)
            | PartContent::Retry { .. }
            | PartContent::TurnEnd(_) => {}
        }
    }

    /// An interrupted batch has no results of its calls: says how to continue its tasks.
    fn add_inner_call(&mut self, parent: &Id, part: &Part) {
        let PartContent::Call(call) = &part.content else { return };
        let result = self.interrupted.iter().find(|(id, _)| id == parent);
        let result = result.and_then(|(_, at)| self.results.get_mut(*at));
        let words = task_call::resume_hint(call, part);
        if let (Some(result), false) = (result, words.is_empty()) {
            let about = task_call::task_label(call);
            result.output += &format!("\n[`{}`{about}:{words}]", call.name);
        }
    }

    fn input(&mut self, input: UserPart) {
        self.end_step();
        self.inputs.push(input);
    }

    fn push_model_part(&mut self, part: ModelPart) {
        self.end_input();
        self.model_parts.push(part);
    }

    fn end_input(&mut self) {
        if !self.inputs.is_empty() {
            self.messages.push(ModelMessage::User(std::mem::take(&mut self.inputs)));
        }
    }

    fn end_step(&mut self) {
        if !self.model_parts.is_empty() {
            self.messages.push(ModelMessage::Assistant(std::mem::take(&mut self.model_parts)));
        }
        if !self.results.is_empty() {
            self.messages.push(ModelMessage::Results(std::mem::take(&mut self.results)));
        }
        self.interrupted.clear();
    }

    fn finish(mut self) -> Vec<ModelMessage> {
        self.end_step();
        self.end_input();
        self.messages
    }
}

fn pruned_outputs(parts: &[Arc<Part>]) -> HashMap<Id, String> {
    let prunings = parts.iter().filter_map(|part| match &part.content {
        PartContent::Pruning(pruning) => Some(&pruning.outputs),
        _ => None,
    });
    prunings.flatten().map(|output| (output.call.clone(), output.note.clone())).collect()
}

fn result(call: &CallPart, part: &Part) -> ToolResultPart {
    let (id, name) = (call.call.clone(), call.name.clone());
    if let Some(output) = &call.output {
        let media = output.media.clone();
        let text = break_marks(&output.output).into_owned();
        return ToolResultPart { id, name, output: text, media, is_error: output.is_error };
    }
    let output = match &part.state {
        PartState::Error { message } => message.clone(),
        _ => format!(
            "[This call was interrupted. It may have been carried out in part: look before you repeat it.{}]",
            task_call::resume_hint(call, part)
        ),
    };
    ToolResultPart { id, name, output, is_error: true, ..ToolResultPart::default() }
}

/// Keeps the beginning and the end. `advice` is for the model.
fn cut_middle(text: &mut String, most: usize, advice: &str) {
    if text.len() <= most {
        return;
    }
    let half = most / 2;
    let (head, tail) = (text.floor_char_boundary(half), text.ceil_char_boundary(text.len() - half));
    let note = format!("\n[{} bytes are left out here.{advice}]\n", tail - head);
    text.replace_range(head..tail, &note);
}

#[cfg(test)]
mod tests {
    use copydesk_model::TextPart;
    use expect_test::expect;

    use super::*;
    use crate::data::{CallOutput, NotePart, PromptPart};

    fn part(state: PartState, content: PartContent) -> Part {
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

    fn call(name: &str, state: PartState, output: Option<&str>) -> Part {
        let output =
            output.map(|output| Box::new(CallOutput { output: output.into(), ..CallOutput::default() }));
        let call = CallPart {
            call: name.into(),
            name: "bash".into(),
            arguments: "{}".into(),
            echo: None,
            parent: None,
            output,
        };
        part(state, PartContent::Call(call))
    }

    fn text(text: &str) -> Part {
        part(PartState::Completed, PartContent::Text(TextPart { text: text.into(), echo: None }))
    }

    fn prompt(text: &str, steers: bool) -> Part {
        part(
            PartState::Completed,
            PartContent::Prompt(PromptPart { text: text.into(), steers, context: Vec::new() }),
        )
    }

    fn step() -> Part {
        part(PartState::Completed, PartContent::StepStart { model: "p/m".into() })
    }

    #[test]
    fn every_call_has_its_result_and_what_comes_between_follows() {
        let parts = [
            prompt("Fix it", false),
            step(),
            text("Looking."),
            call("a", PartState::Completed, Some("done")),
            call("b", PartState::Interrupted, None),
            call("c", PartState::Error { message: "no".into() }, None),
            prompt("And hurry", true),
            part(PartState::Completed, PartContent::Note(NotePart { text: "A hunk was rejected.".into() })),
            step(),
            text("Done."),
            prompt("Thanks", false),
        ];
        let parts = parts.map(Arc::new);
        let lines = |said: &RequestMessages| {
            let line = |message| serde_json::to_string(message).unwrap();
            said.messages.iter().map(line).collect::<Vec<_>>().join("\n")
        };
        let whole = lines(&MessageHistory::default().take_messages(&parts));
        expect![[r#"
            {"user":[{"text":"Fix it"}]}
            {"assistant":[{"text":{"text":"Looking."}},{"call":{"id":"a","name":"bash","arguments":"{}"}},{"call":{"id":"b","name":"bash","arguments":"{}"}},{"call":{"id":"c","name":"bash","arguments":"{}"}}]}
            {"results":[{"id":"a","name":"bash","output":"done","is_error":false},{"id":"b","name":"bash","output":"[This call was interrupted. It may have been carried out in part: look before you repeat it.]","is_error":true},{"id":"c","name":"bash","output":"no","is_error":true}]}
            {"user":[{"text":"And hurry"},{"note":"<copydesk-note>\nA hunk was rejected.\n</copydesk-note>"}]}
            {"assistant":[{"text":{"text":"Done."}}]}
            {"user":[{"text":"Thanks"}]}"#]].assert_eq(&whole);
        // However often it was requested before.
        let mut history = MessageHistory::default();
        for end in 1..parts.len() {
            let said = history.take_messages(&parts[..end]);
            assert_eq!(lines(&said), lines(&MessageHistory::default().take_messages(&parts[..end])));
            history.return_messages(said);
        }
        assert_eq!(lines(&history.take_messages(&parts)), whole);
    }

    /// Whatever the state of a call, also if it was never marked.
    #[test]
    fn a_call_in_any_state_has_one_result() {
        let error = PartState::Error { message: "no".into() };
        for state in
            [PartState::Pending, PartState::Running, PartState::Completed, PartState::Interrupted, error]
        {
            for output in [None, Some("done")] {
                let parts = [prompt("Go", false), step(), call("a", state.clone(), output)].map(Arc::new);
                let said = MessageHistory::default().take_messages(&parts);
                let [ModelMessage::User(_), ModelMessage::Assistant(calls), ModelMessage::Results(results)] =
                    &said.messages[..]
                else {
                    panic!("{state:?}")
                };
                assert_eq!((calls.len(), results.len()), (1, 1), "{state:?}");
                let expected = match (output, &state) {
                    (Some(output), _) => output,
                    (None, PartState::Error { message }) => message,
                    (None, _) => "[This call was interrupted.",
                };
                assert!(results[0].output.starts_with(expected), "{state:?}: {}", results[0].output);
                assert_eq!(results[0].is_error, output.is_none(), "{state:?}");
            }
        }
    }

    #[test]
    fn calls_within_a_call_are_told_by_that() {
        let mut inner = call("b", PartState::Completed, Some("inner"));
        if let PartContent::Call(call) = &mut inner.content {
            call.parent = Some(Id::from("p"));
        }
        let outer = call("a", PartState::Completed, Some("1 calls."));
        let parts = [prompt("Go", false), step(), outer, inner].map(Arc::new);
        let said = MessageHistory::default().take_messages(&parts);
        let Some(ModelMessage::Results(results)) = said.messages.last() else { panic!("no results") };
        assert_eq!(results.iter().map(|result| result.id.as_str()).collect::<Vec<_>>(), ["a"]);
    }

    /// The daemon was killed: a batch of two tasks has no output, and the model can still continue both.
    #[test]
    fn tasks_within_a_call_that_was_interrupted_can_be_gone_on_with() {
        let within = |name: &str, arguments: &str, id: &str| {
            let mut inner = call("i", PartState::Interrupted, None);
            inner.id = Id::from(id);
            if let PartContent::Call(call) = &mut inner.content {
                (call.name, call.arguments) = (name.to_owned(), arguments.to_owned());
                call.parent = Some(Id::from("p"));
            }
            inner
        };
        let parts = [
            prompt("Go", false),
            step(),
            call("a", PartState::Interrupted, None),
            within("task", r#"{"description":"Fix it"}"#, "t1"),
            within("bash", "{}", "b1"),
            within("task", r#"{"description":"Look","task_id":"t0"}"#, "t2"),
            prompt("And now?", false),
        ];
        let said = MessageHistory::default().take_messages(&parts.map(Arc::new));
        let Some(ModelMessage::Results(results)) = said.messages.get(2) else { panic!("no results") };
        expect![[r#"
            [This call was interrupted. It may have been carried out in part: look before you repeat it.]
            [`task` Fix it: The agent's session is kept: pass `task_id` t1 to go on with it.]
            [`task` Look: The agent's session is kept: pass `task_id` t0 to go on with it.]"#]]
        .assert_eq(&results[0].output);
    }
}

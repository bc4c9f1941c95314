//! Prompts that arrive while a turn runs: those that join it, those that are queued, those that come too late.

use std::collections::BTreeMap;
use std::sync::Arc;

use copydesk_model::settings::{ModelSettings, ProviderSettings, SettingValue};
use copydesk_model::{ModelRegistry as Models, RegistrySettings, SecretString, WireProtocol};
use copydesk_permission::{PermissionAction, PermissionPreset, PermissionRules, RuleLayers};
use copydesk_session::agent::{Agent, builtin_agents};
use copydesk_session::{
    AgentRole, CompactionSettings, CostLimits, CurrentRules, Id, PartContent, PromptDelivery, PromptRequest,
    RoleProvider, Session, SessionDeps, SessionEvent, SessionHandle, Store, TurnEnd, now,
};
use copydesk_tool::web::WebAccess;
use copydesk_tool::{OutputSpill, PlanFile, ToolOutputLimits, ToolRegistry as Tools, tools};
use copydesk_workspace::files::WorkspaceFiles;
use copydesk_workspace::process::{Processes, Shell};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::model_server::{self, ScriptedModelServer, ScriptedTurn};

/// A session without a terminal, against the scripted model.
struct SteeredSession {
    dir: TempDir,
    server: ScriptedModelServer,
    live: SessionHandle,
    events: mpsc::Receiver<SessionEvent>,
}

/// There is only one agent.
struct SingleAgentRoles;

impl RoleProvider for SingleAgentRoles {
    fn rules(&self, _agent: &Agent, _preset: Option<PermissionPreset>) -> (PermissionRules, PermissionRules) {
        Default::default()
    }

    fn build_role(&self, agent: &str, _session: &Session) -> Result<AgentRole, String> {
        Err(format!("there is no agent `{agent}`"))
    }
}

impl SteeredSession {
    async fn new(turns: impl IntoIterator<Item = ScriptedTurn>) -> Self {
        let server = ScriptedModelServer::start_with(turns);
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("work");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("a.txt"), "text\n").unwrap();
        let (store, _) = Store::open(&dir.path().join("data")).unwrap();
        let (id, time) = (Id::new(), now());
        let session = Session {
            id,
            folder: folder.clone(),
            title: "A title".into(),
            agent: "build".into(),
            model: None,
            parent: None,
            review: None,
            preset: None,
            created: time,
            updated: time,
        };
        store.put_session(session.clone()).await.unwrap();
        let spill = OutputSpill::new(&dir.path().join("output"));
        let processes = Processes::new(std::env::vars_os().collect());
        let options = tools::ToolOptions {
            limits: ToolOutputLimits::default(),
            spill: spill.clone(),
            processes: processes.clone(),
            sandbox: copydesk_workspace::process::sandbox::CommandSandbox::default(),
            shell: Shell::choose(None, &|name| std::env::var_os(name)).unwrap(),
            skills: [].into(),
            plan: PlanFile::new(time),
            search_timeout: copydesk_workspace::time_limits::SEARCH_TIMEOUT,
            web: WebAccess::default(),
        };
        let mut registry = Tools::new(ToolOutputLimits::default(), spill);
        tools::builtin_tools(&options).into_iter().for_each(|tool| registry.add(tool));
        let (events_in, events) = mpsc::channel(1024);
        let setting = SessionDeps {
            checks: copydesk_diagnostics::DiagnosticsTracker::default(),
            formatters: None,
            navigator: copydesk_navigation::Navigator::default(),
            session,
            agent: builtin_agents().remove(0),
            model: models(&server).model("script/m").unwrap(),
            model_name: "script/m".into(),
            title_generator: None,
            summary_model: None,
            limits: CostLimits::default(),
            compaction: CompactionSettings { is_automatic: true, prunes: true, reserved: None },
            system: vec!["You are.".into()],
            root: folder.clone(),
            instructions: std::collections::HashSet::new(),
            rules: CurrentRules::new(RuleLayers::new([PermissionRules::all(PermissionAction::Allow)])),
            tools: registry,
            roles: Arc::new(SingleAgentRoles),
            files: WorkspaceFiles::new(&folder, dir.path()),
            processes,
            store,
            events: events_in,
            parent: None,
        };
        let live = SessionHandle::start(setting).await.unwrap();
        Self { dir, server, live, events }
    }

    async fn send_prompt(&self, text: &str, delivery: PromptDelivery) {
        assert!(
            self.live
                .prompt(PromptRequest {
                    text: text.into(),
                    context: Vec::new(),
                    files: Vec::new(),
                    delivery,
                    is_unattended: false,
                })
                .await
                .is_some()
        );
    }

    /// Waits for the end of a turn; returns how it ended.
    async fn wait_for_turn_end(&mut self) -> (u32, TurnEnd) {
        loop {
            if let SessionEvent::TurnEnded { turn, end } = self.events.recv().await.unwrap() {
                return (turn, end);
            }
        }
    }

    /// Waits until a part of the model with this text is settled.
    async fn wait_for_text(&mut self, text: &str) {
        loop {
            if let SessionEvent::PartChanged { part } = self.events.recv().await.unwrap()
                && matches!(&part.content, PartContent::Text(said) if said.text == text)
                && part.state.is_settled()
            {
                return;
            }
        }
    }

    /// The messages of the model request of this number: role and content of each.
    fn sent_messages(&self, number: usize) -> Vec<(String, String)> {
        let body: Value = self.server.requests()[number].body.clone();
        let messages = body["messages"].as_array().unwrap().iter();
        messages.map(|one| (one["role"].as_str().unwrap().to_owned(), one["content"].to_string())).collect()
    }
}

fn models(server: &ScriptedModelServer) -> Models {
    let address = server.base_url(model_server::ScriptedWire::Anthropic);
    let provider = ProviderSettings {
        wire: Some(WireProtocol::Anthropic),
        base_url: Some(SettingValue { value: address, is_trusted: true }),
        key: Some(SettingValue { value: SecretString::new("k"), is_trusted: true }),
        models: vec![("m".to_owned(), ModelSettings { tools: Some(true), ..ModelSettings::default() })],
        ..ProviderSettings::default()
    };
    let settings = RegistrySettings {
        providers: BTreeMap::from([("script".to_owned(), provider)]),
        ..RegistrySettings::default()
    };
    Models::new(settings, BTreeMap::new(), Box::new(|_| None))
}

/// Whether the words occur in these messages in this order.
fn in_order(messages: &[(String, String)], words: &[&str]) -> bool {
    let text: String = messages.iter().map(|(_, content)| content.as_str()).collect();
    let places: Vec<_> = words.iter().map(|word| text.find(word)).collect();
    places.iter().all(Option::is_some) && places.is_sorted()
}

fn read(call: &str) -> ScriptedTurn {
    ScriptedTurn::new().text("I look.").call(call, "read", json!({ "filePath": "a.txt" }))
}

#[tokio::test]
async fn what_steers_joins_the_turn_after_the_outputs_of_its_calls() {
    let mut work = SteeredSession::new([read("c1").gate("here"), ScriptedTurn::new().text("Done.")]).await;
    work.send_prompt("Begin", PromptDelivery::Queue).await;
    work.server.wait_for_gate("here").await;
    work.send_prompt("Rather like this", PromptDelivery::Steer).await;
    work.send_prompt("And like that", PromptDelivery::Steer).await;
    work.server.open_gate("here");
    assert_eq!(work.wait_for_turn_end().await, (1, TurnEnd::Done));
    assert_eq!(work.server.requests().len(), 2, "it is one turn");
    let sent = work.sent_messages(1);
    assert_eq!((sent[0].0.as_str(), sent[1].0.as_str()), ("user", "assistant"), "{sent:#?}");
    assert!(sent[2..].iter().all(|(role, _)| role == "user"), "{sent:#?}");
    assert!(in_order(&sent[2..], &["tool_result", "Rather like this", "And like that"]), "{sent:#?}");
}

#[tokio::test]
async fn what_is_queued_starts_a_turn_of_its_own_in_its_order() {
    let mut work = SteeredSession::new([
        read("c1").gate("here"),
        ScriptedTurn::new().text("Done."),
        ScriptedTurn::new().text("Second."),
        ScriptedTurn::new().text("Third."),
    ])
    .await;
    work.send_prompt("Begin", PromptDelivery::Queue).await;
    work.server.wait_for_gate("here").await;
    work.send_prompt("Then this", PromptDelivery::Queue).await;
    work.send_prompt("Then that", PromptDelivery::Queue).await;
    work.server.open_gate("here");
    for turn in 1..=3 {
        assert_eq!(work.wait_for_turn_end().await, (turn, TurnEnd::Done));
    }
    assert!(!format!("{:?}", work.sent_messages(1)).contains("Then"), "not in the turn that ran");
    let (second, third) = (work.sent_messages(2), work.sent_messages(3));
    assert!(second.last().unwrap().1.contains("Then this") && second.len() == 5, "{second:#?}");
    assert!(third.last().unwrap().1.contains("Then that") && third.len() == 7, "{third:#?}");
}

/// The model is at its final answer: it is asked once more instead of ending the turn without a reply.
#[tokio::test]
async fn what_steers_during_the_last_word_is_still_heard_in_the_turn() {
    let mut work = SteeredSession::new([
        ScriptedTurn::new().text("Almost").gate("here").text(" done."),
        ScriptedTurn::new().text("Now it is."),
    ])
    .await;
    work.send_prompt("Begin", PromptDelivery::Queue).await;
    work.server.wait_for_gate("here").await;
    work.send_prompt("One more thing", PromptDelivery::Steer).await;
    work.server.open_gate("here");
    assert_eq!(work.wait_for_turn_end().await, (1, TurnEnd::Done));
    let sent = work.sent_messages(1);
    assert!(sent[1].1.contains("Almost done.") && sent[2].1.contains("One more thing"), "{sent:#?}");
}

/// The turn takes no more steps (it is cancelled here): the steering prompt is not lost, but comes next.
#[tokio::test]
async fn what_steers_too_late_is_the_next_turn() {
    let mut work = SteeredSession::new([
        ScriptedTurn::new().text("I think").gate("here"),
        ScriptedTurn::new().text("Heard."),
    ])
    .await;
    work.send_prompt("Begin", PromptDelivery::Queue).await;
    work.server.wait_for_gate("here").await;
    work.send_prompt("Too late", PromptDelivery::Steer).await;
    work.live.cancel().await;
    work.server.wait_for_hangup("here").await;
    assert_eq!(work.wait_for_turn_end().await, (1, TurnEnd::Cancelled));
    assert_eq!(work.wait_for_turn_end().await, (2, TurnEnd::Done));
    let sent = work.sent_messages(1);
    assert!(sent.last().unwrap().1.contains("Too late"), "{sent:#?}");
}

#[tokio::test]
async fn without_a_turn_to_steer_it_is_a_prompt_like_any_other() {
    let mut work =
        SteeredSession::new([ScriptedTurn::new().text("One."), ScriptedTurn::new().text("Two.")]).await;
    work.send_prompt("First", PromptDelivery::Steer).await;
    work.wait_for_text("One.").await;
    assert_eq!(work.wait_for_turn_end().await, (1, TurnEnd::Done));
    work.send_prompt("Second", PromptDelivery::Steer).await;
    assert_eq!(work.wait_for_turn_end().await, (2, TurnEnd::Done));
    assert_eq!(work.sent_messages(1).len(), 3);
}

/// A prompt is also delivered while a tool runs for long.
#[tokio::test]
async fn what_steers_while_a_command_runs_is_heard_after_it() {
    let command = json!({ "command": "until [ -e go ]; do sleep 0.01; done; echo over" });
    let mut work = SteeredSession::new([
        ScriptedTurn::new().call("c1", "bash", command),
        ScriptedTurn::new().text("Done."),
    ])
    .await;
    let folder = work.dir.path().join("work");
    work.send_prompt("Begin", PromptDelivery::Queue).await;
    loop {
        if let SessionEvent::PartChanged { part } = work.events.recv().await.unwrap()
            && matches!(part.content, PartContent::Call(_))
            && part.state == copydesk_session::PartState::Running
        {
            break;
        }
    }
    work.send_prompt("Meanwhile", PromptDelivery::Steer).await;
    std::fs::write(folder.join("go"), "").unwrap();
    assert_eq!(work.wait_for_turn_end().await, (1, TurnEnd::Done));
    let sent = work.sent_messages(1);
    assert!(in_order(&sent[2..], &["over", "Meanwhile"]), "{sent:#?}");
}

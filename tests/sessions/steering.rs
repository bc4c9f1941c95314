//! Prompts that come while a turn runs: those that join it, those that wait, those that come too late.

use std::collections::BTreeMap;
use std::sync::Arc;

use copydesk_model::settings::{Given, ModelSettings, ProviderSettings};
use copydesk_model::{Registry as Models, Secret, Settings, Wire};
use copydesk_permission::{Action, Layers, Rules};
use copydesk_session::agent::builtin;
use copydesk_session::{
    Content, CurrentRules, Event, Id, Live, Request, Role, Roles, Session, Setting, Store, TurnEnd, When, now,
};
use copydesk_tool::web::Web;
use copydesk_tool::{Limits, Plan, Registry as Tools, Spill, tools};
use copydesk_workspace::files::Files;
use copydesk_workspace::process::{Processes, Shell};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::model_server::{self, ModelServer, Turn};

/// A session at work without a terminal, against the scripted model.
struct AtWork {
    dir: TempDir,
    server: ModelServer,
    live: Live,
    events: mpsc::Receiver<Event>,
}

/// There is one agent, and no other.
struct Alone;

impl Roles for Alone {
    fn role(&self, agent: &str, _session: &Session) -> Result<Role, String> {
        Err(format!("there is no agent `{agent}`"))
    }
}

impl AtWork {
    async fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        let server = ModelServer::playing(turns);
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
            created: time,
            updated: time,
        };
        store.put_session(session.clone()).await.unwrap();
        let spill = Spill::new(&dir.path().join("output"));
        let processes = Processes::new(std::env::vars_os().collect());
        let options = tools::Options {
            limits: Limits::default(),
            spill: spill.clone(),
            processes: processes.clone(),
            shell: Shell::choose(None, &|name| std::env::var_os(name)).unwrap(),
            skills: [].into(),
            plan: Plan::new(time),
            patience: copydesk_workspace::search::PATIENCE,
            web: Web::default(),
        };
        let mut registry = Tools::new(Limits::default(), spill);
        tools::builtin(&options).into_iter().for_each(|tool| registry.add(tool));
        let (events_in, events) = mpsc::channel(1024);
        let setting = Setting {
            checks: copydesk_diagnostics::Checks::default(),
            formatters: None,
            session,
            agent: builtin().remove(0),
            model: models(&server).model("script/m").unwrap(),
            model_name: "script/m".into(),
            titles: None,
            system: vec!["You are.".into()],
            root: folder.clone(),
            instructions: std::collections::HashSet::new(),
            rules: CurrentRules::new(Layers::new([Rules::all(Action::Allow)])),
            tools: registry,
            roles: Arc::new(Alone),
            files: Files::new(&folder, dir.path()),
            processes,
            store,
            events: events_in,
            above: None,
        };
        let live = Live::start(setting).await.unwrap();
        Self { dir, server, live, events }
    }

    async fn say(&self, text: &str, when: When) {
        assert!(self.live.prompt(Request { text: text.into(), files: Vec::new(), when }).await.is_some());
    }

    /// Until a turn has ended, and how it did.
    async fn ended(&mut self) -> (u32, TurnEnd) {
        loop {
            if let Event::TurnEnded { turn, end } = self.events.recv().await.unwrap() {
                return (turn, end);
            }
        }
    }

    /// Until a part of the model's is settled that holds this text.
    async fn said(&mut self, text: &str) {
        loop {
            if let Event::Part { part } = self.events.recv().await.unwrap()
                && matches!(&part.content, Content::Text(said) if said.text == text)
                && part.state.is_settled()
            {
                return;
            }
        }
    }

    /// What the model was sent in its request of this number: role and content of each message.
    fn sent(&self, number: usize) -> Vec<(String, String)> {
        let body: Value = self.server.requests()[number].body.clone();
        let messages = body["messages"].as_array().unwrap().iter();
        messages.map(|one| (one["role"].as_str().unwrap().to_owned(), one["content"].to_string())).collect()
    }
}

fn models(server: &ModelServer) -> Models {
    let address = server.base_url(model_server::Wire::Anthropic);
    let provider = ProviderSettings {
        wire: Some(Wire::Anthropic),
        base_url: Some(Given { value: address, trusted: true }),
        key: Some(Given { value: Secret::new("k"), trusted: true }),
        models: vec![("m".to_owned(), ModelSettings { tools: Some(true), ..ModelSettings::default() })],
        ..ProviderSettings::default()
    };
    let settings =
        Settings { providers: BTreeMap::from([("script".to_owned(), provider)]), ..Settings::default() };
    Models::new(settings, BTreeMap::new(), Box::new(|_| None))
}

/// Whether the words stand in these messages in this order.
fn in_order(messages: &[(String, String)], words: &[&str]) -> bool {
    let text: String = messages.iter().map(|(_, content)| content.as_str()).collect();
    let places: Vec<_> = words.iter().map(|word| text.find(word)).collect();
    places.iter().all(Option::is_some) && places.is_sorted()
}

fn read(call: &str) -> Turn {
    Turn::new().text("I look.").call(call, "read", json!({ "filePath": "a.txt" }))
}

#[tokio::test]
async fn what_steers_joins_the_turn_after_the_outputs_of_its_calls() {
    let mut work = AtWork::new([read("c1").gate("here"), Turn::new().text("Done.")]).await;
    work.say("Begin", When::Queue).await;
    work.server.reached("here").await;
    work.say("Rather like this", When::Steer).await;
    work.say("And like that", When::Steer).await;
    work.server.open("here");
    assert_eq!(work.ended().await, (1, TurnEnd::Done));
    assert_eq!(work.server.requests().len(), 2, "it is one turn");
    let sent = work.sent(1);
    assert_eq!((sent[0].0.as_str(), sent[1].0.as_str()), ("user", "assistant"), "{sent:#?}");
    assert!(sent[2..].iter().all(|(role, _)| role == "user"), "{sent:#?}");
    assert!(in_order(&sent[2..], &["tool_result", "Rather like this", "And like that"]), "{sent:#?}");
}

#[tokio::test]
async fn what_is_queued_starts_a_turn_of_its_own_in_its_order() {
    let mut work = AtWork::new([
        read("c1").gate("here"),
        Turn::new().text("Done."),
        Turn::new().text("Second."),
        Turn::new().text("Third."),
    ])
    .await;
    work.say("Begin", When::Queue).await;
    work.server.reached("here").await;
    work.say("Then this", When::Queue).await;
    work.say("Then that", When::Queue).await;
    work.server.open("here");
    for turn in 1..=3 {
        assert_eq!(work.ended().await, (turn, TurnEnd::Done));
    }
    assert!(!format!("{:?}", work.sent(1)).contains("Then"), "not in the turn that ran");
    let (second, third) = (work.sent(2), work.sent(3));
    assert!(second.last().unwrap().1.contains("Then this") && second.len() == 5, "{second:#?}");
    assert!(third.last().unwrap().1.contains("Then that") && third.len() == 7, "{third:#?}");
}

/// The model is at its last word: it is asked once more instead of the turn ending without an answer.
#[tokio::test]
async fn what_steers_during_the_last_word_is_still_heard_in_the_turn() {
    let mut work =
        AtWork::new([Turn::new().text("Almost").gate("here").text(" done."), Turn::new().text("Now it is.")])
            .await;
    work.say("Begin", When::Queue).await;
    work.server.reached("here").await;
    work.say("One more thing", When::Steer).await;
    work.server.open("here");
    assert_eq!(work.ended().await, (1, TurnEnd::Done));
    let sent = work.sent(1);
    assert!(sent[1].1.contains("Almost done.") && sent[2].1.contains("One more thing"), "{sent:#?}");
}

/// The turn takes no more steps (it is cancelled here): what was to join it is not lost, but comes next.
#[tokio::test]
async fn what_steers_too_late_is_the_next_turn() {
    let mut work = AtWork::new([Turn::new().text("I think").gate("here"), Turn::new().text("Heard.")]).await;
    work.say("Begin", When::Queue).await;
    work.server.reached("here").await;
    work.say("Too late", When::Steer).await;
    work.live.cancel().await;
    work.server.closed("here").await;
    assert_eq!(work.ended().await, (1, TurnEnd::Cancelled));
    assert_eq!(work.ended().await, (2, TurnEnd::Done));
    let sent = work.sent(1);
    assert!(sent.last().unwrap().1.contains("Too late"), "{sent:#?}");
}

#[tokio::test]
async fn without_a_turn_to_steer_it_is_a_prompt_like_any_other() {
    let mut work = AtWork::new([Turn::new().text("One."), Turn::new().text("Two.")]).await;
    work.say("First", When::Steer).await;
    work.said("One.").await;
    assert_eq!(work.ended().await, (1, TurnEnd::Done));
    work.say("Second", When::Steer).await;
    assert_eq!(work.ended().await, (2, TurnEnd::Done));
    assert_eq!(work.sent(1).len(), 3);
}

/// A tool that runs for long is no reason not to be heard.
#[tokio::test]
async fn what_steers_while_a_command_runs_is_heard_after_it() {
    let command = json!({ "command": "until [ -e go ]; do sleep 0.01; done; echo over" });
    let mut work = AtWork::new([Turn::new().call("c1", "bash", command), Turn::new().text("Done.")]).await;
    let folder = work.dir.path().join("work");
    work.say("Begin", When::Queue).await;
    loop {
        if let Event::Part { part } = work.events.recv().await.unwrap()
            && matches!(part.content, Content::Call(_))
            && part.state == copydesk_session::State::Running
        {
            break;
        }
    }
    work.say("Meanwhile", When::Steer).await;
    std::fs::write(folder.join("go"), "").unwrap();
    assert_eq!(work.ended().await, (1, TurnEnd::Done));
    let sent = work.sent(1);
    assert!(in_order(&sent[2..], &["over", "Meanwhile"]), "{sent:#?}");
}

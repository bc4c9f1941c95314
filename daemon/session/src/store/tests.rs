use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use copydesk_model::TextPart;

use super::{Store, StoreError, StoreRecovery};
use crate::data::{CallOutput, CallPart, Part, PartContent, PartState, PromptPart, Session, TurnEnd};
use crate::id::{Id, now};
use crate::{ImportError, SessionArchive, markdown};

pub(super) fn session(folder: &str) -> Session {
    let (id, time) = (Id::new(), now());
    Session {
        id,
        folder: folder.into(),
        title: "A title".into(),
        agent: "build".into(),
        model: None,
        parent: None,
        review: None,
        preset: Some(copydesk_permission::PermissionPreset::Careful),
        created: time,
        updated: time,
    }
}

pub(super) fn part(session: &Session, state: PartState, content: PartContent) -> Part {
    let time = now();
    Part {
        id: Id::new(),
        session: session.id.clone(),
        turn: 1,
        step: 1,
        created: time,
        updated: time,
        state,
        content,
    }
}

pub(super) fn text(session: &Session, text: &str) -> Part {
    part(session, PartState::Completed, PartContent::Text(TextPart { text: text.into(), echo: None }))
}

pub(super) fn call(session: &Session, state: PartState, output: Option<CallOutput>) -> Part {
    let output = output.map(Box::new);
    let call = CallPart {
        call: "c1".into(),
        name: "bash".into(),
        arguments: "{\"command\":\"true\"}".into(),
        echo: None,
        parent: None,
        output,
    };
    part(session, state, PartContent::Call(call))
}

pub(super) fn open(folder: &Path) -> Store {
    let (store, opened) = Store::open(folder).unwrap();
    assert_eq!(opened, StoreRecovery::default());
    store
}

/// A call, and one that it stands for.
fn two_calls(session: &Session) -> [Part; 2] {
    let outer = call(session, PartState::Completed, None);
    let mut inner = call(session, PartState::Completed, None);
    if let PartContent::Call(call) = &mut inner.content {
        call.parent = Some(outer.id.clone());
    }
    [outer, inner]
}

fn parent(part: &Part) -> Option<&Id> {
    let PartContent::Call(call) = &part.content else { return None };
    call.parent.as_ref()
}

#[tokio::test]
async fn in_a_copy_a_call_belongs_to_the_copy_of_the_one_that_stands_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap().0;
    let one = session("/w");
    store.put_session(one.clone()).await.unwrap();
    let [outer, inner] = two_calls(&one);
    let parts = vec![outer, inner, text(&one, "end")];
    store.put_parts(parts.clone()).await.unwrap();
    let fork = store.fork(&one, parts[2].id.as_str()).await.unwrap().unwrap();
    let copies = store.parts(&fork.id).await.unwrap();
    assert_eq!(parent(&copies[1]), Some(&copies[0].id));
    let json = serde_json::to_string(&SessionArchive::new(one, parts.clone())).unwrap();
    let read = SessionArchive::read(&json).unwrap();
    assert_ne!(read.parts[0].id, parts[0].id);
    assert_eq!(parent(&read.parts[1]), Some(&read.parts[0].id));
}

fn same(left: &[Part], right: &[Part]) {
    let json = |parts: &[Part]| serde_json::to_value(parts).unwrap();
    assert_eq!(json(left), json(right));
}

#[tokio::test]
async fn a_fork_has_what_was_said_before_and_leaves_the_other_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap().0;
    let one = session("/w");
    store.put_session(one.clone()).await.unwrap();
    let parts: Vec<_> = ["a", "b", "c"].iter().map(|said| text(&one, said)).collect();
    store.put_parts(parts.clone()).await.unwrap();
    assert!(store.fork(&one, "none").await.unwrap().is_none());
    let fork = store.fork(&one, parts[2].id.as_str()).await.unwrap().unwrap();
    let said = |parts: &[Part]| parts.iter().map(|part| format!("{:?}", part.content)).collect::<Vec<_>>();
    let copies = store.parts(&fork.id).await.unwrap();
    assert!(copies.iter().all(|copy| copy.session == fork.id && parts.iter().all(|part| part.id != copy.id)));
    assert_eq!(said(&copies), said(&parts[..2]));
    assert_eq!(said(&store.parts(&one.id).await.unwrap()), said(&parts));
    assert_eq!((fork.title, fork.agent, fork.folder), (one.title, one.agent, one.folder));
}

#[tokio::test]
async fn what_was_put_is_there_in_its_order() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let session = session("/work");
    store.put_session(session.clone()).await.unwrap();
    // More than fit into one millisecond: the order is that of adding, not that of the names.
    let mut parts: Vec<_> = (0..200).map(|number| text(&session, &format!("part {number}"))).collect();
    parts.push(call(&session, PartState::Running, None));
    store.put_parts(parts.clone()).await.unwrap();
    same(&store.parts(&session.id).await.unwrap(), &parts);

    let done =
        CallOutput { title: "true".into(), output: "".into(), milliseconds: 3, ..CallOutput::default() };
    let finished = Part {
        state: PartState::Completed,
        content: call(&session, PartState::Completed, Some(done)).content,
        ..parts.pop().unwrap()
    };
    parts.push(finished.clone());
    store.put_parts(vec![finished]).await.unwrap();
    // Another process sees the same.
    same(&open(dir.path()).parts(&session.id).await.unwrap(), &parts);
}

#[tokio::test]
async fn sessions_are_listed_found_renamed_and_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let old = Session { updated: 1, ..session("/a") };
    let new = session("/b");
    let child = Session { parent: Some(new.id.clone()), ..session("/b") };
    for session in [&old, &new, &child] {
        store.put_session(session.clone()).await.unwrap();
    }
    assert_eq!(store.sessions(10).await.unwrap(), [new.clone(), old.clone()]);
    assert_eq!(store.sessions(1).await.unwrap().len(), 1);
    assert_eq!(store.latest_session(Path::new("/a")).await.unwrap(), Some(old.clone()));
    assert_eq!(store.latest_session(Path::new("/c")).await.unwrap(), None);
    assert_eq!(store.session(&new.id.as_str()[12..]).await.unwrap(), new);
    assert!(matches!(store.session("nope").await, Err(StoreError::NoSession(_))));
    assert!(matches!(store.session(&old.id.as_str()[..4]).await, Err(StoreError::Ambiguous(_))));
    assert!(matches!(store.session("").await, Err(StoreError::NoSession(_))));

    store.rename_session(&old.id, "Another").await.unwrap();
    assert_eq!(store.sessions(10).await.unwrap()[0].title, "Another");
    store.put_parts(vec![text(&new, "needle")]).await.unwrap();
    store.delete_session(&new.id).await.unwrap();
    assert!(store.session(child.id.as_str()).await.is_err(), "what it began goes with it");
    assert_eq!(store.search("needle", 10).await.unwrap(), []);
    assert!(matches!(store.delete_session(&new.id).await, Err(StoreError::NoSession(_))));
}

#[tokio::test]
async fn words_are_found_whatever_is_typed() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let session = session("/work");
    store.put_session(session.clone()).await.unwrap();
    let prompt = PartContent::Prompt(PromptPart {
        text: "Please rename the Größe of foo_bar".into(),
        steers: false,
        context: Vec::new(),
    });
    let parts = vec![
        part(&session, PartState::Completed, prompt),
        text(&session, "nothing here"),
        call(&session, PartState::Running, None),
    ];
    store.put_parts(parts.clone()).await.unwrap();
    let found = store.search("größe rename", 10).await.unwrap();
    assert_eq!(
        (found.len(), found[0].part == parts[0].id, found[0].excerpt.as_str()),
        (1, true, "Please [rename] the [Größe] of foo_bar")
    );
    for odd in ["\"", "a AND", "*", "(", "foo_bar NEAR", "", "  ", "'; DROP TABLE part; --"] {
        store.search(odd, 10).await.unwrap();
    }
    // A part that changes is found by its new words only.
    let changed = Part { content: text(&session, "elsewhere").content, ..parts[1].clone() };
    store.put_parts(vec![changed]).await.unwrap();
    assert_eq!(store.search("nothing", 10).await.unwrap().len(), 0);
    assert_eq!(store.search("elsewhere", 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn what_was_under_way_is_marked_when_nobody_runs_it() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let session = session("/work");
    store.put_session(session.clone()).await.unwrap();
    let parts = vec![
        text(&session, "done"),
        call(&session, PartState::Running, None),
        call(&session, PartState::Pending, None),
    ];
    store.put_parts(parts).await.unwrap();
    assert_eq!(store.mark_interrupted(&session.id).await.unwrap(), 2);
    let mut parts = store.parts(&session.id).await.unwrap();
    let end = parts.pop().unwrap();
    assert!(matches!(end.content, PartContent::TurnEnd(TurnEnd::Interrupted)), "{end:?}");
    let states: Vec<_> = parts.into_iter().map(|part| part.state).collect();
    assert_eq!(states, [PartState::Completed, PartState::Interrupted, PartState::Interrupted]);
    assert_eq!(store.mark_interrupted(&session.id).await.unwrap(), 0);
}

#[tokio::test]
async fn the_search_finds_what_had_arrived_before_an_interruption() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let session = session("/work");
    store.put_session(session.clone()).await.unwrap();
    let half = Part { state: PartState::Running, ..text(&session, "half of an answer") };
    store.put_parts(vec![half.clone()]).await.unwrap();
    assert_eq!(store.search("answer", 10).await.unwrap(), []);
    store.mark_interrupted(&session.id).await.unwrap();
    let found = store.search("answer", 10).await.unwrap();
    assert_eq!(found.iter().map(|hit| &hit.part).collect::<Vec<_>>(), [&half.id]);
}

#[tokio::test]
async fn parts_come_all_or_none() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let known = session("/work");
    store.put_session(known.clone()).await.unwrap();
    let stray = text(&session("/work"), "of no session");
    assert!(store.put_parts(vec![text(&known, "a"), stray]).await.is_err());
    same(&store.parts(&known.id).await.unwrap(), &[]);
}

/// Two processes, as two connections: none of the writes is lost, and the file stays whole.
#[tokio::test]
async fn two_writers_do_not_disturb_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let stores = [open(dir.path()), open(dir.path())];
    let mut tasks = tokio::task::JoinSet::new();
    for store in stores {
        for _ in 0..4 {
            let store = store.clone();
            tasks.spawn(async move {
                let session = session("/work");
                store.put_session(session.clone()).await.unwrap();
                for number in 0..25 {
                    store.put_parts(vec![text(&session, &number.to_string())]).await.unwrap();
                }
                session.id
            });
        }
    }
    let sessions = tasks.join_all().await;
    let store = open(dir.path());
    for id in sessions {
        assert_eq!(store.parts(&id).await.unwrap().len(), 25);
    }
}

#[test]
fn a_newer_store_and_an_impossible_place_are_refused_in_words() {
    let dir = tempfile::tempdir().unwrap();
    drop(Store::open(dir.path()).unwrap());
    let connection = rusqlite::Connection::open(dir.path().join("sessions.db")).unwrap();
    connection.pragma_update(None, "user_version", 999).unwrap();
    let message = Store::open(dir.path()).unwrap_err().to_string();
    assert!(message.contains("was written by a newer copydesk (format 999)"), "{message}");

    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(Store::open(&file).unwrap_err().to_string().contains("cannot be created"));
    let folder = dir.path().join("odd");
    fs::create_dir_all(folder.join("sessions.db")).unwrap();
    assert!(Store::open(&folder).is_err());
}

#[test]
fn the_store_is_the_users_alone() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    drop(Store::open(&data).unwrap());
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&data), mode(&data.join("sessions.db"))), (0o700, 0o600));
}

#[test]
fn sqlite_is_new_enough() {
    assert!(rusqlite::version_number() >= 3_051_003, "{}", rusqlite::version());
}

#[test]
fn an_exported_session_comes_back_under_another_name() {
    let session = session("/work");
    let parts = vec![text(&session, "said"), call(&session, PartState::Running, None)];
    let archive = SessionArchive::new(session.clone(), parts.clone());
    let json = serde_json::to_string(&archive).unwrap();
    let read = SessionArchive::read(&json).unwrap();
    assert_ne!(read.session.id, session.id);
    assert_eq!(Session { id: session.id.clone(), ..read.session.clone() }, session);
    assert!(read.parts.iter().all(|part| part.session == read.session.id));
    assert_eq!(read.parts[1].state, PartState::Interrupted);

    assert!(matches!(SessionArchive::read("{}"), Err(ImportError::NotASession(_))));
    let newer = json.replace("\"copydesk_session\":2", "\"copydesk_session\":3");
    assert!(matches!(SessionArchive::read(&newer), Err(ImportError::Newer(3))));
    let stray = SessionArchive::new(session, vec![Part { session: Id::new(), ..parts[0].clone() }]);
    assert!(matches!(
        SessionArchive::read(&serde_json::to_string(&stray).unwrap()),
        Err(ImportError::Stray { .. })
    ));
}

#[test]
fn a_session_can_be_read_by_people() {
    let mut session = session("/work");
    session.id = Id::from("ID");
    let output = CallOutput { output: "a ``` fence\n".into(), milliseconds: 3, ..CallOutput::default() };
    let prompt = PartContent::Prompt(PromptPart {
        text: "Fix it.\nPlease.".into(),
        steers: false,
        context: Vec::new(),
    });
    let parts = [
        part(&session, PartState::Completed, prompt),
        text(&session, "On it."),
        call(&session, PartState::Completed, Some(output)),
        call(&session, PartState::Interrupted, None),
    ];
    expect_test::expect![[r##"
        # A title

        `ID` in `/work`

        ## Fix it.

        Fix it.
        Please.

        On it.

        **bash**

        ```
        {"command":"true"}
        ```

        done after 3 ms

        ````
        a ``` fence
        ````

        **bash**

        ```
        {"command":"true"}
        ```

        interrupted

        *(The turn was cancelled or interrupted here.)*
    "##]]
    .assert_eq(&markdown(&session, &parts));
}

/// Whether a turn came to its end can be seen, also where nothing of it was left.
#[test]
fn a_turn_that_was_cut_off_says_so_where_it_was() {
    let session = session("/work");
    let of =
        |turn: u32, state: PartState, content: PartContent| Part { turn, ..part(&session, state, content) };
    let prompt = |text: &str| {
        PartContent::Prompt(PromptPart { text: text.into(), steers: false, context: Vec::new() })
    };
    let start = || PartContent::StepStart { model: "p/m".into() };
    let said = |text: &str| PartContent::Text(TextPart { text: text.into(), echo: None });
    let parts = [
        of(1, PartState::Completed, prompt("One")),
        of(1, PartState::Completed, start()),
        of(1, PartState::Interrupted, said("Half a")),
        of(2, PartState::Completed, prompt("Two")),
        of(2, PartState::Completed, start()),
        of(3, PartState::Completed, prompt("Three")),
    ];
    let shown = markdown(&session, &parts);
    let body: Vec<_> = shown.lines().skip(4).filter(|line| !line.is_empty()).collect();
    assert_eq!(
        body,
        [
            "## One",
            "Half a",
            "*(The turn was cancelled or interrupted here.)*",
            "## Two",
            "*(The model's answer has not come to its end here.)*",
            "## Three",
        ]
    );
}

/// Signed blocks must come back byte for byte, or the provider refuses the whole conversation.
#[tokio::test]
async fn what_a_provider_wants_back_is_kept_byte_for_byte() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let session = session("/work");
    store.put_session(session.clone()).await.unwrap();
    let json = r#"{ "type":"thinking",  "signature":"\u00e9\/==", "n": 1.0e2 }"#;
    let data = serde_json::value::RawValue::from_string(json.to_owned()).unwrap();
    let echo = Some(copydesk_model::ProviderMetadata { provider: "p".into(), model: "m".into(), data });
    let reasoning = PartContent::Reasoning(copydesk_model::ReasoningPart { text: "Hm.".into(), echo });
    store.put_parts(vec![part(&session, PartState::Completed, reasoning)]).await.unwrap();
    let parts = store.parts(&session.id).await.unwrap();
    let PartContent::Reasoning(read) = &parts[0].content else { panic!("{parts:?}") };
    assert_eq!(read.echo.as_ref().unwrap().data.get(), json);
}

#[tokio::test]
async fn pages_of_parts_are_what_the_whole_list_is() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let (one, other) = (session("/w"), session("/w"));
    store.put_session(one.clone()).await.unwrap();
    store.put_session(other.clone()).await.unwrap();
    let parts: Vec<_> = (0..7).map(|number| text(&one, &number.to_string())).collect();
    for part in &parts {
        // Parts of another session lie between.
        store.put_parts(vec![part.clone(), text(&other, "other")]).await.unwrap();
    }
    for limit in 0..9 {
        for before in 0..=parts.len() {
            let id = parts.get(before).map(|part| part.id.to_string());
            let page = store.part_page(&one.id, id.as_deref(), limit).await.unwrap().unwrap();
            let first = before.saturating_sub(limit);
            same(&page.parts, &parts[first..before]);
            assert_eq!(page.has_earlier, first > 0, "{limit} before {before}");
        }
    }
    let foreign = store.parts(&other.id).await.unwrap()[0].id.to_string();
    assert!(store.part_page(&one.id, Some(&foreign), 3).await.unwrap().is_none());
}

/// The clock of a machine may go back, and a session's parts may be older than those of another.
#[tokio::test]
async fn the_last_session_is_the_one_that_changed_last_whatever_the_clock_says() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let at = |time: u64| Session { created: time, updated: time, ..session("/work") };
    let (first, second) = (at(9_000), at(5_000));
    store.put_session(first.clone()).await.unwrap();
    store.put_parts(vec![Part { updated: 9_500, ..text(&first, "before") }]).await.unwrap();
    store.put_session(second.clone()).await.unwrap();
    let latest = || async { store.latest_session(Path::new("/work")).await.unwrap().unwrap() };
    assert_eq!(latest().await.id, second.id);
    store.put_parts(vec![Part { updated: 4_000, ..text(&first, "after") }]).await.unwrap();
    assert_eq!(latest().await.id, first.id);
    store.put_parts(vec![Part { updated: 3_000, ..text(&second, "later") }]).await.unwrap();
    let order = |sessions: Vec<Session>| sessions.into_iter().map(|session| session.id).collect::<Vec<_>>();
    assert_eq!(order(store.sessions(9).await.unwrap()), [second.id.clone(), first.id.clone()]);
    store.rename_session(&first.id, "Renamed").await.unwrap();
    assert_eq!(order(store.sessions(9).await.unwrap()), [first.id, second.id]);
}

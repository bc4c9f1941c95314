//! What is for the user: the list of things to do, questions, plans; and skills.

use expect_test::expect;
use serde_json::{Value, json};

use super::fixture::{ToolFixture, check, check_on, fixture, fixture_answering, fixture_with_asker};
use crate::denial::PermissionDenial;
use crate::outcome::ToolErrorKind;

fn todo(content: &str, status: &str) -> Value {
    json!({ "content": content, "status": status, "priority": "medium" })
}

#[tokio::test]
async fn a_list_is_replaced_as_a_whole_and_read_again() {
    let first = json!({ "todos": [
        { "content": "Look\n at it", "status": "completed" },
        { "content": "Mend it", "status": "in_progress", "priority": "high" },
        { "content": "Rename it", "status": "cancelled", "priority": "low" },
        todo("Test it", "pending"),
    ] });
    check(
        &[],
        &[
            ("todoread", json!({})),
            ("todowrite", first),
            ("todoread", json!({ "nonsense": 1 })),
            ("todowrite", json!({ "todos": [] })),
            ("todoread", json!({})),
        ],
        expect![[r#"
            todoread
            There is no list. `todowrite` begins one.
            todowrite
            ? todowrite: * (always: *)
            1/3 done
            [x] Look at it
            [-] in progress: Mend it (high)
            [~] cancelled: Rename it (low)
            [ ] Test it
            todoread
            1/3 done
            [x] Look at it
            [-] in progress: Mend it (high)
            [~] cancelled: Rename it (low)
            [ ] Test it
            todowrite
            ? todowrite: * (always: *)
            nothing to do
            todoread
            There is no list. `todowrite` begins one.
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_user_is_shown_the_list_and_whether_its_items_are_new() {
    let fixture = fixture(&[]);
    let write = async |statuses: [&str; 2]| {
        let todos = [todo("a", statuses[0]), todo("b", statuses[1])];
        fixture.call("todowrite", json!({ "todos": todos })).await
    };
    let first = write(["pending", "pending"]).await;
    assert_eq!((first.title.as_str(), &first.metadata.to_value()["isNew"]), ("0/2 done", &json!(true)));
    assert_eq!(first.metadata.to_value()["todos"][0], todo("a", "pending"));
    let second = write(["completed", "in_progress"]).await;
    assert_eq!((second.title.as_str(), &second.metadata.to_value()["isNew"]), ("1/2 done", &json!(false)));
    let other = fixture.call("todowrite", json!({ "todos": [todo("c", "pending")] })).await;
    assert_eq!(other.metadata.to_value()["isNew"], true);
}

#[tokio::test]
async fn a_list_that_cannot_be_kept_leaves_the_one_before() {
    let fixture = fixture(&[]);
    fixture.call("todowrite", json!({ "todos": [todo("Keep", "pending")] })).await;
    let many: Vec<_> = (0..101).map(|number| todo(&number.to_string(), "pending")).collect();
    for (todos, word) in [
        (json!(many), "The list has 101 items; at most 100 are kept."),
        (json!([todo(" \n", "pending")]), "`todos[0].content` is empty."),
        (json!([todo(&"ä".repeat(501), "pending")]), "`todos[0].content` has 501 characters"),
        (json!([todo("x", "done")]), "unknown variant `done`, expected one of `pending`"),
        (json!([{ "status": "pending" }]), "missing field `content`"),
        (json!("all"), "`todos`: invalid type: string"),
        (json!(null), "`todos`: invalid type: null"),
    ] {
        let outcome = fixture.call("todowrite", json!({ "todos": todos })).await;
        assert_eq!(outcome.error_kind, Some(ToolErrorKind::Arguments), "{word}");
        assert!(outcome.output.contains(word), "{}", outcome.output);
    }
    assert!(fixture.call("todoread", json!({})).await.output.contains("[ ] Keep"));
    let denied = fixture_with_asker(&[], |_| Err(PermissionDenial::ByUser { reason: None }));
    let outcome = denied.call("todowrite", json!({ "todos": [todo("x", "pending")] })).await;
    assert_eq!(outcome.error_kind, Some(ToolErrorKind::Denied));
    assert!(denied.call("todoread", json!({})).await.output.contains("There is no list"));
}

fn questions() -> Value {
    json!({ "questions": [
        { "question": "Which\ndatabase?", "header": "Database", "options": [
            { "label": "SQLite", "description": "one file" }, { "label": "SQLite" }, { "label": " " },
            { "label": "Postgres" },
        ] },
        { "question": "Which tests?", "header": "", "multiple": true, "custom": false, "options": [] },
    ] })
}

#[tokio::test]
async fn what_was_answered_is_told_question_by_question() {
    let fixture = fixture_answering(|_| Ok(vec![vec!["SQLite".into()], vec!["a".into(), "b".into()]]));
    check_on(
        &fixture,
        &[("question", questions())],
        expect![[r#"
            question
            ? question: * (always: *)
            The user answered:

            Which database?
            → SQLite

            Which tests?
            → a, b
        "#]],
    )
    .await;
    let put = fixture.questions().remove(0);
    assert_eq!(put[0].text, "Which database?");
    let labels: Vec<_> = put[0].options.iter().map(|choice| choice.label.as_str()).collect();
    assert_eq!(labels, ["SQLite", "Postgres"], "none twice, none empty");
    assert_eq!((put[0].multiple, put[0].custom), (false, true));
    assert_eq!((put[1].multiple, put[1].custom), (true, true), "something must be sayable");
    let outcome = fixture.call("question", questions()).await;
    assert_eq!(outcome.title, "Database: SQLite; a, b");
    assert_eq!(outcome.metadata.to_value()["answers"], json!([["SQLite"], ["a", "b"]]));
}

#[tokio::test]
async fn answers_are_as_many_as_the_questions_and_not_too_long() {
    let fixture = fixture_answering(|_| Ok(vec![vec!["ä".repeat(20_000)]]));
    let outcome = fixture.call("question", questions()).await;
    assert!(outcome.output.ends_with("Which tests?\n→ (nothing)"), "{}", outcome.output);
    assert_eq!(outcome.output.matches('ä').count(), 10_000);
    let fixture = fixture_answering(|_| Ok(vec![vec![]; 50]));
    let outcome = fixture.call("question", questions()).await;
    assert_eq!(outcome.output.matches('→').count(), 2);
}

#[tokio::test]
async fn no_answer_is_told_with_its_reason() {
    let reasons = [
        (Some("Nobody is there."), ToolErrorKind::Denied, "There is no answer: Nobody is there."),
        (None, ToolErrorKind::Denied, "The user dismissed the question. Do not ask it again."),
    ];
    for (reason, kind, message) in reasons {
        let reason = reason.map(str::to_owned);
        let fixture = fixture_answering(move |_| Err(PermissionDenial::ByUser { reason: reason.clone() }));
        let outcome = fixture.call("question", questions()).await;
        assert_eq!((outcome.error_kind, outcome.output.as_str()), (Some(kind), message));
    }
    let fixture = fixture_answering(|_| Err(PermissionDenial::Cancelled));
    assert_eq!(fixture.call("question", questions()).await.error_kind, Some(ToolErrorKind::Cancelled));
}

#[tokio::test]
async fn questions_that_nobody_could_answer_are_not_put() {
    let fixture = fixture_answering(|_| Ok(Vec::new()));
    let one = |more: Value| {
        let mut question = json!({ "question": "Which?", "header": "H", "options": [] });
        question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "questions": [question] })
    };
    let many: Vec<_> = (0..21).map(|number| json!({ "label": number.to_string() })).collect();
    let eleven: Vec<_> = (0..11).map(|_| json!({ "question": "?", "options": [] })).collect();
    for (arguments, word) in [
        (json!({}), "missing field `questions`"),
        (json!({ "questions": [] }), "`questions` has 0 questions; ask 1 to 10 at once."),
        (json!({ "questions": eleven }), "`questions` has 11 questions"),
        (one(json!({ "question": "\n\t" })), "`questions[0].question` is empty."),
        (one(json!({ "options": many })), "`questions[0].options` has 21 options"),
        (one(json!({ "options": ["red"] })), "`questions[0].options[0]`: invalid type: string"),
        (one(json!({ "multiple": "perhaps" })), "`questions[0].multiple`: invalid type: string"),
    ] {
        let outcome = fixture.call("question", arguments).await;
        assert_eq!(outcome.error_kind, Some(ToolErrorKind::Arguments), "{}", outcome.output);
        assert!(outcome.output.contains(word), "{}", outcome.output);
    }
    assert_eq!((fixture.questions().len(), fixture.asked().len()), (0, 0));
    let long = json!({ "question": "é".repeat(5000), "header": "h\u{1b}[2J".repeat(50), "options": [
        { "label": "l".repeat(1000), "description": "d".repeat(1000) } ] });
    fixture.call("question", one(long)).await;
    let put = fixture.questions().remove(0).remove(0);
    let lengths = [&put.text, &put.header, &put.options[0].label, &put.options[0].description];
    assert_eq!(lengths.map(|text| text.chars().count()), [2001, 31, 201, 501]);
    assert!(!put.header.contains('\u{1b}'));
}

const SKILL: &str =
    "---\nname: release\ndescription: How releases are made\n---\n# Releasing\n\nRun `scripts/go.sh`.\n";

fn skilled() -> ToolFixture {
    let mut files = vec![
        (".copydesk/skills/release/SKILL.md".to_owned(), SKILL.to_owned()),
        (".copydesk/skills/release/.hidden".to_owned(), String::new()),
        (".copydesk/skills/release/deep/er/still/x".to_owned(), String::new()),
        (
            ".copydesk/skills/notes/SKILL.md".to_owned(),
            format!("---\ndescription: {}\n---\nNote it.", "n".repeat(900)),
        ),
    ];
    files.extend(
        (0..12).map(|number| (format!(".copydesk/skills/release/scripts/{number:02}.sh"), String::new())),
    );
    let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    fixture(&files)
}

#[tokio::test]
async fn a_skill_is_loaded_with_what_lies_beside_it() {
    let fixture = skilled();
    check_on(
        &fixture,
        &[("skill", json!({ "name": "release" })), ("skill", json!({ "name": " Notes " })), ("skill", json!({ "name": "deploy" }))],
        expect![[r#"
            skill
            ? skill: release (always: release)
            The skill `release` (written by this repository):

            # Releasing

            Run `scripts/go.sh`.

            Its folder is TMP/work/.copydesk/skills/release; paths in the text begin there. Other files; read them if needed:
            - scripts/00.sh
            - scripts/01.sh
            - scripts/02.sh
            - scripts/03.sh
            - scripts/04.sh
            - scripts/05.sh
            - scripts/06.sh
            - scripts/07.sh
            - scripts/08.sh
            - scripts/09.sh
            - … and more
            skill
            ? skill: notes (always: notes)
            The skill `notes` (written by this repository):

            Note it.

            Its folder is TMP/work/.copydesk/skills/notes; paths in the text begin there.
            skill
            ! Target
            There is no skill `deploy`. There are: `notes`, `release`.
        "#]],
    )
    .await;
    let specs = fixture.registry().definitions(|_| true);
    let prompt = &specs.iter().find(|spec| spec.name == "skill").unwrap().prompt;
    let list = format!("\n- notes: {}…\n- release: How releases are made\n", "n".repeat(300));
    assert!(prompt.ends_with(&list), "{prompt}");
}

#[tokio::test]
async fn a_skill_that_changed_is_read_as_it_is_and_one_that_leads_elsewhere_is_not() {
    let fixture = skilled();
    fixture.put(
        ".copydesk/skills/release/SKILL.md",
        format!("---\nname: release\n---\n{}", "é".repeat(40_000)).as_bytes(),
    );
    let outcome = fixture.call("skill", json!({ "name": "release" })).await;
    assert!(outcome.output.contains("é\n[The rest is left out; read it in "), "{}", &outcome.output[..200]);
    let text = fixture.path(".copydesk/skills/release/SKILL.md");
    std::fs::remove_file(&text).unwrap();
    let told = fixture.tell("skill", json!({ "name": "release" })).await;
    assert!(told.contains("! Target\nThe skill `release` is gone. Do without it."), "{told}");
    fixture.put("../secret", b"key");
    super::fixture::link("../../../../secret", &text);
    let told = fixture.tell("skill", json!({ "name": "release" })).await;
    assert!(
        told.contains("! Target\nThe file of the skill `release` now resolves to another path."),
        "{told}"
    );
}

#[tokio::test]
async fn without_skills_there_is_no_tool_for_them() {
    let specs = fixture(&[]).registry().definitions(|_| true);
    assert!(specs.iter().all(|spec| spec.name != "skill"));
}

#[tokio::test]
async fn planning_is_suggested_and_the_user_decides() {
    for (answer, output, agents) in [
        (
            "Plan first",
            "The user wants a plan first. From the next step on you are the agent `plan`.",
            &["plan"][..],
        ),
        ("Go on without a plan", "The user wants you to go on without a plan.", &[]),
        ("Ask Ann", "The user answered: Ask Ann", &[]),
    ] {
        let fixture = fixture_answering(move |_| Ok(vec![vec![answer.to_owned()]]));
        let outcome = fixture.call("plan_enter", json!({ "reason": "It is\nlarge." })).await;
        assert_eq!((outcome.error_kind, outcome.output.as_str()), (None, output));
        assert_eq!(fixture.agents(), agents);
        let put = fixture.questions().remove(0).remove(0);
        assert_eq!(put.text, "Plan first, before anything is changed? It is large.");
    }
    let nobody =
        fixture_answering(|_| Err(PermissionDenial::ByUser { reason: Some("Nobody is there.".into()) }));
    let outcome = nobody.call("plan_enter", json!({})).await;
    assert_eq!(outcome.output, "Nobody is there. Go on without a plan.");
    assert_eq!(fixture(&[]).call("plan_enter", json!({})).await.error_kind, Some(ToolErrorKind::Denied));
    let planning = nobody.call_as("plan", "plan_enter", json!({})).await;
    assert_eq!(planning.error_kind, Some(ToolErrorKind::Target), "{}", planning.output);
    assert_eq!(nobody.agents(), [""; 0]);
    let other = fixture_answering(|_| Ok(vec![vec!["Plan first".to_owned()]]));
    let outcome = other.call_as("looker", "plan_enter", json!({})).await;
    assert_eq!(outcome.error_kind, Some(ToolErrorKind::Target), "it would be `build` after that");
    assert_eq!((other.agents().len(), other.questions().len()), (0, 0));
}

#[tokio::test]
async fn a_plan_is_shown_and_approved_before_it_is_carried_out() {
    let plan = ".copydesk/plans/19700101-000000-mend-it.md";
    let fixture = fixture(&[]);
    let missing = fixture.call_as("plan", "plan_exit", json!({})).await;
    assert!(
        missing.output.contains("Write it to `.copydesk/plans/19700101-000000-NAME.md`"),
        "{}",
        missing.output
    );
    fixture.put(plan, b" \n");
    let empty = fixture.call_as("plan", "plan_exit", json!({})).await;
    assert_eq!(empty.output, format!("The plan in `{plan}` is empty. Write it, then call this again."));
    fixture.put(plan, b"# Mend it\n\n1. Look.\n");
    let outcome = fixture.call_as("plan", "plan_exit", json!({})).await;
    assert_eq!((outcome.error_kind, outcome.title), (None, format!("Approved {plan}")));
    let asked = fixture.asked().remove(0);
    assert_eq!(
        (asked.key.as_str(), &asked.metadata.to_value()["plan"]),
        ("plan_exit", &json!("# Mend it\n\n1. Look.\n"))
    );
    assert_eq!(asked.always, [""; 0], "every plan is looked at");
    assert_eq!(fixture.agents(), ["build"]);
    fixture.put(plan, "é".repeat(40_000).as_bytes());
    fixture.call_as("plan", "plan_exit", json!({})).await;
    let shown = fixture.asked().remove(0).metadata.to_value()["plan"].as_str().unwrap().to_owned();
    assert!(shown.ends_with(&format!("é\n[The rest is in {plan}.]")), "what is left out is told");
    std::fs::remove_file(fixture.path(plan)).unwrap();
    fixture.put("../secret.md", b"not a plan");
    super::fixture::link("../../../secret.md", &fixture.path(plan));
    let outside = fixture.call_as("plan", "plan_exit", json!({})).await;
    assert!(outside.output.starts_with("There is no plan yet."), "{}", outside.output);
    assert_eq!((fixture.asked().len(), fixture.agents()), (0, vec!["build".to_owned()]));
    let building = fixture.call("plan_exit", json!({})).await;
    assert_eq!(building.error_kind, Some(ToolErrorKind::Target), "{}", building.output);
    let says_no = fixture_with_asker(&[(plan, "# Mend it")], |_| {
        Err(PermissionDenial::ByUser { reason: Some("Tests first.".into()) })
    });
    let outcome = says_no.call_as("plan", "plan_exit", json!({})).await;
    let told = format!("The user said no: Tests first. You are still planning: change the plan in `{plan}`.");
    assert_eq!((outcome.output, says_no.agents().len()), (told, 0));
}

#[tokio::test]
async fn a_plan_that_changed_while_it_was_looked_at_is_not_approved() {
    let plan = ".copydesk/plans/19700101-000000-mend-it.md";
    for before in ["# Mend it\n".to_owned(), "é".repeat(40_000)] {
        let path = std::sync::Arc::new(std::sync::OnceLock::<std::path::PathBuf>::new());
        let (changed, after) = (std::sync::Arc::clone(&path), format!("{before}And delete it.\n"));
        let fixture = fixture_with_asker(&[(plan, &before)], move |_| {
            std::fs::write(changed.get().unwrap(), &after).unwrap();
            Ok(())
        });
        path.set(fixture.path(plan)).unwrap();
        let outcome = fixture.call_as("plan", "plan_exit", json!({})).await;
        assert_eq!(outcome.error_kind, Some(ToolErrorKind::Target));
        assert!(outcome.output.starts_with("The plan changed: "), "{}", outcome.output);
        assert_eq!(fixture.agents(), [""; 0]);
        let again = fixture.call_as("plan", "plan_exit", json!({})).await;
        assert_eq!((again.error_kind, fixture.agents().len()), (None, 1));
    }
    let everything = fixture(&[]).registry();
    let touches = everything.touched_files("plan_exit", "{}", &fixture(&[]).context());
    assert!(matches!(touches, crate::tool::TouchedFiles::Everything));
}

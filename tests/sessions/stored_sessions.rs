//! `copydesk sessions`: stored sessions can be listed, read, searched, exported and deleted.

use serde_json::json;

use super::harness::ScriptedEnvironment;
use crate::model_server::ScriptedTurn;

#[test]
fn sessions_are_listed_shown_found_exported_imported_and_deleted() {
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new().text("The needle is here.").call("c1", "list", json!({})),
        ScriptedTurn::new().text("Found."),
    ]);
    assert!(scripted.env.run(&["sessions", "list"]).stdout.starts_with("No sessions yet."));
    assert_eq!(scripted.run(&["Where is it?"]).code, Some(0));
    let list = scripted.env.run(&["sessions", "list", "--json"]).json();
    let id = list[0]["id"].as_str().unwrap().to_owned();
    assert!(scripted.env.run(&["sessions", "list"]).stdout.contains(&id));

    let shown = scripted.env.run(&["sessions", "show", &id[14..]]).stdout;
    assert!(
        shown.contains("## Where is it?")
            && shown.contains("The needle is here.")
            && shown.contains("**list**"),
        "{shown}"
    );
    let found = scripted.env.run(&["sessions", "search", "needle", "--json"]).json();
    assert_eq!((found.as_array().unwrap().len(), found[0]["session"].as_str()), (1, Some(id.as_str())));

    let exported = scripted.env.run(&["sessions", "export", &id]).stdout;
    scripted.env.write("session.json", &exported);
    assert!(scripted.env.run(&["sessions", "delete", &id]).stdout.starts_with("Deleted"));
    let gone = scripted.env.run(&["sessions", "show", &id]);
    assert!(gone.code == Some(1) && gone.stderr.contains("there is no session"), "{gone:?}");
    let imported = scripted.env.run(&["sessions", "import", "session.json"]);
    assert!(imported.stdout.starts_with("Imported as "), "{imported:?}");
    let list = scripted.env.run(&["sessions", "list", "--json"]).json();
    let again = scripted.env.run(&["sessions", "show", list[0]["id"].as_str().unwrap()]).stdout;
    let body = |text: &str| text.lines().skip(4).collect::<Vec<_>>().join("\n");
    assert_eq!(body(&again), body(&shown));

    scripted.env.write("other.json", "{}");
    let ran = scripted.env.run(&["sessions", "import", "other.json"]);
    let said = "error: PROJECT/other.json: this is no exported session: missing field `copydesk_session` at line 1 column 2\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), said), "its cause is said once");
}

#[test]
fn sessions_go_through_pipes_and_in_both_forms() {
    let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("Said.")]);
    assert_eq!(scripted.run(&["Ask"]).code, Some(0));
    let list = scripted.env.run(&["sessions", "list", "--json"]).json();
    let id = list[0]["id"].as_str().unwrap();
    let run = |args: &[&str]| scripted.env.run(&[&["sessions"], args].concat()).stdout;
    // For people, `show` adds what fills the context.
    let shown = run(&["show", id]);
    let (said, context) = shown.rsplit_once("\n\nContext: ").unwrap();
    assert_eq!(run(&["export", "--markdown", id]).trim_end(), said);
    assert!(context.contains("of 32768 tokens") && context.contains("system prompt "), "{context}");
    let json = run(&["export", id]);
    assert_eq!(run(&["show", "--json", id]), json);
    let imported = scripted.env.run_with(&["sessions", "import", "-"], &json);
    assert!(imported.stdout.starts_with("Imported as "), "{imported:?}");
    let ran = scripted.env.run_with(&["sessions", "import", "-"], "nonsense");
    assert!(ran.stderr.starts_with("error: standard input: this is no exported session:"), "{ran:?}");

    // Two of them now, and a truncated list says so.
    let listed = run(&["list", "--most", "1"]);
    assert!(listed.lines().count() == 2 && listed.contains("`--most 2` shows more"), "{listed}");
    assert_eq!(run(&["list", "--most", "2"]).lines().count(), 2);
    let none = scripted.env.run(&["sessions", "list", "--most", "0"]);
    assert!(none.code == Some(2) && none.stderr.contains("--most"), "{none:?}");
    for _ in 0..30 {
        scripted.env.run_with(&["sessions", "import", "-"], &json);
    }
    let listed = run(&["list"]);
    assert!(listed.lines().count() == 31 && listed.contains("`--most 60` shows more"), "{listed}");
    let all = scripted.env.run(&["sessions", "list", "--json"]).json();
    assert_eq!(all.as_array().map(Vec::len), Some(32));
}

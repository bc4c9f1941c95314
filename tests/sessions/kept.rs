//! `copydesk sessions`: what is kept can be listed, read, found, taken elsewhere and deleted.

use serde_json::json;

use super::harness::Scripted;
use crate::model_server::Turn;

#[test]
fn sessions_are_listed_shown_found_exported_imported_and_deleted() {
    let scripted = Scripted::new([
        Turn::new().text("The needle is here.").call("c1", "list", json!({})),
        Turn::new().text("Found."),
    ]);
    assert!(scripted.desk.run(&["sessions", "list"]).stdout.starts_with("No sessions yet."));
    assert_eq!(scripted.run(&["Where is it?"]).code, Some(0));
    let list = scripted.desk.run(&["sessions", "list", "--json"]).json();
    let id = list[0]["id"].as_str().unwrap().to_owned();
    assert!(scripted.desk.run(&["sessions", "list"]).stdout.contains(&id));

    let shown = scripted.desk.run(&["sessions", "show", &id[14..]]).stdout;
    assert!(
        shown.contains("## Where is it?")
            && shown.contains("The needle is here.")
            && shown.contains("**list**"),
        "{shown}"
    );
    let found = scripted.desk.run(&["sessions", "search", "needle", "--json"]).json();
    assert_eq!((found.as_array().unwrap().len(), found[0]["session"].as_str()), (1, Some(id.as_str())));

    let exported = scripted.desk.run(&["sessions", "export", &id]).stdout;
    scripted.desk.write("session.json", &exported);
    assert!(scripted.desk.run(&["sessions", "delete", &id]).stdout.starts_with("Deleted"));
    let gone = scripted.desk.run(&["sessions", "show", &id]);
    assert!(gone.code == Some(1) && gone.stderr.contains("there is no session"), "{gone:?}");
    let imported = scripted.desk.run(&["sessions", "import", "session.json"]);
    assert!(imported.stdout.starts_with("Imported as "), "{imported:?}");
    let list = scripted.desk.run(&["sessions", "list", "--json"]).json();
    let again = scripted.desk.run(&["sessions", "show", list[0]["id"].as_str().unwrap()]).stdout;
    let body = |text: &str| text.lines().skip(4).collect::<Vec<_>>().join("\n");
    assert_eq!(body(&again), body(&shown));

    scripted.desk.write("other.json", "{}");
    let ran = scripted.desk.run(&["sessions", "import", "other.json"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("this is no exported session"), "{ran:?}");
}

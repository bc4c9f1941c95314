use super::*;
use crate::config_fixture::ConfigFixture;

/// What is made of a configuration of the person and one of a project that is not trusted.
fn load(own: &str, project: &str) -> LanguageSettings {
    let read = ConfigFixture::new(own, project, |_| None);
    let mut languages = language_settings(&read.loaded);
    for problem in &mut languages.problems {
        *problem = problem.replace(&*read.root.to_string_lossy(), "");
    }
    languages
}

#[test]
fn without_a_word_servers_are_on_and_nothing_else_is_run() {
    let languages = load("{}", "{}");
    assert_eq!(languages.servers, ServerPreferences::default());
    assert!(languages.servers.is_enabled && languages.allows_project_programs);
    assert_eq!((languages.checkers, languages.formatters, languages.problems), (vec![], vec![], vec![]));
    assert!(!load(r#"{ "lsp": false }"#, "{}").servers.is_enabled);
    assert!(!load(r#"{ "diagnostics": { "project_programs": false } }"#, "{}").allows_project_programs);
}

#[test]
fn servers_are_as_a_person_says() {
    let languages = load(
        r#"{ "lsp": {
            "rust": { "initialization": { "check": { "command": "clippy" } }, "env": { "A": "b" } },
            "mine": { "command": ["mine", "--stdio"], "extensions": [".m"], "roots": ["m.toml"], "beside": true },
            "pyright": { "disabled": true }
        } }"#,
        "{}",
    );
    let servers = languages.servers.servers;
    assert_eq!(servers["rust"].initialization["check"]["command"], "clippy");
    assert_eq!(servers["rust"].environment, [("A".to_owned(), "b".to_owned())]);
    assert!(servers["pyright"].is_disabled);
    let mine = &servers["mine"];
    assert_eq!(
        (mine.command.join(" "), mine.is_additional, mine.roots.len()),
        ("mine --stdio".into(), true, 1)
    );
    assert_eq!(mine.settings, Value::Null);
}

#[test]
fn a_project_that_is_not_trusted_names_no_program() {
    let evil = r#"{
        "lsp": { "rust": { "command": ["./evil"], "initialization": { "check": { "overrideCommand": ["./evil"] } } } },
        "checkers": { "evil": { "command": ["./evil"], "extensions": [".rs"], "format": "lines" } },
        "formatter": { "evil": { "command": ["./evil"], "extensions": [".rs"] } },
        "diagnostics": { "project_programs": true, "enabled": false, "sources": [], "wait": 1 }
    }"#;
    let languages = load(
        r#"{ "lsp": { "rust": { "env": { "A": "b" } } }, "diagnostics": { "project_programs": false } }"#,
        evil,
    );
    let rust = &languages.servers.servers["rust"];
    assert_eq!((&rust.command, &rust.initialization), (&Vec::new(), &Value::Null));
    assert_eq!(
        (languages.checkers.len(), languages.formatters.len(), languages.allows_project_programs),
        (0, 0, false)
    );
    let said = &languages.diagnostics;
    assert_eq!((said.enabled, &said.sources, said.wait), (None, &None, None));
    let words = "is ignored: this project is not trusted";
    assert_eq!(
        languages.problems.iter().filter(|problem| problem.contains(words)).count(),
        4,
        "{:?}",
        languages.problems
    );
    assert!(languages.problems[0].starts_with("/w/copydesk.jsonc:2:"), "{:?}", languages.problems);
}

#[test]
fn checkers_and_formatters_are_those_that_are_named() {
    let languages = load(
        r#"{
            "checkers": { "cargo": {}, "ruff": { "disabled": true }, "odd": { "command": ["odd"] },
                          "mine": { "command": ["mine"], "extensions": [".m"], "format": "sarif", "columns": "utf16", "timeout": 500 } },
            "formatter": { "prettier": { "disabled": true }, "rustfmt": { "command": ["rustfmt", "--edition", "2024"] }, "mine": { "command": ["m", "$FILE"], "extensions": [".m"] } }
        }"#,
        "{}",
    );
    let names: Vec<_> = languages.checkers.iter().map(|checker| &*checker.name).collect();
    assert_eq!(names, ["cargo", "mine"]);
    assert_eq!(
        (languages.checkers[1].format, languages.checkers[1].columns),
        (CheckerOutputFormat::Sarif, ColumnUnit::Utf16)
    );
    assert_eq!(languages.problems, ["checker `odd` has no `format`"]);
    let names: Vec<_> = languages.formatters.iter().map(|formatter| &*formatter.name).collect();
    assert_eq!(names[..3], ["mine", "rustfmt", "biome"]);
    assert!(!names.contains(&"prettier"));
    assert_eq!(languages.formatters[1].extensions, [".rs"]);
    assert_eq!(load(r#"{ "formatter": true }"#, "{}").formatters, Formatter::known());
}

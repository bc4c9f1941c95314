use super::*;
use crate::config_fixture::ConfigFixture;
use copydesk_config::trust::FolderTrust;

/// Loads the user's configuration `own` and that of an untrusted project.
fn load(own: &str, project: &str) -> LanguageSettings {
    let fixture = ConfigFixture::new(own, project, |_| None);
    let mut languages = language_settings(&fixture.loaded);
    for problem in &mut languages.problems {
        *problem = problem.replace(&*fixture.root.to_string_lossy(), "");
    }
    languages
}

#[test]
fn by_default_servers_are_on_and_nothing_else_runs() {
    let languages = load("{}", "{}");
    assert_eq!(languages.servers, ServerPreferences::default());
    assert!(languages.servers.is_enabled && languages.allows_project_programs);
    assert_eq!((languages.checkers, languages.formatters, languages.problems), (vec![], vec![], vec![]));
    assert!(!load(r#"{ "lsp": false }"#, "{}").servers.is_enabled);
    assert!(!load(r#"{ "diagnostics": { "project_programs": false } }"#, "{}").allows_project_programs);
}

#[test]
fn nothing_runs_in_an_untrusted_folder() {
    let own = r#"{
        "lsp": { "mine": { "command": ["mine"], "extensions": [".m"] } }, "formatter": { "server": {} },
        "checkers": { "cargo": {} }
    }"#;
    let mut fixture = ConfigFixture::new(own, "{}", |_| None);
    let trusted = language_settings(&fixture.loaded);
    assert!(trusted.servers.is_enabled && trusted.server_formatter_extensions.is_some());
    assert_eq!(trusted.checkers.len(), 1);
    for trust in [FolderTrust::Restricted, FolderTrust::Unasked] {
        fixture.loaded.trust.trust = trust;
        let languages = language_settings(&fixture.loaded);
        assert!(!languages.servers.is_enabled && !languages.allows_project_programs);
        assert_eq!((languages.checkers, languages.formatters), (vec![], vec![]));
        assert_eq!(languages.server_formatter_extensions, None);
    }
    // A checker would look into the refused folder too; servers are chosen for each file.
    fixture.loaded.trust.trust = FolderTrust::Trusted;
    fixture.loaded.trust.refused = vec![fixture.root.join("w/foreign")];
    let languages = language_settings(&fixture.loaded);
    assert!(languages.servers.is_enabled && languages.refused == fixture.loaded.trust.refused);
    assert_eq!((languages.checkers, languages.formatters), (vec![], vec![]));
    assert!(
        languages.problems.iter().any(|problem| problem.contains("w/foreign")),
        "{:?}",
        languages.problems
    );
}

#[test]
fn the_users_configuration_overrides_servers() {
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
fn an_untrusted_project_cannot_name_a_program() {
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
    let diagnostics = &languages.diagnostics;
    assert_eq!((diagnostics.enabled, &diagnostics.sources, diagnostics.wait), (None, &None, None));
    let message = "is ignored: this project is not trusted";
    assert_eq!(
        languages.problems.iter().filter(|problem| problem.contains(message)).count(),
        4,
        "{:?}",
        languages.problems
    );
    assert!(languages.problems[0].starts_with("/w/copydesk.jsonc:2:"), "{:?}", languages.problems);
}

#[test]
fn only_configured_checkers_run_and_own_formatters_come_first() {
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

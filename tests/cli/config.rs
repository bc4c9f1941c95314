//! `copydesk config`: every value with its source, from every layer, and no secret.

use expect_test::expect;
use serde_json::json;

use super::environment::{PROJECT_CONFIG, TestEnvironment, USER_CONFIG};

#[test]
fn nothing_is_written_yet() {
    TestEnvironment::new().run(&["config"]).assert_output(&expect![[r#"
        There is no configuration yet, and none is needed. Yours would be ~/.config/copydesk/copydesk.jsonc
    "#]]);
    assert_eq!(
        TestEnvironment::new().run(&["config", "--json"]).json(),
        json!({ "files": [], "values": [], "warnings": [] })
    );
    TestEnvironment::new().with_files(&[(USER_CONFIG, "")]).run(&["config"]).assert_output(&expect![[r#"
        Files, later ones win
          user     ~/.config/copydesk/copydesk.jsonc
    "#]]);
    TestEnvironment::new().with_files(&[(USER_CONFIG, "{}")]).run(&["config"]).assert_output(&expect![[r#"
        Files, later ones win
          user     ~/.config/copydesk/copydesk.jsonc
    "#]]);
}

#[test]
fn each_value_has_its_place_and_later_files_win() {
    let env = TestEnvironment::new()
        .with_files(&[
            (USER_CONFIG, "{\n  // mine\n  \"model\": \"groq/a\",\n  \"small_model\": \"groq/s\",\n}\n"),
            ("~/named.jsonc", r#"{ "shell": "/bin/fish" }"#),
            (PROJECT_CONFIG, "{ \"model\": \"groq/b\",\n\t\"instructions\": [\"ONE.md\", \"TWO.md\"] }"),
            ("sub/.copydesk/copydesk.json", r#"{ "model": "groq/c" }"#),
        ])
        .cwd("sub");
    let named = env.path("~/named.jsonc");
    let env =
        env.env("COPYDESK_CONFIG", named).env("COPYDESK_CONFIG_CONTENT", r#"{ "retry": { "max": 3 } }"#);
    env.run(&["config"]).assert_output(&expect![[r#"
        Files, later ones win
          user     ~/.config/copydesk/copydesk.jsonc
          named    ~/named.jsonc
          project  PROJECT/copydesk.jsonc  not trusted: see `copydesk trust --help`
          project  .copydesk/copydesk.json  not trusted: see `copydesk trust --help`
          inline   COPYDESK_CONFIG_CONTENT

        Values
          model = "groq/c"            .copydesk/copydesk.json:1:12
          small_model = "groq/s"      ~/.config/copydesk/copydesk.jsonc:4:18
          shell = "/bin/fish"         ~/named.jsonc:1:12
          instructions[0] = "ONE.md"  PROJECT/copydesk.jsonc:2:19
          instructions[1] = "TWO.md"  PROJECT/copydesk.jsonc:2:29
          retry.max = 3               COPYDESK_CONFIG_CONTENT:1:21
    "#]]);
    let report = env.run(&["config", "--json"]).json();
    let layers: Vec<_> =
        report["files"].as_array().unwrap().iter().map(|file| file["layer"].clone()).collect();
    assert_eq!(layers, ["user", "named", "project", "project", "inline"]);
    let value = &report["values"].as_array().unwrap()[0];
    assert_eq!((&value["path"], &value["value"]), (&json!("model"), &json!("groq/c")));
    let origin = &value["origin"];
    assert_eq!(
        (&origin["line"], &origin["column"], &origin["layer"]),
        (&json!(1), &json!(12), &json!("project"))
    );
}

#[test]
fn no_secret_is_printed() {
    let secrets = [
        "sk-Key-0123456789",
        "Bearer Head-0123456789",
        "Env-Zz-0123456789",
        "File-Yy-0123456789",
        "Query-Xx-0123456789",
        "Pw-Ww-0123456789",
        "Arg-Vv-0123456789",
    ];
    let config = r#"{
  "provider": {
    "a": {
      "options": {
        "apiKey": "sk-Key-0123456789",
        "headers": { "Authorization": "Bearer Head-0123456789", "x-team": "{env:TEAM}" },
        "query": { "k": "Query-Xx-0123456789" },
        "baseURL": "https://me:Pw-Ww-0123456789@a.test/v1?sig=Query-Xx-0123456789"
      }
    },
    "b": { "options": { "apiKey": "{file:~/key.txt}" } },
    "c": { "options": { "apiKey": "" } }
  },
  "mcp": { "m": { "type": "local", "command": ["m", "{env:TEAM}", "--token", "Arg-Vv-0123456789"], "environment": { "M": "{env:TEAM}" } } }
}"#;
    let env = TestEnvironment::new()
        .with_files(&[(USER_CONFIG, config), ("~/key.txt", "File-Yy-0123456789\n")])
        .env("TEAM", "Env-Zz-0123456789");
    let text = env.run(&["config"]);
    let json = env.run(&["config", "--json"]);
    json.json();
    for secret in secrets {
        text.assert_hides(secret);
        json.assert_hides(secret);
    }
    text.assert_output(&expect![[r#"
        Files, later ones win
          user     ~/.config/copydesk/copydesk.jsonc

        Values
          provider.a.options.apiKey = "sk-K…(17 characters)"                 ~/.config/copydesk/copydesk.jsonc:5:19
          provider.a.options.headers.Authorization = "Bear…(22 characters)"  ~/.config/copydesk/copydesk.jsonc:6:39
          provider.a.options.headers.x-team = "Env-…(17 characters)"         ~/.config/copydesk/copydesk.jsonc:6:75
          provider.a.options.query.k = "Quer…(19 characters)"                ~/.config/copydesk/copydesk.jsonc:7:25
          provider.a.options.baseURL = "https://…@a.test/v1?sig=…"           ~/.config/copydesk/copydesk.jsonc:8:20
          provider.b.options.apiKey = "File…(18 characters)"                 ~/.config/copydesk/copydesk.jsonc:11:35
          provider.c.options.apiKey = "(empty)"                              ~/.config/copydesk/copydesk.jsonc:12:35
          mcp.m.type = "local"                                               ~/.config/copydesk/copydesk.jsonc:14:27
          mcp.m.command[0] = "m"                                             ~/.config/copydesk/copydesk.jsonc:14:48
          mcp.m.command[1] = "Env-…(17 characters)"                          ~/.config/copydesk/copydesk.jsonc:14:53
          mcp.m.command[2] = "--token"                                       ~/.config/copydesk/copydesk.jsonc:14:67
          mcp.m.command[3] = "Arg-…(17 characters)"                          ~/.config/copydesk/copydesk.jsonc:14:78
          mcp.m.environment.M = "Env-…(17 characters)"                       ~/.config/copydesk/copydesk.jsonc:14:122
        ! warning: ~/.config/copydesk/copydesk.jsonc:14:3: `mcp` has no effect yet
    "#]]);
}

#[test]
fn keys_that_mean_nothing_are_warned_of() {
    let config = "{\n  \"modle\": \"groq/x\",\n  \"theme\": \"dark\",\n  \"provider\": { \"groq\": { \"options\": { \"base_url\": \"x\", \"zzz\": 1 } } }\n}";
    let env = TestEnvironment::new().with_files(&[(USER_CONFIG, config)]);
    env.run(&["config"]).assert_output(&expect![[r#"
        Files, later ones win
          user     ~/.config/copydesk/copydesk.jsonc

        Values
          provider.groq.options = {}  ~/.config/copydesk/copydesk.jsonc:4:38
        ! warning: ~/.config/copydesk/copydesk.jsonc:2:3: unknown key `modle` is ignored; did you mean `model`?
        ! warning: ~/.config/copydesk/copydesk.jsonc:3:3: `theme` is a key of OpenCode that copydesk does not use
        ! warning: ~/.config/copydesk/copydesk.jsonc:4:40: `provider.groq.options`: unknown key `base_url` is ignored; did you mean `baseURL`?
        ! warning: ~/.config/copydesk/copydesk.jsonc:4:57: `provider.groq.options`: unknown key `zzz` is ignored
    "#]]);
    let ran = env.run(&["config", "--json"]);
    assert_eq!(ran.stderr, "", "in JSON they are part of the report");
    assert_eq!(ran.json()["warnings"][0]["line"], json!(2));
}

#[test]
fn opencodes_files_are_read_where_there_are_none_of_ours() {
    let theirs = r#"{ "$schema": "https://opencode.ai/config.json", "theme": "x", "model": "groq/theirs" }"#;
    let env = TestEnvironment::new().with_files(&[
        ("~/.config/opencode/opencode.json", theirs),
        ("opencode.json", r#"{ "small_model": "groq/p" }"#),
    ]);
    env.run(&["config"]).assert_output(&expect![[r#"
        Files, later ones win
          user     ~/.config/opencode/opencode.json
          project  opencode.json  not trusted: see `copydesk trust --help`

        Values
          $schema = "https://opencode.ai/config.json"  ~/.config/opencode/opencode.json:1:14
          model = "groq/theirs"                        ~/.config/opencode/opencode.json:1:72
          small_model = "groq/p"                       opencode.json:1:18
    "#]]);
    env.write(USER_CONFIG, r#"{ "model": "groq/ours" }"#);
    env.write(PROJECT_CONFIG, "{}");
    env.run(&["config"]).assert_output(&expect![[r#"
        Files, later ones win
          user     ~/.config/copydesk/copydesk.jsonc
          project  copydesk.jsonc  not trusted: see `copydesk trust --help`

        Values
          model = "groq/ours"  ~/.config/copydesk/copydesk.jsonc:1:12
    "#]]);
}

#[test]
fn of_two_files_in_one_place_the_other_is_told_of() {
    let env = TestEnvironment::new().with_files(&[
        (PROJECT_CONFIG, r#"{ "model": "groq/c" }"#),
        ("copydesk.json", r#"{ "model": "groq/j" }"#),
    ]);
    env.run(&["config"]).assert_output(&expect![[r#"
        Files, later ones win
          project  copydesk.jsonc  not trusted: see `copydesk trust --help`

        Values
          model = "groq/c"  copydesk.jsonc:1:12
        ! warning: PROJECT/copydesk.json: is ignored because the same folder contains `copydesk.jsonc`; keep one of them
    "#]]);
}

#[test]
fn a_project_is_looked_at_from_its_root_down_and_no_further_up() {
    let env = TestEnvironment::new().with_files(&[
        (PROJECT_CONFIG, r#"{ "model": "groq/outer" }"#),
        ("inner/.git", "gitdir: x"),
        ("inner/deep/copydesk.jsonc", r#"{ "small_model": "groq/d" }"#),
    ]);
    let env = env.cwd("inner/deep");
    env.run(&["config"]).assert_output(&expect![[r#"
        Files, later ones win
          project  copydesk.jsonc  not trusted: see `copydesk trust --help`

        Values
          small_model = "groq/d"  copydesk.jsonc:1:18
    "#]]);
}

#[test]
fn the_schema_is_the_committed_one() {
    let ran = TestEnvironment::new().run(&["config", "schema"]);
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));
    let committed = include_str!("../../daemon/config/copydesk.schema.json");
    assert!(ran.stdout == committed, "run `copydesk config schema > daemon/config/copydesk.schema.json`");
}

//! Values of the wrong kind, unknown keys, and masked secrets.

use expect_test::expect;

use super::{ConfigTestFolder, check};

#[test]
fn comments_trailing_commas_and_a_bom() {
    check(
        "\u{feff}// one\n{\n  /* two */ \"model\": \"a/b\", // {env:NOT_READ}\n  \"instructions\": [\"x\", ],\n}\n",
        &expect![[r#"
            model = "a/b"  # ~/.config/copydesk/copydesk.jsonc:3:22
            instructions[0] = "x"  # ~/.config/copydesk/copydesk.jsonc:4:20
        "#]],
    );
}

#[test]
fn a_key_written_twice() {
    check(
        "{\n  \"model\": \"a/b\",\n  \"model\": \"c/d\"\n}",
        &expect![[r#"
        model = "c/d"  # ~/.config/copydesk/copydesk.jsonc:3:12
        warning: ~/.config/copydesk/copydesk.jsonc:3:3: `model` is already set on line 2; this one is used
            |   "model": "c/d"
            |   ^
    "#]],
    );
}

#[test]
fn wrong_kinds() {
    check(
        r#"{ "permission": "alow" }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:17: `permission`: expected `allow`, `ask` or `deny`, found "alow"
            | { "permission": "alow" }
            |                 ^
    "#]],
    );
    check(
        r#"{ "permission": 1 }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:17: `permission`: expected an action (`allow`, `ask` or `deny`) or an object of permissions, found 1
            | { "permission": 1 }
            |                 ^
    "#]],
    );
    check(
        r#"{ "permission": { "bash": { "git *": "alow" } } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:38: `permission.bash["git *"]`: expected `allow`, `ask` or `deny`, found "alow"
            | { "permission": { "bash": { "git *": "alow" } } }
            |                                      ^
    "#]],
    );
    check(
        r#"{ "permission": { "bash": true } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:27: `permission.bash`: expected `allow`, `ask` or `deny`, or an object of patterns with one of these, found true
            | { "permission": { "bash": true } }
            |                           ^
    "#]],
    );
    check(
        r#"{ "permission": { "bash": { "git *": {} } } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:38: `permission.bash["git *"]`: expected `allow`, `ask` or `deny`, found an object
            | { "permission": { "bash": { "git *": {} } } }
            |                                      ^
    "#]],
    );
    check(
        r#"{ "model": ["a/b"] }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:12: `model`: expected a string in double quotes, found an array
            | { "model": ["a/b"] }
            |            ^
    "#]],
    );
    check(
        r#"{ "instructions": "AGENTS.md" }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:19: `instructions`: expected an array, found "AGENTS.md"
            | { "instructions": "AGENTS.md" }
            |                   ^
    "#]],
    );
    check(
        r#"{ "instructions": ["a", null] }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:25: `instructions[1]`: expected a string in double quotes, found null
            | { "instructions": ["a", null] }
            |                         ^
    "#]],
    );
    check(
        r#"{ "provider": { "x": { "wire": "openai" } } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:32: `provider.x.wire`: expected `anthropic`, `openai-chat`, `openai-responses` or `gemini`, found "openai"
            | { "provider": { "x": { "wire": "openai" } } }
            |                                ^
    "#]],
    );
    check(
        r#"{ "provider": { "x": { "wire": {} } } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:32: `provider.x.wire`: expected `anthropic`, `openai-chat`, `openai-responses` or `gemini`, found an object
            | { "provider": { "x": { "wire": {} } } }
            |                                ^
    "#]],
    );
    check(
        r#"{ "provider": { "x": { "options": { "timeout": true } } } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:48: `provider.x.options.timeout`: expected milliseconds (a whole number above 0) or false, found true
            | { "provider": { "x": { "options": { "timeout": true } } } }
            |                                                ^
    "#]],
    );
    check(
        r#"{ "provider": { "x": { "options": { "timeout": 0 } } } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:48: `provider.x.options.timeout`: expected milliseconds (a whole number above 0) or false, found 0
            | { "provider": { "x": { "options": { "timeout": 0 } } } }
            |                                                ^
    "#]],
    );
    check(
        r#"{ "provider": { "x": { "options": { "chunkTimeout": 0 } } } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:53: `provider.x.options.chunkTimeout`: expected a whole number above 0, found 0
            | { "provider": { "x": { "options": { "chunkTimeout": 0 } } } }
            |                                                     ^
    "#]],
    );
    check(
        r#"{ "provider": { "x": { "options": { "headers": { "a": 1 } } } } }"#,
        &expect![[r#"
            error: ~/.config/copydesk/copydesk.jsonc:1:55: `provider.x.options.headers.a`: expected a string in double quotes, found 1
        "#]],
    );
    check(
        r#"{ "provider": { "x": { "models": { "gpt-4.1": { "cost": { "input": -1 } } } } } }"#,
        &expect![[r#"
            error: ~/.config/copydesk/copydesk.jsonc:1:68: `provider.x.models["gpt-4.1"].cost.input`: expected a price: a number, 0 or more, found -1
                | { "provider": { "x": { "models": { "gpt-4.1": { "cost": { "input": -1 } } } } } }
                |                                                                    ^
        "#]],
    );
    check(
        r#"{ "provider": { "x": { "models": { "y": { "limit": { "context": 1.5 } } } } } }"#,
        &expect![[r#"
            error: ~/.config/copydesk/copydesk.jsonc:1:65: `provider.x.models.y.limit.context`: expected a whole number, 0 or more, found 1.5
                | { "provider": { "x": { "models": { "y": { "limit": { "context": 1.5 } } } } } }
                |                                                                 ^
        "#]],
    );
    check(
        r#"{ "provider": { "x": { "models": { "y": { "reasoning": 3 } } } } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:56: `provider.x.models.y.reasoning`: expected true, false or a string in double quotes, found 3
            | { "provider": { "x": { "models": { "y": { "reasoning": 3 } } } } }
            |                                                        ^
    "#]],
    );
    check(
        r#"{ "agent": { "x": { "mode": "main" } } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:29: `agent.x.mode`: expected `primary`, `subagent` or `all`, found "main"
            | { "agent": { "x": { "mode": "main" } } }
            |                             ^
    "#]],
    );
    check(
        r#"{ "agent": { "x": "y" } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:19: `agent.x`: expected an object, found "y"
            | { "agent": { "x": "y" } }
            |                   ^
    "#]],
    );
    check(
        r#"{ "lsp": "on" }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:10: `lsp`: expected true, false or an object with one entry for each, found "on"
            | { "lsp": "on" }
            |          ^
    "#]],
    );
    check(
        r#"{ "lsp": { "rust": { "command": "rust-analyzer" } } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:33: `lsp.rust.command`: expected an array, found "rust-analyzer"
            | { "lsp": { "rust": { "command": "rust-analyzer" } } }
            |                                 ^
    "#]],
    );
    check(
        r#"{ "mcp": { "x": { "type": "stdio" } } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:27: `mcp.x.type`: expected `local` or `remote`, found "stdio"
            | { "mcp": { "x": { "type": "stdio" } } }
            |                           ^
    "#]],
    );
    check(
        r#"{ "mcp": { "x": { "type": "remote", "oauth": "yes" } } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:46: `mcp.x.oauth`: expected true, false or an object, found "yes"
            | { "mcp": { "x": { "type": "remote", "oauth": "yes" } } }
            |                                              ^
    "#]],
    );
    check(
        r#"{ "retry": { "max": -1 } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:21: `retry.max`: expected a whole number, 0 or more, found -1
            | { "retry": { "max": -1 } }
            |                     ^
    "#]],
    );
    check(
        r#"{ "tools": { "bash": "off" } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:22: `tools.bash`: expected true or false, found "off"
            | { "tools": { "bash": "off" } }
            |                      ^
    "#]],
    );
}

#[test]
fn a_found_text_that_may_be_secret_or_is_long_is_not_repeated() {
    ConfigTestFolder::new(&[("~/.config/copydesk/copydesk.jsonc", r#"{ "subagent_depth": "{env:K}" }"#)])
        .env("K", "sk-secret")
        .check(&expect![[r#"
            error: ~/.config/copydesk/copydesk.jsonc:1:21: `subagent_depth`: expected a whole number, 0 or more, found another string (from `{env:…}` or `{file:…}`)
                | { "subagent_depth": "{env:K}" }
                |                     ^
        "#]]);
    check(
        &format!(r#"{{ "subagent_depth": "{}" }}"#, "x".repeat(41)),
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:21: `subagent_depth`: expected a whole number, 0 or more, found a longer string
            | { "subagent_depth": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" }
            |                     ^
    "#]],
    );
}

#[test]
fn unknown_keys() {
    check(
        r#"{
  "modle": "a/b",
  "providers": {},
  "provider": { "x": { "option": {}, "options": { "anything": 1 }, "models": { "y": { "toolcall": true } } } },
  "agent": { "a": { "promt": "p" } },
  "permission": { "anything": "ask" },
  "mcp": { "s": { "type": "local", "command": ["s"], "env": {} } },
  "frobnicate": 1,
  "theme": "dark",
  "compaction": { "tail_turns": 2 }
}"#,
        &expect![[r#"
            provider.x.options = {}  # ~/.config/copydesk/copydesk.jsonc:4:49
            provider.x.models.y = {}  # ~/.config/copydesk/copydesk.jsonc:4:85
            agent.a = {}  # ~/.config/copydesk/copydesk.jsonc:5:19
            permission.anything = "ask"  # ~/.config/copydesk/copydesk.jsonc:6:31
            mcp.s.type = "local"  # ~/.config/copydesk/copydesk.jsonc:7:27
            mcp.s.command[0] = "s"  # ~/.config/copydesk/copydesk.jsonc:7:48
            compaction = {}  # ~/.config/copydesk/copydesk.jsonc:10:17
            warning: ~/.config/copydesk/copydesk.jsonc:2:3: unknown key `modle` is ignored; did you mean `model`?
                |   "modle": "a/b",
                |   ^
            warning: ~/.config/copydesk/copydesk.jsonc:3:3: unknown key `providers` is ignored; did you mean `provider`?
                |   "providers": {},
                |   ^
            warning: ~/.config/copydesk/copydesk.jsonc:4:24: `provider.x`: unknown key `option` is ignored; did you mean `options`?
                |   "provider": { "x": { "option": {}, "options": { "anything": 1 }, "models": { "y": { "toolcall": true } } } },
                |                        ^
            warning: ~/.config/copydesk/copydesk.jsonc:4:51: `provider.x.options`: unknown key `anything` is ignored
                |   "provider": { "x": { "option": {}, "options": { "anything": 1 }, "models": { "y": { "toolcall": true } } } },
                |                                                   ^
            warning: ~/.config/copydesk/copydesk.jsonc:4:87: `provider.x.models.y`: unknown key `toolcall` is ignored; did you mean `tool_call`?
                |   "provider": { "x": { "option": {}, "options": { "anything": 1 }, "models": { "y": { "toolcall": true } } } },
                |                                                                                       ^
            warning: ~/.config/copydesk/copydesk.jsonc:5:21: `agent.a`: unknown key `promt` is ignored; did you mean `prompt`?
                |   "agent": { "a": { "promt": "p" } },
                |                     ^
            warning: ~/.config/copydesk/copydesk.jsonc:7:54: `mcp.s`: unknown key `env` is ignored
            warning: ~/.config/copydesk/copydesk.jsonc:8:3: unknown key `frobnicate` is ignored
                |   "frobnicate": 1,
                |   ^
            warning: ~/.config/copydesk/copydesk.jsonc:9:3: `theme` is a key of OpenCode that copydesk does not use
                |   "theme": "dark",
                |   ^
            warning: ~/.config/copydesk/copydesk.jsonc:10:19: `compaction`: `tail_turns` is a key of OpenCode that copydesk does not use
                |   "compaction": { "tail_turns": 2 }
                |                   ^
            warning: ~/.config/copydesk/copydesk.jsonc:7:3: `mcp` has no effect yet
        "#]],
    );
    ConfigTestFolder::new(&[(
        "ws/opencode.json",
        r#"{ "modle": "a/b", "theme": "dark", "keybinds": { "x": "{file:gone}" } }"#,
    )])
    .check(&expect![[""]]);
}

#[test]
fn keys_without_effect() {
    let text = r#"{
  "mcp": { "a": { "type": "local", "command": ["x"] } },
  "agent": { "a": { "color": null }, "b": { "color": "red" }, "c": { "color": "blue" } },
  "compaction": null
}"#;
    check(
        text,
        &expect![[r#"
        mcp.a.type = "local"  # ~/.config/copydesk/copydesk.jsonc:2:27
        mcp.a.command[0] = "x"  # ~/.config/copydesk/copydesk.jsonc:2:48
        agent.a.color = null  # ~/.config/copydesk/copydesk.jsonc:3:30
        agent.b.color = "red"  # ~/.config/copydesk/copydesk.jsonc:3:54
        agent.c.color = "blue"  # ~/.config/copydesk/copydesk.jsonc:3:79
        compaction = null  # ~/.config/copydesk/copydesk.jsonc:4:17
        warning: ~/.config/copydesk/copydesk.jsonc:2:3: `mcp` has no effect yet
            |   "mcp": { "a": { "type": "local", "command": ["x"] } },
            |   ^
        warning: ~/.config/copydesk/copydesk.jsonc:3:45: `agent.b.color` has no effect yet
            |   "agent": { "a": { "color": null }, "b": { "color": "red" }, "c": { "color": "blue" } },
            |                                             ^
    "#]],
    );
    ConfigTestFolder::new(&[("ws/opencode.json", text)]).check(&expect![[r#"
        mcp.a.type = "local"  # ws/opencode.json:2:27 (not trusted)
        mcp.a.command[0] = "x"  # ws/opencode.json:2:48 (not trusted)
        agent.a.color = null  # ws/opencode.json:3:30 (not trusted)
        agent.b.color = "red"  # ws/opencode.json:3:54 (not trusted)
        agent.c.color = "blue"  # ws/opencode.json:3:79 (not trusted)
        compaction = null  # ws/opencode.json:4:17 (not trusted)
        warning: ws/opencode.json:2:3: `mcp` has no effect yet
            |   "mcp": { "a": { "type": "local", "command": ["x"] } },
            |   ^
    "#]]);
}

#[test]
fn a_server_that_cannot_be_used() {
    check(
        r#"{ "mcp": {
  "a": { "type": "local" }, "b": { "type": "remote" }, "c": { "command": ["x"] },
  "off": { "type": "local", "enabled": false }, "override": { "enabled": true }
} }"#,
        &expect![[r#"
            mcp.a.type = "local"  # ~/.config/copydesk/copydesk.jsonc:2:18
            mcp.b.type = "remote"  # ~/.config/copydesk/copydesk.jsonc:2:44
            mcp.c.command[0] = "x"  # ~/.config/copydesk/copydesk.jsonc:2:75
            mcp.off.type = "local"  # ~/.config/copydesk/copydesk.jsonc:3:20
            mcp.off.enabled = false  # ~/.config/copydesk/copydesk.jsonc:3:40
            mcp.override.enabled = true  # ~/.config/copydesk/copydesk.jsonc:3:74
            warning: ~/.config/copydesk/copydesk.jsonc:1:3: `mcp` has no effect yet
                | { "mcp": {
                |   ^
            warning: ~/.config/copydesk/copydesk.jsonc:2:8: `mcp.a` is not used: expected `command`, found none
            warning: ~/.config/copydesk/copydesk.jsonc:2:34: `mcp.b` is not used: expected `url`, found none
            warning: ~/.config/copydesk/copydesk.jsonc:2:61: `mcp.c` is not used: expected `type`, found none
        "#]],
    );
}

#[test]
fn the_web_and_its_engines() {
    check(
        r#"{ "webfetch": { "allow_private": ["localhost:3000"] },
  "websearch": { "type": "mcp", "url": "https://host/mcp?key=abc", "headers": { "x-any": "short" } },
  "codesearch": { "url": "https://host/{query}", "apiKey": "sk-0123456789abcdef" } }"#,
        &expect![[r#"
            webfetch.allow_private[0] = "localhost:3000"  # ~/.config/copydesk/copydesk.jsonc:1:35
            websearch.type = "mcp"  # ~/.config/copydesk/copydesk.jsonc:2:26
            websearch.url = "https://host/mcp?key=…"  # ~/.config/copydesk/copydesk.jsonc:2:40
            websearch.headers.x-any = "(set)"  # ~/.config/copydesk/copydesk.jsonc:2:90
            codesearch.url = "https://host/{query}"  # ~/.config/copydesk/copydesk.jsonc:3:26
            codesearch.apiKey = "sk-0…(19 characters)"  # ~/.config/copydesk/copydesk.jsonc:3:60
            warning: ~/.config/copydesk/copydesk.jsonc:2:16: `websearch` is not used: expected `tool`, found none
            warning: ~/.config/copydesk/copydesk.jsonc:3:17: `codesearch` is not used: expected `type`, found none
        "#]],
    );
    check(
        r#"{ "webfetch": { "allow_private": "localhost" } }"#,
        &expect![[r#"
            error: ~/.config/copydesk/copydesk.jsonc:1:34: `webfetch.allow_private`: expected true, false or a list of hosts, found "localhost"
                | { "webfetch": { "allow_private": "localhost" } }
                |                                  ^
        "#]],
    );
}

#[test]
fn secrets_are_masked() {
    ConfigTestFolder::new(&[(
        "~/.config/copydesk/copydesk.jsonc",
        r#"{
  "provider": { "keyhub": {
    "env": ["KEYHUB_API_KEY"],
    "options": {
      "apiKey": "sk-0123456789abcdef", "baseURL": "https://me:pass@host/v1?key=abc", "setCacheKey": true,
      "headers": { "X-Any": "short" }, "query": { "v": "1" }, "accessToken": 12345, "region": "{env:REGION}"
    },
    "models": { "m": { "options": { "max_tokens": 5, "nested": { "password": { "deep": "p" } } } } }
  } },
  "permission": { "read": { "*.key": "deny" } },
  "agent": { "a": { "prompt": "{file:prompt.md}" } },
  "mcp": {
    "s": { "type": "local", "command": ["s", "--token", "t", "--api-key=k", "{env:REGION}"], "environment": { "A": "b" } },
    "r": { "type": "remote", "url": "https://h/?t=1", "headers": { "Authorization": "Bearer 0123456789" } }
  },
  "lsp": { "l": { "env": { "A": "b" } } }
}"#,
    ), ("~/.config/copydesk/prompt.md", "Be kind.\n")])
    .env("REGION", "north")
    .check(&expect![[r#"
        provider.keyhub.env[0] = "KEYHUB_API_KEY"  # ~/.config/copydesk/copydesk.jsonc:3:13
        provider.keyhub.options.apiKey = "sk-0…(19 characters)"  # ~/.config/copydesk/copydesk.jsonc:5:17
        provider.keyhub.options.baseURL = "https://…@host/v1?key=…"  # ~/.config/copydesk/copydesk.jsonc:5:51
        provider.keyhub.options.setCacheKey = true  # ~/.config/copydesk/copydesk.jsonc:5:101
        provider.keyhub.options.headers.X-Any = "(set)"  # ~/.config/copydesk/copydesk.jsonc:6:29
        provider.keyhub.options.query.v = "(set)"  # ~/.config/copydesk/copydesk.jsonc:6:56
        provider.keyhub.models.m.options.max_tokens = 5  # ~/.config/copydesk/copydesk.jsonc:8:51
        provider.keyhub.models.m.options.nested.password.deep = "(set)"  # ~/.config/copydesk/copydesk.jsonc:8:88
        permission.read["*.key"] = "deny"  # ~/.config/copydesk/copydesk.jsonc:10:38
        agent.a.prompt = "Be kind."  # ~/.config/copydesk/copydesk.jsonc:11:31
        mcp.s.type = "local"  # ~/.config/copydesk/copydesk.jsonc:13:20
        mcp.s.command[0] = "s"  # ~/.config/copydesk/copydesk.jsonc:13:41
        mcp.s.command[1] = "--token"  # ~/.config/copydesk/copydesk.jsonc:13:46
        mcp.s.command[2] = "(set)"  # ~/.config/copydesk/copydesk.jsonc:13:57
        mcp.s.command[3] = "--api-key=(set)"  # ~/.config/copydesk/copydesk.jsonc:13:62
        mcp.s.command[4] = "(set)"  # ~/.config/copydesk/copydesk.jsonc:13:77
        mcp.s.environment.A = "(set)"  # ~/.config/copydesk/copydesk.jsonc:13:116
        mcp.r.type = "remote"  # ~/.config/copydesk/copydesk.jsonc:14:20
        mcp.r.url = "https://h/?t=…"  # ~/.config/copydesk/copydesk.jsonc:14:37
        mcp.r.headers.Authorization = "Bear…(17 characters)"  # ~/.config/copydesk/copydesk.jsonc:14:85
        lsp.l.env.A = "(set)"  # ~/.config/copydesk/copydesk.jsonc:16:33
        warning: ~/.config/copydesk/copydesk.jsonc:6:63: `provider.keyhub.options`: unknown key `accessToken` is ignored
        warning: ~/.config/copydesk/copydesk.jsonc:6:85: `provider.keyhub.options`: unknown key `region` is ignored
        warning: ~/.config/copydesk/copydesk.jsonc:12:3: `mcp` has no effect yet
            |   "mcp": {
            |   ^
    "#]]);
}

#[test]
fn nothing_secret_in_debug_output() {
    let text = r#"{ "provider": { "x": { "options": { "apiKey": "hush-hush" } } } }"#;
    let loaded = ConfigTestFolder::new(&[("ws/copydesk.jsonc", text)]).load().unwrap();
    let secret = loaded.config.provider["x"].options.api_key.clone().unwrap();
    assert_eq!(secret.expose(), "hush-hush");
    assert!(!format!("{loaded:?}").contains("hush"), "{loaded:?}");
}

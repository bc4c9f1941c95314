//! `copydesk models` without local servers: usable providers, their keys, and what the others lack.

use expect_test::expect;
use serde_json::json;

use super::environment::{PROJECT_CONFIG, TestEnvironment, USER_CONFIG};

const KEY: &str = "gsk_Zy8Xw6Vu4Ts2Rq0P";

#[test]
fn nothing_is_set_up() {
    TestEnvironment::new().without_local_providers().run(&["models"]).assert_output(&expect![[r#"
        Offline  built in: repairs what the compiler can repair, renames, finds
          offline/offline    10M context          $0 / $0

        Not set up
          alibaba     set DASHSCOPE_API_KEY or ALIBABA_API_KEY
          anthropic   set ANTHROPIC_API_KEY
          azure       set AZURE_RESOURCE_NAME
          cerebras    set CEREBRAS_API_KEY
          deepseek    set DEEPSEEK_API_KEY
          fireworks   set FIREWORKS_API_KEY or FIREWORKS_AI_API_KEY
          google      set GOOGLE_API_KEY or GEMINI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY
          groq        set GROQ_API_KEY
          minimax     set MINIMAX_API_KEY
          mistral     set MISTRAL_API_KEY
          moonshotai  set MOONSHOT_API_KEY
          openai      set OPENAI_API_KEY
          openrouter  set OPENROUTER_API_KEY
          togetherai  set TOGETHER_API_KEY or TOGETHER_AI_API_KEY
          xai         set XAI_API_KEY
          zai         set ZAI_API_KEY or ZHIPU_API_KEY
        `copydesk auth add PROVIDER` stores a key; `copydesk models PROVIDER` says where to get one.

        No model is set up yet; until then the offline model does what it can. The quickest ways: run `copydesk auth add anthropic` (or openai, google, openrouter, …), or start Ollama.
    "#]]);
}

#[test]
fn a_key_in_the_environment_is_told_by_its_name() {
    let env = TestEnvironment::new().with_providers(&["groq", "openai"]).env("GROQ_API_KEY", KEY);
    env.run(&["models"]).assert_hides(KEY).assert_output(&expect![[r#"
        Groq  key from $GROQ_API_KEY
          groq/openai/gpt-oss-120b   131k context     $0.15 / $0.6  reasoning
          groq/openai/gpt-oss-20b    131k context    $0.075 / $0.3  reasoning
          groq/qwen/qwen3.8-27b      131k context        $0.8 / $4  images reasoning

        Not set up
          openai  set OPENAI_API_KEY
        `copydesk auth add PROVIDER` stores a key; `copydesk models PROVIDER` says where to get one.

        Model: groq/openai/gpt-oss-120b (the first one set up; "model" in copydesk.jsonc sets a different one)
    "#]]);
    env.run(&["models", "--json"]).assert_hides(KEY);
    // An empty variable counts as unset.
    TestEnvironment::new().with_providers(&["groq"]).env("GROQ_API_KEY", " ").run(&["models"]).assert_output(&expect![[r#"
        Not set up
          groq  set GROQ_API_KEY
        `copydesk auth add PROVIDER` stores a key; `copydesk models PROVIDER` says where to get one.

        No model is set up yet. The quickest ways: run `copydesk auth add anthropic` (or openai, google, openrouter, …), or start Ollama.
    "#]]);
}

#[test]
fn a_stored_key_is_told_as_such() {
    let env = TestEnvironment::new().with_providers(&["groq"]);
    env.run_with(&["auth", "add", "groq"], KEY).assert_hides(KEY);
    let ran = env.run(&["models"]);
    assert!(ran.assert_hides(KEY).stdout.starts_with("Groq  key from `copydesk auth`\n"), "{ran:?}");
}

#[test]
fn a_key_in_the_configuration_wins_and_is_told_as_such() {
    let config = format!(r#"{{ "provider": {{ "groq": {{ "options": {{ "apiKey": "{KEY}" }} }} }} }}"#);
    let env = TestEnvironment::new()
        .with_files(&[(USER_CONFIG, &config)])
        .with_providers(&["groq"])
        .env("GROQ_API_KEY", "another");
    let ran = env.run(&["models"]);
    let shown = &ran.assert_hides(KEY).assert_hides("another").stdout;
    assert!(shown.starts_with("Groq  key from the configuration\n"), "{ran:?}");
}

#[test]
fn one_provider_is_shown_with_what_it_lacks() {
    TestEnvironment::new().without_local_providers().run(&["models", "groq"]).assert_output(&expect![[r#"
        Groq  No key for Groq. Set GROQ_API_KEY, or run `copydesk auth add groq`. Create a key at https://console.groq.com/keys.
          groq/openai/gpt-oss-120b   131k context     $0.15 / $0.6  reasoning
          groq/openai/gpt-oss-20b    131k context    $0.075 / $0.3  reasoning
          groq/qwen/qwen3.8-27b      131k context        $0.8 / $4  images reasoning

    "#]]);
    let ran = TestEnvironment::new().without_local_providers().run(&["models", "azure"]);
    assert!(
        ran.stdout.starts_with("Azure OpenAI  Set AZURE_RESOURCE_NAME, or options.baseURL.\n"),
        "{ran:?}"
    );
}

#[test]
fn a_provider_is_found_by_its_other_ids() {
    let env = TestEnvironment::new().without_local_providers().env("FIREWORKS_API_KEY", KEY);
    let shown = env.run(&["models", "fireworks-ai"]);
    assert_eq!(shown.stdout, env.run(&["models", "fireworks"]).stdout);
    assert!(shown.stdout.starts_with("Fireworks AI  key from $FIREWORKS_API_KEY\n"), "{shown:?}");
}

#[test]
fn a_provider_that_is_not_there_is_explained() {
    let env = TestEnvironment::new().without_local_providers();
    env.run(&["models", "opnai"]).assert_output(&expect![[r#"
        ! error: There is no provider `opnai`. Did you mean `openai`?
        ! `copydesk models` lists them; provider.opnai in copydesk.jsonc defines your own (wire, options.baseURL).
        exit code 1
    "#]]);
    env.run(&["models", "zzzzzz"]).assert_output(&expect![[r#"
        ! error: There is no provider `zzzzzz`.
        ! `copydesk models` lists them; provider.zzzzzz in copydesk.jsonc defines your own (wire, options.baseURL).
        exit code 1
    "#]]);
    env.run(&["models", "openai-compatible"]).assert_output(&expect![[r#"
        ! error: No address: set options.baseURL.
        exit code 1
    "#]]);
    env.run(&["models", "ollama"]).assert_output(&expect![[r#"
        ! error: The provider `ollama` is disabled by enabled_providers or disabled_providers.
        exit code 1
    "#]]);
}

#[test]
fn json_is_all_there_is_on_standard_output() {
    let env = TestEnvironment::new().with_providers(&["groq", "openai"]).env("GROQ_API_KEY", KEY);
    let report = env.run(&["models", "--json"]).json();
    assert_eq!(report["model"], json!("groq/openai/gpt-oss-120b"));
    assert_eq!(report["providers"][0]["id"], json!("groq"));
    assert_eq!(report["providers"][0]["state"], json!("usable"));
    assert_eq!(report["providers"][0]["key"], json!("$GROQ_API_KEY"));
    assert_eq!(report["providers"][0]["models"][0]["id"], json!("openai/gpt-oss-120b"));
    assert_eq!(report["providers"][1]["state"], json!("missing"));
    let one = env.run(&["models", "openai", "--json"]).json();
    assert_eq!(one["providers"].as_array().map(Vec::len), Some(1));
    // Warnings are shown, but not on standard output.
    let env = TestEnvironment::new()
        .with_files(&[(USER_CONFIG, r#"{ "modle": 1, "model": "groq/x" }"#)])
        .with_providers(&["groq"]);
    let ran = env.run(&["models", "--json"]);
    assert_eq!(ran.json()["model"], json!("groq/x"));
    expect![[r#"
        warning: ~/.config/copydesk/copydesk.jsonc:1:3: unknown key `modle` is ignored; did you mean `model`?
        warning: model: No key for Groq. Set GROQ_API_KEY, or run `copydesk auth add groq`. Create a key at https://console.groq.com/keys.
    "#]].assert_eq(&ran.stderr);
}

const OWN: &str = r#"{
  "provider": {
    "acme": {
      "name": "Acme",
      "wire": "anthropic",
      "options": { "baseURL": "https://models.acme.test/v1", "apiKey": "acme-Zy8Xw6Vu4Ts2Rq0P" },
      "models": {
        "big": { "id": "acme-big-2026", "limit": { "context": 2000000 }, "cost": { "input": 1, "output": 2.5 }, "images": true },
        "small": { "tool_call": false },
        "old": { "disabled": true }
      }
    }
  }
}"#;

#[test]
fn ones_own_provider_has_the_models_that_one_gave_it() {
    let env = TestEnvironment::new().with_files(&[(USER_CONFIG, OWN)]).with_providers(&["acme"]);
    env.run(&["models"]).assert_hides("acme-Zy8Xw6Vu4Ts2Rq0P").assert_output(&expect![[r#"
        Acme  key from the configuration
          acme/big       2M context        $1 / $2.5  images
          acme/small   128k context  no tools

        No model is chosen yet: set "model" in copydesk.jsonc, for example to "acme/big".
    "#]]);
    let chosen = TestEnvironment::new()
        .with_files(&[(USER_CONFIG, OWN), (PROJECT_CONFIG, r#"{ "model": "acme/big" }"#)])
        .with_providers(&["acme"]);
    let ran = chosen.run(&["models"]);
    assert!(ran.stdout.ends_with("Model: acme/big (from your configuration)\n"), "{ran:?}");
    assert_eq!(ran.stderr, "");
}

#[test]
fn models_are_chosen_and_left_out() {
    let listed = |limits: &str| {
        let config = format!(r#"{{ "provider": {{ "groq": {{ {limits} }} }} }}"#);
        let env = TestEnvironment::new()
            .with_files(&[(USER_CONFIG, &config)])
            .with_providers(&["groq"])
            .env("GROQ_API_KEY", KEY);
        let report = env.run(&["models", "--json"]).json();
        let models = report["providers"][0]["models"].as_array().unwrap();
        models.iter().map(|model| model["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (big, small) = ("openai/gpt-oss-120b", "openai/gpt-oss-20b");
    assert!(listed("").len() > 2);
    assert_eq!(listed(&format!(r#""whitelist": ["{small}"]"#)), [small]);
    let rest = listed(&format!(r#""blacklist": ["{small}"]"#));
    assert!(rest.contains(&big.to_owned()) && !rest.contains(&small.to_owned()), "{rest:?}");
    assert_eq!(listed(&format!(r#""whitelist": ["{small}", "{big}"], "blacklist": ["{big}"]"#)), [small]);
}

#[test]
fn providers_are_switched_off() {
    let config = r#"{ "enabled_providers": ["groq", "xai"], "disabled_providers": ["xai"] }"#;
    let env = TestEnvironment::new()
        .with_files(&[(USER_CONFIG, config)])
        .env("XAI_API_KEY", KEY)
        .env("OPENAI_API_KEY", KEY);
    env.run(&["models"]).assert_output(&expect![[r#"
        Not set up
          groq  set GROQ_API_KEY
        `copydesk auth add PROVIDER` stores a key; `copydesk models PROVIDER` says where to get one.

        No model is set up yet. The quickest ways: run `copydesk auth add anthropic` (or openai, google, openrouter, …), or start Ollama.
    "#]]);
    env.run(&["models", "xai"]).assert_output(&expect![[r#"
        ! error: The provider `xai` is disabled by enabled_providers or disabled_providers.
        exit code 1
    "#]]);
    env.run(&["models", "openai"]).assert_output(&expect![[r#"
        ! error: The provider `openai` is disabled by enabled_providers or disabled_providers.
        exit code 1
    "#]]);
}

#[test]
fn a_chosen_model_that_cannot_be_used_is_warned_of() {
    let warnings = |config: &str| {
        let env = TestEnvironment::new()
            .with_files(&[(USER_CONFIG, config)])
            .with_providers(&["groq", "anthropic"]);
        let ran = env.env("GROQ_API_KEY", KEY).run(&["models"]);
        assert_eq!(ran.code, Some(0));
        ran.stderr
    };
    assert_eq!(warnings(r#"{ "model": "groq/whatever-the-server-has" }"#), "");
    let mut all = String::new();
    for model in
        ["anthropic/claude-sonnet-5-5", "openai/gpt-5", "grok/x", "openai/gpt-oss-120b", "groq/", "groq", ""]
    {
        all.push_str(&warnings(&format!(r#"{{ "model": "{model}" }}"#)));
    }
    all.push_str(&warnings(r#"{ "small_model": "anthropic/claude-haiku-5-5" }"#));
    expect![[r#"
        warning: model: No key for Anthropic. Set ANTHROPIC_API_KEY, or run `copydesk auth add anthropic`. Create a key at https://platform.claude.com/settings/keys.
        warning: model: The provider `openai` is disabled by enabled_providers or disabled_providers.
        warning: model: There is no provider `grok`. Did you mean `groq`?
        `copydesk models` lists them; provider.grok in copydesk.jsonc defines your own (wire, options.baseURL).
        warning: model: The provider `openai` is disabled by enabled_providers or disabled_providers.
        warning: model: `groq/` names no model: write PROVIDER/MODEL.
        warning: model: `groq` names no provider: write PROVIDER/MODEL. `copydesk models` lists them.
        warning: model: `` names no provider: write PROVIDER/MODEL. `copydesk models` lists them.
        warning: small_model: No key for Anthropic. Set ANTHROPIC_API_KEY, or run `copydesk auth add anthropic`. Create a key at https://platform.claude.com/settings/keys.
    "#]].assert_eq(&all);
}

#[test]
fn a_wrong_word_about_a_model_is_told_with_its_place() {
    let model = |text: &str| format!(r#"{{ "provider": {{ "x": {{ "models": {{ "m": {text} }} }} }} }}"#);
    for (text, expected) in [
        (
            r#"{ "reasoning": "bogus" }"#,
            expect![[r#"
            ! error: ~/.config/copydesk/copydesk.jsonc:1:56: `provider.x.models.m.reasoning`: unknown variant `bogus`, expected one of `adaptive`, `budget`, `level`, `effort`, `always`
            exit code 1
        "#]],
        ),
        (
            r#"{ "options": { "reasoningEffort": 3 } }"#,
            expect![[r#"
            ! error: ~/.config/copydesk/copydesk.jsonc:1:75: `provider.x.models.m.options.reasoningEffort`: invalid type: integer `3`, expected string or map
            exit code 1
        "#]],
        ),
    ] {
        TestEnvironment::new()
            .with_files(&[(USER_CONFIG, &model(text))])
            .without_local_providers()
            .run(&["models"])
            .assert_output(&expected);
    }
}

//! What models and people rely on: the names of tools and parameters.

use serde_json::Value;

use super::fixture::fixture;

#[tokio::test]
async fn names_are_those_that_models_know() {
    let specs = fixture(&[]).registry().definitions(|_| true);
    let parameters = |schema: &Value| {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let names = properties.iter().map(|(name, property)| {
            assert!(property["description"].is_string(), "{name} is not described");
            if required.contains(&Value::from(name.as_str())) { name.clone() } else { format!("{name}?") }
        });
        names.collect::<Vec<_>>().join(" ")
    };
    let seen: Vec<_> = specs.iter().map(|spec| (spec.name.as_str(), parameters(&spec.parameters))).collect();
    let expected = [
        ("apply_patch", "patchText"),
        ("bash", "command timeout? workdir? description? background?"),
        ("batch", "tool_calls"),
        ("edit", "filePath oldString newString replaceAll?"),
        ("glob", "pattern path?"),
        ("grep", "pattern path? include?"),
        ("job", "id? wait? stop?"),
        ("list", "path?"),
        ("multiedit", "filePath edits"),
        ("plan_enter", "reason?"),
        ("plan_exit", ""),
        ("question", "questions"),
        ("read", "filePath offset? limit?"),
        ("todoread", ""),
        ("todowrite", "todos"),
        ("webfetch", "url format? timeout?"),
        ("write", "filePath content"),
    ];
    assert_eq!(seen, expected.map(|(name, parameters)| (name, parameters.to_owned())));
    for spec in specs {
        // Every request carries all of them.
        assert!((100..2000).contains(&spec.prompt.len()), "{}: {} bytes", spec.name, spec.prompt.len());
    }
}

//! Answers to `workspace/configuration`.

use serde_json::Value;

/// Cap on the sections of one request; the rest is not answered.
const MAX_SECTIONS: usize = 1000;

/// One value for each item; `null` for a section without settings.
pub(super) fn answer_configuration(settings: &Value, params: &Value) -> Value {
    let items = params.get("items").and_then(Value::as_array);
    let section = |item: &Value| match item.get("section").and_then(Value::as_str) {
        None | Some("") => settings.clone(),
        Some(section) => find(settings, section).cloned().unwrap_or_default(),
    };
    items.into_iter().flatten().take(MAX_SECTIONS).map(section).collect()
}

/// `a.b` is the member `a.b`, or the member `b` of `a`.
fn find<'a>(settings: &'a Value, section: &str) -> Option<&'a Value> {
    settings.get(section).or_else(|| {
        let mut splits = section.match_indices('.').map(|(at, _)| section.split_at(at));
        splits.find_map(|(first, rest)| find(settings.get(first)?, rest.get(1..)?))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sections_are_found_in_every_spelling() {
        let settings = json!({ "a": { "b": { "c": 1 }, "d.e": 2 }, "x.y": { "z": 3 } });
        let ask = |sections: Value| {
            let items: Vec<_> =
                sections.as_array().unwrap().iter().map(|name| json!({ "section": name })).collect();
            answer_configuration(&settings, &json!({ "items": items }))
        };
        assert_eq!(
            ask(json!(["a.b.c", "a.b", "a.d.e", "x.y", "x.y.z"])),
            json!([1, { "c": 1 }, 2, { "z": 3 }, 3])
        );
        assert_eq!(ask(json!(["none", "a.none", ".", "a."])), json!([null, null, null, null]));
        assert_eq!(ask(json!([null, ""])), json!([settings, settings]));
        assert_eq!(answer_configuration(&settings, &json!({ "items": 1 })), json!([]));
        assert_eq!(
            answer_configuration(&Value::Null, &json!({ "items": [{ "section": "a" }] })),
            json!([null])
        );
    }
}

use std::collections::{BTreeMap, BTreeSet};

use super::{CatalogueEntry, ModelSpec, look_up, models_of};

fn entries() -> BTreeMap<String, BTreeMap<String, CatalogueEntry>> {
    serde_json::from_str(include_str!("models.json")).expect("every entry is readable, with no unknown field")
}

#[test]
fn the_data_is_sane() {
    for (provider, models) in entries() {
        let mut names = BTreeSet::new();
        for (id, entry) in models {
            let at = format!("{provider}/{id}");
            for name in entry.aliases.iter().chain([&id]) {
                assert!(names.insert(name.clone()), "{at}: {name} is taken");
            }
            assert!(entry.context >= 4_096 && entry.context <= 20_000_000, "{at}: context");
            assert!(entry.output >= 1_024 && entry.output <= entry.context, "{at}: output");
            if let Some(prices) = entry.cost {
                let tier = prices.base;
                let cached = tier.cache_read.unwrap_or_default();
                assert!(tier.input >= 0.0 && tier.output >= 0.0 && cached <= tier.input, "{at}: prices");
            }
        }
    }
}

#[test]
fn every_listed_model_is_found_under_its_own_name() {
    for (provider, models) in entries() {
        assert_eq!(models_of(&provider).len(), models.len());
        for (id, entry) in models {
            let info = look_up(&provider, &id);
            assert_eq!((info.id.as_str(), info.context, info.known), (id.as_str(), entry.context, true));
        }
    }
}

#[test]
fn a_reseller_without_an_entry_borrows_limits_but_no_price() {
    let own = look_up("anthropic", "claude-sonnet-4-5");
    let borrowed = look_up("somebody", "anthropic/claude-sonnet-4-5");
    assert_eq!((borrowed.context, borrowed.images, borrowed.cost), (own.context, own.images, None));
}

#[test]
fn an_unknown_model_gets_careful_defaults() {
    let info = look_up("somebody", "my-own:7b");
    assert_eq!(info, ModelSpec::unknown("my-own:7b"));
    assert!(info.tools && !info.images && !info.known);
}

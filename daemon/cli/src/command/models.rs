//! `copydesk models`: usable models, and what the others lack.

use copydesk_config::Config;
use copydesk_host::provider_setup::list_with_servers;
use copydesk_host::setup::UserSetup;
use copydesk_model::catalogue::{ModelPrices, ModelSpec};
use copydesk_model::{ModelRegistry, ProviderListing, ProviderState, offline};
use serde::Serialize;

use crate::args::ModelsArgs;
use crate::configuration;
use crate::terminal::{self, BOLD, DIM, GOOD, print, styled};

#[derive(Serialize)]
struct ModelsView<'a> {
    /// The default.
    model: Option<&'a str>,
    small_model: Option<&'a str>,
    providers: &'a [ProviderListing],
}

pub(crate) fn run(setup: &UserSetup, options: &ModelsArgs) -> anyhow::Result<()> {
    let loaded = configuration::load(setup)?;
    let registry = setup.registry(&loaded)?;
    configuration::print_warnings(&loaded);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut list = runtime.block_on(list_with_servers(&registry));
    if let Some(id) = &options.provider {
        // The registry explains a provider that is unknown or has no address.
        registry.check_provider(id)?;
        let id = registry.canonical_id(id);
        list.retain(|listing| listing.id == id);
        if list.is_empty() {
            registry.usable_provider(id)?;
            anyhow::bail!("no server for {id} responds on this machine; is it running?");
        }
    }
    let (model, small_model) = chosen(&registry, &loaded.config);
    if options.json {
        let report =
            ModelsView { model: model.as_deref(), small_model: small_model.as_deref(), providers: &list };
        terminal::print_json(&report)?;
    } else {
        show(&list, options.provider.is_some())?;
        if options.provider.is_none() {
            show_choice(&list, model.as_deref(), loaded.config.model.is_some())?;
        }
    }
    if options.provider.is_none() {
        warn_of_unusable(&registry, &loaded.config);
    }
    Ok(())
}

fn warn_of_unusable(registry: &ModelRegistry, config: &Config) {
    for (key, name) in [("model", &config.model), ("small_model", &config.small_model)] {
        if let Some(Err(error)) = name.as_ref().map(|name| registry.model(name)) {
            terminal::warn(format_args!("{key}: {error}"));
        }
    }
}

fn chosen(registry: &ModelRegistry, config: &Config) -> (Option<String>, Option<String>) {
    let model = config.model.clone().or_else(|| registry.default_model());
    let small = config.small_model.clone().or_else(|| registry.default_small_model());
    (model, small)
}

fn show(list: &[ProviderListing], all: bool) -> anyhow::Result<()> {
    let names = list.iter().filter(|listing| all || listing.is_usable()).flat_map(|listing| {
        listing.models.iter().map(move |info| listing.id.chars().count() + 1 + info.id.chars().count())
    });
    let width = names.max().unwrap_or(0).min(52);
    for listing in list.iter().filter(|listing| listing.is_usable() || all) {
        let note = match &listing.state {
            ProviderState::Usable { key: Some(origin) } => styled(GOOD, format!("key from {origin}")),
            ProviderState::Usable { key: None } => styled(GOOD, listing.note.unwrap_or("ready")),
            ProviderState::Missing { what, .. } => what.clone(),
        };
        print(format!("{}  {note}", styled(BOLD, &listing.name)))?;
        for info in &listing.models {
            let name = format!("{}/{}", listing.id, info.id);
            let facts = facts(info);
            if facts.is_empty() {
                print(format!("  {name}"))?;
            } else {
                print(format!("  {name:width$}  {}", styled(DIM, facts)))?;
            }
        }
        if listing.models.is_empty() {
            print(format!("  {}/MODEL  {}", listing.id, styled(DIM, "any model of the server")))?;
        }
        print("")?;
    }
    let missing: Vec<_> = list.iter().filter(|listing| !listing.is_usable() && !all).collect();
    if missing.is_empty() {
        return Ok(());
    }
    print(styled(BOLD, "Not set up"))?;
    let width = missing.iter().map(|listing| listing.id.chars().count()).max().unwrap_or(0);
    for listing in missing {
        let ProviderState::Missing { brief, .. } = &listing.state else { continue };
        print(format!("  {:width$}  {}", listing.id, styled(DIM, brief)))?;
    }
    print(styled(
        DIM,
        "`copydesk auth add PROVIDER` stores a key; `copydesk models PROVIDER` says where to get one.",
    ))?;
    print("")?;
    Ok(())
}

fn show_choice(list: &[ProviderListing], model: Option<&str>, configured: bool) -> anyhow::Result<()> {
    // The offline model is a fallback, not a choice.
    let offline = if model == Some(offline::MODEL_NAME) {
        "; until then the offline model does what it can"
    } else {
        ""
    };
    let model = model.filter(|model| configured || *model != offline::MODEL_NAME);
    let usable = list.iter().filter(|listing| listing.is_usable() && listing.note.is_none());
    let example =
        usable.flat_map(|listing| listing.models.iter().map(move |info| (&listing.id, &info.id))).next();
    if let (None, Some((provider, model))) = (model, example) {
        print(format!(
            "No model is chosen yet: set \"model\" in copydesk.jsonc, for example to \"{provider}/{model}\"."
        ))?;
        return Ok(());
    }
    let Some(model) = model else {
        print(format!(
            "No model is set up yet{offline}. The quickest ways: run `copydesk auth add anthropic` (or openai, google, \
             openrouter, …), or start Ollama."
        ))?;
        return Ok(());
    };
    let how = if configured {
        "from your configuration"
    } else {
        "the first one set up; \"model\" in copydesk.jsonc sets a different one"
    };
    print(format!("Model: {} {}", styled(BOLD, model), styled(DIM, format!("({how})"))))?;
    Ok(())
}

fn facts(info: &ModelSpec) -> String {
    let mut words = Vec::new();
    if info.known {
        words.push(format!("{:>5} context", tokens(info.context)));
    }
    if let Some(prices) = &info.cost {
        words.push(dollars(prices));
    }
    let abilities = [(info.images, "images"), (info.pdf, "pdf"), (info.reasoning.is_some(), "reasoning")];
    let abilities: Vec<_> = abilities.into_iter().filter(|(has, _)| *has).map(|(_, word)| word).collect();
    if !abilities.is_empty() {
        words.push(abilities.join(" "));
    }
    if !info.tools {
        words.push("no tools".to_owned());
    }
    if let Some(day) = &info.retired {
        words.push(format!("served until {day}"));
    }
    words.join("  ")
}

fn tokens(count: u64) -> String {
    match count {
        1_000_000.. => format!("{:.1}M", count as f64 / 1e6).replace(".0M", "M"),
        _ => format!("{}k", count / 1000),
    }
}

/// Dollars per million tokens, input and output.
fn dollars(prices: &ModelPrices) -> String {
    format!("{:>15}", format!("${} / ${}", prices.base.input, prices.base.output))
}

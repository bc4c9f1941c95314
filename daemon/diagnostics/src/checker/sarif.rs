//! SARIF 2, the standard format of static analysis.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::parse::{Columns, MOST, Parsed, Raw, Spot, from_one, severity};
use copydesk_servers::diagnostic::Severity;

#[derive(Deserialize)]
struct Log {
    runs: Vec<Run>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Run {
    tool: Tool,
    results: Vec<Found>,
    artifacts: Vec<Artifact>,
    column_kind: String,
    original_uri_base_ids: BTreeMap<String, ArtifactLocation>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Tool {
    driver: Driver,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Driver {
    name: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Artifact {
    location: ArtifactLocation,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Found {
    rule_id: Option<String>,
    level: Option<String>,
    kind: Option<String>,
    message: Message,
    locations: Vec<Location>,
    related_locations: Vec<Location>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Message {
    text: Option<String>,
    markdown: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Location {
    physical_location: PhysicalLocation,
    message: Message,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ArtifactLocation {
    uri: Option<String>,
    uri_base_id: Option<String>,
    index: Option<usize>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Region {
    start_line: Option<u64>,
    start_column: Option<u64>,
    end_line: Option<u64>,
    end_column: Option<u64>,
}

pub(super) fn parse(output: &str) -> Parsed {
    // Words of the tool may stand before it.
    let start = output.find('{').unwrap_or(output.len());
    let from = output.get(start..).unwrap_or_default();
    let log = serde_json::Deserializer::from_str(from).into_iter::<Log>().next();
    let Some(Ok(log)) = log else { return Parsed::default() };
    let found = log.runs.iter().flat_map(|run| run.results.iter().filter_map(|result| raw(run, result)));
    Parsed { found: found.take(MOST).collect(), is_whole: true, seen: None }
}

fn raw(run: &Run, result: &Found) -> Option<Raw> {
    // What was looked for and not found.
    if result.kind.as_deref().is_some_and(|kind| kind != "fail" && kind != "open" && kind != "review") {
        return None;
    }
    let words = |message: &Message| message.text.clone().or_else(|| message.markdown.clone());
    let related = result.related_locations.iter();
    Some(Raw {
        at: spot(run, result.locations.first()?)?,
        severity: result.level.as_deref().and_then(severity).unwrap_or(Severity::Warning),
        code: result.rule_id.clone(),
        source: run.tool.driver.name.clone(),
        message: words(&result.message).or_else(|| result.rule_id.clone())?,
        related: related.filter_map(|place| Some((spot(run, place)?, words(&place.message)?))).collect(),
    })
}

fn spot(run: &Run, location: &Location) -> Option<Spot> {
    let PhysicalLocation { artifact_location: place, region } = &location.physical_location;
    let listed = || run.artifacts.get(place.index?).map(|artifact| &artifact.location);
    let place = if place.uri.is_some() { place } else { listed()? };
    let uri = place.uri.as_deref()?;
    let base = place.uri_base_id.as_ref().and_then(|id| run.original_uri_base_ids.get(id));
    let base = base.and_then(|base| base.uri.as_deref()).filter(|_| !uri.contains("://"));
    let line = region.start_line.map_or(0, from_one);
    let end_line = region.end_line.map_or(line, from_one);
    Some(Spot {
        file: format!("{}{uri}", base.unwrap_or_default()),
        line,
        column: region.start_column.map(from_one),
        end: region.end_column.map(|column| (end_line, from_one(column))),
        columns: match run.column_kind.as_str() {
            "utf16CodeUnits" => Some(Columns::Utf16),
            "unicodeCodePoints" => Some(Columns::Characters),
            _ => None,
        },
    })
}

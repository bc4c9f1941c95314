//! SARIF 2, the standard format of static analysis.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::parse::{
    CheckerOutput, ColumnUnit, MAX_DIAGNOSTICS, RawDiagnostic, RawLocation, parse_severity, zero_based,
};
use copydesk_servers::diagnostic::Severity;

#[derive(Deserialize)]
struct SarifLog {
    runs: Vec<SarifRun>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SarifRun {
    tool: SarifTool,
    results: Vec<SarifResult>,
    artifacts: Vec<SarifArtifact>,
    column_kind: String,
    original_uri_base_ids: BTreeMap<String, SarifArtifactLocation>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SarifTool {
    driver: SarifDriver,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SarifDriver {
    name: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SarifArtifact {
    location: SarifArtifactLocation,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SarifResult {
    rule_id: Option<String>,
    level: Option<String>,
    kind: Option<String>,
    message: SarifMessage,
    locations: Vec<SarifLocation>,
    related_locations: Vec<SarifLocation>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SarifMessage {
    text: Option<String>,
    markdown: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SarifLocation {
    physical_location: SarifPhysicalLocation,
    message: SarifMessage,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SarifPhysicalLocation {
    artifact_location: SarifArtifactLocation,
    region: SarifRegion,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SarifArtifactLocation {
    uri: Option<String>,
    uri_base_id: Option<String>,
    index: Option<usize>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SarifRegion {
    start_line: Option<u64>,
    start_column: Option<u64>,
    end_line: Option<u64>,
    end_column: Option<u64>,
}

pub(super) fn parse(output: &str) -> CheckerOutput {
    // The tool may print text before the JSON.
    let start = output.find('{').unwrap_or(output.len());
    let from = output.get(start..).unwrap_or_default();
    let log = serde_json::Deserializer::from_str(from).into_iter::<SarifLog>().next();
    let Some(Ok(log)) = log else { return CheckerOutput::default() };
    let found = log.runs.iter().flat_map(|run| run.results.iter().filter_map(|result| raw(run, result)));
    CheckerOutput {
        diagnostics: found.take(MAX_DIAGNOSTICS).collect(),
        is_complete: true,
        checked_folders: None,
    }
}

fn raw(run: &SarifRun, result: &SarifResult) -> Option<RawDiagnostic> {
    // Results that are no findings, such as `pass`.
    if result.kind.as_deref().is_some_and(|kind| kind != "fail" && kind != "open" && kind != "review") {
        return None;
    }
    let words = |message: &SarifMessage| message.text.clone().or_else(|| message.markdown.clone());
    let related = result.related_locations.iter();
    Some(RawDiagnostic {
        location: raw_location(run, result.locations.first()?)?,
        severity: result.level.as_deref().and_then(parse_severity).unwrap_or(Severity::Warning),
        code: result.rule_id.clone(),
        source: run.tool.driver.name.clone(),
        message: words(&result.message).or_else(|| result.rule_id.clone())?,
        related: related
            .filter_map(|place| Some((raw_location(run, place)?, words(&place.message)?)))
            .collect(),
    })
}

fn raw_location(run: &SarifRun, location: &SarifLocation) -> Option<RawLocation> {
    let SarifPhysicalLocation { artifact_location: place, region } = &location.physical_location;
    let listed = || run.artifacts.get(place.index?).map(|artifact| &artifact.location);
    let place = if place.uri.is_some() { place } else { listed()? };
    let uri = place.uri.as_deref()?;
    let base = place.uri_base_id.as_ref().and_then(|id| run.original_uri_base_ids.get(id));
    let base = base.and_then(|base| base.uri.as_deref()).filter(|_| !uri.contains("://"));
    let line = region.start_line.map_or(0, zero_based);
    let end_line = region.end_line.map_or(line, zero_based);
    Some(RawLocation {
        file: format!("{}{uri}", base.unwrap_or_default()),
        line,
        column: region.start_column.map(zero_based),
        end: region.end_column.map(|column| (end_line, zero_based(column))),
        columns: match run.column_kind.as_str() {
            "utf16CodeUnits" => Some(ColumnUnit::Utf16),
            "unicodeCodePoints" => Some(ColumnUnit::Characters),
            _ => None,
        },
    })
}

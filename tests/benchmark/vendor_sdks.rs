//! The same streams, read by the vendors' SDKs on Node, for comparison.
//!
//! They are installed into the tests' cache folder on first use. Without Node and npm the rows are skipped.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use copydesk_model::WireProtocol;
use serde_json::Value;

use super::stream::{PIECES, path_of, turn};
use super::table::BenchmarkTable;
use crate::shared::model_server::ScriptedModelServer;

const RUNS: usize = 3;
const PACKAGES: [&str; 3] = ["@anthropic-ai/sdk@1", "openai@6", "@google/genai@2"];

pub(crate) fn measure(table: &mut BenchmarkTable) {
    let name = |wire: WireProtocol| format!("peer: {} by the vendor's SDK (CPU)", wire.name());
    let wanted: Vec<_> =
        WireProtocol::ALL.into_iter().filter(|wire| table.includes_row(&name(*wire))).collect();
    if wanted.is_empty() {
        return;
    }
    let Some(modules) = install() else { return table.remark("peers are left out: they need node and npm") };
    for wire in wanted {
        let samples = (0..RUNS).map(|_| once(wire, &modules)).collect();
        table.row(&name(wire), samples, None, format!("{PIECES} pieces of 4 bytes, one write each"));
    }
}

fn once(wire: WireProtocol, modules: &Path) -> Duration {
    let server = ScriptedModelServer::start_with([turn(true)]);
    server.open_gate("start");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/benchmark/peer.mjs");
    let output = Command::new("node")
        .args([script, wire.name(), &server.base_url(path_of(wire))])
        .arg(modules)
        .output()
        .expect("node starts");
    let result: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(result["bytes"], PIECES * 4);
    Duration::from_secs_f64(result["milliseconds"].as_f64().expect("a number") / 1e3)
}

fn install() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = variable("COPYDESK_TEST_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|cache| cache.join("copydesk-tests")))
        .or_else(|| variable("HOME").map(|home| home.join(".cache/copydesk-tests")))?;
    let folder = cache.join("peers");
    std::fs::create_dir_all(&folder).ok()?;
    let present = ["@anthropic-ai/sdk", "openai", "@google/genai"];
    if present.iter().all(|package| folder.join("node_modules").join(package).is_dir()) {
        return Some(folder);
    }
    let installed =
        Command::new("npm").args(["install", "--silent", "--prefix"]).arg(&folder).args(PACKAGES).status();
    installed.is_ok_and(|status| status.success()).then_some(folder)
}

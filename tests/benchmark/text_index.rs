//! The index of a workspace's text: what it costs, and what searches through it take, beside ripgrep.
//!
//! The tree is generated, unless `COPYDESK_BENCH_TREE` names a real one.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use copydesk_workspace::search::{CaseSensitivity, GrepRequest, SearchView, glob, grep};
use copydesk_workspace::text_index::{IndexLimits, TextIndex, TextIndexes};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::table::BenchmarkTable;
use super::tree::ripgrep;

const FOLDERS: usize = 1000;
const FILES: usize = 48;
const WORDS: usize = 20_000;
const WORDS_PER_FILE: usize = 1200;
const RUNS: usize = 9;
const RARE: &str = "quicksilverWord";

pub(crate) fn measure(table: &mut BenchmarkTable) {
    let names = ["build", "grep, rare word", "grep, after a write", "glob **/Makefile", "ready again"];
    let name = |what: &str| format!("index: {what}, 48,000 files");
    if !names.iter().any(|what| table.includes_row(&name(what))) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let given = std::env::var_os("COPYDESK_BENCH_TREE").map(PathBuf::from);
    let tree = given.unwrap_or_else(|| generate(&folder.path().join("tree"))).canonicalize().unwrap();
    fs::write(tree.join("rare.txt"), format!("// {RARE}\n")).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let cache = folder.path().join("cache");

    let memory = resident();
    let (indexes, index, built) = built(&runtime, &tree, &cache);
    let budget = |limit| Some(Duration::from_millis(limit));
    table.row(&name("build"), vec![built], budget(10_000), "CPU time, once, in the background".to_owned());
    if let (Some(before), Some(after)) = (memory, resident()) {
        let stored: u64 =
            fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
        let (grown, stored) = (after - before, stored as f64 / 1e6);
        table.remark(&format!("index: {grown:.0} MB of 100 resident, {stored:.0} MB on the disk"));
    }

    let view = SearchView::new(HashMap::new(), indexes);
    let rg = ripgrep(&tree, &["-n", RARE]);
    let samples = (0..RUNS).map(|_| grepped(&runtime, &tree, RARE, &view, 1)).collect();
    table.row(&name("grep, rare word"), samples, budget(50), beside(rg));
    let samples = (0..RUNS).map(|run| {
        let word = format!("writtenWord{run}end");
        fs::write(tree.join("rare.txt"), format!("// {RARE} {word}\n")).unwrap();
        grepped(&runtime, &tree, &word, &view, 1)
    });
    table.row(
        &name("grep, after a write"),
        samples.collect(),
        budget(51),
        "the word was just written".to_owned(),
    );
    let rg = ripgrep(&tree, &["--files", "-g", "**/Makefile"]);
    let samples = (0..RUNS).map(|_| {
        let start = Instant::now();
        let found = glob(&tree, "**/Makefile", 100, view.clone(), CancellationToken::new());
        assert!(!runtime.block_on(found).unwrap().paths.is_empty());
        start.elapsed()
    });
    table.row(&name("glob **/Makefile"), samples.collect(), budget(10), beside(rg));

    drop((view, index));
    let (_indexes, _index, again) = self::built(&runtime, &tree, &cache);
    table.row(&name("ready again"), vec![again], None, "CPU time, with the stored index".to_owned());
}

/// An index that is ready, and the CPU time that it took.
fn built(runtime: &Runtime, tree: &Path, cache: &Path) -> (TextIndexes, TextIndex, Duration) {
    let indexes = TextIndexes::new(Some(cache.to_owned()), IndexLimits::default());
    let index = indexes.open(tree).unwrap();
    let view = SearchView::new(HashMap::new(), indexes.clone());
    // The first search walks, and begins the index.
    grepped(runtime, tree, RARE, &view, 1);
    let before = cpu_time();
    assert!(index.wait_until_built(), "the tree cannot be indexed");
    (indexes, index, cpu_time() - before)
}

fn grepped(runtime: &Runtime, tree: &Path, word: &str, view: &SearchView, expected: usize) -> Duration {
    let request = GrepRequest {
        root: tree.to_owned(),
        regex: word.to_owned(),
        case: CaseSensitivity::Sensitive,
        include: Vec::new(),
        hidden: true,
        limit: 100,
        excluded_paths: HashSet::new(),
        view: view.clone(),
    };
    let start = Instant::now();
    let found = runtime.block_on(grep(request, CancellationToken::new())).unwrap();
    let took = start.elapsed();
    assert_eq!(found.matches.len(), expected, "{word}");
    took
}

/// Files of some twelve kilobytes, as in a large project, with words that are common or rare.
fn generate(tree: &Path) -> PathBuf {
    let mut seed: u64 = 7;
    let mut text = String::new();
    for folder in 0..FOLDERS {
        let path = tree.join(format!("area{}/part{folder}", folder % 40));
        fs::create_dir_all(&path).unwrap();
        for file in 0..FILES {
            text.clear();
            for number in 0..WORDS_PER_FILE {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // Squared, so that some words are much more common than others.
                let word = ((seed >> 33) as f64 / f64::from(1_u32 << 31)).powi(2) * WORDS as f64;
                let end = if number % 9 == 0 { ";\n    " } else { "." };
                write!(text, "name{:x}{end}", word as usize * 7919).unwrap();
            }
            let name =
                if file == 0 && folder % 10 == 0 { "Makefile".to_owned() } else { format!("file{file}.rs") };
            fs::write(path.join(name), &text).unwrap();
        }
    }
    tree.to_owned()
}

fn beside(mut peer: Vec<Duration>) -> String {
    peer.sort_unstable();
    let median = peer.get(peer.len() / 2);
    median.map_or("rg is not installed".to_owned(), |rg| format!("rg {:.2} ms", rg.as_secs_f64() * 1e3))
}

/// Of this process, in megabytes.
fn resident() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<f64>().ok()? / 1e3)
}

/// Of this process.
fn cpu_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // User and system time are the 14th and 15th field, in hundredths of a second; the second field may contain spaces.
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ').skip(11).take(2);
    let ticks: u64 = fields.filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

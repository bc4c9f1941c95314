//! By hand, beside ripgrep, over a tree of 50,000 files:
//! `RG=rg cargo test --release -p copydesk-workspace search::bench -- --ignored --nocapture`

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use super::*;

const FILES: usize = 50_000;
const ROUNDS: usize = 15;

fn make(root: &Path) {
    let words = ["let", "value", "return", "session", "the", "match", "common", "index", "buffer", "for"];
    for number in 0..FILES {
        let folder = root.join(format!("m{}/p{}/q{}", number % 10, number / 10 % 20, number / 200 % 5));
        if number < 1000 {
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("Makefile"), "all:\n").unwrap();
        }
        let line = |line: usize| {
            let word = |at: usize| words[(number * 7 + line * 3 + at * at) % words.len()];
            format!("    {} {} = {}({}, {line});\n", word(0), word(1), word(2), word(3))
        };
        let mut text: String = (0..20 + number % 60).map(line).collect();
        if number % 10_007 == 0 {
            text += "xylophone\n";
        }
        fs::write(folder.join(format!("file{number}.rs")), text).unwrap();
    }
    fs::create_dir(root.join(".git")).unwrap();
    fs::write(root.join(".gitignore"), "target/\n*.log\n").unwrap();
}

/// The median of many, after one to warm up.
async fn median(work: impl AsyncFn() -> usize) -> (Duration, usize) {
    let mut found = work().await;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        found = work().await;
        times.push(start.elapsed());
    }
    times.sort();
    (times[ROUNDS / 2], found)
}

fn rg(root: &Path, script: &str) -> usize {
    let rg = std::env::var("RG").unwrap_or_else(|_| "rg".into());
    let script = format!("{rg} --no-config {script}");
    let run =
        Command::new("sh").args(["-c", &script]).current_dir(root).stdin(Stdio::null()).output().unwrap();
    run.stdout.iter().filter(|byte| **byte == b'\n').count()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a benchmark"]
async fn beside_ripgrep() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    make(root);
    let ours = async |regex: &str, limit| {
        let request = Grep {
            within: root.into(),
            regex: regex.into(),
            case: Case::Sensitive,
            include: Vec::new(),
            hidden: false,
            limit,
            overlay: None,
        };
        grep(request, CancellationToken::new()).await.unwrap().matches.len()
    };
    let show = |name, ours: (Duration, usize), theirs: (Duration, usize)| {
        let ratio = ours.0.as_secs_f64() / theirs.0.as_secs_f64();
        println!("{name:28} ours {:?} ({}), rg {:?} ({}): {ratio:.2}×", ours.0, ours.1, theirs.0, theirs.1);
    };
    let theirs = async |script: &'static str| median(async || rg(root, script)).await;
    show("rare word", median(async || ours("xylophone", 100).await).await, theirs("-n xylophone .").await);
    show("absent word", median(async || ours("zzzyx", 100).await).await, theirs("-n zzzyx .").await);
    show("regex", median(async || ours(r"\bxylo\w+", 100).await).await, theirs(r"-n '\bxylo\w+' .").await);
    show(
        "common, first 100",
        median(async || ours("common", 100).await).await,
        theirs("-n common . | head -100").await,
    );
    show(
        "common, all sorted",
        median(async || ours("common", 100).await).await,
        theirs("-n common . | sort | head -100").await,
    );
    let names = async || glob(root, "**/Makefile", 2000, CancellationToken::new()).await.unwrap().paths.len();
    show("glob **/Makefile", median(names).await, theirs("--files -g '**/Makefile' .").await);
    let names = async || glob(root, "**/*.rs", 100, CancellationToken::new()).await.unwrap().paths.len();
    show("glob **/*.rs, first 100", median(names).await, theirs("--files -g '**/*.rs' . | head -100").await);
}

//! While everything that takes a path runs, another thread swaps a folder of the workspace for a symlink to one outside, and back.
//! Nothing outside may be read, named or changed.

#![cfg(target_os = "linux")]

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::process::{OutputLimits, Processes, Shell, ShellCommand};
use crate::search::{CaseSensitivity, GrepRequest, SearchView, glob, grep};
use crate::text_index::{IndexLimits, TextIndexes};
use crate::time_limits::TERMINATE_GRACE;

const CALLS: usize = 500;
/// Calls that take longer.
const SEARCHES: usize = 100;
/// How often a path is resolved until it leads into the workspace.
const TRIES: usize = 1000;

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Swaps two names until it is dropped.
struct NameSwapper {
    is_stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl NameSwapper {
    fn start(one: PathBuf, other: PathBuf) -> Self {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&is_stopped);
        let thread = thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                swap(&one, &other);
                thread::yield_now();
            }
        });
        Self { is_stopped, thread: Some(thread) }
    }
}

fn swap(one: &Path, other: &Path) {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
}

impl Drop for NameSwapper {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        self.thread.take().map(JoinHandle::join).transpose().unwrap();
    }
}

/// `work/way` is now the workspace's own folder, now a symlink to `outside`.
struct RaceFixture {
    files: WorkspaceFiles,
    outside: PathBuf,
    /// The workspace's own folder, wherever it is now.
    own: File,
    /// The two names that are swapped.
    names: [PathBuf; 2],
    swapper: Option<NameSwapper>,
    _folder: TempDir,
}

fn fixture() -> RaceFixture {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let (way, parked, outside) = (base.join("work/way"), base.join("parked"), base.join("outside"));
    for (folder, text) in [(&way, "inside needle\n"), (&outside, "outside needle\n")] {
        fs::create_dir_all(folder.join("deep")).unwrap();
        fs::write(folder.join("a.txt"), text).unwrap();
        fs::write(folder.join("deep/b.txt"), text).unwrap();
        fs::write(folder.join("same.txt"), "same\n").unwrap();
    }
    fs::write(outside.join("secret.txt"), "outside needle\n").unwrap();
    for number in 0..20 {
        let beside = base.join(format!("work/{number}"));
        fs::create_dir(&beside).unwrap();
        fs::write(beside.join("c.txt"), "inside needle\n").unwrap();
    }
    symlink(&outside, &parked).unwrap();
    let own = File::open(&way).unwrap();
    let files = WorkspaceFiles::new(&base.join("work"), &base.join("home"));
    let swapper = Some(NameSwapper::start(way.clone(), parked.clone()));
    RaceFixture { files, outside, own, names: [way, parked], swapper, _folder: folder }
}

impl RaceFixture {
    /// Counts the calls. Before the last one the swapping ends, and the folder is the workspace's own: that call must do its work.
    fn begin_call(&mut self, number: usize, calls: usize) {
        if number < calls {
            return;
        }
        drop(self.swapper.take());
        let [way, parked] = &self.names;
        if way.is_symlink() {
            swap(way, parked);
        }
    }

    /// A path as a tool resolves it. One that leads outside would be asked about, so it is resolved again.
    fn allowed(&self, path: &str) -> Option<ResolvedPath> {
        (0..TRIES).find_map(|_| {
            let place = self.files.resolve(path);
            if !place.is_in_workspace {
                thread::yield_now();
            }
            place.is_in_workspace.then_some(place)
        })
    }

    async fn read(&self, path: &str) -> Option<String> {
        let content = self.files.peek(&self.allowed(path)?, READ_LIMIT).await.ok()?;
        Some(String::from_utf8(content.bytes).unwrap())
    }

    async fn grep(&self, path: &str, view: SearchView) -> Vec<String> {
        let Some(place) = self.allowed(path) else { return Vec::new() };
        let request = GrepRequest {
            root: place.real_path().to_owned(),
            regex: "needle".to_owned(),
            case: CaseSensitivity::Sensitive,
            include: Vec::new(),
            hidden: true,
            limit: 100,
            excluded_paths: HashSet::new(),
            view,
        };
        let found = grep(request, CancellationToken::new()).await;
        found.map(|found| found.matches.into_iter().map(|line| line.text).collect()).unwrap_or_default()
    }

    async fn glob(&self, path: &str, pattern: &str) -> Vec<PathBuf> {
        let Some(place) = self.allowed(path) else { return Vec::new() };
        let found =
            glob(place.real_path(), pattern, 100, SearchView::default(), CancellationToken::new()).await;
        found.map(|found| found.paths).unwrap_or_default()
    }

    /// What is outside, by name and content.
    fn outside(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut pending = vec![self.outside.clone()];
        while let Some(folder) = pending.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    found.push((path.clone(), Vec::new()));
                    pending.push(path);
                } else {
                    found.push((path.clone(), fs::read(&path).unwrap()));
                }
            }
        }
        found.sort();
        found
    }
}

fn is_from_outside(text: &str) -> bool {
    text.contains("outside")
}

fn is_secret(path: &Path) -> bool {
    path.ends_with("secret.txt")
}

/// The calls that did their work, and those that brought something from outside.
#[derive(Default)]
struct RaceCounts {
    done: usize,
    leaked: usize,
}

impl RaceCounts {
    fn count(&mut self, is_done: bool, is_leaked: bool) {
        self.done += usize::from(is_done);
        self.leaked += usize::from(is_leaked);
    }

    /// Without a call that did its work, the test would show nothing.
    #[track_caller]
    fn check(&self, what: &str) {
        println!(
            "{what}: {} calls did their work, {} brought something from outside",
            self.done, self.leaked
        );
        assert!(self.done > 0, "{what}");
        assert_eq!(self.leaked, 0, "{what}");
    }
}

#[tokio::test]
async fn no_content_from_outside_is_read() {
    let mut fixture = fixture();
    let mut counts = RaceCounts::default();
    for number in 0..=CALLS {
        fixture.begin_call(number, CALLS);
        for path in ["way/a.txt", "way/deep/b.txt"] {
            let text = fixture.read(path).await;
            counts.count(text.is_some(), text.is_some_and(|text| is_from_outside(&text)));
        }
    }
    counts.check("read");
}

#[tokio::test]
async fn no_name_from_outside_is_listed() {
    let mut fixture = fixture();
    let mut counts = RaceCounts::default();
    for number in 0..=CALLS {
        fixture.begin_call(number, CALLS);
        if let Some(place) = fixture.allowed("way")
            && let Ok(listing) = fixture.files.list(&place, 100).await
        {
            counts.count(true, listing.entries.iter().any(|name| is_secret(Path::new(name))));
        }
        if let Some(place) = fixture.allowed("way/secre.txt") {
            let similar = fixture.files.similar_names(&place).await;
            counts.count(true, similar.iter().any(|name| is_secret(Path::new(name))));
        }
    }
    counts.check("list");
}

#[tokio::test]
async fn no_line_from_outside_is_found() {
    let mut fixture = fixture();
    let mut counts = RaceCounts::default();
    for number in 0..=SEARCHES {
        fixture.begin_call(number, SEARCHES);
        for path in [".", "way", "way/a.txt"] {
            let lines = fixture.grep(path, SearchView::default()).await;
            counts.count(!lines.is_empty(), lines.iter().any(|line| is_from_outside(line)));
        }
    }
    counts.check("grep");
}

/// The files that the index names.
#[tokio::test]
async fn no_line_from_outside_is_found_through_the_index() {
    let mut fixture = fixture();
    let indexes = TextIndexes::new(None, IndexLimits { min_files: 1, ..IndexLimits::default() });
    let files = WorkspaceFiles::new(fixture.files.root(), fixture.files.home()).with_indexes(&indexes);
    let mut counts = RaceCounts::default();
    for number in 0..=SEARCHES {
        fixture.begin_call(number, SEARCHES);
        let lines = fixture.grep(".", files.search_view()).await;
        counts.count(!lines.is_empty(), lines.iter().any(|line| is_from_outside(line)));
    }
    counts.check("grep with an index");
}

#[tokio::test]
async fn no_name_from_outside_is_found() {
    let mut fixture = fixture();
    let mut counts = RaceCounts::default();
    for number in 0..=SEARCHES {
        fixture.begin_call(number, SEARCHES);
        for (path, pattern) in [(".", "**/*.txt"), (".", "way/*.txt"), ("way", "*.txt")] {
            let paths = fixture.glob(path, pattern).await;
            counts.count(!paths.is_empty(), paths.iter().any(|path| is_secret(path)));
        }
    }
    counts.check("glob");
}

#[tokio::test]
async fn nothing_outside_is_written() {
    let mut fixture = fixture();
    let before = fixture.outside();
    let mut counts = RaceCounts::default();
    let changed = |text: &str| FileText::from(text.to_owned());
    for number in 0..=CALLS {
        fixture.begin_call(number, CALLS);
        // To edit it, with the content that either file has.
        for known in ["inside needle\n", "outside needle\n"] {
            let Some(place) = fixture.allowed("way/a.txt") else { continue };
            let expect = WritePrecondition::Unchanged(changed(known));
            let is_done = fixture.files.write(&place, changed(known), expect, None).await.is_ok();
            counts.count(is_done, false);
        }
        for path in [format!("way/new-{number}"), format!("way/folder-{number}/new")] {
            let Some(place) = fixture.allowed(&path) else { continue };
            let created = fixture.files.write(&place, changed("new\n"), WritePrecondition::New, None).await;
            counts.count(created.is_ok(), false);
        }
        if let Some(place) = fixture.allowed("way/same.txt")
            && fixture.files.remove(&place, changed("same\n")).await.is_ok()
        {
            counts.count(true, false);
            let own = format!("/proc/self/fd/{}/same.txt", fixture.own.as_raw_fd());
            fs::write(own, "same\n").unwrap();
        }
    }
    let after = fixture.outside();
    let leaked = after.iter().filter(|file| !before.contains(file)).count();
    let missing = before.iter().filter(|file| !after.contains(file)).count();
    counts.leaked = leaked + missing;
    counts.check("write");
}

#[tokio::test]
async fn no_command_starts_outside() {
    let mut fixture = fixture();
    let processes = Processes::new(vec![("PATH".into(), OsString::from(PATH))]);
    let env = |name: &str| (name == "PATH").then(|| PATH.into());
    let shell = Shell::choose(Some("bash"), &env).unwrap();
    let mut counts = RaceCounts::default();
    for number in 0..=SEARCHES {
        fixture.begin_call(number, SEARCHES);
        let Some(place) = fixture.allowed("way") else { continue };
        let command = ShellCommand {
            script: "cat a.txt".to_owned(),
            shell: shell.clone(),
            cwd: place.real_path().to_owned(),
            env: Vec::new(),
            timeout: None,
            grace: TERMINATE_GRACE,
            limits: OutputLimits { head: 1000, tail: 1000, spill: None },
            sandbox: None,
        };
        if let Ok(finished) = processes.run(command, CancellationToken::new(), |_| {}).await {
            counts.count(true, is_from_outside(&finished.output.text()));
        }
    }
    counts.check("commands");
}

/// A file that becomes a pipe between the check and the use.
#[tokio::test]
async fn a_pipe_in_the_place_of_a_file_is_neither_awaited_nor_read() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let (file, pipe) = (base.join("work/a.txt"), base.join("pipe"));
    fs::create_dir(base.join("work")).unwrap();
    fs::write(&file, "inside needle\n").unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let files = WorkspaceFiles::new(&base.join("work"), &base.join("home"));
    let _swapper = NameSwapper::start(file, pipe);
    let place = files.resolve("a.txt");
    let expect = WritePrecondition::Unchanged("inside needle\n".to_owned().into());
    let (mut read, mut refused) = (0, 0);
    for _ in 0..CALLS {
        match files.peek(&place, READ_LIMIT).await {
            Ok(content) => read += usize::from(content.bytes == b"inside needle\n"),
            Err(FileError::NotRegular { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
        let found = glob(files.root(), "*.txt", 9, SearchView::default(), CancellationToken::new()).await;
        assert!(found.is_ok());
    }
    println!("{read} were read, {refused} were refused");
    assert!(read > 0 && refused > 0);
    for _ in 0..CALLS {
        let _ = files.write(&place, "inside needle\n".to_owned().into(), expect.clone(), None).await;
    }
}

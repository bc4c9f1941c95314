//! What long messages and many documents cost the daemon, and its other clients.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::editor::{BenchmarkEditor, BenchmarkHome, memory, resident_megabytes};
use super::table::BenchmarkTable;

pub(crate) fn measure(table: &mut BenchmarkTable) {
    message_rows(table);
    closed_row(table);
}

type SendMessage<'a> = &'a dyn Fn(&mut BenchmarkEditor);

/// The longest time in which another client waits for an answer, and the daemon's peak.
fn message_rows(table: &mut BenchmarkTable) {
    let document = |editor: &mut BenchmarkEditor| {
        editor.open("file:///large", &"0123456789 abc\n".repeat(4_000_000));
        editor.pid();
    };
    let values = |editor: &mut BenchmarkEditor| {
        // Refused, because it has too many values.
        editor.tell("copydesk/none", json!(vec![0; 30_000_000]));
        editor.pid();
    };
    let cases: [(&str, SendMessage<'_>); 2] = [
        ("editor: another client while a document of 60 MB is opened", &document),
        ("editor: another client while 30,000,000 values are sent", &values),
    ];
    for (name, send) in cases {
        if !table.includes_row(name) {
            continue;
        }
        let place = BenchmarkHome::new(None);
        let ((mut editor, _), (mut other, _)) =
            (BenchmarkEditor::start(&place), BenchmarkEditor::start(&place));
        let is_done = AtomicBool::new(false);
        let longest = thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let mut longest = Duration::ZERO;
                while !is_done.load(Ordering::Relaxed) {
                    let start = Instant::now();
                    other.pid();
                    longest = longest.max(start.elapsed());
                }
                longest
            });
            send(&mut editor);
            is_done.store(true, Ordering::Relaxed);
            waiting.join().unwrap()
        });
        table.row(name, vec![longest], Some(Duration::from_millis(50)), "the longest wait".to_owned());
        memory(table, name, editor.pid(), "VmHWM", 400.0, "at the peak");
    }
}

/// What stays when documents are closed.
fn closed_row(table: &mut BenchmarkTable) {
    let name = "editor: memory, 200 documents of 1 MB opened and closed";
    if !table.includes_row(name) {
        return;
    }
    let place = BenchmarkHome::new(None);
    let (mut editor, _) = BenchmarkEditor::start(&place);
    let text = "    let value = compute(&input, options)?; // and so on\n".repeat(18_000);
    for number in 0..200 {
        editor.open(&format!("file:///document{number}"), &text);
    }
    for number in 0..200 {
        let document = json!({ "uri": format!("file:///document{number}") });
        editor.tell("textDocument/didClose", json!({ "textDocument": document }));
    }
    let pid = editor.pid();
    // The allocator returns pages over some ten seconds.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let mut tick = tokio::time::interval(Duration::from_millis(500));
        let mut ticks = 0;
        while ticks < 30 && resident_megabytes(pid, "VmRSS").is_some_and(|used| used > 50.0) {
            tick.tick().await;
            ticks += 1;
        }
    });
    memory(table, name, pid, "VmRSS", 100.0, "200 MB of text");
}

//! The cost of the chat view of VS Code: see `vscode.rs`. Skipped without `COPYDESK_TEST_VSCODE`.
//!
//! "Drawn" means that the page has drawn the frame with the change. The browser and this process read the same clock.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::editor::BenchmarkHome;
use super::table::BenchmarkTable;
use super::vscode::{TimedVscode, milliseconds, row, stream_words};
use crate::shared::model_server::{ScriptedModelServer, ScriptedTurn};
use crate::shared::vscode::installed_parts::InstalledParts;

/// Openings of the view.
const RUNS: usize = 11;
/// Streamed tokens of which the time on the screen is taken.
const WORDS: usize = 300;
/// Tokens of four characters, one for each millisecond.
const STREAMED: usize = 20_000;
/// Of the main thread, in percent.
const MAX_BUSY: f64 = 20.0;
/// Steps of so many calls, with a text before each.
const STEPS: usize = 10;
const CALLS: usize = 250;
/// Our script, style and icons, as bytes.
const MAX_BUNDLE: f64 = 1.5e6;

/// What only the page of the chat has.
const PAGE: &str = "main.chat";
const OPEN: &str = "Control+Alt+j";

pub(crate) fn measure(table: &mut BenchmarkTable) {
    if std::env::var_os("COPYDESK_TEST_VSCODE").is_none_or(|named| named.is_empty()) {
        return;
    }
    let name = "chat: ready after it is opened";
    if table.includes_row(name) {
        row(table, name, openings(), Some(300.0), "from the key");
    }
    let name = "chat: token on screen";
    if table.includes_row(name) {
        row(table, name, tokens(), Some(50.0), "from the model, one each 20 ms");
    }
    let name = "chat: main thread while 20,000 tokens stream";
    if table.includes_row(name) {
        stream(table, name);
    }
    let name = "chat: 5,000 parts opened";
    if table.includes_row(name) {
        many_parts(table, name);
    }
    let name = "chat: size of its page";
    if table.includes_row(name) {
        let folder = concat!("copydesk.copydesk-", env!("CARGO_PKG_VERSION"), "/out");
        let out = InstalledParts::from_environment().extensions.join(folder);
        let bytes: u64 = ["chat.js", "chat.css", "codicon.ttf"]
            .iter()
            .map(|file| fs::metadata(out.join(file)).unwrap().len())
            .sum();
        let verdict = if bytes as f64 <= MAX_BUNDLE { "ok" } else { "OVER" };
        table.remark(&format!("{name}: {:.0} KB of {:.0} {verdict}", bytes as f64 / 1e3, MAX_BUNDLE / 1e3));
    }
}

impl TimedVscode {
    fn in_chat(&mut self, action: &str, mut order: Value) -> Value {
        order["within"] = json!(PAGE);
        self.window.user(&mut self.server, action, order)
    }

    fn wait_in_chat(&mut self, selector: &str, text: &str) {
        self.in_chat("wait", json!({ "selector": selector, "text": text }));
    }

    /// Opens the view, which is hidden, by a key. Returns when it had drawn its first content, and when it had so many rows.
    fn time_view(&mut self, rows: usize) -> (Duration, Duration) {
        let until = format!("(document.querySelector('article')?.ariaSetSize ?? 0) >= {rows}");
        let took = self.in_chat("timeView", json!({ "keys": OPEN, "until": until }));
        self.wait_in_chat("textarea:focus", "");
        (milliseconds(&took[0]), milliseconds(&took[1]))
    }

    fn hide_view(&mut self) {
        self.window.command("workbench.action.closeAuxiliaryBar", json!([]));
    }

    /// Opens it so many times.
    fn time_openings(&mut self, rows: usize) -> (Vec<Duration>, Vec<Duration>) {
        let once = |_| {
            let took = self.time_view(rows);
            self.hide_view();
            took
        };
        (0..RUNS).map(once).unzip()
    }
}

fn openings() -> Vec<Duration> {
    let place = BenchmarkHome::new(None);
    TimedVscode::start(&place).time_openings(0).0
}

fn tokens() -> Vec<Duration> {
    let stream =
        (0..WORDS).fold(ScriptedTurn::new(), |turn, word| turn.gate(format!("g{word}")).text("word "));
    let server = ScriptedModelServer::start_with([stream.gate("end").text("end")]);
    let place = BenchmarkHome::new(Some(&server));
    let mut user = TimedVscode::start(&place);
    user.time_view(0);
    user.ask();
    user.wait_in_chat(".working", "");
    user.in_chat("noteWords", json!({ "selector": ".answer" }));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let sent: Vec<_> = runtime.block_on(async {
        let mut pace = tokio::time::interval(Duration::from_millis(20));
        let mut sent = Vec::new();
        for word in 0..WORDS {
            pace.tick().await;
            sent.push(SystemTime::now());
            server.open_gate(&format!("g{word}"));
        }
        sent
    });
    user.in_chat("wait", json!({ "selector": ".answer", "text": "word ".repeat(WORDS).trim_end() }));
    let drawn = user.in_chat("evaluate", json!({ "code": "window.copydeskWords" }));
    server.open_gate("end");
    user.wait_in_chat(".answer", "end");
    let drawn = drawn.as_array().unwrap().iter().map(|at| UNIX_EPOCH + milliseconds(at));
    sent.iter().zip(drawn).map(|(sent, drawn)| drawn.duration_since(*sent).unwrap_or_default()).collect()
}

/// What a model writes about code, some hundred times.
const ANSWER: &str = "\
## What changes

The function `read_all` reads **every** file of the folder, and keeps what it read until the end. That is *wrong* for large folders, see
[the loop](src/read.rs#L12).

1. It asks for the names first
2. Then it reads each file, one after the other

```rust
fn read_all(folder: &Path) -> Result<Vec<String>> {
    let mut names = list(folder)?;
    names.iter().map(|name| fs::read_to_string(folder.join(name))).collect()
}
```

| case | before | after |
|---|---|---|
| empty | fails | an empty list |
| large | 12 s | 3 s |

";

/// The share of the main thread with the view, minus the share without it: both are drawn by one thread here.
fn stream(table: &mut BenchmarkTable, name: &str) {
    let characters: Vec<char> = ANSWER.chars().cycle().take(4 * STREAMED).collect();
    let stream = |prefix: &str| {
        let pieces = characters.chunks(4).map(|piece| piece.iter().collect::<String>()).enumerate();
        pieces.fold(ScriptedTurn::new(), |turn, (number, piece)| {
            turn.gate(format!("{prefix}{number}")).text(piece)
        })
    };
    let server = ScriptedModelServer::start_with([stream("g"), stream("h")]);
    let place = BenchmarkHome::new(Some(&server));
    let mut user = TimedVscode::start(&place);
    user.time_view(0);
    let [with, without] = ["g", "h"].map(|prefix| {
        if prefix == "h" {
            user.hide_view();
        }
        user.ask();
        user.wait_for_status("thinking");
        let before = user.window.user(&mut user.server, "startMeter", json!({}));
        let begin = SystemTime::now();
        stream_words(&server, prefix, STREAMED);
        user.wait_for_end();
        let took = begin.elapsed().unwrap().as_secs_f64();
        let after = user.window.user(&mut user.server, "readMeter", json!({}));
        (milliseconds(&after) - milliseconds(&before)).as_secs_f64() / took * 100.0
    });
    let busy = with - without;
    let verdict = if busy <= MAX_BUSY { "ok" } else { "OVER" };
    table.remark(&format!(
        "{name}: {busy:.1} % of {MAX_BUSY:.0} {verdict}, CPU time: the window is {with:.1} % busy with the view and {without:.1} % without it"
    ));
}

fn many_parts(table: &mut BenchmarkTable, name: &str) {
    let step = |step: usize| {
        (0..CALLS).fold(ScriptedTurn::new(), |script, call| {
            // Each call differs, because the loop guard stops repeated identical calls.
            let arguments = json!({ "filePath": "a.txt", "offset": 1 + call, "limit": 1 + step });
            let script = script.text("I read **more** of `a.txt`, because it may say so there.");
            script.call(format!("c{step}-{call}"), "read", arguments)
        })
    };
    let last = ScriptedTurn::new().text("That was").gate("end").text(" all.");
    let server = ScriptedModelServer::start_with((0..STEPS).map(step).chain([last]));
    let place = BenchmarkHome::new(Some(&server));
    fs::write(place.path("a.txt"), "one of many lines\n".repeat(CALLS + STEPS)).unwrap();
    let mut user = TimedVscode::start(&place);
    user.ask();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(server.wait_for_gate("end"));
    user.wait_for_status("writing");
    server.open_gate("end");
    user.wait_for_end();
    let (drawn, complete) = user.time_openings(2 * STEPS * CALLS);
    row(table, name, drawn, Some(500.0), "from the key until the last rows are drawn");
    row(table, &format!("{name}, all rows"), complete, None, "from the key until the scroll bar knows all");
    user.time_view(2 * STEPS * CALLS);
    let frames = user.in_chat("evaluate", json!({ "code": SCROLL }));
    let frames = frames.as_array().unwrap().iter().map(milliseconds).collect();
    row(table, &format!("{name}, a frame of scrolling"), frames, Some(20.0), "60 frames a second are 16.7");
}

/// Scrolls up by more than a screen with each frame; resolves to the time from frame to frame.
const SCROLL: &str = "new Promise((resolve) => {
    const scroller = document.querySelector('.scroller');
    const took = [];
    let last;
    const draw = (now) => {
        if (last !== undefined) took.push(now - last);
        last = now;
        if (took.length === 200) return resolve(took);
        scroller.scrollTop -= 1000;
        requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
})";

//! The benchmark: one command, one table. `cargo bench`, or `cargo bench -- NAME` for rows whose name contains NAME.
//!
//! Figures hold for this machine at this moment: compare them within one run. CPU time is that of the client's thread
//! only; the scripted server runs on its own. Session rows are wall-clock times of the built binary.

// A benchmark that cannot run panics, and it prints its result.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing
)]

#[path = "."]
mod shared {
    pub(crate) mod model_server;
    pub(crate) mod neovim {
        pub(crate) mod nvim;
    }
    pub(crate) mod vscode {
        pub(crate) mod installed_parts;
        pub(crate) mod json_peer;
        pub(crate) mod vscode_server;
        pub(crate) mod vscode_window;
    }
}
mod benchmark {
    pub(crate) mod chat;
    pub(crate) mod clock;
    pub(crate) mod editor;
    pub(crate) mod history;
    pub(crate) mod language;
    pub(crate) mod large_messages;
    pub(crate) mod many_sessions;
    pub(crate) mod matching;
    pub(crate) mod navigation;
    pub(crate) mod page;
    pub(crate) mod permissions;
    pub(crate) mod plugin;
    pub(crate) mod project;
    pub(crate) mod review;
    pub(crate) mod session;
    pub(crate) mod stalls;
    pub(crate) mod start;
    pub(crate) mod stream;
    pub(crate) mod table;
    pub(crate) mod text_index;
    pub(crate) mod tree;
    pub(crate) mod vendor_sdks;
    pub(crate) mod vscode;
}

use benchmark::table::BenchmarkTable;

/// The budgets of memory and size hold for the profile of packages: `cargo bench --profile dist --features jemalloc`.
fn main() {
    // Cargo adds `--bench`.
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let mut table = BenchmarkTable::new(filter);
    benchmark::stream::measure(&mut table);
    benchmark::vendor_sdks::measure(&mut table);
    benchmark::history::measure(&mut table);
    benchmark::page::measure(&mut table);
    benchmark::start::measure(&mut table);
    benchmark::session::measure(&mut table);
    benchmark::editor::measure(&mut table);
    benchmark::large_messages::measure(&mut table);
    benchmark::many_sessions::measure(&mut table);
    benchmark::language::measure(&mut table);
    benchmark::navigation::measure(&mut table);
    benchmark::review::measure(&mut table);
    benchmark::matching::measure(&mut table);
    benchmark::permissions::measure(&mut table);
    benchmark::text_index::measure(&mut table);
    benchmark::plugin::measure(&mut table);
    benchmark::vscode::measure(&mut table);
    benchmark::chat::measure(&mut table);
    table.print();
}

//! The table of known servers in the words of the protocol: what an editor has to know of its own servers, which it asks for by no name.

use copydesk_protocol::editor::ServerBehavior;
use copydesk_servers::known_servers::{KnownServer, known_servers};
use serde_json::Value;

/// Those of which there is something to say.
pub fn server_behaviors() -> Vec<ServerBehavior> {
    let says_something = |row: &ServerBehavior| {
        *row != ServerBehavior { names: row.names.clone(), ..ServerBehavior::default() }
    };
    known_servers().iter().map(behavior).filter(says_something).collect()
}

fn behavior(server: &KnownServer) -> ServerBehavior {
    let quirks = &server.quirks;
    ServerBehavior {
        names: server.names().map(str::to_owned).collect(),
        settle: server.settle_ms_in_editors().and_then(|settle| u32::try_from(settle).ok()),
        first_answer: quirks.is_first_answer_right(),
        disk_in_order: quirks.disk_in_order,
        saves_for: quirks.saves_for.clone(),
        save_tokens: quirks.save_tokens.clone(),
        touch: if quirks.touch.is_empty() { Value::Null } else { quirks.touch.clone().into() },
        head: quirks.head.clone(),
        unsaved_argument: server.in_editors.unsaved_argument.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn row(name: &str) -> ServerBehavior {
        let rows = server_behaviors();
        rows.into_iter().find(|row| row.names.iter().any(|known| known == name)).unwrap()
    }

    #[test]
    fn editors_are_told_what_the_table_says() {
        let gopls = row("gopls");
        assert_eq!((gopls.settle, gopls.disk_in_order, gopls.first_answer), (Some(1200), true, false));
        assert_eq!(row("ts_ls"), row("typescript-tools"));
        assert_eq!(row("ts_ls").settle, Some(600));
        let rust = row("rust_analyzer");
        assert_eq!((rust.saves_for[0].as_str(), rust.save_tokens.len()), ("rustc", 2));
        let clangd = row("clangd");
        assert_eq!(clangd.touch, json!({ "forceRebuild": true }));
        assert!(clangd.first_answer && clangd.head.contains(&"#".to_owned()));
        assert_eq!(clangd.unsaved_argument.as_deref(), Some("--use-dirty-headers"));
    }
}

//! The daemon's own language servers, one line each.

use copydesk_protocol::daemon::{MissingServer, ServerInfo, ServerState};

use crate::terminal::{columns_of, one_line};

/// Begins with a line break; empty if no server runs and none is missing.
pub(super) fn described(running: &[ServerInfo], missing: &[MissingServer]) -> String {
    let mut lines = Vec::new();
    if !running.is_empty() {
        lines.push("Its language servers:".to_owned());
        let widest =
            running.iter().map(|server| columns_of(&one_line(&server.name))).max().unwrap_or_default();
        lines.extend(running.iter().map(|server| line(server, widest)));
    }
    if !missing.is_empty() {
        lines.push("Not installed:".to_owned());
        lines.extend(missing.iter().map(|server| {
            let (name, language, hint) = (&server.name, &server.language, &server.hint);
            format!("  {} ({}): {}", one_line(name), one_line(language), one_line(hint))
        }));
    }
    lines.iter().map(|line| format!("\n{line}")).collect()
}

/// `  rust-analyzer  indexing 40 %: shop, 3 documents, 812 MB, in the sandbox, in /home/ann/shop`
fn line(server: &ServerInfo, widest: usize) -> String {
    let name = one_line(&server.name);
    let room = " ".repeat(widest.saturating_sub(columns_of(&name)));
    let message = server.message.as_deref().map(one_line).filter(|message| !message.is_empty());
    let message = message.map(|message| format!(": {message}")).unwrap_or_default();
    let state = match server.state {
        ServerState::Starting => "starting".to_owned(),
        ServerState::Indexing => match server.percent {
            Some(percent) => format!("indexing {percent} %{message}"),
            None => format!("indexing{message}"),
        },
        ServerState::Ready => format!("ready{message}"),
        ServerState::Resting => format!("crashed{message}; restarts soon"),
        ServerState::GivenUp => {
            format!("stopped after repeated crashes{message}; `copydesk restart {name}` tries again")
        }
        ServerState::Ending => "ending".to_owned(),
    };
    let documents = match server.documents {
        0 => String::new(),
        1 => ", 1 document".to_owned(),
        several => format!(", {several} documents"),
    };
    let place = match server.sandboxed {
        None => "",
        Some(true) => ", in the sandbox",
        Some(false) => ", outside of the sandbox",
    };
    let memory = server.memory.map(|bytes| format!(", {} MB", bytes.div_ceil(1 << 20))).unwrap_or_default();
    format!("  {name}{room}  {state}{documents}{memory}{place}, in {}", one_line(&server.root))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn server(name: &str, state: ServerState, message: Option<&str>) -> ServerInfo {
        ServerInfo {
            name: name.to_owned(),
            root: "/home/ann/shop".to_owned(),
            state,
            message: message.map(str::to_owned),
            percent: None,
            documents: 1,
            memory: None,
            pid: None,
            sandboxed: None,
        }
    }

    #[test]
    fn each_has_a_line_that_says_what_to_do() {
        let indexing = ServerInfo {
            percent: Some(40),
            documents: 3,
            memory: Some(812 << 20),
            sandboxed: Some(true),
            ..server("rust-analyzer", ServerState::Indexing, Some("shop\n(lib)"))
        };
        let running = [
            indexing,
            ServerInfo {
                documents: 0,
                ..server("gopls", ServerState::GivenUp, Some("it ended with code 1"))
            },
            server("pyright", ServerState::Resting, Some("it ended with code 1")),
            server("clangd", ServerState::Ready, None),
        ];
        let missing = [MissingServer {
            name: "typescript-language-server".to_owned(),
            language: "typescript".to_owned(),
            hint: "npm install -g typescript-language-server typescript".to_owned(),
        }];
        expect![[r#"

            Its language servers:
              rust-analyzer  indexing 40 %: shop (lib), 3 documents, 812 MB, in the sandbox, in /home/ann/shop
              gopls          stopped after repeated crashes: it ended with code 1; `copydesk restart gopls` tries again, in /home/ann/shop
              pyright        crashed: it ended with code 1; restarts soon, 1 document, in /home/ann/shop
              clangd         ready, 1 document, in /home/ann/shop
            Not installed:
              typescript-language-server (typescript): npm install -g typescript-language-server typescript"#]].assert_eq(&described(&running, &missing));
        assert_eq!(described(&[], &[]), "");
    }
}

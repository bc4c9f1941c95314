//! What comes from a server, in the order in which it comes.

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::known::value;
use super::readiness::token;
use super::registered::Wanted;
use super::{Inner, greeting, parse, settings};
use copydesk_rpc::peer::{Handler, RpcError};

/// Messages longer than this are read only where their size is to be expected.
const LONGEST: usize = 4 * 1024 * 1024;

impl Handler for Inner {
    fn request(&self, method: &str, params: &RawValue) -> Result<Value, RpcError> {
        if params.get().len() > LONGEST {
            return Err(RpcError { code: -32602, message: "the params are too long".to_owned() });
        }
        Ok(match method {
            "workspace/configuration" => settings::answer(&self.launch.settings, &value(params)),
            "workspace/workspaceFolders" => greeting::folders(&self.launch),
            "client/registerCapability" => {
                // Read before anybody is kept waiting: a server may want a thousand patterns.
                let wanted = Wanted::read(&value(params), &self.launch.root);
                self.change(|known| known.registered.register(wanted));
                Value::Null
            }
            "client/unregisterCapability" => {
                let params = value(params);
                self.change(|known| known.registered.unregister(&params));
                Value::Null
            }
            // A server changes no file of ours.
            "workspace/applyEdit" => {
                json!({ "applied": false, "failureReason": "files are not changed at a server's wish" })
            }
            "window/showDocument" => json!({ "success": false }),
            // Nobody sits here who could choose.
            "window/showMessageRequest" | "window/workDoneProgress/create" => Value::Null,
            _ if method.starts_with("workspace/") && method.ends_with("/refresh") => {
                self.change(|_| ());
                Value::Null
            }
            _ => return Err(RpcError::unknown(method)),
        })
    }

    fn notified(&self, method: &str, params: &RawValue) {
        let quirks = &self.launch.quirks;
        if method == "textDocument/publishDiagnostics" {
            match parse::publish(params) {
                Some(publish) => self.change(|known| known.take(publish, quirks, Instant::now()).is_some()),
                None => return self.garbage("diagnostics that are none"),
            };
            return;
        }
        if params.get().len() > LONGEST {
            return;
        }
        match method {
            "$/progress" => {
                let params = value(params);
                let (Some(token), Some(value)) = (token(&params), params.get("value")) else { return };
                let now = Instant::now();
                self.change(|known| {
                    known.readiness.progress(&token, value, now);
                    known.saves.progress(&token, value, now);
                });
            }
            "experimental/serverStatus" => {
                let params = value(params);
                self.change(|known| {
                    let now = Instant::now();
                    if known.readiness.status(&params, now) {
                        // It looks at the whole project then, without being told of a save.
                        known.saves.cause(now);
                    }
                });
            }
            // What it says to people or to a log nobody reads here; what is of no use is ignored, as the protocol allows.
            _ => {}
        }
    }

    fn garbage(&self, seen: &str) {
        let mut known = self.lock();
        let count = known.garbage.as_ref().map_or(0, |(count, _)| *count);
        known.garbage = Some((count.saturating_add(1), seen.chars().take(200).collect()));
    }

    fn ended(&self, why: &str) {
        self.change(|known| {
            known.ended.get_or_insert_with(|| why.to_owned());
        });
    }
}

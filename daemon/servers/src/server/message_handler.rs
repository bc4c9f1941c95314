//! What comes from a server, in the order in which it comes.

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::readiness::token;
use super::record::parse_value;
use super::registrations::RegistrationRequest;
use super::{ServerInner, configuration, initialize, parse};
use copydesk_rpc::peer::{RpcError, RpcHandler};

/// Messages longer than this are read only where their size is to be expected.
const LONGEST: usize = 4 * 1024 * 1024;

impl RpcHandler for ServerInner {
    fn request(&self, method: &str, params: &RawValue) -> Result<Value, RpcError> {
        if params.get().len() > LONGEST {
            return Err(RpcError { code: -32602, message: "the params are too long".to_owned() });
        }
        Ok(match method {
            "workspace/configuration" => {
                configuration::answer_configuration(&self.launch.settings, &parse_value(params))
            }
            "workspace/workspaceFolders" => initialize::workspace_folders(&self.launch),
            "client/registerCapability" => {
                // Read before anybody is kept waiting: a server may want a thousand patterns.
                let wanted = RegistrationRequest::read(&parse_value(params), &self.launch.root);
                self.change(|known| known.registrations.register(wanted));
                Value::Null
            }
            "client/unregisterCapability" => {
                let params = parse_value(params);
                self.change(|known| known.registrations.unregister(&params));
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
            _ => return Err(RpcError::method_not_found(method)),
        })
    }

    fn notification(&self, method: &str, params: &RawValue) {
        let quirks = &self.launch.quirks;
        if method == "textDocument/publishDiagnostics" {
            match parse::parse_publish(params) {
                Some(publish) => {
                    self.change(|known| known.receive_publish(publish, quirks, Instant::now()).is_some())
                }
                None => return self.malformed("diagnostics that are none"),
            };
            return;
        }
        if params.get().len() > LONGEST {
            return;
        }
        match method {
            "$/progress" => {
                let params = parse_value(params);
                let (Some(token), Some(value)) = (token(&params), params.get("value")) else { return };
                let now = Instant::now();
                self.change(|known| {
                    known.readiness.update_progress(&token, value, now);
                    known.save_runs.progress(&token, value, now);
                });
            }
            "experimental/serverStatus" => {
                let params = parse_value(params);
                self.change(|known| {
                    let now = Instant::now();
                    if known.readiness.update_status(&params, now) {
                        // It looks at the whole project then, without being told of a save.
                        known.save_runs.expect_run(now);
                    }
                });
            }
            // What it says to people or to a log nobody reads here; what is of no use is ignored, as the protocol allows.
            _ => {}
        }
    }

    fn malformed(&self, seen: &str) {
        let mut known = self.lock();
        let count = known.malformed.as_ref().map_or(0, |(count, _)| *count);
        known.malformed = Some((count.saturating_add(1), seen.chars().take(200).collect()));
    }

    fn closed(&self, why: &str) {
        self.change(|known| {
            known.ended.get_or_insert_with(|| why.to_owned());
        });
    }
}

//! Handles the messages of a server, in order of arrival.

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::readiness::token;
use super::record::parse_value;
use super::registrations::RegistrationRequest;
use super::status_warnings::WarningCause;
use super::{ServerInner, configuration, initialize, parse};
use copydesk_rpc::peer::{RpcError, RpcHandler};

/// Longer messages are rejected, except for diagnostics, which may be long.
const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;

impl ServerInner {
    /// A message for the user.
    fn note_error(&self, params: &Value) {
        let message = params.get("message").and_then(Value::as_str);
        let is_error = params.get("type").and_then(Value::as_u64) == Some(1);
        if let Some(message) = message.filter(|_| is_error) {
            self.change(|record| record.save_runs.note_error(message, Instant::now()));
        }
    }
}

impl RpcHandler for ServerInner {
    fn request(&self, method: &str, params: &RawValue) -> Result<Value, RpcError> {
        if params.get().len() > MAX_MESSAGE_BYTES {
            if method == "workspace/applyEdit" {
                self.change(|record| record.command_edits.receive_unread());
            }
            return Err(RpcError { code: -32602, message: "the params are too long".to_owned() });
        }
        Ok(match method {
            "workspace/configuration" => {
                configuration::answer_configuration(&self.launch.settings, &parse_value(params))
            }
            "workspace/workspaceFolders" => initialize::workspace_folders(&self.launch),
            "client/registerCapability" => {
                // Parsed before the lock is taken: a server may register a thousand patterns.
                let request = RegistrationRequest::read(&parse_value(params), &self.launch.root);
                self.change(|record| record.registrations.register(request));
                Value::Null
            }
            "client/unregisterCapability" => {
                let params = parse_value(params);
                self.change(|record| record.registrations.unregister(&params));
                Value::Null
            }
            // A server must not change files.
            "workspace/applyEdit" => {
                let params = parse_value(params);
                self.change(|record| record.command_edits.receive(&params))
            }
            "window/showDocument" => json!({ "success": false }),
            // No user is here to choose.
            "window/showMessageRequest" => {
                self.note_error(&parse_value(params));
                Value::Null
            }
            "window/workDoneProgress/create" => Value::Null,
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
                    self.change(|record| record.receive_publish(publish, quirks, Instant::now()).is_some())
                }
                None => return self.malformed("diagnostics that are none"),
            };
            return;
        }
        if params.get().len() > MAX_MESSAGE_BYTES {
            return;
        }
        match method {
            "$/progress" => {
                let params = parse_value(params);
                let (Some(token), Some(value)) = (token(&params), params.get("value")) else { return };
                let now = Instant::now();
                self.change(|record| {
                    record.readiness.update_progress(&token, value, now);
                    record.save_runs.progress(&token, value, now);
                });
            }
            "experimental/serverStatus" => {
                let params = parse_value(params);
                self.change(|record| {
                    let now = Instant::now();
                    let cause = WarningCause {
                        configuration: record.is_reading_configuration(),
                        run: record.save_runs.is_running_or_just_ended(now),
                    };
                    record.status_warnings.update(&params, cause);
                    if record.readiness.update_status(&params, now) {
                        // It checks the whole project then, without a didSave.
                        record.save_runs.expect_run(now);
                    }
                });
            }
            "window/showMessage" => self.note_error(&parse_value(params)),
            // Other messages are dropped, as the protocol allows.
            _ => {}
        }
    }

    fn malformed(&self, seen: &str) {
        let mut record = self.lock();
        let count = record.malformed.as_ref().map_or(0, |(count, _)| *count);
        record.malformed = Some((count.saturating_add(1), seen.chars().take(200).collect()));
    }

    fn closed(&self, why: &str) {
        self.change(|record| {
            record.ended.get_or_insert_with(|| why.to_owned());
        });
    }
}
